// Devices that hear by push: how many there may be, and what webhooks are told of them.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Ledger: mobile push")
struct LedgerPushTests {
    private let bench = LedgerBench()
    private let room = Channel("room")

    private func device(_ token: String) -> PushDevice {
        PushDevice(token: token, gateway: .fcm, keyset: room.keyset)
    }

    private func change(_ token: String, _ change: PushChange) throws -> Reply {
        try bench.commit(write(.changeDevice(device(token), change))).answers[0].result.get()
    }

    @Test("channels come, go, and go all at once")
    func changes() throws {
        #expect(try change("t", .add(["a", "b", "c"])) == .deviceChanged)
        #expect(try change("t", .remove(["b", "nowhere"])) == .deviceChanged)
        #expect(try bench.store.channels(of: device("t")) == ["a", "c"])
        #expect(try change("t", .removeAll) == .deviceChanged)
        #expect(try bench.store.channels(of: device("t")) == [])
    }

    @Test("whoever knows a device's token takes away what they registered, or nobody did")
    func owners() throws {
        let phone = device("t")
        func change(_ change: PushChange, by owner: String?) throws {
            let write = write(.changeDevice(phone, change, owner: owner))
            _ = try bench.commit(write).answers[0].result.get()
        }
        func channels(of user: String?) throws -> [String] {
            try bench.store.channels(of: phone, registeredBy: user)
        }
        try change(.add(["a", "b", "c"]), by: "ada")
        try change(.add(["a", "d"]), by: nil)
        #expect(try channels(of: "ada") == ["a", "b", "c", "d"])
        #expect(try channels(of: "eve") == ["d"])
        try change(.remove(["a", "d"]), by: "eve")
        try change(.removeAll, by: "eve")
        #expect(try channels(of: nil) == ["a", "b", "c"])
        // A phone is somebody else's now: what they register is theirs.
        try change(.add(["c"]), by: "bob")
        #expect(try channels(of: "ada") == ["a", "b"])
        try change(.removeAll, by: "bob")
        #expect(try channels(of: nil) == ["a", "b"])
        try change(.removeAll, by: nil)
        #expect(try channels(of: nil) == [])
    }

    @Test("a device hears of so many channels, and no more")
    func channels() throws {
        let names = (0..<Limits.channelsPerDeviceMax).map { "c\($0)" }
        _ = try change("t", .add(names))

        #expect(throws: ProtocolError.self) { try change("t", .add(["one more"])) }
        #expect(try change("t", .add(["c0", "c1"])) == .deviceChanged, "they are there")
        #expect(try bench.store.channels(of: device("t")).count == names.count)
    }

    @Test("a channel is heard of by so many devices, and the next one gets none of its channels")
    func devices() throws {
        for number in 0..<Limits.devicesPerChannelMax { _ = try change("t\(number)", .add(["a"])) }

        #expect(throws: ProtocolError.self) { try change("one more", .add(["b", "a"])) }
        #expect(try bench.store.channels(of: device("one more")) == [])
        #expect(try change("t0", .add(["a", "b"])) == .deviceChanged, "it is one of them")
    }

    @Test("a user has so many devices at a channel, whoever had them before")
    func devicesOfUser() throws {
        func add(_ token: String, _ names: [String], by owner: String?) throws {
            let write = write(.changeDevice(device(token), .add(names), owner: owner))
            _ = try bench.commit(write).answers[0].result.get()
        }
        for number in 0..<Limits.devicesPerUserMax {
            try add("e\(number)", ["a"], by: "eve")
            try add("b\(number)", ["a"], by: "bob")
        }
        #expect(throws: ProtocolError.self) { try add("more", ["b", "a"], by: "eve") }
        #expect(throws: ProtocolError.self) { try add("b0", ["a"], by: "eve") }
        #expect(try bench.store.channels(of: device("more")) == [])
        try add("e0", ["a", "b"], by: "eve")
        try add("more", ["a"], by: nil)
        try add("ada", ["a"], by: "ada")
        #expect(
            try bench.store.devices(of: Channel("a"), limit: 1000).count
                == 2 * Limits.devicesPerUserMax + 2)
    }

    private func told(by devices: Webhook.Devices, _ writes: [Write]) throws -> [String] {
        var webhook = Webhook(name: "hook")
        webhook.devices = devices
        bench.ledger.outbox.webhooks = [webhook]
        _ = bench.commit(writes)
        let store = try #require(bench.store as? MemoryStore)
        return store.durable.outbox.waiting.values.flatMap(\.self).map(\.event)
    }

    @Test("an event comes with the devices of its channel, as of its commit")
    func events() throws {
        let pad = PushDevice(
            token: "aa", gateway: .apns2, environment: "production", topic: "app",
            keyset: room.keyset)
        _ = bench.commit(write(.changeDevice(pad, .add(["room"]))))
        _ = try change("t", .add(["room"]))

        let events = try told(
            by: .yes,
            [write(.changeDevice(device("late"), .add(["room"]))), write(.publish(.numbered(1)))])

        #expect(events.count == 1)
        let expected =
            #""devices":[{"token":"aa","gateway":"apns2","environment":"production","#
            + #""topic":"app"},{"token":"late","gateway":"fcm"},{"token":"t","gateway":"fcm"}]}"#
        #expect(events[0].hasSuffix(expected))
    }

    @Test("a channel without devices: an empty list, or no event")
    func none() throws {
        #expect(try told(by: .only, [write(.publish(.numbered(1)))]) == [])
        let events = try told(by: .yes, [write(.publish(.numbered(2)))])
        #expect(events.count == 1)
        #expect(events[0].hasSuffix(#","devices":[]}"#))
    }
}
