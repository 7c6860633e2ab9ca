// Wishes of a device that the server has not told yet what holds in the channel.

import Testing

@testable import EventModel

@Suite("Device: wishes before the rules are known")
struct UnknownRulesTests {
    private static let message = Timetoken(rawValue: 5)

    private static func action(_ value: String, at time: UInt64, score: Int) -> MessageAction {
        MessageAction(
            key: MessageAction.Key(
                messageTimetoken: message, type: "reaction", value: value, uuid: "ada"),
            actionTimetoken: Timetoken(rawValue: time), score: score)
    }

    /// What a process has that began without a connection.
    private func device(_ actions: MessageAction..., outbox: [OutboxEntry] = []) -> Device {
        let cache = DeviceCache(
            messages: [Self.message: .init(uuid: "bob", message: Message(payload: "1"))],
            actions: actions, cursor: Timetoken(rawValue: 9))
        var device = Device(user: "ada", outbox: outbox)
        _ = device.follow("room", base: ChannelBase(cache: cache, epoch: "a.1", key: nil))
        return device
    }

    private func wish(
        _ device: inout Device, _ value: String, _ isPresent: Bool, _ mutation: String,
        score: Int? = nil
    ) -> DeviceEffects {
        device.wish(
            value, isPresent: isPresent, score: score, on: Self.message, in: "room",
            mutation: mutation)
    }

    private func writes(_ effects: DeviceEffects) -> [String] {
        effects.questions.compactMap {
            if case .write(let mutation) = $0.ticket { mutation } else { nil }
        }
    }

    /// The session begins; what the server says of the rules comes behind the first write.
    private func connect(_ device: inout Device, _ rules: ReactionRules?) -> [String] {
        let effects = device.connected(epoch: "a.1")
        for question in effects.questions {
            guard let rules, case .subscribe = question.ticket else { continue }
            let reply = SubscribedChannel(
                channel: "room", mode: .current, cursor: Timetoken(rawValue: 9), rules: rules)
            #expect(
                writes(device.received(.success(.subscribed([reply])), to: question.ticket)) == [])
        }
        return writes(effects)
    }

    private func rules(_ mode: ReactionRules.Mode) -> ReactionRules {
        var rules = ReactionRules()
        rules.mode = mode
        return rules
    }

    private func push(_ device: inout Device, _ action: MessageAction) {
        let room = Channel("room")
        let envelope = Envelope(
            channel: room, timetoken: action.actionTimetoken, uuid: "ada",
            event: .actionAdded(action))
        _ = device.received(
            Batch(channel: room, cursor: action.actionTimetoken, envelopes: [envelope]))
    }

    private func ownScore(_ device: Device, _ value: String) -> Int {
        device.list(of: "room")[0].reactions.first { $0.value == value }?.ownScore ?? 0
    }

    @Test("each tap is a wish of its own, and all of them count where taps do")
    func taps() {
        var device = device(Self.action("👏", at: 9, score: 1))
        for tap in 1...3 { #expect(writes(wish(&device, "👏", true, "m\(tap)")) == []) }
        _ = wish(&device, "👏", true, "m4", score: 7)
        let entries = device.outbox.entries
        #expect(entries.map(\.mutation) == ["m1", "m2", "m3", "m4"])
        // Also in a process after this one.
        device = self.device(Self.action("👏", at: 9, score: 1), outbox: entries)
        _ = wish(&device, "👏", true, "m5")
        #expect(device.outbox.entries.count == 5)

        // One after the other, in order.
        var out = connect(&device, rules(.multiple))
        #expect(ownScore(device, "👏") == 12)
        for (number, score) in [2, 3, 4, 11, 12].enumerated() {
            #expect(out == ["m\(number + 1)"])
            let action = Self.action("👏", at: UInt64(10 + number), score: score)
            out = writes(
                device.received(
                    .success(.actionAdded(action, .updated)),
                    to: .write(mutation: "m\(number + 1)")))
            #expect(ownScore(device, "👏") == 12)
            push(&device, action)
            #expect(ownScore(device, "👏") == 12)
        }
        #expect(out == [])
        #expect(device.outbox.isEmpty)
    }

    @Test("where taps do not count the others are there already, and leave the outbox")
    func distinct() {
        var device = device()
        for tap in 1...3 { _ = wish(&device, "👍", true, "m\(tap)") }
        #expect(device.list(of: "room")[0].reactions.map(\.ownScore) == [1])
        #expect(connect(&device, rules(.distinct)) == ["m1"])
        let action = Self.action("👍", at: 12, score: 1)
        push(&device, action)
        for tap in 1...3 {
            _ = device.received(
                .success(.actionAdded(action, tap == 1 ? .added : .already)),
                to: .write(mutation: "m\(tap)"))
        }
        #expect(device.outbox.isEmpty)
        #expect(ownScore(device, "👍") == 1)
        // Now it is known that it stands.
        #expect(writes(wish(&device, "👍", true, "m4")) == [])
        #expect(device.outbox.isEmpty)
    }

    @Test("of a total as many are taken off as were wished")
    func total() {
        var device = device(Self.action("total", at: 9, score: 3))
        for tap in 1...2 { _ = wish(&device, "total", false, "m\(tap)") }
        #expect(connect(&device, rules(.total)) == ["m1"])
        #expect(ownScore(device, "total") == 1)
        var out = writes(
            device.received(.success(.actionRemoved(.removed)), to: .write(mutation: "m1")))
        #expect(out == ["m2"])
        push(&device, Self.action("total", at: 12, score: 2))
        #expect(ownScore(device, "total") == 1)
        out = writes(
            device.received(.success(.actionRemoved(.removed)), to: .write(mutation: "m2")))
        #expect(out == [])
        push(&device, Self.action("total", at: 13, score: 1))
        #expect(ownScore(device, "total") == 1)
        #expect(device.outbox.isEmpty)
    }

    @Test("nothing is cancelled, and removals behind an add are about what it adds")
    func ups() {
        var device = device()
        // Nothing stands, and nothing is on its way: no mode has anything to take back.
        _ = wish(&device, "👍", false, "m0")
        #expect(device.outbox.isEmpty)
        for (tap, isPresent) in [true, true, false, false, true].enumerated() {
            _ = wish(&device, "👍", isPresent, "m\(tap + 1)")
        }
        #expect(device.outbox.entries.map(\.mutation) == ["m1", "m2", "m3", "m4", "m5"])
        // Nobody follows it any more, and nobody will say what holds.
        _ = device.unfollow("room")
        #expect(connect(&device, nil) == ["m1"])
        for number in 1...2 {
            let action = Self.action("👍", at: UInt64(10 + number), score: number)
            let out = device.received(
                .success(.actionAdded(action, .updated)), to: .write(mutation: "m\(number)"))
            #expect(writes(out) == ["m\(number + 1)"])
        }
        for number in 3...4 {
            #expect(device.outbox.entries[0].key == Self.action("👍", at: 1, score: 1).key)
            guard case .remove(_, Timetoken(rawValue: 12)?) = device.outbox.entries[0].wish else {
                Issue.record("\(device.outbox.entries[0])")
                return
            }
            let out = device.received(
                .success(.actionRemoved(.removed)), to: .write(mutation: "m\(number)"))
            #expect(writes(out) == ["m\(number + 1)"])
        }
        _ = device.received(
            .success(.actionAdded(Self.action("👍", at: 15, score: 1), .added)),
            to: .write(mutation: "m5"))
        #expect(device.outbox.isEmpty)
    }

    @Test("wishes about one message keep their order: they may be about one action")
    func order() {
        var device = device()
        for (number, value) in ["A", "B", "A"].enumerated() {
            _ = wish(&device, value, true, "m\(number + 1)")
        }
        #expect(connect(&device, rules(.unique)) == ["m1"])
        #expect(device.list(of: "room")[0].reactions.filter(\.isMine).map(\.value) == ["A"])
    }

    @Test("what cannot be taken up by an earlier wish needs room")
    func room() {
        let entries = (1...Limits.outboxEntriesMax).map {
            OutboxEntry(
                mutation: "o\($0)", channel: "room",
                wish: .add(Self.action("👍", at: 1, score: 1).key))
        }
        var device = device(outbox: entries)
        let key = Self.action("👍", at: 1, score: 1).key
        #expect(!device.hasRoom(for: key, in: "room"))
        _ = device.received(["room": rules(.multiple)])
        #expect(device.hasRoom(for: key, in: "room"))
        #expect(!device.hasRoom(in: "room"))
    }
}
