// The ledger and time: what it says of it with each commit, and what it forgets by which clock.

import EventModel
import Testing

@testable import SyncDaemon

/// A ledger on which the daemon's time and the retention clock are the test's.
private final class ClockBench {
    let store: FaultyStore
    var now = ClockAnchor(boot: "b", uptime: 1, ticks: 1_000_000, age: 1_000_000)
    var failure: StoreError?
    private(set) lazy var ledger = Ledger(
        store: store, tombstoneTicksKept: Limits.mutationTicksKept,
        anchor: { [unowned self] in now }, wallTicks: { [unowned self] in now.ticks })

    init(_ store: FaultyStore = FaultyStore()) {
        self.store = store
    }

    func commit(_ operation: Write.Operation, mutation: String? = nil) throws -> Reply {
        let commit = ledger.commit([write(operation, mutation: mutation)], failure: &failure)
        return try #require(commit.answers.first).result.get()
    }

    /// What passed on both clocks.
    func pass(_ ticks: UInt64) {
        now.ticks += ticks
        now.age += ticks
        now.uptime += ticks
    }
}

@Suite("Ledger and time")
struct LedgerClockTests {
    private let bench = ClockBench()
    private let month = Limits.mutationTicksKept

    @Test("a leap of timetokens forgets no mutation, no removal and no message")
    func leap() throws {
        let first = try bench.commit(.publish(.numbered(1), hoursKept: 24), mutation: "m")
        _ = try bench.commit(.add(.on(1)), mutation: "a")
        _ = try bench.commit(.remove(.on(1), observed: nil), mutation: "r")
        bench.now.ticks += 40 * month
        for _ in 0..<100 { _ = try bench.commit(.publish(.numbered(2))) }
        #expect(bench.ledger.commitExpired(failure: &bench.failure) == nil)

        #expect(try bench.commit(.publish(.numbered(1), hoursKept: 24), mutation: "m") == first)
        _ = try bench.commit(.add(.on(1)), mutation: "a")
        #expect(try bench.store.standingAction(.on(1), in: Channel("room")) == nil)
        #expect(bench.store.tombstoneFloor == .zero)
        // Then the time passes.
        bench.pass(month + 1)
        #expect(bench.ledger.commitExpired(failure: &bench.failure) != nil)
        #expect(bench.store.tombstoneFloor > .zero)
        #expect(try bench.commit(.publish(.numbered(1), hoursKept: 24), mutation: "m") != first)
    }

    @Test("timetokens that stand still behind a clock that went back are as old as they are")
    func standing() throws {
        bench.now.ticks += month
        _ = try bench.commit(.publish(.numbered(1)))
        bench.now.ticks -= month
        bench.pass(month - 1_000_000)
        let first = try bench.commit(.publish(.numbered(2)), mutation: "m")
        bench.pass(2_000_000)
        for _ in 0..<10 { _ = try bench.commit(.publish(.numbered(3))) }

        #expect(try bench.commit(.publish(.numbered(2)), mutation: "m") == first)
    }

    @Test("a revoked token is forgotten when it is over on both clocks, not by a leap")
    func revocations() throws {
        let second: UInt64 = 10_000_000
        bench.now.ticks = 1000 * second
        let token = RevokedToken.numbered(1, expiry: 1100)
        _ = try bench.commit(.revoke(token))
        func forgotten() -> [RevokedToken] {
            bench.ledger.commitExpired(failure: &bench.failure)?.forgottenRevoked ?? []
        }

        bench.now.ticks += 5000 * second
        #expect(forgotten() == [])
        // The wall clock came back, while time went on.
        bench.now.ticks -= 5000 * second
        bench.now.age += 101 * second
        #expect(forgotten() == [])
        bench.now.ticks += 100 * second
        #expect(forgotten() == [token])
        #expect(bench.store.allRevoked() == [])
        #expect(forgotten() == [])
    }

    @Test("a grant of version 2 is forgotten likewise, and one without end never")
    func keyGrants() throws {
        let second: UInt64 = 10_000_000
        bench.now.ticks = 1000 * second
        _ = try bench.commit(
            .grant([.room("a", expiry: 1100), .room("b", expiry: KeyGrant.never)]))
        func forgotten() -> [KeyGrantSubject] {
            bench.ledger.commitExpired(failure: &bench.failure)?.forgottenKeyGrants ?? []
        }

        bench.now.ticks += 5000 * second
        #expect(forgotten() == [])
        bench.now.age += 101 * second
        #expect(forgotten() == [.room("a")])
        #expect(bench.store.allKeyGrants() == [.room("b", expiry: KeyGrant.never)])
    }

    @Test("each commit raises the ceiling with itself, and never lowers it")
    func raises() throws {
        _ = try bench.commit(.publish(.numbered(1)))
        #expect(bench.store.clock.ceiling == tick(1_000_000 + Limits.ceilingTicks))
        #expect(bench.store.clock.anchor == bench.now)
        bench.now.ticks -= 500_000
        let commit = bench.ledger.commit(
            [write(.publish(.numbered(2)))], after: tick(900), failure: &bench.failure)
        #expect(commit.ceiling == tick(1_000_001 + Limits.ceilingTicks))
        let far = tick(30_000_000)
        #expect(
            bench.ledger.raiseCeiling(above: far, failure: &bench.failure)
                == far.advanced(by: Limits.ceilingTicks))
        #expect(bench.store.last == tick(1_000_001))
        _ = try bench.commit(.publish(.numbered(3)))
        #expect(bench.store.clock.ceiling == far.advanced(by: Limits.ceilingTicks))
    }

    @Test(
        "a ceiling that the store cannot raise stays, and the next commit works",
        arguments: [FaultyStore.Call.begin, .commit])
    func full(_ call: FaultyStore.Call) throws {
        _ = try bench.commit(.publish(.numbered(1)))
        let ceiling = bench.store.clock.ceiling
        bench.store.fault = (call, .full)
        #expect(bench.ledger.raiseCeiling(above: tick(5), failure: &bench.failure) == nil)
        #expect(bench.failure == .full)
        let failed = bench.ledger.commit(
            [write(.publish(.numbered(2)))], failure: &bench.failure)
        #expect(failed.ceiling == nil)
        #expect(bench.store.clock.ceiling == ceiling)
        bench.store.fault = nil
        bench.pass(10)
        _ = try bench.commit(.publish(.numbered(3)))
        #expect(bench.store.clock.ceiling > ceiling)
    }
}
