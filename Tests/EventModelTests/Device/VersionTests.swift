// What a list shows of a message that its author edited, or as good as deleted.

import Testing

@testable import EventModel

@Suite("Versions of messages")
struct VersionTests {
    private let room = Channel("room")

    private func batch(_ events: (UInt64, String, Event)...) -> Batch {
        Batch(
            channel: room, cursor: Timetoken(rawValue: events.map(\.0).max() ?? 0),
            envelopes: events.map {
                Envelope(
                    channel: room, timetoken: Timetoken(rawValue: $0.0), uuid: $0.1, event: $0.2)
            })
    }

    private func key(
        _ value: String, by user: String = "ada", type: String = "edited"
    ) -> MessageAction.Key {
        MessageAction.Key(
            messageTimetoken: Timetoken(rawValue: 1), type: type, value: value, uuid: user)
    }

    private func added(
        _ time: UInt64, _ value: String, by user: String = "ada", type: String = "edited"
    ) -> (UInt64, String, Event) {
        let action = MessageAction(
            key: key(value, by: user, type: type), actionTimetoken: Timetoken(rawValue: time))
        return (time, user, .actionAdded(action))
    }

    private var base: ChannelBase {
        var base = ChannelBase()
        _ = base.apply(batch((1, "ada", .message(Message(payload: #""one""#, meta: "{}")))))
        return base
    }

    private func item(_ base: ChannelBase, _ wishes: [OutboxEntry] = [], by user: String = "ada")
        -> ListItem
    {
        ChannelView(base, wishes, user: user, payload: { "<\($0)>" }).items[0]
    }

    @Test("of a message that is looked at what its author said last shows, however much was before")
    func lookedAt() {
        let device = Device(user: "bob")
        let oldest = (2...4).map {
            MessageAction(key: key("\"\($0)\""), actionTimetoken: Timetoken(rawValue: $0))
        }
        func shown(_ edited: MessageVersion?, deleted: UInt64?) -> ListItem {
            let message = StoredMessage(
                timetoken: Timetoken(rawValue: 1), uuid: "ada",
                message: Message(payload: "\"one\""), actions: oldest, edited: edited,
                deleted: deleted.map(Timetoken.init(rawValue:)))
            return device.items(of: [message], in: "room")[0]
        }
        let listed = shown(
            MessageVersion(payload: "\"4\"", timetoken: Timetoken(rawValue: 4)), deleted: nil)
        #expect((listed.message.payload, listed.versions, listed.isDeleted) == ("\"4\"", 3, false))
        let last = shown(
            MessageVersion(payload: "\"9\"", timetoken: Timetoken(rawValue: 90)), deleted: 91)
        #expect((last.message.payload, last.versions, last.isDeleted) == ("\"9\"", 4, true))
    }

    @Test("the newest version of the author's is shown, those of others mean nothing")
    func newest() {
        var base = base
        #expect(!item(base).isEdited)
        _ = base.apply(batch(added(2, "b"), added(3, "a"), added(4, "z", by: "bob")))
        #expect(item(base).message == Message(payload: "<a>", meta: "{}"))
        #expect(item(base).versions == 2)
        #expect(item(base).isEdited && !item(base).isDeleted)
        // The versions are no reactions, and are where they were.
        #expect(!item(base).hasReactions)
        #expect(item(base).reactions.map(\.value) == ["b", "a", "z"])
        // The newest one is taken back.
        let newest = MessageAction(key: key("a"), actionTimetoken: Timetoken(rawValue: 3))
        _ = base.apply(batch((5, "ada", .actionRemoved(newest))))
        #expect(item(base).message.payload == "<b>")
        #expect(item(base).versions == 1)
    }

    @Test("who deletes softly is shown as having deleted, until that is taken back")
    func soft() {
        var base = base
        _ = base.apply(batch(added(2, ".", by: "bob", type: "deleted")))
        #expect(!item(base).isDeleted)
        _ = base.apply(batch(added(3, ".", type: "deleted")))
        #expect(item(base).isDeleted)
        #expect(item(base).message.payload == #""one""#)
    }

    @Test("wishes are shown at once, the last of them")
    func wishes() {
        var base = base
        let wishes = ["x", "m"].enumerated().map { index, value in
            OutboxEntry(mutation: "m\(index)", channel: "room", wish: .add(key(value)))
        }
        #expect(item(base, wishes).message.payload == "<m>")
        #expect(item(base, wishes).versions == 2)
        // Somebody else's list has only what the server said.
        #expect(item(base, wishes, by: "bob").message.payload == #""one""#)
        _ = base.apply(batch(added(9, "b")))
        #expect(item(base, wishes).message.payload == "<m>")
        var answered = wishes
        answered[1].progress = .answered(Timetoken(rawValue: 5))
        #expect(item(base, answered).message.payload == "<x>")
    }

    @Test("a list changes by one row, whatever others said of the message")
    func changes() throws {
        var device = Device(user: "ada", payload: { "<\($0)>" })
        _ = device.follow("room", base: base)
        _ = device.observe("room")
        let effects = device.wish(
            "b", type: "edited", isPresent: true, on: .init(rawValue: 1),
            in: "room", mutation: "m")
        let (_, changes) = try #require(effects.changes.first)
        guard case .update(let item, at: 0) = try #require(changes.first) else {
            Issue.record("\(changes)")
            return
        }
        #expect(changes.count == 1)
        #expect(item.message.payload == "<b>")
    }

    @Test("an edit says what is new, and nothing when it is not")
    func values() throws {
        var base = base
        _ = base.apply(
            batch(added(2, "b"), added(3, "a"), (4, "bob", .message(.init(payload: "1")))))
        var device = Device(user: "ada")
        _ = device.follow("room", base: base)
        let message = Timetoken(rawValue: 1)
        #expect(try device.value(editing: message, to: "c", in: "room") == "c")
        #expect(try device.value(editing: message, to: "a", in: "room") == nil)
        // An earlier version stands already: a blank makes this one another.
        #expect(try device.value(editing: message, to: "b", in: "room") == "b ")
        _ = device.wish(
            "b ", type: "edited", isPresent: true, on: message, in: "room", mutation: "m")
        #expect(try device.value(editing: message, to: "a", in: "room") == "a ")
        #expect(try device.value(editing: message, to: #""one""#, in: "room") == #""one""#)
        #expect(throws: EditFault.notOwner) {
            try device.value(editing: Timetoken(rawValue: 4), to: "2", in: "room")
        }
        #expect(throws: EditFault.noSuchMessage) {
            try device.value(editing: Timetoken(rawValue: 5), to: "2", in: "room")
        }
        #expect(throws: EditFault.noSuchMessage) {
            try device.value(editing: message, to: "2", in: "den")
        }
    }
}
