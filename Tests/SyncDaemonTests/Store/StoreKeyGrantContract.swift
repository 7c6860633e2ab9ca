// What every store promises about grants of version 2.

import EventModel
import SQL
import SQLite
import Testing

@testable import SyncDaemon

extension KeyGrantSubject {
    /// The channel "room" for a key, or for everybody.
    static func room(
        _ key: String?, of keyset: String = "k", level: Level = .channel, name: String = "room"
    ) -> KeyGrantSubject {
        KeyGrantSubject(
            keyset: ExactText(keyset), level: level, name: ExactText(name),
            authKey: key.map { ExactText($0) })
    }
}

extension KeyGrant {
    /// The same with rights.
    static func room(
        _ key: String?, of keyset: String = "k", level: KeyGrantSubject.Level = .channel,
        name: String = "room", bits: UInt8 = 3, expiry: Int64 = 20
    ) -> KeyGrant {
        KeyGrant(
            subject: .room(key, of: keyset, level: level, name: name), bits: bits, expiry: expiry)
    }
}

@Suite("Store contract: grants of version 2")
struct StoreKeyGrantContract {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    @Test(
        "a later grant for the same takes the former one's place",
        arguments: StoreUnderTest.allCases)
    func replaces(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let others: [KeyGrant] = [
            .room(nil), .room("e\u{301}"), .room("a", of: "other"), .room("a", level: .group),
            .room("a", name: "Room"), .room(nil, level: .keyset, name: ""),
            .room("a", name: "for ever", expiry: KeyGrant.never),
        ]
        try store.commit(through: 1) {
            for grant in [.room("a"), .room("é"), .room("a", bits: 237, expiry: 30)] + others {
                try $0.put(grant, forgettable: tick(5))
            }
            #expect(try $0.hasKeyGrant(.room("a")))
        }

        #expect(
            try Set(store.allKeyGrants())
                == Set(others + [.room("a", bits: 237, expiry: 30), .room("é")]))
        #expect(try !store.hasKeyGrant(.room("b")))
        #expect(try !store.hasKeyGrant(.room("a", level: .keyset)))
        let counts = try ["k", "other", "x", nil].map {
            try store.keyGrantCount(inKeyset: $0.map { ExactText($0) })
        }
        #expect(counts == [8, 1, 0, 9])
    }

    @Test("a grant is taken back alone", arguments: StoreUnderTest.allCases)
    func takesBack(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 1) {
            for key in ["a", "b", nil] { try $0.put(.room(key), forgettable: tick(5)) }
        }
        try store.commit(through: 2) {
            try $0.takeBack(.room("a"))
            try $0.takeBack(.room("none"))
        }

        #expect(try Set(store.allKeyGrants()) == [.room("b"), .room(nil)])
    }

    @Test(
        "those are forgotten whose time is over on both clocks, within the limit",
        arguments: StoreUnderTest.allCases)
    func forgets(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 1) {
            for number in 1...4 {
                try $0.put(
                    .room("\(number)", expiry: number == 4 ? KeyGrant.never : 20),
                    forgettable: tick(number == 3 ? 90 : 5))
            }
        }

        #expect(try !store.hasForgettableKeyGrants(before: tick(5), expiredAt: 50))
        #expect(try !store.hasForgettableKeyGrants(before: tick(6), expiredAt: 19))
        #expect(try store.hasForgettableKeyGrants(before: tick(6), expiredAt: 20))
        var forgotten: [KeyGrantSubject] = []
        for _ in 0..<3 {
            try store.commit(through: 2) {
                let step = try $0.forgetKeyGrants(before: tick(6), expiredAt: 20, limit: 1)
                #expect(step.count <= 1)
                forgotten += step
            }
        }
        #expect(Set(forgotten) == [.room("1"), .room("2")])
        #expect(
            try Set(store.allKeyGrants()) == [.room("3"), .room("4", expiry: KeyGrant.never)])
    }

    @Test("a rollback takes a grant back, and brings one back", arguments: StoreUnderTest.allCases)
    func rollsBack(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 1) { try $0.put(.room("a"), forgettable: tick(5)) }
        try store.begin()
        try store.put(.room("b"), forgettable: tick(5))
        try store.put(.room("a", bits: 1), forgettable: tick(5))
        #expect(try store.forgetKeyGrants(before: tick(6), expiredAt: 20, limit: 1).count == 1)
        try store.takeBack(.room("a"))
        store.rollback()

        #expect(try store.allKeyGrants() == [.room("a")])
    }

    @Test("an embedded store that is opened again has them")
    func isDurable() throws {
        try SQLStore(directory: directory.path).commit(through: 1) {
            try $0.put(.room("a"), forgettable: tick(5))
        }

        #expect(try SQLStore(directory: directory.path).allKeyGrants() == [.room("a")])
    }

    @Test(
        "a row that no grant can have made is damage, not a right",
        arguments: ["bits = 0", "bits = 16", "bits = 259", "level = 3"])
    func damaged(_ change: String) throws {
        var store: SQLStore? = try SQLStore(directory: directory.path)
        try store?.commit(through: 1) { try $0.put(.room("a"), forgettable: tick(5)) }
        store = nil
        try StoreConnection(path: SQLStore.path(in: directory.path)).execute(
            "UPDATE key_grant SET \(change)")

        #expect(throws: StoreError.self) {
            try SQLStore(directory: directory.path).allKeyGrants()
        }
    }

    @Test("a file of schema 10 keeps its revoked tokens, and takes grants")
    func upgrades() throws {
        var file: SQLStore? = try SQLStore(directory: directory.path)
        try file?.commit(through: 1) { try $0.revoke(.numbered(1), forgettable: tick(5)) }
        file = nil
        let path = SQLStore.path(in: directory.path)
        try StoreConnection(path: path).execute(
            SQLiteSchema.withoutCounts + "DROP TABLE key_grant; PRAGMA user_version = 10")

        let upgraded = try SQLStore(directory: directory.path)
        #expect(try upgraded.allKeyGrants() == [])
        try upgraded.commit(through: 2) { try $0.put(.room("a"), forgettable: tick(5)) }

        #expect(try upgraded.allRevoked() == [.numbered(1)])
        #expect(try upgraded.allKeyGrants() == [.room("a")])
        let version = try StoreConnection(path: path).prepare("PRAGMA user_version")
            .first { $0.integer(0) }
        #expect(version == SQLiteSchema.version)
    }
}
