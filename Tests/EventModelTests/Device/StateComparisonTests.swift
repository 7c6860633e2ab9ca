// When a channel counts as equal to the server's: what random worlds found.

import Testing

@testable import EventModel

@Suite("Comparing a channel's state")
struct StateComparisonTests {
    private let key = DigestKey("000102030405060708090a0b0c0d0e0f")
    private let action = MessageAction(
        key: MessageAction.Key(
            messageTimetoken: Timetoken(rawValue: 10), type: "reaction", value: "👍", uuid: "ada"),
        actionTimetoken: Timetoken(rawValue: 20))

    private func reply(
        _ mode: SubscribedChannel.Mode, _ cursor: UInt64, _ state: Digest? = nil
    ) -> SubscribedChannel {
        SubscribedChannel(
            channel: "room", mode: mode, cursor: Timetoken(rawValue: cursor), key: key,
            state: state)
    }

    /// The number of the attempt that a question belongs to.
    private func attempt(_ step: ChannelSync.Step) throws -> Int {
        switch try #require(step.questions.last) {
        case .subscribe(_, let attempt), .repair(_, let attempt): attempt
        case .older(_, let number): number
        }
    }

    private func batch(_ cursor: UInt64, _ envelopes: [Envelope], _ state: Digest?) -> Batch {
        Batch(
            channel: Channel("room"), cursor: Timetoken(rawValue: cursor), envelopes: envelopes,
            state: state)
    }

    private func followed() throws -> (sync: ChannelSync, state: Digest) {
        var sync = ChannelSync("room")
        var state = Digest.empty
        state.insert(action, key: try #require(key))
        let connected = sync.connect(epoch: "a.1")
        _ = sync.subscribed(reply(.delta, 0), attempt: try attempt(connected))
        let added = Envelope(
            channel: Channel("room"), timetoken: action.actionTimetoken, uuid: "ada",
            event: .actionAdded(action))
        _ = sync.apply(batch(20, [added], state))
        return (sync, state)
    }

    @Test("a page that changes nothing here proves nothing: what it lacks a later one undoes")
    func pageWithoutState() throws {
        var (sync, state) = try followed()
        #expect(sync.isVerified)
        // Of an action that this device never had; between came one that is gone since.
        let removed = Envelope(
            channel: Channel("room"), timetoken: Timetoken(rawValue: 30), uuid: "bob",
            event: .actionRemoved(
                MessageAction(
                    key: MessageAction.Key(
                        messageTimetoken: Timetoken(rawValue: 10), type: "reaction", value: "❤️",
                        uuid: "bob"), actionTimetoken: Timetoken(rawValue: 25))))

        _ = sync.apply(batch(30, [removed], nil))
        #expect(!sync.isVerified)
        _ = sync.apply(batch(40, [], state))
        #expect(sync.isVerified)
    }

    @Test("what nobody stores leaves it proven")
    func signal() throws {
        var (sync, _) = try followed()
        let signal = Envelope(
            channel: Channel("room"), timetoken: Timetoken(rawValue: 30), uuid: "bob",
            event: .signal(Message(payload: "1")), isStored: false)

        _ = sync.apply(batch(30, [signal], nil))
        #expect(sync.isVerified)
    }

    @Test("an empty store in the place of another empties the channel at once")
    func emptySnapshot() throws {
        var (sync, _) = try followed()

        sync.disconnect()
        let again = sync.connect(epoch: "b.1")
        _ = sync.subscribed(reply(.snapshot, 0, .empty), attempt: try attempt(again))

        #expect(sync.isVerified)
        #expect(sync.incoming == nil)
        #expect(sync.base.cache.actions.isEmpty)
    }

    @Test("a repair brings messages and the cursor along, and what is before it is passed over")
    func batchBeforeRepair() throws {
        var (sync, state) = try followed()
        let lost = Timetoken(rawValue: 30)
        state.insert(
            MessageRow(timetoken: lost, uuid: "bob", type: nil), key: try #require(key))

        let asked = sync.repair()
        let held = sync.subscribed(reply(.repair, 20), attempt: try attempt(asked))
        _ = sync.repaired(
            .difference(
                RepairDifference(
                    cursor: Timetoken(rawValue: 40), state: state, rows: [],
                    messages: [
                        StoredMessage(
                            timetoken: lost, uuid: "bob", message: Message(payload: "1"))
                    ], dropped: [])),
            attempt: try attempt(held))
        #expect(sync.base.cursor == Timetoken(rawValue: 40))
        #expect(sync.base.cache.messages[lost]?.uuid == "bob")
        #expect(sync.isVerified)

        let message = Envelope(
            channel: Channel("room"), timetoken: lost, uuid: "bob",
            event: .message(Message(payload: "2")))
        #expect(sync.apply(batch(30, [message], .empty)).rows == [])
        #expect(sync.base.cursor == Timetoken(rawValue: 40))
        #expect(sync.isVerified)
    }

    @Test("half of what was missed goes on where it was, also with a server that started anew")
    func partial() throws {
        var (sync, state) = try followed()
        let message = Envelope(
            channel: Channel("room"), timetoken: Timetoken(rawValue: 30), uuid: "bob",
            event: .message(Message(payload: "1")))
        _ = sync.apply(batch(30, [message], nil))

        // The same run goes on where it was.
        sync.disconnect()
        var step = sync.connect(epoch: "a.1")
        step = sync.subscribed(reply(.delta, 30), attempt: try attempt(step))
        #expect(step.questions == [])

        sync.disconnect()
        step = sync.connect(epoch: "a.2")
        step = sync.subscribed(reply(.delta, 30), attempt: try attempt(step))
        #expect(step.questions == [])
        // Where rows differ, messages among them, the end says so.
        step = sync.apply(batch(40, [], state))
        guard case .subscribe(let request, _)? = step.questions.first else {
            Issue.record("\(step.questions)")
            return
        }
        #expect(request.asksForRepair)
        #expect(request.cursor == Timetoken(rawValue: 40))
    }

    @Test("a removal of what is another action by now leaves the outbox")
    func staleRemoval() throws {
        var device = Device(user: "ada")
        let cache = DeviceCache(
            messages: [:], actions: [action], cursor: Timetoken(rawValue: 20))
        _ = device.follow("room", base: ChannelBase(cache: cache, epoch: "a.1", key: key))
        _ = device.connected(epoch: "a.1")

        let effects = device.wish(
            "👍", isPresent: false, on: Timetoken(rawValue: 10), in: "room", mutation: "m1")
        let ticket = try #require(effects.questions.last?.ticket)
        _ = device.received(.success(.actionRemoved(.stale)), to: ticket)

        #expect(device.outbox.isEmpty)
        #expect(device.standing(of: action.key, in: "room") == .since(action.actionTimetoken))
    }

    /// A device that was told twice what its rows do not come to, and what they do come to.
    private func contradicted() throws -> (sync: ChannelSync, state: Digest) {
        var (sync, state) = try followed()
        let lie = Digest(count: 9, words: (1, 2))
        var step = sync.apply(batch(21, [], lie))
        _ = sync.subscribed(reply(.snapshot, 0), attempt: try attempt(step))
        let row = Envelope(
            channel: Channel("room"), timetoken: action.actionTimetoken, uuid: "ada",
            event: .actionAdded(action))
        for _ in 0..<ChannelSync.snapshotsMax where !sync.isDoubted {
            step = sync.apply(batch(21, [row], lie))
            guard !step.questions.isEmpty else { break }
            _ = sync.subscribed(reply(.snapshot, 0), attempt: try attempt(step))
        }
        #expect(sync.isDoubted)
        #expect(!sync.isVerified)
        return (sync, state)
    }

    /// Found by a world in which removals are forgotten at once: what is read in parts while much
    /// changes is none of the channel's states.
    ///
    /// The device stopped to ask, for as long as the connection lasted.
    @Test("a server that contradicts itself is asked again later")
    func doubted() throws {
        var (sync, state) = try contradicted()

        let again = sync.retry()
        _ = sync.subscribed(reply(.current, 21, state), attempt: try attempt(again))

        #expect(sync.isVerified)
        #expect(!sync.isDoubted)
        #expect(sync.retry().questions.isEmpty)
    }

    /// Found by a world: it asked once more for what was equal.
    @Test("unless a repair has made it equal")
    func doubtedAndRepaired() throws {
        var (sync, state) = try contradicted()
        let lie = Digest(count: 9, words: (1, 2))
        var step = sync.apply(batch(22, [], lie))
        step = sync.subscribed(reply(.repair, 22), attempt: try attempt(step))
        _ = sync.repaired(
            .difference(
                RepairDifference(
                    cursor: Timetoken(rawValue: 22), state: state, rows: [], dropped: [])),
            attempt: try attempt(step))

        #expect(sync.isVerified)
        #expect(!sync.isDoubted)
        #expect(sync.retry().questions.isEmpty)
    }
}
