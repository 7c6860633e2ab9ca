// What is given up, and when, as memory fills and empties.

import EventModel
import Synchronization
import Testing

@testable import SyncDaemon

@Suite("Memory pressure")
struct MemoryPressureTests {
    private final class Memory: Sendable {
        let bytes = Atomic<Int>(0)
        let looks = Atomic<Int>(0)
    }

    private func pressure(_ memory: Memory, max: Int = 1_000_000) -> MemoryPressure {
        MemoryPressure(max: max) {
            memory.looks.add()
            return memory.bytes.value
        }
    }

    @Test("caches have all of their limits from 1 GiB on, and as much less with less")
    func caches() {
        let limit = 64 << 20
        for whole in [0, 1 << 30, (1 << 30) + 1, 1 << 50] {
            #expect(Limits.cacheBytes(limit, within: whole) == limit)
        }
        #expect(Limits.cacheBytes(limit, within: 1 << 29) == 32 << 20)
        #expect(Limits.cacheBytes(limit, within: Limits.memoryMaxMin) == 2 << 20)
        let all = [
            Limits.storeCacheBytesMax, Limits.recentBytesMax, Limits.repairCacheBytesMax,
            Limits.unstoredBytesMax,
        ]
        let together = all.map { Limits.cacheBytes($0, within: Limits.memoryMaxMin) }.reduce(0, +)
        // Full, they alone refuse nobody.
        #expect(together * 100 < Limits.memoryMaxMin * (Limits.memoryTenantsPercent - 40))
    }

    @Test("levels come in order, and end a little below where they began")
    func levels() {
        let memory = Memory()
        let pressure = pressure(memory)
        var now: UInt64 = 0
        func level(at percent: Int) -> MemoryPressure.Level {
            memory.bytes.store(percent * 10_000 + 5000, ordering: .relaxed)
            now += Limits.memorySampleMilliseconds
            pressure.look(at: now)
            return pressure.level
        }

        #expect(level(at: 10) == .none)
        #expect(level(at: 74) == .none)
        #expect(level(at: 76) == .tenants)
        #expect(level(at: 73) == .tenants)
        #expect(level(at: 86) == .sessions)
        #expect(level(at: 96) == .queues)
        #expect(level(at: 93) == .queues)
        #expect(level(at: 90) == .sessions)
        #expect(level(at: 80) == .tenants)
        #expect(level(at: 71) == .none)
        #expect(level(at: 200) == .queues)
        #expect(level(at: 0) == .none)
    }

    @Test("nobody looks more often than it changes, nor at all without a bound")
    func sampling() {
        let memory = Memory()
        let pressure = pressure(memory)
        for now in 1...UInt64(10 * Limits.memorySampleMilliseconds) { pressure.look(at: now) }
        #expect(memory.looks.value <= 11)

        let other = Memory()
        other.bytes.store(1 << 40, ordering: .relaxed)
        let unbounded = self.pressure(other, max: 0)
        unbounded.look(at: 5000)
        #expect(other.looks.value == 0)
        #expect(unbounded.level == .none)
        unbounded.setMax(1000)
        unbounded.look(at: 6000)
        #expect(unbounded.level == .queues)
    }

    @Test("what the kernel says of this process is what it has")
    func real() async {
        // In a process of its own, where nobody else gives memory back.
        await #expect(processExitsWith: .success) {
            let before = ProcessMemory.privateBytes
            let bytes = [UInt8](repeating: 1, count: 64 * 1024 * 1024)
            // Optimised code gives an array back after its last use.
            withExtendedLifetime(bytes) {
                let after = ProcessMemory.privateBytes
                #expect(after - before > 48 * 1024 * 1024)
                #expect(ProcessMemory.residentBytes >= after)
            }
            #expect(ProcessMemory.available > 0)
        }
    }
}
