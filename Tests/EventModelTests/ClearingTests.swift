// What a clearing covers, and what a device makes of one.

import EventModel
import Testing

@Suite("Clearings")
struct ClearingTests {
    private let room = Channel("room")

    private func key(
        _ message: UInt64, _ value: String, _ user: String, type: String = "reaction"
    ) -> MessageAction.Key {
        MessageAction.Key(
            messageTimetoken: Timetoken(rawValue: message), type: type, value: value, uuid: user)
    }

    private func envelope(_ timetoken: UInt64, _ event: Event) -> Envelope {
        Envelope(
            channel: room, timetoken: Timetoken(rawValue: timetoken), uuid: "", event: event)
    }

    private func action(_ key: MessageAction.Key, at timetoken: UInt64) -> MessageAction {
        MessageAction(key: key, actionTimetoken: Timetoken(rawValue: timetoken))
    }

    @Test("what it leaves out may be anything, but for what authors make of their messages")
    func covers() {
        let all = Clearing(messageTimetoken: Timetoken(rawValue: 1))
        #expect(all.covers(key(1, "👍", "ada")))
        #expect(all.covers(key(1, "", "", type: "receipt")))
        #expect(!all.covers(key(2, "👍", "ada")))
        for type in ["edited", "deleted"] {
            #expect(!all.covers(key(1, "x", "ada", type: type)))
            #expect(!Clearing(userID: "ada").covers(key(1, "x", "ada", type: type)))
            #expect(Clearing(type: type, userID: "ada").covers(key(1, "x", "ada", type: type)))
        }
        let one = Clearing(type: "reaction", value: "e\u{301}", userID: "bob")
        #expect(one.covers(key(9, "e\u{301}", "bob")))
        // Byte for byte.
        #expect(!one.covers(key(9, "é", "bob")))
        #expect(!one.covers(key(9, "e\u{301}", "ada")))
        #expect(!one.covers(key(9, "e\u{301}", "bob", type: "receipt")))
        #expect(Clearing(userID: "é") != Clearing(userID: "e\u{301}"))
    }

    @Test("a cache drops what it covers, and what was added since stands")
    func applies() {
        var cache = DeviceCache()
        for (number, user) in ["ada", "bob", "eve"].enumerated() {
            for (offset, value) in ["👍", "🎉"].enumerated() {
                let at = UInt64(10 + 2 * number + offset)
                cache.apply(
                    envelope(at, .actionAdded(action(key(1, value, user), at: at))))
            }
        }
        let bobs = Clearing(userID: "bob")
        #expect(
            cache.apply(
                Batch(
                    channel: room, cursor: Timetoken(rawValue: 20),
                    envelopes: [envelope(20, .actionsCleared(bobs))])) == [.actionsCleared(bobs)])
        #expect(cache.actions.keys.map(\.uuid).sorted() == ["ada", "ada", "eve", "eve"])
        // A repeat, and one without anything to clear, change nothing.
        #expect(cache.apply(envelope(20, .actionsCleared(bobs))) == .ignored)
        #expect(cache.apply(envelope(21, .actionsCleared(bobs))) == .ignored)
        cache.apply(envelope(22, .actionAdded(action(key(1, "👍", "bob"), at: 22))))
        let thumbs = Clearing(type: "reaction", value: "👍")
        cache.apply(envelope(23, .actionsCleared(thumbs)))
        #expect(cache.actions.keys.map(\.value).sorted() == ["🎉", "🎉"])
        let whole = Clearing(messageTimetoken: Timetoken(rawValue: 1))
        cache.apply(envelope(24, .actionsCleared(whole)))
        #expect(cache.actions.isEmpty)
        #expect(cache.actionsByMessage.isEmpty)
    }

    @Test("what a repair brought ahead is not taken by a clearing before it")
    func keepsNewer() {
        let kept = action(key(1, "👍", "ada"), at: 30)
        var cache = DeviceCache(
            messages: [:], actions: [kept], cursor: Timetoken(rawValue: 10))
        cache.apply(
            envelope(20, .actionsCleared(Clearing(messageTimetoken: Timetoken(rawValue: 1)))))
        #expect(cache.action(of: kept.key) == kept)
    }
}
