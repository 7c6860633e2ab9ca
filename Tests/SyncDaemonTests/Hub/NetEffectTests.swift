// What is left of a batch when only its outcome matters: a device must end up the same.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Net effect")
struct NetEffectTests {
    private static let room = Channel("room")

    /// Random adds and removals as a ledger would order them, after some that happened before.
    private func history(_ count: Int, _ choices: inout SeededGenerator) -> [Envelope] {
        var standing: [MessageAction.Key: Timetoken] = [:]
        var events: [Envelope] = []
        for number in 1...count {
            let timetoken = tick(UInt64(number))
            let key = MessageAction.Key(
                messageTimetoken: tick(1), type: "reaction", value: "\(choices.below(3))",
                uuid: "\(choices.below(2))")
            let event: Event
            if choices.chance(10) {
                let clearing = Clearing(
                    messageTimetoken: tick(1), type: choices.chance(50) ? key.type : nil,
                    userID: choices.chance(50) ? key.uuid : nil)
                event = .actionsCleared(clearing)
                standing = standing.filter { !clearing.covers($0.key) }
            } else if choices.chance(20) {
                event = .message(.numbered(UInt64(number)))
            } else if let added = standing.removeValue(forKey: key) {
                event = .actionRemoved(MessageAction(key: key, actionTimetoken: added))
            } else {
                standing[key] = timetoken
                event = .actionAdded(MessageAction(key: key, actionTimetoken: timetoken))
            }
            events.append(
                Envelope(channel: Self.room, timetoken: timetoken, uuid: key.uuid, event: event))
        }
        return events
    }

    @Test("a device that gets the net effect ends up like one that gets all", arguments: 1...60)
    func converges(seed: Int) {
        var choices = SeededGenerator(seed: UInt64(seed))
        let events = history(40, &choices)
        let start = choices.below(events.count)
        var one = DeviceCache()
        for event in events[..<start] { one.apply(event) }
        var other = one
        for event in events[start...] { one.apply(event) }

        let encoded = events[start...].map(EncodedEnvelope.init)
        let kept = Set(netEffect(of: encoded[...]).map(\.timetoken))
        for event in events[start...] where kept.contains(event.timetoken) { other.apply(event) }

        #expect(one.canonicalBytes == other.canonicalBytes)
        // Each key at most once, and in the old order.
        let keys = netEffect(of: encoded[...]).compactMap { $0.action?.key }
        #expect(Set(keys).count == keys.count)
        #expect(kept.count <= encoded.count)
        let order = netEffect(of: encoded[...]).map(\.timetoken)
        #expect(order == order.sorted())
    }

    /// Random messages, what is said of them, and deletions of one or of several.
    private func passages(_ count: Int, _ choices: inout SeededGenerator) -> [Envelope] {
        var messages: [Timetoken] = []
        return (1...count).map { number in
            let timetoken = tick(UInt64(number * 3))
            var event = Event.message(.numbered(UInt64(number)))
            if choices.chance(60), let one = messages.randomElement(using: &choices) {
                let key = MessageAction.Key(
                    messageTimetoken: one, type: "reaction", value: "\(choices.below(2))",
                    uuid: "ada")
                if choices.chance(40) {
                    event = .actionAdded(MessageAction(key: key, actionTimetoken: timetoken))
                } else if choices.chance(85) {
                    event = .messagesDeleted(
                        after: Timetoken(rawValue: one.rawValue - 1), through: one)
                } else {
                    event = .messagesDeleted(
                        after: one, through: messages.max() ?? one)
                }
            } else {
                messages.append(timetoken)
            }
            return Envelope(
                channel: Self.room, timetoken: timetoken, uuid: "ada", event: event)
        }
    }

    @Test("messages that came and went leave nothing, nor does their deletion", arguments: 1...60)
    func passes(seed: Int) throws {
        var choices = SeededGenerator(seed: UInt64(seed))
        let events = passages(60, &choices)
        let start = choices.below(events.count - 1) + 1
        var (all, some, page) = (DeviceCache(), DeviceCache(), DeviceCache())
        for event in events[..<start] {
            all.apply(event)
            some.apply(event)
            page.apply(event)
        }
        let before = page
        let rest = Array(events[start...])
        let position = events[start - 1].timetoken
        let encoded = rest.map(EncodedEnvelope.init)
        for event in rest { all.apply(event) }

        // From memory: all that happened.
        let kept = Set(withoutPassing(encoded, after: position).map(\.timetoken))
        for event in rest where kept.contains(event.timetoken) { some.apply(event) }
        #expect(some.canonicalBytes == all.canonicalBytes)

        // From a reader: what is left of it, and all deletions.
        let deletions = encoded.compactMap(\.deletion)
        let left = encoded.filter { event in
            guard !event.isDeletion else { return true }
            let message = event.changedMessage ?? event.timetoken
            return !deletions.contains {
                $0.timetoken > event.timetoken && $0.takes(messageAt: message)
            }
        }
        let told = Set(withoutVainDeletions(left[...], nil, after: position).map(\.timetoken))
        for event in rest where told.contains(event.timetoken) { page.apply(event) }
        #expect(page.canonicalBytes == all.canonicalBytes)

        // In two pages: the second has deletions of what the first left out.
        let half = left.count / 2
        if half > 0 {
            let asOf = encoded[encoded.count - 1].timetoken
            let later = withoutVainDeletions(
                left[half...], Unseen(after: position, asOf: asOf), after: left[half - 1].timetoken)
            let expected = told.intersection(left[half...].map(\.timetoken))
            #expect(Set(later.map(\.timetoken)) == expected)
        }
        // The first page from a reader, and the rest from memory: found by a world.
        if half > 0 {
            let (asOf, middle) = (encoded[encoded.count - 1].timetoken, left[half - 1].timetoken)
            let first = withoutVainDeletions(left[..<half], nil, after: position)
            let later = withoutPassing(
                encoded.filter { $0.timetoken > middle },
                Unseen(after: position, asOf: asOf), after: middle)
            let both = Set((first + later).map(\.timetoken))
            var mixed = before
            for event in rest where both.contains(event.timetoken) { mixed.apply(event) }
            #expect(mixed.canonicalBytes == all.canonicalBytes)
        }
        let vain = deletions.filter { $0.after >= position }.map(\.timetoken)
        #expect(told.isDisjoint(with: vain))
        #expect(told.count == left.count - vain.count)
    }

    @Test("what is said of a message after its deletion stands")
    func saidLater() {
        let key = MessageAction.Key(
            messageTimetoken: tick(2), type: "reaction", value: "👍", uuid: "ada")
        func added(_ at: UInt64) -> Event {
            .actionAdded(MessageAction(key: key, actionTimetoken: tick(at)))
        }
        let happened: [(UInt64, Event)] = [
            (2, .message(.numbered(2))), (3, added(3)),
            (4, .messagesDeleted(after: tick(1), through: tick(2))), (5, added(5)),
        ]
        let events = happened.map { at, event in
            EncodedEnvelope(
                Envelope(channel: Self.room, timetoken: tick(at), uuid: "ada", event: event))
        }
        #expect(withoutPassing(events, after: tick(1)).map(\.timetoken) == [tick(5)])
        // Who may have the message is told all of it.
        #expect(withoutPassing(events, after: tick(2)) == events)
    }

    @Test("an action that came and went leaves nothing")
    func cancels() {
        let key = MessageAction.Key(
            messageTimetoken: tick(1), type: "reaction", value: "👍", uuid: "ada")
        let action = MessageAction(key: key, actionTimetoken: tick(2))
        let events = [
            Envelope(
                channel: Self.room, timetoken: tick(2), uuid: "ada", event: .actionAdded(action)),
            Envelope(
                channel: Self.room, timetoken: tick(3), uuid: "ada", event: .actionRemoved(action)),
        ].map(EncodedEnvelope.init)
        #expect(netEffect(of: events[...]).isEmpty)
        // Whoever did not see it added may still have it from before: for them the removal stays.
        #expect(netEffect(of: events[1...]).map(\.timetoken) == [tick(3)])
        #expect(summed(events).map(\.timetoken) == [tick(3)])
    }
}
