// Wishes between the server's answer and the batch that shows them: nothing in a list flickers.

import Testing

@testable import EventModel

@Suite("Wishes that were answered")
struct AnsweredWishesTests {
    private let action = MessageAction(
        key: MessageAction.Key(
            messageTimetoken: Timetoken(rawValue: 10), type: "reaction", value: "👍", uuid: "ada"),
        actionTimetoken: Timetoken(rawValue: 20))

    /// Connects and follows the channel; says what changed in the list.
    private func begin(
        _ device: inout Device, epoch: String, from cursor: UInt64,
        _ mode: SubscribedChannel.Mode = .delta
    ) throws -> [(channel: String, changes: [ListChange])] {
        let connected = device.connected(epoch: epoch)
        let ticket = try #require(
            connected.questions.first { if case .subscribe = $0.ticket { true } else { false } }
        ).ticket
        let reply = SubscribedChannel(
            channel: "room", mode: mode, cursor: Timetoken(rawValue: cursor), key: nil,
            state: nil)
        let subscribed = device.received(.success(.subscribed([reply])), to: ticket)
        return connected.changes + subscribed.changes
    }

    private func following() throws -> Device {
        var device = Device(user: "ada")
        _ = device.follow("room")
        _ = try begin(&device, epoch: "a.1", from: 0)
        return device
    }

    private func batch(_ events: [(Timetoken, Event)]) -> Batch {
        let channel = Channel("room")
        return Batch(
            channel: channel, cursor: events.last?.0 ?? .zero,
            envelopes: events.map {
                Envelope(channel: channel, timetoken: $0, uuid: "ada", event: $1)
            }, state: .empty)
    }

    @Test("a message that was answered is not taken for the next one that says the same")
    func twice() throws {
        let message = Message(payload: #""ok""#)
        let (first, second) = (Timetoken(rawValue: 10), Timetoken(rawValue: 12))
        var device = try following()
        _ = device.publish(message, in: "room", mutation: "m1")
        _ = device.publish(message, in: "room", mutation: "m2")
        _ = device.received(.success(.published(first)), to: .write(mutation: "m1"))

        for (timetoken, pending) in [(first, [false, true]), (second, [false, false])] {
            let effects = device.received(batch([(timetoken, .message(message))]))
            for change in effects.changes.flatMap(\.changes) {
                if case .remove = change { Issue.record("\(change)") }
            }
            #expect(device.list(of: "room").map(\.isPending) == pending)
        }
        _ = device.received(.success(.published(second)), to: .write(mutation: "m2"))
        #expect(device.list(of: "room").map(\.timetoken) == [first, second])
        #expect(device.outbox.isEmpty)
    }

    @Test("a message that the server does not keep leaves the outbox once it was heard")
    func unstored() throws {
        let message = Message(payload: #""ok""#)
        var device = try following()
        for (mutation, number) in [("m1", 10), ("m2", 11)] as [(String, UInt64)] {
            _ = device.publish(message, in: "room", mutation: mutation)
            _ = device.received(
                .success(.published(Timetoken(rawValue: number))), to: .write(mutation: mutation))
        }
        func heard(_ number: UInt64) -> Batch {
            let channel = Channel("room")
            return Batch(
                channel: channel, cursor: .zero,
                envelopes: [
                    Envelope(
                        channel: channel, timetoken: Timetoken(rawValue: number), uuid: "ada",
                        event: .message(message), isStored: false)
                ], state: nil)
        }
        // Somebody else's tells nothing.
        _ = device.received(heard(9))
        #expect(device.outbox.entries.count == 2)

        let effects = device.received(heard(10))

        #expect(device.outbox.entries.count == 1)
        #expect(effects.writes.contains { $0 == .outbox(.drop(mutation: "m1")) })
        _ = device.received(heard(11))
        #expect(device.outbox.isEmpty)
        #expect(device.list(of: "room").isEmpty)
    }

    @Test(
        "a daemon that was set back is asked again, also where the channel was empty",
        arguments: [false, true])
    func setBack(hasRows: Bool) throws {
        let message = Message(payload: #""ok""#)
        var device = try following()
        _ = device.received(
            batch(hasRows ? [(Timetoken(rawValue: 10), .message(message))] : []))
        _ = device.publish(message, in: "room", mutation: "m1")
        _ = device.received(
            .success(.published(Timetoken(rawValue: 30))), to: .write(mutation: "m1"))
        device.disconnected()

        _ = try begin(&device, epoch: "a.2", from: 0, .snapshot)

        #expect(device.outbox.entries.map(\.isAnswered) == [false])
    }

    @Test("a restart of the daemon between answer and batch is not seen in the list")
    func restart() throws {
        let message = Message(payload: #""ok""#)
        var device = try following()
        _ = device.received(batch([(Timetoken(rawValue: 10), .message(message))]))
        _ = device.wish(
            "👍", isPresent: true, on: Timetoken(rawValue: 10), in: "room", mutation: "m1")
        _ = device.publish(message, in: "room", mutation: "m2")
        _ = device.received(.success(.actionAdded(action, .added)), to: .write(mutation: "m1"))
        _ = device.received(
            .success(.published(Timetoken(rawValue: 30))), to: .write(mutation: "m2"))
        let list = device.list(of: "room")
        #expect(list.map(\.isPending) == [false, false])

        device.disconnected()
        var changes = try begin(&device, epoch: "a.2", from: 10)
        changes +=
            device.received(
                .success(.actionAdded(action, .already)), to: .write(mutation: "m1")
            ).changes
        changes +=
            device.received(
                .success(.published(Timetoken(rawValue: 30))), to: .write(mutation: "m2")
            ).changes
        #expect(changes.flatMap(\.changes) == [])
        #expect(device.list(of: "room") == list)

        _ = device.received(
            batch([
                (action.actionTimetoken, .actionAdded(action)),
                (Timetoken(rawValue: 30), .message(message)),
            ]))
        #expect(device.list(of: "room").map(\.timetoken) == list.map(\.timetoken))
        #expect(device.outbox.isEmpty)
    }

    @Test("a daemon that lost what it answered gets it again, and the message finds its new place")
    func restored() throws {
        var device = try following()
        _ = device.publish(Message(payload: "1"), in: "room", mutation: "m1")
        _ = device.received(
            .success(.published(Timetoken(rawValue: 30))), to: .write(mutation: "m1"))
        device.disconnected()
        _ = try begin(&device, epoch: "a.2", from: 0)
        let other = Message(payload: "2")
        _ = device.received(batch([(Timetoken(rawValue: 40), .message(other))]))
        #expect(device.list(of: "room").map(\.timetoken?.rawValue) == [30, 40])
        _ = device.received(
            .success(.published(Timetoken(rawValue: 50))), to: .write(mutation: "m1"))
        #expect(device.list(of: "room").map(\.timetoken?.rawValue) == [40, 50])
    }

    /// When the removal of a reaction whose add was lost is answered.
    enum RemovalAnswer: CaseIterable { case before, meanwhile, never }

    @Test(
        "a reaction that was removed goes, also when its add was lost and made again",
        arguments: RemovalAnswer.allCases, [15, 40] as [UInt64])
    func restoredRemoval(_ answer: RemovalAnswer, addedAgain: UInt64) throws {
        let (message, removal) = (Timetoken(rawValue: 10), Result<Reply, ProtocolError>.success)
        var device = try following()
        _ = device.received(batch([(message, .message(Message(payload: "1")))]))
        _ = device.wish("👍", isPresent: true, on: message, in: "room", mutation: "m1")
        _ = device.received(.success(.actionAdded(action, .added)), to: .write(mutation: "m1"))
        _ = device.wish("👍", isPresent: false, on: message, in: "room", mutation: "m2")
        if answer == .before {
            _ = device.received(removal(.actionRemoved(.removed)), to: .write(mutation: "m2"))
        }
        device.disconnected()
        // The removal may go out before the device hears that the server was set back.
        _ = try begin(&device, epoch: "b.1", from: 12)
        #expect(device.list(of: "room").flatMap(\.reactions).isEmpty)
        if answer == .meanwhile {
            _ = device.received(removal(.actionRemoved(.absent)), to: .write(mutation: "m2"))
        }
        let again = MessageAction(
            key: action.key, actionTimetoken: Timetoken(rawValue: addedAgain))
        let effects = device.received(
            .success(.actionAdded(again, .added)), to: .write(mutation: "m1"))

        let question = try #require(effects.questions.first)
        #expect(
            question.command
                == .removeAction(
                    RemovalRequest(
                        action: ActionRequest(
                            channel: "room", messageTimetoken: message, type: "reaction",
                            value: "👍", mutation: "m2~1"),
                        actionTimetoken: again.actionTimetoken)))
        #expect(device.list(of: "room").flatMap(\.reactions).isEmpty)
        _ = device.received(removal(.actionRemoved(.removed)), to: question.ticket)
        _ = device.received(
            batch([
                (again.actionTimetoken, .actionAdded(again)),
                (Timetoken(rawValue: 50), .actionRemoved(again)),
            ]))
        #expect(device.outbox.isEmpty)
        #expect(device.list(of: "room").flatMap(\.reactions).isEmpty)
    }

    /// Found by a world: a person scrolled up, and for a moment saw the reaction that they had just
    /// taken back.
    @Test("a removal outside of a window waits for a page that may be from before it")
    func outside() {
        var base = ChannelBase(
            messages: [:], actions: [],
            ChannelHeader(
                cursor: Timetoken(rawValue: 40), epoch: "e", key: nil, digest: .empty,
                rest: ChannelRest(after: Timetoken(rawValue: 30), digest: .empty)))
        base.expectPage()
        var outbox = Outbox([
            OutboxEntry(
                mutation: "m1", channel: "room",
                wish: .remove(action.key, seen: action.actionTimetoken), progress: .answered(nil))
        ])

        #expect(outbox.settle("room", base: base).isEmpty)
        base.cancelPage()
        #expect(outbox.settle("room", base: base).map(\.mutation) == ["m1"])
    }

    /// Found by a world: the page came before the answer, and the push after it.
    @Test("so it does when the page was there first, unless what it brings is newer")
    func outsideAnsweredLater() {
        var outbox = Outbox([
            OutboxEntry(mutation: "m1", channel: "room", wish: .remove(action.key, seen: nil))
        ])
        let sent = outbox.takeForSending(
            isOutside: { _ in true }, heard: { _ in Timetoken(rawValue: 25) }, base: { _ in nil })
        #expect(sent.entries.map(\.wish) == [.remove(action.key, seen: nil)])
        _ = outbox.answered("m1", nil)

        func base(added: UInt64) -> ChannelBase {
            let action = MessageAction(
                key: action.key, actionTimetoken: Timetoken(rawValue: added))
            return ChannelBase(
                cache: DeviceCache(
                    messages: [:], actions: [action], cursor: Timetoken(rawValue: 40)))
        }
        #expect(outbox.settle("room", base: base(added: 20)).isEmpty)
        #expect(outbox.settle("room", base: base(added: 30)).map(\.mutation) == ["m1"])
    }

    /// The channel's window moved in between: the server would refuse another wish that came under
    /// the same id.
    @Test("a removal of whatever stands goes out again as it did")
    func outsideSentAgain() {
        var outbox = Outbox([
            OutboxEntry(mutation: "m1", channel: "room", wish: .remove(action.key, seen: nil))
        ])
        let sent = outbox.takeForSending(isOutside: { _ in true }, base: { _ in nil })
        #expect(sent.entries.count == 1)
        outbox.disconnect()
        #expect(outbox.takeForSending { _ in action }.entries == sent.entries)
        outbox.disconnect()
        #expect(outbox.takeForSending { _ in nil }.entries == sent.entries)
    }

    /// Found by a world.
    @Test("so it does after an add that the server is asked for again")
    func outsideBehindAnAdd() {
        var outbox = Outbox([
            OutboxEntry(
                mutation: "m1", channel: "room", wish: .add(action.key),
                progress: .answered(action.actionTimetoken)),
            OutboxEntry(
                mutation: "m2", channel: "room", wish: .remove(action.key, seen: nil),
                progress: .answered(nil), sentAfter: Timetoken(rawValue: 5)),
        ])
        _ = outbox.reopen("room")
        #expect(outbox.takeForSending { _ in nil }.entries.map(\.mutation) == ["m1"])
        _ = outbox.answered("m1", action.actionTimetoken)
        let sent = outbox.takeForSending { _ in nil }.entries
        #expect(sent.map(\.wish) == [.remove(action.key, seen: nil)])
    }

    /// Found by a world: the removal named an action of a store that was set back since, and both
    /// wishes stayed in the outbox.
    @Test("what was wished before an add that the base has is past")
    func past() {
        var outbox = Outbox([
            OutboxEntry(
                mutation: "m1", channel: "room",
                wish: .remove(action.key, seen: Timetoken(rawValue: 90)), progress: .answered(nil)),
            OutboxEntry(
                mutation: "m2", channel: "room", wish: .add(action.key),
                progress: .answered(action.actionTimetoken)),
        ])
        let base = ChannelBase(
            cache: DeviceCache(
                messages: [:], actions: [action], cursor: Timetoken(rawValue: 20)))

        #expect(outbox.settle("room", base: base).map(\.mutation) == ["m1", "m2"])
    }

    /// Found by a world: the alias was wished before the rules were known, and its removal named
    /// the action before the one that stood.
    @Test("a removal is of the last add before it, by whatever name that was")
    func aliases() {
        let love = MessageAction.Key(
            messageTimetoken: Timetoken(rawValue: 10), type: "reaction", value: "love", uuid: "ada")
        let heart = MessageAction.Key(
            messageTimetoken: Timetoken(rawValue: 10), type: "reaction", value: "❤️", uuid: "ada")
        var rules = ReactionRules()
        rules.aliases = [ReactionRules.Alias(name: "love", value: "❤️")]
        var outbox = Outbox([
            OutboxEntry(
                mutation: "m1", channel: "room", wish: .add(love), progress: .perhapsSent),
            OutboxEntry(mutation: "m2", channel: "room", wish: .add(heart, score: 2)),
            OutboxEntry(mutation: "m3", channel: "room", wish: .remove(love, seen: nil)),
        ])

        _ = outbox.answered("m1", Timetoken(rawValue: 20), under: rules)
        #expect(outbox.entries[2].wish == .remove(love, seen: nil))
        _ = outbox.answered("m2", Timetoken(rawValue: 30), under: rules)
        #expect(outbox.entries[2].wish == .remove(love, seen: Timetoken(rawValue: 30)))
    }
}
