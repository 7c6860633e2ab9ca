// Simulated time: what is to happen, in the order of its moments.

/// Runs one thing after the other; time jumps from each to the next.
final class Scheduler {
    private struct Entry {
        let moment: UInt64
        /// Things of one moment happen in the order in which they were planned.
        let number: UInt64
        let body: () -> Void

        func isBefore(_ other: Entry) -> Bool {
            moment == other.moment ? number < other.number : moment < other.moment
        }
    }

    /// Microseconds since the world began; never steps back.
    private(set) var now: UInt64 = 0
    /// How many things happened.
    private(set) var count = 0
    private var heap: [Entry] = []
    private var lastNumber: UInt64 = 0

    /// Plans something.
    ///
    /// - Parameter moment: The present one, when it is over already.
    func at(_ moment: UInt64, _ body: @escaping () -> Void) {
        lastNumber += 1
        heap.append(Entry(moment: max(moment, now), number: lastNumber, body: body))
        siftUp(heap.count - 1)
    }

    func after(_ microseconds: UInt64, _ body: @escaping () -> Void) {
        at(now + microseconds, body)
    }

    /// Lets the next thing happen.
    ///
    /// - Returns: `false` when nothing is planned up to `end`.
    func step(until end: UInt64) -> Bool {
        guard let first = heap.first, first.moment <= end else {
            now = max(now, end)
            return false
        }
        heap[0] = heap[heap.count - 1]
        heap.removeLast()
        siftDown()
        now = first.moment
        count += 1
        first.body()
        return true
    }

    /// Forgets what is planned, and whom that holds.
    func clear() {
        heap = []
    }

    private func siftUp(_ start: Int) {
        var index = start
        while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private func siftDown() {
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}

/// Lengths of simulated time, in microseconds.
enum Microseconds {
    static let millisecond: UInt64 = 1000
    static let second: UInt64 = 1_000_000
}
