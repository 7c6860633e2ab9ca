// A heap that is taken from: always the least of what is in it.

import Testing

@testable import Basis

@Suite("Heap")
struct HeapTests {
    @Test("it agrees with a sorted array, whatever is done to both", arguments: UInt64(1)...8)
    func agrees(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var heap = Heap<Int>()
        var model: [Int] = []
        for number in 0..<5000 {
            switch generator.below(16) {
            case 0...8:
                // Equal elements among them.
                let element = generator.below(200)
                heap.insert(element)
                model.append(element)
                model.sort()
            case 9...14: #expect(heap.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            case 15 where number % 40 == 0:
                heap.keep { $0 % 3 != 0 }
                model.removeAll { $0 % 3 == 0 }
            case 15 where number % 400 == 1:
                heap.removeAll(keepingCapacity: number % 2 == 0)
                model = []
            default: break
            }
            #expect(heap.count == model.count)
            #expect(heap.isEmpty == model.isEmpty)
            #expect(heap.first == model.first)
        }
        #expect((0..<model.count).map { _ in heap.popFirst() } == model)
        #expect(heap.popFirst() == nil)
    }

    @Test("what was taken is not kept alive")
    func lets() {
        final class Thing: Comparable {
            static func == (lhs: Thing, rhs: Thing) -> Bool { lhs === rhs }
            static func < (lhs: Thing, rhs: Thing) -> Bool { false }
        }
        var heap = Heap<Thing>()
        for _ in 0..<8 { heap.insert(Thing()) }
        weak let first = heap.first

        heap.popFirst()

        #expect(first == nil)
        #expect(heap.count == 7)
    }
}
