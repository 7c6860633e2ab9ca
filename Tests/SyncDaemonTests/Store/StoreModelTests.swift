// Random histories: whatever happens to two stores happens to both alike.

import EventModel
import TestSupport
import Testing

@testable import SyncDaemon

/// Both stores, told the same and asked the same.
private struct Pair {
    let stores: [any Store]
    var readers: [any StoreReader]
    var choices: SeededGenerator
    var clock: UInt64 = 0
    var isOpen = false
    /// Names of mutations since the last commit, which may be used once each.
    var mutationCount = 0

    let channels = [Channel("a"), Channel("b"), Channel("a", keyset: "k"), Channel("'\"👍")]
    let authors = [
        Author(userID: "ada", deviceID: "1"), Author(userID: "ada", deviceID: "2"),
        Author(keyset: "k", userID: "bob", deviceID: "1"),
    ]

    init(_ directory: ScratchDirectory, seed: UInt64) throws {
        stores = try StoreKind.allCases.map { try $0.make(in: directory) }
        readers = try stores.map { try $0.makeReader() }
        choices = SeededGenerator(seed: seed)
    }

    /// What each store answers; the answers must be equal.
    private func same<Answer: Equatable>(
        _ what: String, _ ask: (any Store) throws -> Answer
    ) throws -> Answer {
        let answers = try stores.map(ask)
        #expect(answers[0] == answers[1], "\(what)")
        return answers[0]
    }

    private mutating func key() -> MessageAction.Key {
        .on(
            UInt64(choices.below(6)), choices.pick(["👍", "👎"]),
            type: choices.pick(["reaction", "receipt"]), by: choices.pick(["ada", "bob"]))
    }

    mutating func step() throws {
        guard isOpen else {
            for store in stores { try store.begin() }
            isOpen = true
            return
        }
        clock += UInt64(choices.below(3)) + 1
        let now = tick(clock)
        let channel = choices.pick(channels)
        switch choices.below(20) {
        case 0..<6:
            let message = Message(
                payload: String(repeating: "7", count: choices.pick([1, 10, 100, 9000])),
                meta: choices.pick([nil, "{}"]), type: choices.pick([nil, "text"]))
            for store in stores { try store.insert(message, at: now, in: channel, by: "ada") }
        case 6..<13:
            let key = key()
            if try same("standing", { try $0.standingAction(key, in: channel) }) == nil {
                let action = MessageAction(key: key, actionTimetoken: now)
                for store in stores { try store.add(action, in: channel) }
            } else {
                for store in stores { try store.remove(key, at: now, in: channel) }
            }
        case 13..<15:
            mutationCount += 1
            let name = "m\(mutationCount)"
            let author = choices.pick(authors)
            let record = MutationRecord(fingerprint: choices.next(), outcome: .published(now))
            for store in stores { try store.remember(record, of: name, by: author, at: now) }
        case 15:
            let before = tick(clock - min(clock, UInt64(choices.below(200))))
            let limit = choices.below(4)
            for store in stores { try store.forgetMutations(before: before, limit: limit) }
        case 16:
            for store in stores { store.rollback() }
            isOpen = false
        default:
            for store in stores { try store.commit(through: now) }
            isOpen = false
        }
        try compare()
    }

    /// Asks both something that is chosen at random.
    mutating func compare() throws {
        let channel = choices.pick(channels + [Channel("unknown")])
        let after = tick(UInt64(choices.below(Int(clock) + 2)))
        let before = tick(UInt64(choices.below(Int(clock) + 2)))
        let history = HistoryQuery(
            channel: channel.name, before: choices.pick([nil, before]),
            after: choices.pick([nil, after]), limit: choices.below(8) + 1,
            includesActions: choices.chance(50))
        let actions = ActionsQuery(
            channel: channel.name,
            messageTimetoken: choices.pick([nil, tick(UInt64(choices.below(6)))]),
            type: choices.pick([nil, "receipt"]), value: choices.pick([nil, "👎"]),
            userID: choices.pick([nil, "bob"]), after: choices.pick([nil, after]),
            limit: choices.below(8) + 1)
        let changes = try readers.map { try $0.allChanges(in: channel, after: after) }
        let histories = try readers.map { try $0.history(history, in: channel) }
        let pages = try readers.map { try $0.actions(actions, in: channel) }
        #expect(changes[0] == changes[1], "changes in \(channel) after \(after)")
        #expect(histories[0] == histories[1], "\(history)")
        #expect(pages[0] == pages[1], "\(actions)")
        _ = try same("last") { $0.last }
        let author = choices.pick(authors)
        let name = "m\(choices.below(mutationCount + 1))"
        guard isOpen else { return }
        _ = try same("mutation \(name)") { try $0.outcome(of: name, by: author) }
    }
}

@Suite("Stores agree")
struct StoreModelTests {
    @Test("on every answer, after any history", arguments: UInt64(1)...30)
    func agree(seed: UInt64) throws {
        let directory = try ScratchDirectory()
        var pair = try Pair(directory, seed: seed)

        for _ in 0..<300 { try pair.step() }

        #expect(pair.mutationCount > 5, "seed \(seed) did too little")
        #expect(pair.stores[0].last > .zero)
    }
}
