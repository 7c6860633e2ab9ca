// How often something happened, by its code.

import Basis

/// Counts by codes, of which the program has some dozens; any thread may add and read.
final class CodeCounts: Sendable {
    private let counts = Locked<[String: Int]>([:])

    /// - Parameter code: One of the program's own: what clients say would make rows without end.
    func add(_ code: String) {
        counts.withLock { $0[code, default: 0] += 1 }
    }

    /// Those that happened, by their codes' order.
    var figures: [(code: String, count: Int)] {
        counts.withLock { $0.map { ($0.key, $0.value) } }.sorted { $0.0 < $1.0 }
    }
}
