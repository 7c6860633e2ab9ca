// A store that is damaged somewhere: what meets it is refused alone, and everything else goes on.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Quarantine")
struct QuarantineTests {
    private static let damage = StoreError.damaged(path: "x", reason: "bad page")

    private func write(
        _ operation: Write.Operation, mutation: String? = nil, in channel: String = "room",
        by user: String = "ada", command: Int64 = 1
    ) -> Write {
        Write(
            origin: Origin(
                reactor: 0, session: SessionID(slot: 0, generation: 0), command: command),
            author: Author(userID: user, deviceID: "phone"), channel: Channel(channel),
            operation: operation, mutation: mutation)
    }

    private func code(_ answer: Answer) -> String {
        switch answer.result {
        case .success: "ok"
        case .failure(let error): error.code
        }
    }

    @Test("a write that meets damage is refused alone, and its channel is left alone from then on")
    func channel() {
        let store = FaultyStore()
        let bench = TroubleBench()
        let quarantine = Quarantine(troubles: bench.troubles())
        var now: UInt64 = 0
        let ledger = Ledger(store: store, tombstoneTicksKept: 1 << 60, quarantine: quarantine) {
            now += 1
            return now
        }
        store.damaged = [Channel("bad"), Channel("worse")]
        var failure: StoreError?
        let writes = [
            write(.publish(.numbered(1)), in: "good"), write(.add(.on(1)), in: "bad"),
            write(.publish(.numbered(2)), in: "bad"), write(.add(.on(1)), in: "worse"),
            write(.add(.on(1)), in: "good"),
        ]

        let commit = ledger.commit(writes, failure: &failure)

        let expected = ["ok", "store_damaged", "store_damaged", "store_damaged", "ok"]
        #expect(commit.answers.map(code) == expected)
        #expect(failure == nil)
        #expect(commit.events.map(\.channel.name) == ["good", "good"])
        #expect(bench.places.count == 2)
        let met = store.met
        #expect(ledger.commit(writes, failure: &failure).answers.map(code) == expected)
        // The file is not asked again for what is damaged.
        #expect(store.met == met)
        #expect(failure == nil)
    }

    @Test("damage where it concerns every write refuses all of them, and never for good")
    func everywhere() throws {
        let store = FaultyStore()
        let ledger = Ledger(store: store, tombstoneTicksKept: 1 << 60) { 7 }
        var failure: StoreError?
        store.fault = (.commit, Self.damage)

        let commit = ledger.commit([write(.publish(.numbered(1)))], failure: &failure)

        #expect(commit.answers.map(code) == ["store_damaged"])
        #expect(failure == Self.damage)
        #expect(commit.events.isEmpty)
        store.fault = nil
        failure = nil
        #expect(
            ledger.commit([write(.publish(.numbered(1)))], failure: &failure).answers.map(code)
                == ["ok"])
    }

    @Test("a device whose mutations are damaged is refused, and others write to the same channel")
    func author() {
        let store = FaultyStore()
        let ledger = Ledger(store: store, tombstoneTicksKept: 1 << 60) { 7 }
        var failure: StoreError?
        store.fault = (.remember, Self.damage)
        let writes = [
            write(.publish(.numbered(1)), mutation: "a"), write(.publish(.numbered(2)), by: "bob"),
            write(.publish(.numbered(3)), mutation: "b"),
        ]

        let commit = ledger.commit(writes, failure: &failure)

        #expect(commit.answers.map(code) == ["store_damaged", "ok", "store_damaged"])
        #expect(failure == nil)
    }

    @Test("damage in what is forgotten stops the forgetting, and no write")
    func housekeeping() {
        let store = FaultyStore()
        let ledger = Ledger(store: store, tombstoneTicksKept: 1 << 60) { 7 }
        var failure: StoreError?
        store.fault = (.expired, Self.damage)

        let commit = ledger.commit([write(.publish(.numbered(1)))], failure: &failure)

        #expect(commit.answers.map(code) == ["ok"])
        #expect(failure == nil)
        #expect(ledger.commitExpired(failure: &failure) == nil)
        #expect(failure == nil)
    }

    @Test("a channel that could not be read from a position is refused up to there, and no further")
    func reading() {
        let quarantine = Quarantine()
        let room = Channel("room")

        #expect(quarantine.canRead(room, after: .zero))
        quarantine.cannotRead(room, after: tick(5))
        quarantine.cannotRead(room, after: tick(3))
        #expect(!quarantine.canRead(room, after: .zero))
        #expect(!quarantine.canRead(room, after: tick(5)))
        #expect(quarantine.canRead(room, after: tick(6)))
        #expect(quarantine.canRead(Channel("attic"), after: .zero))
    }

    @Test("only a thread that does nothing while something waits is stalled")
    func stall() {
        var detector = StallDetector()
        var stalled: [Bool] = []
        for (progress, waiting) in [(1, 1), (1, 1), (1, 0), (1, 2), (1, 2), (1, 2), (2, 2), (2, 2)]
        {
            stalled.append(detector.observe(progress: UInt64(progress), waiting: waiting))
        }

        #expect(stalled == [false, false, false, false, false, true, false, false])
    }
}
