// A queue that is taken from at the front: in order, and without moving the rest.

import Testing

@testable import Basis

@Suite("Queue")
struct QueueTests {
    @Test("it agrees with an array, whatever is done to both", arguments: UInt64(1)...8)
    func agrees(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var queue = Queue<Int>()
        var model: [Int] = []
        for number in 0..<5000 {
            switch generator.below(16) {
            case 0...6:
                queue.append(number)
                model.append(number)
            case 7...9: #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            case 10:
                let isWanted = model.first.map { $0 % 2 == 0 } ?? false
                #expect(
                    queue.popFirst { $0 % 2 == 0 } == (isWanted ? model.removeFirst() : nil))
            case 11:
                let count = generator.below(6)
                #expect(queue.popFirst(atMost: count) == Array(model.prefix(count)))
                model.removeFirst(min(count, model.count))
            case 12:
                queue.prepend(number)
                model.insert(number, at: 0)
            case 13:
                let earlier = Array(number..<number + generator.below(5))
                queue.prepend(contentsOf: earlier)
                model.insert(contentsOf: earlier, at: 0)
            case 14 where number % 50 == 0:
                #expect(queue.removeAll { $0 % 3 == 0 } == model.filter { $0 % 3 == 0 })
                model.removeAll { $0 % 3 == 0 }
            case 15 where number % 500 == 0:
                queue.removeAll()
                model = []
            default: break
            }
            #expect(queue.count == model.count)
            #expect(queue.isEmpty == model.isEmpty)
            #expect(queue.first == model.first)
        }
        #expect(queue.popFirst(atMost: .max) == model)
        #expect(queue.isEmpty)
    }

    @Test("what was taken is not kept alive")
    func lets() {
        final class Thing {}
        var queue = Queue<Thing>()
        for _ in 0..<8 { queue.append(Thing()) }
        weak let first = queue.first

        _ = queue.popFirst()

        #expect(first == nil)
    }

    @Test("places that were taken are given up, in runs of at least half of what is kept")
    func compacts() {
        var queue = Queue<Int>()
        var (kept, moved) = (0, 0)
        for number in 0..<20_000 { queue.append(number) }
        while !queue.isEmpty {
            let before = queue.elements.count
            _ = queue.popFirst()
            kept = max(kept, queue.elements.count - 2 * queue.count)
            // What is left is moved when the places before it are given up.
            if queue.elements.count < before { moved += queue.count }
        }
        #expect(kept <= 33)
        #expect(moved < 20_000)
    }
}
