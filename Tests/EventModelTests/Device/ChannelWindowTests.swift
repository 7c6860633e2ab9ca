// A base that holds a part of its channel, through a random life, against one that holds all.

import Basis
import Testing

@testable import EventModel

/// A channel's events, and a base of everything after each.
private struct Truth {
    let channel = Channel("room")
    let key = DigestKey(String(repeating: "07", count: 16))!
    private(set) var events: [Envelope] = []
    private(set) var bases: [ChannelBase]
    private var choices: SeededGenerator

    init(seed: UInt64) {
        choices = SeededGenerator(seed: seed)
        bases = [ChannelBase(cache: DeviceCache(), epoch: "e", key: key)]
    }

    var newest: ChannelBase { bases[bases.count - 1] }

    /// Something happens.
    mutating func go() {
        let at = Timetoken(rawValue: newest.cursor.rawValue + UInt64(1 + choices.below(3)))
        let (user, event) = event(at: at)
        happen(event, of: user, at: at)
    }

    mutating func happen(_ event: Event, of user: String, at: Timetoken) {
        var base = newest
        let before = base.digest
        var envelope = Envelope(channel: channel, timetoken: at, uuid: user, event: event)
        _ = base.apply(envelope)
        switch event {
        case .messagesDeleted, .actionsCleared:
            var gone = before
            gone.remove(base.digest)
            envelope = envelope.taking(gone)
        default: break
        }
        events.append(envelope)
        bases.append(base)
    }

    private mutating func event(at: Timetoken) -> (user: String, Event) {
        let messages = newest.cache.messages.keys.sorted()
        let user = choices.pick(["ada", "bob", "cy"])
        guard messages.count > 3, !choices.chance(30) else {
            return (user, .message(Message(payload: "\(at)")))
        }
        // Some on timetokens at which no message is.
        let message =
            choices.chance(10)
            ? Timetoken(rawValue: 1 + UInt64(choices.below(Int(at.rawValue))))
            : choices.pick(choices.chance(60) ? Array(messages.suffix(6)) : messages)
        var standing: [MessageAction] = []
        newest.cache.forEachAction { standing.append($0) }
        switch choices.below(20) {
        case 0:
            let start = choices.pick([Timetoken(rawValue: message.rawValue - 1), .zero])
            return ("", .messagesDeleted(after: start, through: message))
        case 1: return ("", .actionsCleared(Clearing(messageTimetoken: message)))
        case 2: return ("", .actionsCleared(Clearing(value: "👍")))
        case 3..<9 where !standing.isEmpty:
            let action = choices.pick(standing.sorted { $0.actionTimetoken < $1.actionTimetoken })
            return (action.key.uuid, .actionRemoved(action))
        default:
            let key = MessageAction.Key(
                messageTimetoken: message, type: "reaction", value: choices.pick(["👍", "🎉"]),
                uuid: user)
            guard newest.cache.action(of: key) == nil else { return event(at: at) }
            return (
                user,
                .actionAdded(
                    MessageAction(key: key, actionTimetoken: at, score: 1 + choices.below(3)))
            )
        }
    }

    /// What the rows up to a message come to after so many events.
    func rest(through after: Timetoken, at index: Int) -> Digest {
        var digest = Digest.empty
        for (timetoken, entry) in bases[index].cache.messages where timetoken <= after {
            digest.insert(entry.row(at: timetoken), key: key)
        }
        bases[index].cache.forEachAction {
            if $0.key.messageTimetoken <= after { digest.insert($0, key: key) }
        }
        return digest
    }

    /// What somebody holds who has what is after a message.
    func rows(after: Timetoken, at index: Int) -> [UInt8] {
        let whole = bases[index].cache
        var actions: [MessageAction] = []
        whole.forEachAction { if $0.key.messageTimetoken > after { actions.append($0) } }
        return DeviceCache(
            messages: whole.messages.filter { $0.key > after }, actions: actions, cursor: .zero
        ).canonicalBytes
    }

    /// The page before a window, as of so many events.
    func page(before through: Timetoken, from after: Timetoken, at index: Int) -> WindowPage {
        func isMeant(_ message: Timetoken) -> Bool { after < message && message <= through }
        let base = bases[index]
        var page = WindowPage(
            cursor: base.cursor, after: after, rest: rest(through: after, at: index),
            state: base.digest)
        for (timetoken, entry) in base.cache.messages where isMeant(timetoken) {
            page.messages.append(
                StoredMessage(timetoken: timetoken, uuid: entry.uuid, message: entry.message))
        }
        base.cache.forEachAction {
            if isMeant($0.key.messageTimetoken) { page.actions.append($0) }
        }
        return page
    }

    /// What changed, summed up as a reader does, for a window.
    func summedUp(
        after cursor: Timetoken, window: Timetoken, tellsRest: Bool
    ) -> Batch {
        var last: [MessageAction.Key: Timetoken] = [:]
        let missed = events.filter { $0.timetoken > cursor }
        for event in missed {
            if let key = event.actionKey { last[key] = event.timetoken }
        }
        let told = missed.filter { event in
            guard let key = event.actionKey else { return true }
            return last[key] == event.timetoken
                && !(key.messageTimetoken <= window && window > .zero)
        }
        let rest = tellsRest ? rest(through: window, at: bases.count - 1) : nil
        return Batch(
            channel: channel, cursor: newest.cursor, envelopes: told.map { $0.taking(nil) },
            state: newest.digest, window: BatchWindow(after: window, rest: rest))
    }
}

extension Envelope {
    fileprivate var actionKey: MessageAction.Key? {
        switch event {
        case .actionAdded(let action), .actionRemoved(let action): action.key
        default: nil
        }
    }
}

@Suite("Channel windows")
struct ChannelWindowTests {
    /// A device beside the truth: what reached it, and a page on its way.
    private struct Part {
        var base: ChannelBase
        /// Events that reached it.
        var heard: Int
        /// Where the window started when it asked, and where the page starts.
        var asked: (through: Timetoken, page: WindowPage)?
        var verified = 0

        init(_ truth: Truth) {
            base = .window()
            base.accept(epoch: "e", key: truth.key)
            heard = truth.events.count
            _ = base.apply(
                Batch(channel: truth.channel, cursor: truth.newest.cursor, envelopes: []))
        }

        mutating func hear(_ truth: Truth, _ count: Int) {
            let news = truth.events[heard...].prefix(count)
            guard let last = news.last else { return }
            heard += news.count
            _ = base.apply(
                Batch(channel: truth.channel, cursor: last.timetoken, envelopes: Array(news)))
        }

        /// What is wrong with it.
        mutating func problem(_ truth: Truth) -> String? {
            guard base.cursor >= base.rest.cursor else { return nil }
            let whole = truth.bases[heard]
            if let state = base.state {
                verified += 1
                if state != whole.digest { return "comes to something else" }
            }
            guard base.rest.after < .end else { return nil }
            let rows = truth.rows(after: base.rest.after, at: heard)
            return rows == base.cache.canonicalBytes ? nil : "other rows"
        }
    }

    @Test(
        "are right at each event, whatever happens meanwhile",
        arguments: UInt64(1)...40)
    func randomLife(seed: UInt64) {
        var truth = Truth(seed: seed)
        var choices = SeededGenerator(seed: seed ^ 0xabcd)
        for _ in 0..<40 { truth.go() }
        var part = Part(truth)
        var pages = 0
        for step in 0..<500 {
            switch choices.below(12) {
            case 0..<4: truth.go()
            case 4..<7: part.hear(truth, 1 + choices.below(4))
            case 7 where part.asked == nil && part.base.rest.after > .zero:
                ask(&part, truth, &choices)
            case 8 where part.asked != nil: pages += take(&part, truth)
            case 9 where part.base.rest.after < .end && choices.chance(30):
                if let message = part.base.cache.messages.keys.sorted().prefix(3).last {
                    _ = part.base.shrink(to: message)
                }
            case 10 where part.base.rest.after < .end && choices.chance(30):
                comeBack(&part, truth, &choices)
            default: break
            }
            if let problem = part.problem(truth) {
                Issue.record("seed \(seed), step \(step): \(problem)")
                return
            }
        }
        #expect(pages > 3 && part.verified > 50, "seed \(seed) did too little")
    }

    /// Asks for older messages; what is read may be older or newer than what was heard.
    private func ask(_ part: inout Part, _ truth: Truth, _ choices: inout SeededGenerator) {
        let through = part.base.rest.after
        let known = truth.bases.firstIndex { $0.cursor >= part.base.rest.cursor } ?? 0
        let oldest = max(part.heard, known)
        let index = oldest + choices.below(truth.bases.count - oldest)
        let messages = truth.bases[index].cache.messages.keys.sorted().filter { $0 <= through }
        let start = messages.dropLast(1 + choices.below(6)).last ?? .zero
        part.base.expectPage()
        part.asked = (
            through, truth.page(before: through, from: min(start, through), at: index)
        )
    }

    private func take(_ part: inout Part, _ truth: Truth) -> Int {
        guard let (through, page) = part.asked else { return 0 }
        part.asked = nil
        // It gave up some of what it held, or was away: the page is of no use.
        guard part.base.seen != nil, part.base.rest.after == through, page.after < through
        else {
            part.base.cancelPage()
            return 0
        }
        guard part.base.grow(by: page) != nil else { return 0 }
        _ = part.base.settle(truth.bases[part.heard].digest, at: part.base.cursor)
        // The first page has all up to where it was read; so has one that nothing came before.
        while truth.bases[part.heard].cursor < part.base.cursor { part.heard += 1 }
        return 1
    }

    private func comeBack(
        _ part: inout Part, _ truth: Truth, _ choices: inout SeededGenerator
    ) {
        let after = part.base.rest.after
        // The server may know an earlier start of the window, or a later one.
        let held = part.base.cache.messages.keys.sorted()
        let start: Timetoken =
            switch choices.below(10) {
            case 0..<3: .zero
            case 3..<6: held.isEmpty ? after : choices.pick(held)
            default: after
            }
        _ = part.base.apply(
            truth.summedUp(
                after: part.base.cursor, window: start, tellsRest: choices.chance(80)))
        part.heard = truth.events.count
        if part.base.rest.digest == nil {
            let after = part.base.rest.after
            let rest = truth.rest(through: after, at: part.heard)
            part.base.rest = ChannelRest(after: after, digest: rest, cursor: part.base.cursor)
        }
    }

    @Test("wait for what was taken back of rows that a page brought meanwhile")
    func takenBackBetweenPages() {
        var truth = Truth(seed: 1)
        let times = (0...9).map { Timetoken(rawValue: 10 * UInt64($0)) }
        for at in times[1...6] {
            truth.happen(.message(Message(payload: "\(at)")), of: "ada", at: at)
        }
        var part = Part(truth)
        func take(from after: Timetoken, asOf cursor: Timetoken) -> [RowChange]? {
            let page = truth.page(
                before: part.base.rest.after, from: after, at: truth.events.count)
            part.base.expectPage()
            return part.base.grow(
                by: WindowPage(
                    cursor: cursor, after: after, rest: page.rest, state: page.state,
                    messages: page.messages, actions: page.actions))
        }
        func settles(_ state: Digest) -> Bool {
            part.base.settle(state, at: part.base.cursor)
        }
        #expect(take(from: times[4], asOf: times[6])?.count == 2)
        let state = truth.newest.digest

        let flag = MessageAction(
            key: MessageAction.Key(
                messageTimetoken: times[4], type: "reaction", value: "flag", uuid: "ada"),
            actionTimetoken: times[7], score: 1)
        truth.happen(.actionAdded(flag), of: "ada", at: times[7])
        #expect(take(from: times[3], asOf: times[7])?.contains(.actionPut(flag)) == true)
        #expect(!settles(state))
        truth.happen(.actionRemoved(flag), of: "ada", at: times[8])
        // The page after it, too, is of a commit that is none of the channel's.
        #expect(take(from: times[2], asOf: times[9])?.count == 1)
        #expect(truth.newest.digest == state)
        #expect(!settles(state), "the flag still stands here")
        #expect(part.base.state == nil)

        part.hear(truth, 2)
        #expect(settles(state))
        #expect(part.base.cursor == times[9])
        #expect(part.base.state == state)
        let rows = truth.rows(after: times[2], at: truth.events.count)
        #expect(rows == part.base.cache.canonicalBytes)
    }
}
