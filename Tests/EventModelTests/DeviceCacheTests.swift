// What a device shows after a batch: rows, changes, cursor and counts.

import EventModel
import Testing

private let room = Channel("room")

private func at(_ ticks: UInt64) -> Timetoken { Timetoken(rawValue: ticks) }

private func thumb(
    _ uuid: String, on message: UInt64 = 10, added ticks: UInt64, value: String = "👍",
    type: String = "reaction"
) -> MessageAction {
    MessageAction(
        key: .init(messageTimetoken: at(message), type: type, value: value, uuid: uuid),
        actionTimetoken: at(ticks))
}

private func envelope(_ ticks: UInt64, _ event: Event, by uuid: String = "ada") -> Envelope {
    Envelope(channel: room, timetoken: at(ticks), uuid: uuid, event: event)
}

/// A batch that ends at `cursor`.
private func batch(_ cursor: UInt64, _ envelopes: Envelope...) -> Batch {
    Batch(channel: room, cursor: at(cursor), envelopes: envelopes)
}

private func added(_ ticks: UInt64, _ action: MessageAction) -> Envelope {
    envelope(ticks, .actionAdded(action))
}

private func removed(_ ticks: UInt64, _ action: MessageAction) -> Envelope {
    envelope(ticks, .actionRemoved(action))
}

private let hello = Event.message(Message(payload: #""hi""#))

@Suite("DeviceCache")
struct DeviceCacheTests {
    @Test("a message becomes a row with its author, and the cursor moves")
    func message() {
        var cache = DeviceCache()

        let changes = cache.apply(batch(12, envelope(10, hello)))

        #expect(changes == [.messageInserted(at(10))])
        #expect(
            cache.messages == [at(10): .init(uuid: "ada", message: Message(payload: #""hi""#))])
        #expect(cache.cursor == at(12))
    }

    @Test("a repeat changes nothing")
    func repeats() {
        var cache = DeviceCache()
        let first = batch(12, envelope(10, hello), added(12, thumb("bob", added: 12)))
        cache.apply(first)
        let before = cache

        #expect(cache.apply(first).isEmpty)
        #expect(cache.apply(batch(11, envelope(10, .message(Message(payload: "1"))))).isEmpty)
        #expect(cache == before)
    }

    @Test("an old removal that comes again does not remove what stands now")
    func lateRemoval() {
        var cache = DeviceCache()
        let removal = removed(13, thumb("bob", added: 12))
        cache.apply(
            batch(
                14, added(12, thumb("bob", added: 12)), removal, added(14, thumb("bob", added: 14)))
        )

        #expect(cache.apply(batch(13, removal)).isEmpty)
        #expect(cache.actions == [thumb("bob", added: 14).key: at(14)])
    }

    @Test("add, remove and add again in one batch happen in their order")
    func observedOrder() {
        var cache = DeviceCache()
        let first = thumb("bob", added: 12)

        let changes = cache.apply(
            batch(
                15, added(12, first), removed(13, first), removed(14, first),
                added(15, thumb("bob", added: 15))))

        // The second removal found nothing, so it is not among the changes.
        #expect(changes == Array(repeating: .actionsChanged(of: at(10)), count: 3))
        #expect(cache.actions == [first.key: at(15)])
    }

    @Test("add and then remove leaves nothing; remove and then add leaves one")
    func orderMatters() {
        let action = thumb("bob", added: 12)
        var first = DeviceCache()
        first.apply(batch(13, added(12, action), removed(13, action)))
        var second = DeviceCache()
        second.apply(batch(13, removed(12, action), added(13, action)))

        #expect(first.actions.isEmpty)
        #expect(second.actions.count == 1)
        #expect(first.canonicalBytes != second.canonicalBytes)
    }

    @Test("a deletion takes the messages of its range and the actions on them")
    func deletion() {
        var cache = DeviceCache()
        cache.apply(
            batch(
                14, envelope(10, hello), envelope(11, hello), envelope(12, hello),
                added(13, thumb("bob", on: 11, added: 13)),
                added(14, thumb("bob", on: 12, added: 14))))
        let event = Event.messagesDeleted(after: at(10), through: at(11))

        let changes = cache.apply(batch(15, envelope(15, event, by: "")))

        #expect(changes == [.messagesDeleted(after: at(10), through: at(11))])
        #expect(cache.messages.keys.sorted() == [at(10), at(12)])
        #expect(cache.actions == [thumb("bob", on: 12, added: 14).key: at(14)])
        #expect(cache.apply(batch(15, envelope(15, event, by: ""))).isEmpty)
    }

    @Test("an action that comes after the deletion of its message stays: the order decides")
    func actionAfterDeletion() {
        var cache = DeviceCache()
        let deletion = envelope(13, .messagesDeleted(after: at(0), through: at(12)), by: "")
        let again = thumb("bob", added: 14)

        cache.apply(
            batch(
                14, envelope(10, hello), added(11, thumb("bob", added: 11)), deletion,
                added(14, again)))

        #expect(cache.messages.isEmpty)
        #expect(cache.actions == [again.key: at(14)])
        // A repeat of the deletion does not take it.
        cache.apply(batch(13, deletion))
        #expect(cache.actions == [again.key: at(14)])
    }

    @Test("an action without its message is kept")
    func orphan() {
        var cache = DeviceCache(cursor: at(11))

        let changes = cache.apply(batch(12, added(12, thumb("bob", added: 12))))

        #expect(changes == [.actionsChanged(of: at(10))])
        #expect(cache.messages.isEmpty)
        #expect(cache.reactions(to: at(10), for: "bob").map(\.value) == ["👍"])
    }

    @Test("an empty batch moves the cursor forward, never back")
    func emptyBatches() {
        var cache = DeviceCache(cursor: at(10))

        #expect(cache.apply(batch(20)).isEmpty)
        #expect(cache.cursor == at(20))
        #expect(cache.apply(batch(15)).isEmpty)
        #expect(cache.cursor == at(20))
    }

    @Test("what was before the first cursor is never applied")
    func startCursor() {
        var cache = DeviceCache(cursor: at(10))

        cache.apply(batch(11, envelope(10, hello), envelope(11, hello)))

        #expect(cache.messages.keys.sorted() == [at(11)])
    }

    @Test("reactions are counted per value, oldest first, and know who asks")
    func reactions() {
        var cache = DeviceCache()
        cache.apply(
            batch(
                30, added(20, thumb("bob", added: 20, value: "🎉")),
                added(21, thumb("ada", added: 21)), added(22, thumb("bob", added: 22)),
                added(23, thumb("cy", added: 23, value: "🎉")),
                added(24, thumb("ada", on: 11, added: 24)),
                added(25, thumb("ada", added: 25, type: "receipt"))))

        let forAda = cache.reactions(to: at(10), for: "ada")
        #expect(forAda.map(\.value) == ["🎉", "👍"])
        #expect(forAda.map(\.count) == [2, 2])
        #expect(forAda.map(\.isMine) == [false, true])
        #expect(forAda.map(\.firstTimetoken) == [at(20), at(21)])
        #expect(cache.reactions(to: at(10), for: "cy").map(\.isMine) == [true, false])
        #expect(cache.reactions(to: at(10), type: "receipt", for: "ada").map(\.count) == [1])
        #expect(cache.reactions(to: at(12), for: "ada").isEmpty)

        // When the first of a value goes, the value moves behind what is older now.
        cache.apply(batch(31, removed(31, thumb("bob", added: 20, value: "🎉"))))
        #expect(cache.reactions(to: at(10), for: "ada").map(\.value) == ["👍", "🎉"])
    }
}
