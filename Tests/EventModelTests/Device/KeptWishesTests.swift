// What becomes of wishes that a device finds when it starts, before its channels are followed.

import Testing

@testable import EventModel

@Suite("Wishes that were kept")
struct KeptWishesTests {
    private let action = MessageAction(
        key: MessageAction.Key(
            messageTimetoken: Timetoken(rawValue: 10), type: "reaction", value: "👍", uuid: "ada"),
        actionTimetoken: Timetoken(rawValue: 20))

    @Test("a removal behind an add names what the add made, also where no base shows it")
    func removalOfUnfollowed() throws {
        var device = Device(
            user: "ada",
            outbox: [
                OutboxEntry(
                    mutation: "m1", channel: "room", wish: .add(action.key),
                    progress: .perhapsSent),
                OutboxEntry(
                    mutation: "m2", channel: "room", wish: .remove(action.key, seen: nil)),
            ])

        let first = device.connected(epoch: "a.1")
        #expect(first.questions.map(\.ticket) == [.write(mutation: "m1")])
        let second = device.received(
            .success(.actionAdded(action, .added)), to: .write(mutation: "m1"))

        let question = try #require(second.questions.last)
        #expect(question.ticket == .write(mutation: "m2"))
        guard case .removeAction(let removal) = question.command else {
            Issue.record("The removal was not sent.")
            return
        }
        #expect(removal.actionTimetoken == action.actionTimetoken)
        _ = device.received(.success(.actionRemoved(.removed)), to: question.ticket)
        #expect(device.outbox.isEmpty)
    }

    /// Found by a world: what was wished on an old cache, of a message that the new window lacks.
    @Test(
        "a removal from a message before the window goes out, whatever is known",
        arguments: [ChannelRest.all, ChannelRest(after: Timetoken(rawValue: 10), digest: .empty)])
    func removalOutside(rest: ChannelRest) throws {
        let removal = OutboxEntry(
            mutation: "m1", channel: "room", wish: .remove(action.key, seen: nil))
        var device = Device(user: "ada", outbox: [removal])
        let base = ChannelBase(
            messages: [:], actions: [],
            ChannelHeader(
                cursor: Timetoken(rawValue: 30), epoch: "a.1", key: nil, digest: .empty, rest: rest
            ))
        _ = device.follow("room", base: base, window: .last(1))

        let sent = device.connected(epoch: "a.1").questions.filter {
            $0.ticket == .write(mutation: "m1")
        }

        guard case .removeAction(let request)? = sent.first?.command else {
            Issue.record("It was not sent: \(sent)")
            return
        }
        #expect(request.actionTimetoken == nil)
    }

    @Test("a message on its way is not taken for an equal one of long ago")
    func equalMessages() {
        let message = Message(payload: #""ok""#)
        var device = Device(
            user: "ada",
            outbox: [
                OutboxEntry(
                    mutation: "m1", channel: "room", wish: .publish(message),
                    progress: .perhapsSent)
            ])
        let cache = DeviceCache(
            messages: [Timetoken(rawValue: 10): DeviceCache.Entry(uuid: "ada", message: message)],
            actions: [], cursor: Timetoken(rawValue: 20))

        _ = device.follow("room", base: ChannelBase(cache: cache, epoch: "a.1"))

        #expect(device.list(of: "room").map(\.isPending) == [false, true])
    }
}
