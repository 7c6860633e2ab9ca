// The bytes by which two devices are compared: equal exactly when the rows are.

import Basis
import EventModel
import Testing

private func cache(_ events: [(UInt64, String, Event)]) -> DeviceCache {
    var cache = DeviceCache()
    for (ticks, uuid, event) in events {
        cache.apply(
            Envelope(
                channel: Channel("room"), timetoken: Timetoken(rawValue: ticks), uuid: uuid,
                event: event))
    }
    return cache
}

private func action(
    _ type: String, _ value: String, _ uuid: String, on message: UInt64 = 1, added: UInt64 = 2
) -> Event {
    let key = MessageAction.Key(
        messageTimetoken: Timetoken(rawValue: message), type: type, value: value, uuid: uuid)
    return .actionAdded(MessageAction(key: key, actionTimetoken: Timetoken(rawValue: added)))
}

@Suite("Canonical bytes")
struct CanonicalBytesTests {
    @Test("no rows are no bytes, wherever the cursor stands")
    func empty() {
        #expect(DeviceCache(cursor: Timetoken(rawValue: 7)).canonicalBytes.isEmpty)
    }

    @Test("the rows come in one order, whatever the order in which they became so")
    func order() {
        let first = cache([
            (2, "x", action("r", "b", "ada")), (3, "x", action("r", "a", "ada", added: 3)),
            (4, "ada", .message(Message(payload: "{}", meta: "1", type: "text"))),
        ])
        let second = cache([
            (1, "x", action("r", "a", "ada", added: 3)),
            (2, "x", action("r", "b", "ada")),
            (4, "ada", .message(Message(payload: "{}", meta: "1", type: "text"))),
        ])

        #expect(first.canonicalBytes == second.canonicalBytes)
    }

    @Test(
        "a change of any field of a message shows",
        arguments: [
            Message(payload: "2", meta: "1", type: "t"), Message(payload: "1", type: "t"),
            Message(payload: "1", meta: "1"), Message(payload: "1", meta: "2", type: "t"),
            Message(payload: "1", meta: "1", type: "u"),
        ])
    func messageFields(changed: Message) {
        let original = cache([(1, "ada", .message(Message(payload: "1", meta: "1", type: "t")))])

        #expect(cache([(1, "ada", .message(changed))]).canonicalBytes != original.canonicalBytes)
    }

    @Test(
        "a delimiter inside a value does not make two different rows look the same",
        arguments: [
            (("a", "1:b", "c"), ("a1:", "b", "c")), (("a", "b", "c"), ("a", "bc", "")),
            (("a", "b\n1:1", "c"), ("a", "b", "\n1:1c")), (("a:1", "b", "c"), ("a", "1:b", "c")),
            (("1:a", "b", "c"), ("a", "1:b", "c")), (("a", "b1:c", "d"), ("a", "b", "1:cd")),
            (("", "a", "b"), ("a", "", "b")),
        ] as [((String, String, String), (String, String, String))])
    func injection(left: (String, String, String), right: (String, String, String)) {
        let first = cache([(2, "x", action(left.0, left.1, left.2))])
        let second = cache([(2, "x", action(right.0, right.1, right.2))])

        #expect(first.canonicalBytes != second.canonicalBytes)
    }

    @Test("bytes are equal exactly when rows are", arguments: UInt64(1)...50)
    func equalExactlyWhenRowsAre(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = ["", "a", ":", "0:", "1:", "\n"]
        var caches: [DeviceCache] = []
        for _ in 0..<40 {
            var events: [(UInt64, String, Event)] = []
            for ticks in 1...UInt64.random(in: 1...2, using: &generator) {
                let texts = (0..<3).map { _ in pieces.randomElement(using: &generator) ?? "" }
                events.append(
                    (ticks, "x", action(texts[0], texts[1], texts[2], added: ticks)))
            }
            caches.append(cache(events))
        }

        for left in caches {
            for right in caches {
                let sameRows = left.actions == right.actions
                #expect((left.canonicalBytes == right.canonicalBytes) == sameRows)
            }
        }
    }

    @Test("a message is never taken for an action")
    func kinds() {
        let message = Message(payload: "7", meta: "8", type: "2")
        let first = cache([(1, "reaction", .message(message))])
        let second = cache([(2, "x", action("reaction", "7", "8", on: 1, added: 2))])

        #expect(first.canonicalBytes != second.canonicalBytes)
    }
}
