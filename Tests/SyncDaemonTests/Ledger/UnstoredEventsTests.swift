// The memory of what no store keeps: bounded, and nobody's flood is another's loss.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Events that are not stored")
struct UnstoredEventsTests {
    private func event(
        _ timetoken: UInt64, _ name: String = "room", keyset: String = "k", bytes: Int = 1
    ) -> Envelope {
        let payload = String(repeating: "1", count: bytes)
        return Envelope(
            channel: Channel(name, keyset: keyset), timetoken: tick(timetoken), uuid: "u",
            event: .signal(Message(payload: payload)), isStored: false)
    }

    private func found(_ memory: UnstoredEvents, keyset: String, after cursor: UInt64) -> [UInt64] {
        memory.runs(ofKeyset: keyset)
            .events(after: tick(cursor), limit: 100_000) { $0.name == "room" }
            .map(\.timetoken.rawValue)
    }

    @Test("what was announced is found again, until it is too old or too much")
    func remembers() {
        let size = event(1).bytesInMemory
        var memory = UnstoredEvents(bytesMax: 10 * size, ticksMax: 100, runLength: 1)
        for number in 1...5 as ClosedRange<UInt64> {
            memory.append(event(number, number == 3 ? "den" : "room"))
        }
        #expect(found(memory, keyset: "k", after: 0) == [1, 2, 4, 5])
        #expect(found(memory, keyset: "k", after: 2) == [4, 5])
        #expect(found(memory, keyset: "l", after: 0) == [])
        memory.append(event(104))
        #expect(found(memory, keyset: "k", after: 0) == [4, 5, 104])
        for number in 105...130 as ClosedRange<UInt64> { memory.append(event(number)) }
        #expect(found(memory, keyset: "k", after: 0) == Array(121...130))
        #expect(memory.byteCount == 10 * size)
    }

    @Test("who announces very much forgets its own, and nobody else's")
    func flood() {
        let size = event(1).bytesInMemory
        var memory = UnstoredEvents(bytesMax: 100 * size, ticksMax: 1_000_000, runLength: 1)
        for number in 1...30 as ClosedRange<UInt64> {
            memory.append(event(number, keyset: "quiet"))
        }
        for number in 31...5000 as ClosedRange<UInt64> {
            memory.append(event(number, keyset: "loud"))
        }
        #expect(found(memory, keyset: "quiet", after: 0) == Array(1...30))
        #expect(found(memory, keyset: "loud", after: 0) == Array(4931...5000))
        // A third one gets its share from who has most.
        for number in 5001...5030 as ClosedRange<UInt64> {
            memory.append(event(number, keyset: "new"))
        }
        #expect(found(memory, keyset: "quiet", after: 0) == Array(1...30))
        #expect(found(memory, keyset: "loud", after: 0) == Array(4961...5000))
        #expect(found(memory, keyset: "new", after: 0) == Array(5001...5030))
    }

    @Test("a tenant that is gone leaves nothing behind")
    func oldTenants() {
        var memory = UnstoredEvents(ticksMax: 100, runLength: 4)
        for number in 1...50 as ClosedRange<UInt64> {
            memory.append(event(number, keyset: "tenant \(number)"))
        }
        for number in 200...225 as ClosedRange<UInt64> { memory.append(event(number)) }
        #expect(memory.byteCount == 26 * event(200).bytesInMemory)
        #expect(found(memory, keyset: "tenant 50", after: 0) == [])
    }

    @Test(
        "beside a model: the oldest of who has most goes, and no more than must",
        arguments: 1...40 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let tenants = (0..<Int.random(in: 1...6, using: &random)).map { "tenant \($0)" }
        let (bytesMax, ticksMax) = (40_000, UInt64(400))
        var memory = UnstoredEvents(bytesMax: bytesMax, ticksMax: ticksMax, runLength: 1)
        var model: [String: [(timetoken: UInt64, bytes: Int)]] = [:]
        var total: Int { model.values.joined().reduce(0) { $0 + $1.bytes } }
        func bytes(_ keyset: String) -> Int {
            model[keyset, default: []].reduce(0) { $0 + $1.bytes }
        }
        var clock: UInt64 = 1
        for _ in 0..<600 {
            clock += UInt64.random(in: 1...3, using: &random)
            // The first is loud.
            let index = random.chance(50) ? 0 : Int.random(in: 0..<tenants.count, using: &random)
            let new = event(
                clock, keyset: tenants[index], bytes: Int.random(in: 1...2000, using: &random))
            memory.append(new)
            model[tenants[index], default: []].append((clock, new.bytesInMemory))
            let share = bytesMax / tenants.count
            for keyset in tenants {
                let kept = found(memory, keyset: keyset, after: 0)
                let known = model[keyset, default: []]
                // What is kept is the newest of what there was.
                #expect(kept == known.suffix(kept.count).map(\.timetoken))
                let lost = known.dropLast(kept.count)
                let isOld = lost.allSatisfy { $0.timetoken + ticksMax < clock }
                // Who has no more than an equal share loses nothing but what is old.
                let had = bytes(keyset)
                #expect(isOld || had > share, "seed \(seed), \(keyset) had \(had) of \(share)")
                model[keyset] = Array(known.suffix(kept.count))
            }
            #expect(memory.byteCount == total)
            #expect(memory.byteCount <= bytesMax)
        }
    }
}
