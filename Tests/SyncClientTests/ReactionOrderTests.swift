// The order of reactions, how a count is written, and when something was.

import EventModel
import SyncClient
import Testing

@Suite("ReactionOrder")
struct ReactionOrderTests {
    /// From a list that a device shows.
    private func reactions() throws -> [ListItem.Reaction] {
        var device = Device(user: "ada")
        _ = device.follow("room")
        let ticket = try #require(device.connected(epoch: "a.1").questions.first).ticket
        let reply = SubscribedChannel(channel: "room", mode: .delta, cursor: .zero)
        _ = device.received(.success(.subscribed([reply])), to: ticket)
        let rows: [(UInt64, String, String, score: Int)] = [
            (9, "👍", "bob", 1), (10, "❤️", "eve", 5), (11, "👍", "ada", 1), (12, "🔥", "bob", 2),
        ]
        let message = Timetoken(rawValue: 5)
        var envelopes = [
            Envelope(
                channel: Channel("room"), timetoken: message, uuid: "bob",
                event: .message(Message(payload: "1")))
        ]
        for (number, value, user, score) in rows {
            let key = MessageAction.Key(
                messageTimetoken: message, type: "reaction", value: value, uuid: user)
            let timetoken = Timetoken(rawValue: number)
            envelopes.append(
                Envelope(
                    channel: Channel("room"), timetoken: timetoken, uuid: user,
                    event: .actionAdded(
                        MessageAction(key: key, actionTimetoken: timetoken, score: score))))
        }
        _ = device.received(
            Batch(
                channel: Channel("room"), cursor: Timetoken(rawValue: 12), envelopes: envelopes))
        _ = device.wish("😂", isPresent: true, on: message, in: "room", mutation: "m")
        return try #require(device.list(of: "room").first).reactions
    }

    @Test("each order is what it says, whatever order they come in")
    func orders() throws {
        let reactions = try reactions()
        #expect(reactions.map(\.first?.rawValue) == [9, 10, 12, nil])
        #expect(reactions.map(\.last?.rawValue) == [11, 10, 12, nil])
        let expected: [(ReactionOrder, String)] = [
            (.first, "👍❤️🔥😂"), (.latest, "😂🔥👍❤️"), (.count, "👍❤️🔥😂"), (.value, "❤️👍🔥😂"),
            (.score, "❤️👍🔥😂"),
            (.fixed(["🔥", "😂"]), "🔥😂❤️👍"),
            (ReactionOrder { $0.isMine ? 0 : 1 }, "👍😂❤️🔥"),
            (ReactionOrder(comparing: { $0.count > $1.count }), "👍❤️🔥😂"),
            // It says nothing: type and value decide.
            (ReactionOrder(comparing: { _, _ in false }), "❤️👍🔥😂"),
        ]
        for (order, values) in expected {
            for _ in 0..<20 {
                let sorted = order.sorted(reactions.shuffled()).map(\.value).joined()
                #expect(sorted == values)
            }
        }
    }

    @Test("many are shown as so many and more")
    func counts() throws {
        var reaction = try reactions()[0]
        #expect(reaction.countText() == "2")
        reaction.count = 99
        #expect(reaction.countText() == "99")
        reaction.count = 100
        #expect((reaction.countText(), reaction.countText(most: 9)) == ("99+", "9+"))
        #expect(ListItem.Reaction.usualValues.count == 6)
    }

    @Test("a timetoken says when it was given")
    func date() {
        #expect(Timetoken(rawValue: 17_952_187_953_729_999).unixSeconds == 1_795_218_795.372_999)
        #expect(Timetoken.zero.unixSeconds == 0)
    }
}
