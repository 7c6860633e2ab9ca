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
