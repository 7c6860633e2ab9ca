// What the ledger makes of reactions under a channel's rules.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger: rules of reactions")
struct LedgerRulesTests {
    private let bench = LedgerBench()

    private func rules(_ change: (inout ReactionRules) -> Void) -> ReactionRules {
        var rules = ReactionRules()
        change(&rules)
        return rules
    }

    private var unique: ReactionRules { rules { $0.mode = .unique } }

    private func events(_ commit: Commit) -> [String] {
        commit.events.map {
            switch $0.event {
            case .actionAdded(let action): "+\(action.key.value)@\(action.actionTimetoken)"
            case .actionRemoved(let action): "-\(action.key.value)@\(action.actionTimetoken)"
            default: "?"
            }
        }
    }

    @Test("another value takes the former one's place: one commit, first the removal")
    func replaces() throws {
        let first = bench.commit(write(.add(.on(1, "👍"), under: unique)))
        let added = try #require(first.events.first).timetoken
        let second = bench.commit(write(.add(.on(1, "👎"), under: unique)))

        let last = try #require(second.events.last).timetoken
        #expect(events(second) == ["-👍@\(added)", "+👎@\(last)"])
        #expect(second.events[0].timetoken < last)
        let action = MessageAction(key: .on(1, "👎"), actionTimetoken: last)
        #expect(second.answers.map(\.result) == [.success(.actionAdded(action, .added))])
        #expect(second.last == last)
        // Others' and other types are left alone.
        let others = bench.commit(
            write(.add(.on(1, "🔥", by: "bob"), under: unique)),
            write(.add(.on(1, "read", type: "receipt"), under: unique)),
            write(.add(.on(2, "🔥"), under: unique)))
        #expect(others.events.count == 3)
        let state = try #require(second.digests[Channel("room")])
        #expect(state.count == 1)
    }

    @Test("a retry is answered as the first time, and replaces nothing")
    func retry() throws {
        let replies = try ["👍", "👎"].map {
            try bench.reply(.add(.on(1, $0), under: unique), mutation: "m\($0)")
        }
        let again = bench.commit(write(.add(.on(1, "👍"), under: unique), mutation: "m👍"))
        #expect(again.events == [])
        #expect(again.answers.map(\.result) == [.success(replies[0])])
        #expect(try bench.store.standingAction(.on(1, "👎"), in: Channel("room")) != nil)
    }

    @Test("the same value again changes nothing, but takes away what another mode had let in")
    func cleansUp() throws {
        for value in ["👍", "👎", "🔥"] { _ = try bench.reply(.add(.on(1, value))) }
        let commit = bench.commit(write(.add(.on(1, "👍"), under: unique)))
        #expect(Set(events(commit).map { $0.prefix(2) }) == ["-👎", "-🔥"])
        guard case .success(.actionAdded(_, .already)) = commit.answers[0].result else {
            Issue.record("\(commit.answers)")
            return
        }
        #expect(Set(commit.events.map(\.timetoken)).count == 2)
        #expect(bench.commit(write(.add(.on(1, "👍"), under: unique))).events == [])
    }

    @Test("an alias adds, is there already, and removes; a retry survives a change of the rules")
    func aliases() throws {
        let rules = rules {
            $0.aliases = [ReactionRules.Alias(name: "love", value: "❤\u{FE0F}")]
            $0.types = ["reactions"]
        }
        let heart = MessageAction.Key.on(1, "❤\u{FE0F}")
        let love = MessageAction.Key.on(1, "love", type: "reactions")
        let reply = try bench.reply(.add(love, under: rules), mutation: "m")
        guard case .actionAdded(let action, .added) = reply else {
            Issue.record("\(reply)")
            return
        }
        #expect(action.key == heart)
        #expect(
            try bench.reply(.add(heart, under: rules))
                == .actionAdded(action, .already))
        // Its owner has other rules now.
        let again = bench.commit(write(.add(love), mutation: "m"))
        #expect(again.events == [])
        guard case .success(.actionAdded(let told, .added)) = again.answers[0].result else {
            Issue.record("\(again.answers)")
            return
        }
        #expect(told.actionTimetoken == action.actionTimetoken)
        #expect(
            try bench.reply(.remove(love, observed: action.actionTimetoken, under: rules))
                == .actionRemoved(.removed))
        #expect(try bench.store.standingAction(heart, in: Channel("room")) == nil)
    }

    @Test("what the rules refuse is refused with their words, changes nothing, and may come later")
    func refusals() throws {
        func error(_ key: MessageAction.Key, _ rules: ReactionRules) -> ProtocolError? {
            let commit = bench.commit(write(.add(key, under: rules), mutation: "m\(key.value)"))
            #expect(commit.events == [])
            if case .failure(let error) = commit.answers[0].result { return error }
            return nil
        }
        _ = try bench.reply(.add(.on(1, "👍")))
        #expect(error(.on(1, "👎"), rules { $0.isOn = false }) == .reactionsOff)
        #expect(error(.on(1, "ok"), rules { $0.values = .emoji }) == .valueNotAllowed)
        #expect(error(.on(1, "🔥"), rules { $0.needsMessage = true }) == .noSuchMessage)
        #expect(error(.on(1, "a"), rules { $0.ownMax = 1 })?.code == "too_many_actions")
        #expect(error(.on(1, "b"), rules { $0.valuesMax = 1 })?.code == "too_many_actions")
        #expect(error(.on(1, "c"), rules { $0.actionsMax = 1 })?.code == "too_many_actions")
        guard case .actionAdded(_, .added) = try bench.reply(.add(.on(1, "👎")), mutation: "m👎")
        else {
            Issue.record("It was remembered.")
            return
        }
        let message = try bench.reply(.publish(.numbered(1)))
        guard case .published(let timetoken) = message else {
            Issue.record("\(message)")
            return
        }
        let there = write(
            .add(.on(timetoken.rawValue, "🔥"), under: rules { $0.needsMessage = true }))
        #expect(bench.commit(there).events.count == 1)
    }

    private func scores(_ commit: Commit) -> [Int] {
        commit.events.map {
            switch $0.event {
            case .actionAdded(let action): action.score
            case .actionRemoved(let action): -action.score
            default: 0
            }
        }
    }

    private func applied(_ commit: Commit) -> String {
        switch commit.answers[0].result {
        case .success(.actionAdded(let action, let addition)): "\(addition) \(action.score)"
        case .success(.actionRemoved(let removal)): "\(removal)"
        case .failure(let error): error.code
        default: "?"
        }
    }

    @Test("another score takes the former one's place, and a retry is answered as the first time")
    func updates() throws {
        let steps: [(ReactionRules.Mode, Int?, [Int], String)] = [
            (.distinct, nil, [1], "added 1"), (.distinct, nil, [], "already 1"),
            (.distinct, 7, [-1, 7], "updated 7"), (.distinct, 7, [], "already 7"),
            (.distinct, nil, [], "already 7"), (.unique, 3, [-7, 3], "updated 3"),
            (.multiple, nil, [-3, 4], "updated 4"), (.multiple, 6, [-4, 10], "updated 10"),
            (.multiple, Limits.actionScoreMax, [], "score_too_large"),
            (.distinct, Limits.actionScoreMax, [-10, 1_000_000_000], "updated 1000000000"),
        ]
        for (index, step) in steps.enumerated() {
            let rules = rules { $0.mode = step.0 }
            let commits = (0..<2).map { _ in
                bench.commit(
                    write(.add(.on(1, "👍"), score: step.1, under: rules), mutation: "m\(index)"))
            }
            #expect(scores(commits[0]) == step.2, "\(index)")
            #expect(commits.map(applied) == [step.3, step.3], "\(index)")
            #expect(commits[1].events == [])
        }
        let key = MessageAction.Key.on(1, "👍")
        let standing = try #require(try bench.store.action(under: key, in: Channel("room")))
        #expect(standing.score == Limits.actionScoreMax)
        let reused = bench.commit(write(.add(.on(1, "👍"), score: 8), mutation: "m2"))
        #expect(applied(reused) == "mutation_reused")
    }

    @Test("of a total one is taken off, whatever was seen; with the last one all of it goes")
    func total() throws {
        let rules = rules { $0.mode = .total }
        let first = bench.commit(write(.add(.on(1, "x"), score: 3, under: rules)))
        let seen = first.events[0].timetoken
        let off = bench.commit(write(.remove(.on(1, "y"), observed: seen, under: rules)))
        #expect(scores(off) == [-3, 2])
        let again = bench.commit(write(.remove(.on(1, "y"), observed: seen, under: rules)))
        #expect((scores(again), applied(again)) == ([-2, 1], "removed"))
        let last = bench.commit(write(.remove(.on(1, "y"), observed: seen, under: rules)))
        #expect((scores(last), applied(last)) == ([-1], "removed"))
        #expect(try bench.store.action(under: .on(1, "total"), in: Channel("room")) == nil)
        // By its own timetoken, as SDKs do.
        let one = bench.commit(write(.add(.on(1, "x"), under: rules)))
        let gone = bench.commit(
            write(
                .removeAction(
                    messageTimetoken: tick(1), actionTimetoken: one.events[0].timetoken,
                    userID: "ada", under: rules)))
        #expect((scores(gone), applied(gone)) == ([-1], "removed"))
        // What is no reaction must have been seen.
        let key = MessageAction.Key.on(1, "x", type: "receipt")
        _ = bench.commit(write(.add(key, under: rules)))
        let stale = bench.commit(write(.remove(key, observed: seen, under: rules)))
        #expect((scores(stale), applied(stale)) == ([], "stale"))
    }
}
