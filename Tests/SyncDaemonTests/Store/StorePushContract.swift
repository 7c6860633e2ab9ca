// What every store promises about devices that hear of channels by push.

import EventModel
import SQL
import SQLite
import Testing

@testable import SyncDaemon

@Suite("Store contract: mobile push")
struct StorePushContract {
    private let directory: ScratchDirectory
    private let phone = PushDevice(token: "aa", gateway: .fcm, keyset: "k")
    private let pad = PushDevice(
        token: "aa", gateway: .apns2, environment: "production", topic: "app", keyset: "k")

    init() throws {
        directory = try ScratchDirectory()
    }

    private func room(_ name: String, _ keyset: String = "k") -> Channel {
        Channel(name, keyset: keyset)
    }

    @Test("each device has its channels, once", arguments: StoreUnderTest.allCases)
    func keeps(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let elsewhere = PushDevice(token: "aa", gateway: .fcm, keyset: "other")
        try store.commit(through: 1) {
            try $0.add(["b", "a", "é", "e\u{301}"], to: phone)
            try $0.add(["a"], to: phone)
            try $0.add(["a"], to: pad)
            try $0.add(["z"], to: elsewhere)
            #expect(try $0.channels(of: pad) == ["a"], "before the commit")
        }

        #expect(try store.channels(of: phone) == ["a", "b", "e\u{301}", "é"])
        #expect(try store.makeReader().channels(of: phone) == store.channels(of: phone))
        #expect(try store.devices(of: room("a"), limit: 9) == [pad, phone])
        #expect(try store.devices(of: room("a"), limit: 1) == [pad])
        #expect(try store.devices(of: room("z"), limit: 9) == [])
        #expect(try store.devices(of: room("z", "other"), limit: 9) == [elsewhere])
    }

    @Test("Apple's tokens are numbers, which apps write as they like")
    func digits() {
        let other = PushDevice(
            token: "AA", gateway: .apns2, environment: "production", topic: "app", keyset: "k")
        #expect(other == pad && other.token == "aa")
    }

    @Test("a user's devices at a channel are counted", arguments: StoreUnderTest.allCases)
    func countsOfUsers(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 1) {
            try $0.add(["a", "b"], to: phone, by: "ada")
            try $0.add(["a"], to: pad, by: "ada")
            try $0.add(["a"], to: PushDevice(token: "x", gateway: .fcm, keyset: "k"), by: "bob")
            try $0.add(["a"], to: PushDevice(token: "y", gateway: .fcm, keyset: "k"))
            let other = PushDevice(token: "z", gateway: .fcm, keyset: "other")
            try $0.add(["a"], to: other, by: "ada")
        }
        func count(_ channel: String, _ user: String, besides device: PushDevice) throws -> Int {
            try store.deviceCount(of: room(channel), registeredBy: user, besides: device)
        }
        #expect(try count("a", "ada", besides: phone) == 1)
        #expect(try count("b", "ada", besides: pad) == 1)
        #expect(try count("b", "ada", besides: phone) == 0)
        #expect(try count("a", "bob", besides: phone) == 1)
        #expect(try count("a", "eve", besides: phone) == 0)
    }

    @Test("whose a channel is, is kept until it is another's", arguments: StoreUnderTest.allCases)
    func owners(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 1) {
            try $0.add(["a", "b"], to: phone, by: "ada")
            try $0.add(["a", "c"], to: phone)
            try $0.add(["b"], to: phone, by: "bob")
        }
        #expect(try store.channels(of: phone) == ["a", "b", "c"])
        #expect(try store.channels(of: phone, registeredBy: "ada") == ["a", "c"])
        #expect(try store.channels(of: phone, registeredBy: "bob") == ["b", "c"])
        #expect(try store.makeReader().channels(of: phone, registeredBy: "") == ["c"])
    }

    @Test("what makes a device another is each of its parts", arguments: StoreUnderTest.allCases)
    func parts(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let others = [
            PushDevice(token: "aa", gateway: .apns, keyset: "k"),
            PushDevice(
                token: "aa", gateway: .apns2, environment: "development", topic: "app",
                keyset: "k"),
            PushDevice(
                token: "aa", gateway: .apns2, environment: "production", topic: "App",
                keyset: "k"),
            PushDevice(
                token: "ab", gateway: .apns2, environment: "production", topic: "app",
                keyset: "k"),
            PushDevice(token: "AA", gateway: .fcm, keyset: "k"),
        ]
        try store.commit(through: 1) { try $0.add(["a"], to: pad) }
        for other in others { #expect(try store.channels(of: other) == []) }
        try store.commit(through: 2) { for other in others { try $0.add(["a"], to: other) } }

        try store.commit(through: 3) { try $0.remove(["a", "b"], from: pad) }

        #expect(try store.channels(of: pad) == [])
        #expect(try Set(store.devices(of: room("a"), limit: 9)) == Set(others))
    }

    @Test(
        "a rollback leaves nothing, and its tenant uses nothing",
        arguments: StoreUnderTest.allCases)
    func rollsBack(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 1) { try $0.add(["a"], to: phone) }
        let before = try store.use(ofKeyset: ExactText("k"))
        #expect(before.bytes == 103)

        try store.begin()
        try store.add(["b"], to: phone)
        try store.remove(["a"], from: phone)
        store.rollback()

        #expect(try store.channels(of: phone) == ["a"])
        #expect(try store.use(ofKeyset: ExactText("k")) == before)
        try store.commit(through: 2) { try $0.remove(["a", "a"], from: phone) }
        #expect(try store.use(ofKeyset: ExactText("k")).bytes == 0)
    }

    @Test("a file keeps them, and salvage counts them anew")
    func reopens() throws {
        do {
            let store = try SQLStore(directory: directory.path)
            try store.commit(through: 1) { try $0.add(["a"], to: pad) }
        }

        let store = try SQLStore(directory: directory.path)

        #expect(try store.channels(of: pad) == ["a"])
        #expect(try store.use(ofKeyset: ExactText("k")).bytes == 106)
        try store.connection.execute(
            "UPDATE keyset_use SET bytes = 7; \(SQLiteSchema.countDevices)")
        let bytes = try store.connection.prepare("SELECT bytes FROM keyset_use").first {
            $0.integer(0)
        }
        #expect(bytes == 113)
    }
}
