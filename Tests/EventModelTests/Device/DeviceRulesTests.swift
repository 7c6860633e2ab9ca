// What a device shows and sends under a channel's rules, before the server has answered.

import EventModel
import Testing

@Suite("Device: rules of reactions")
struct DeviceRulesTests {
    private static let message = Timetoken(rawValue: 5)

    /// Ada's device, with bob's message, on which her thumb stands.
    private func device(_ rules: ReactionRules, knows: Bool = true) -> Device {
        var device = Device(user: "ada")
        _ = device.follow("room")
        let questions = device.connected(epoch: "a.1").questions
        let reply = SubscribedChannel(
            channel: "room", mode: .delta, cursor: .zero,
            rules: knows ? rules : ReactionRules())
        for question in questions {
            _ = device.received(.success(.subscribed([reply])), to: question.ticket)
        }
        let room = Channel("room")
        func envelope(_ number: UInt64, _ user: String, _ event: Event) -> Envelope {
            Envelope(
                channel: room, timetoken: Timetoken(rawValue: number), uuid: user, event: event)
        }
        let thumb = MessageAction(
            key: Self.key("👍"), actionTimetoken: Timetoken(rawValue: 9))
        _ = device.received(
            Batch(
                channel: room, cursor: Timetoken(rawValue: 9),
                envelopes: [
                    envelope(5, "bob", .message(Message(payload: "1"))),
                    envelope(9, "ada", .actionAdded(thumb)),
                ]))
        _ = device.observe("room")
        return device
    }

    private static func key(_ value: String) -> MessageAction.Key {
        MessageAction.Key(
            messageTimetoken: message, type: "reaction", value: value, uuid: "ada")
    }

    private func rules(_ change: (inout ReactionRules) -> Void) -> ReactionRules {
        var rules = ReactionRules()
        change(&rules)
        return rules
    }

    private func mine(_ device: Device) -> [String] {
        device.list(of: "room")[0].reactions.filter(\.isMine).map(\.value).sorted()
    }

    /// - Returns: What goes out at once.
    private func wish(
        _ device: inout Device, _ value: String, _ isPresent: Bool, _ mutation: String
    ) -> [String] {
        let effects = device.wish(
            value, isPresent: isPresent, on: Self.message, in: "room", mutation: mutation)
        return effects.questions.compactMap {
            if case .write(let mutation) = $0.ticket { mutation } else { nil }
        }
    }

    @Test("another reaction takes the former one's place at once, and they keep their order")
    func unique() {
        var device = device(rules { $0.mode = .unique })
        #expect(wish(&device, "👎", true, "m1") == ["m1"])
        #expect(mine(device) == ["👎"])
        #expect(wish(&device, "👍", true, "m2") == [])
        #expect(mine(device) == ["👍"])
        #expect(wish(&device, "👎", false, "m3") == [])
        #expect(device.outbox.entries.map(\.mutation) == ["m1", "m2"])
        #expect(wish(&device, "👍", false, "m4") == [])
        #expect(mine(device) == [])
        let down = MessageAction(key: Self.key("👎"), actionTimetoken: Timetoken(rawValue: 11))
        let effects = device.received(
            .success(.actionAdded(down, .added)), to: .write(mutation: "m1"))
        #expect(effects.questions.map(\.ticket) == [.write(mutation: "m2")])
        #expect(mine(device) == [])
    }

    @Test("without a connection, what was taken back does not bring back what it replaced")
    func offline() {
        var device = device(rules { $0.mode = .unique })
        device.disconnected()
        _ = wish(&device, "👎", true, "m1")
        _ = wish(&device, "👎", false, "m2")
        #expect(mine(device) == [])
        #expect(device.outbox.entries.map(\.mutation) == ["m1", "m2"])
    }

    @Test("a name is taken for its value, also in what was wished before the rules were known")
    func aliases() {
        let rules = rules { $0.aliases = [ReactionRules.Alias(name: "like", value: "👍")] }
        var device = device(rules, knows: false)
        _ = wish(&device, "like", true, "m1")
        #expect(mine(device) == ["like", "👍"])
        let effects = device.received(["room": rules, "elsewhere": rules])
        #expect(mine(device) == ["👍"])
        #expect(effects.changes.count == 1)
        #expect(device.standing(of: Self.key("like"), in: "room") != .absent)
        #expect(wish(&device, "like", true, "m2") == [])
        #expect(wish(&device, "like", false, "m3") == [])
        #expect(mine(device) == [])
        // As it was sent, so that a retry is the same write, and so is what is behind it: a device
        // that starts anew knows no rules.
        #expect(device.outbox.entries.map(\.key?.value) == ["like", "like"])
        var restarted = Device(user: "ada", outbox: device.outbox.entries)
        _ = restarted.follow("room")
        _ = restarted.connected(epoch: "a.1")
        #expect(restarted.outbox.entries.count == 2)
    }

    @Test("a flag is one, by whatever value")
    func flag() {
        var device = device(rules { $0.mode = .flag })
        _ = wish(&device, "👎", true, "m1")
        // What stood before there were rules goes with it.
        #expect(mine(device) == ["flag"])
        #expect(wish(&device, "x", true, "m2") == [])
        _ = wish(&device, "x", false, "m3")
        #expect(mine(device) == [])
    }

    private func score(_ device: Device, _ value: String = "👍") -> [Int] {
        device.list(of: "room")[0].reactions.filter { $0.value == value }
            .flatMap { [$0.count, $0.score, $0.ownScore] }
    }

    @Test("taps that were not sent are one wish, and those behind an answer another one")
    func multiple() {
        let rules = rules { $0.mode = .multiple }
        var device = device(rules)
        device.disconnected()
        for tap in 1...3 { _ = wish(&device, "👍", true, "m\(tap)") }
        #expect(score(device) == [1, 4, 4])
        #expect(device.outbox.entries.map(\.wish) == [.add(Self.key("👍"), score: 3)])
        let questions = device.connected(epoch: "a.1").questions
        let reply = SubscribedChannel(
            channel: "room", mode: .current, cursor: Timetoken(rawValue: 9), rules: rules)
        for question in questions {
            if case .write = question.ticket { continue }
            _ = device.received(.success(.subscribed([reply])), to: question.ticket)
        }
        #expect(wish(&device, "👍", true, "m4") == [])
        #expect(score(device) == [1, 5, 5])
        #expect(device.outbox.entries.count == 2)
        // Taken back as a whole, once the server said what there is.
        _ = wish(&device, "👍", false, "m5")
        #expect(score(device) == [])
    }

    @Test("a new score is wished once, and seen at once")
    func scores() {
        var device = device(ReactionRules())
        func rate(_ score: Int?, _ mutation: String) -> Int {
            device.wish(
                "👍", isPresent: true, score: score, on: Self.message, in: "room",
                mutation: mutation
            ).questions.count
        }
        #expect(rate(nil, "m1") == 0)
        #expect(rate(1, "m2") == 0)
        #expect(rate(4, "m3") == 1)
        #expect(score(device) == [1, 4, 4])
        #expect(rate(4, "m4") == 0)
        #expect(device.outbox.entries.map(\.mutation) == ["m3"])
        let new = MessageAction(
            key: Self.key("👍"), actionTimetoken: Timetoken(rawValue: 12), score: 4)
        _ = device.received(.success(.actionAdded(new, .updated)), to: .write(mutation: "m3"))
        #expect(score(device) == [1, 4, 4])
    }

    @Test("of a total one is taken off at a time, and one more and one less are nothing")
    func total() {
        var device = device(rules { $0.mode = .total })
        device.disconnected()
        for tap in 1...3 { _ = wish(&device, "x", true, "m\(tap)") }
        #expect(score(device, "total") == [1, 3, 3])
        _ = wish(&device, "x", false, "m4")
        #expect(score(device, "total") == [1, 2, 2])
        #expect(device.outbox.entries.map(\.wish) == [.add(Self.key("total"), score: 2)])
        for tap in 5...6 { _ = wish(&device, "x", false, "m\(tap)") }
        #expect(score(device, "total") == [])
        #expect(device.outbox.entries == [])
    }
}
