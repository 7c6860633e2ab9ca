// What every store promises about mutations: each is remembered for its device, and the oldest go.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract: mutations")
struct StoreMutationContract {
    private let directory: ScratchDirectory
    private let ada = Author(userID: "ada", deviceID: "phone")

    init() throws {
        directory = try ScratchDirectory()
    }

    @Test(
        "a mutation is remembered with its outcome, per device", arguments: StoreUnderTest.allCases,
        [
            Outcome.published(tick(1)), .added(tick(2)), .already(tick(3)), .removed, .absent,
            .stale, .deleted(tick(4)), .groupChanged, .notOwner,
            .tokenRevoked, .keysGranted,
        ])
    func remembers(_ kind: StoreUnderTest, _ outcome: Outcome) throws {
        let store = try kind.make(in: directory)
        let record = MutationRecord(fingerprint: 0xFFFF_FFFF_0000_0001, outcome: outcome)
        try store.commit(through: 9) {
            try $0.remember(record, of: "m", by: ada, at: tick(9))
            #expect(try $0.outcome(of: "m", by: ada) == record)
        }

        try store.begin()
        #expect(try store.outcome(of: "m", by: ada) == record)
        #expect(try store.outcome(of: "M", by: ada) == nil)
        for other in [
            Author(userID: "ada", deviceID: "tablet"), Author(userID: "bob", deviceID: "phone"),
            Author(keyset: "other", userID: "ada", deviceID: "phone"),
        ] {
            #expect(try store.outcome(of: "m", by: other) == nil)
        }
        store.rollback()
    }

    @Test(
        "the oldest mutations are forgotten first, within the limit",
        arguments: StoreUnderTest.allCases)
    func forgets(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        func kept() throws -> [UInt64] {
            try store.begin()
            defer { store.rollback() }
            return try (1...9).filter { try store.outcome(of: "m\($0)", by: ada) != nil }
        }
        try store.commit(through: 9) {
            // Not in their order: what counts is when each was remembered.
            for number in [5, 1, 9, 3, 7, 2, 8, 4, 6] as [UInt64] {
                let record = MutationRecord(fingerprint: number, outcome: .removed)
                try $0.remember(record, of: "m\(number)", by: ada, at: tick(number))
            }
        }

        try store.commit(through: 10) { try $0.forgetMutations(before: tick(5), limit: 3) }
        #expect(try kept() == [4, 5, 6, 7, 8, 9])
        try store.commit(through: 11) { try $0.forgetMutations(before: tick(5), limit: 3) }
        #expect(try kept() == [5, 6, 7, 8, 9])
    }

    @Test("it is known how many there are", arguments: StoreUnderTest.allCases)
    func counts(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        func remember(_ numbers: ClosedRange<UInt64>) throws {
            for number in numbers {
                let record = MutationRecord(fingerprint: number, outcome: .removed)
                try store.remember(record, of: "m\(number)", by: ada, at: tick(number))
            }
        }
        #expect(store.mutationCount == 0)
        try store.commit(through: 5) { _ in try remember(1...5) }
        #expect(store.mutationCount == 5)

        try store.begin()
        try remember(6...8)
        try store.forgetMutations(before: tick(4), limit: 9)
        #expect(store.mutationCount == 5)
        store.rollback()
        #expect(store.mutationCount == 5)

        try store.commit(through: 9) {
            try remember(6...8)
            try $0.forgetMutations(before: tick(4), limit: 2)
        }
        #expect(store.mutationCount == 6)
        try store.commit(through: 10) { try $0.forgetMutations(before: .end, limit: 99) }
        #expect(store.mutationCount == 0)
    }

    @Test("a store that is opened again knows how many there are")
    func countsAgain() throws {
        for count in 1...3 {
            let store = try SQLStore(directory: directory.path)
            #expect(store.mutationCount == count - 1)
            let now = Timetoken(rawValue: store.last.rawValue + 1)
            try store.commit(through: now.rawValue) {
                let record = MutationRecord(fingerprint: 1, outcome: .removed)
                try $0.remember(record, of: "m\(count)", by: ada, at: now)
            }
        }
    }
}
