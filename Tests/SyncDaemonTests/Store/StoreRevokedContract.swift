// What every store promises about revoked tokens.

import EventModel
import Testing

@testable import SyncDaemon

extension RevokedToken {
    /// A token that names itself.
    static func numbered(
        _ number: UInt8, of keyset: String = "k", expiry: Int64 = 20
    ) -> RevokedToken {
        RevokedToken(keyset: ExactText(keyset), id: TokenID(of: [number]), expiry: expiry)
    }
}

@Suite("Store contract: revoked tokens")
struct StoreRevokedContract {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    @Test("a token is revoked once, in its keyset", arguments: StoreUnderTest.allCases)
    func revokes(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 1) {
            try $0.revoke(.numbered(1), forgettable: tick(5))
            try $0.revoke(.numbered(1, of: "é"), forgettable: tick(5))
            try $0.revoke(.numbered(1, expiry: 30), forgettable: tick(6))
            #expect(try $0.isRevoked(.numbered(1)))
        }

        #expect(try store.isRevoked(.numbered(1, expiry: 99)))
        #expect(try !store.isRevoked(.numbered(2)))
        #expect(try !store.isRevoked(.numbered(1, of: "e\u{301}")))
        #expect(try Set(store.allRevoked()) == [.numbered(1), .numbered(1, of: "é")])
        let counts = try ["k", "é", "x"].map { try store.revokedCount(inKeyset: ExactText($0)) }
        #expect(counts == [1, 1, 0])
    }

    @Test(
        "those are forgotten whose time is over on both clocks, within the limit",
        arguments: StoreUnderTest.allCases)
    func forgets(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 1) {
            for number in 1...4 as ClosedRange<UInt8> {
                try $0.revoke(
                    .numbered(number, expiry: number == 4 ? 90 : 20),
                    forgettable: tick(number == 3 ? 90 : 5))
            }
        }

        #expect(try !store.hasForgettableRevoked(before: tick(5), expiredAt: 50))
        #expect(try !store.hasForgettableRevoked(before: tick(6), expiredAt: 19))
        #expect(try store.hasForgettableRevoked(before: tick(6), expiredAt: 20))
        var forgotten: [RevokedToken] = []
        for _ in 0..<3 {
            try store.commit(through: 2) {
                let step = try $0.forgetRevoked(before: tick(6), expiredAt: 20, limit: 1)
                #expect(step.count <= 1)
                forgotten += step
            }
        }
        #expect(Set(forgotten) == [.numbered(1), .numbered(2)])
        #expect(
            try Set(store.allRevoked()) == [.numbered(3), .numbered(4, expiry: 90)])
    }

    @Test(
        "a rollback takes a revocation back, and brings one back",
        arguments: StoreUnderTest.allCases)
    func rollsBack(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        try store.commit(through: 1) { try $0.revoke(.numbered(1), forgettable: tick(5)) }
        try store.begin()
        try store.revoke(.numbered(2), forgettable: tick(5))
        #expect(try store.forgetRevoked(before: tick(6), expiredAt: 20, limit: 1).count == 1)
        store.rollback()

        #expect(try store.allRevoked() == [.numbered(1)])
    }

    @Test("an embedded store that is opened again has them")
    func isDurable() throws {
        try SQLStore(directory: directory.path).commit(through: 1) {
            try $0.revoke(.numbered(1), forgettable: tick(5))
        }

        #expect(try SQLStore(directory: directory.path).allRevoked() == [.numbered(1)])
    }
}
