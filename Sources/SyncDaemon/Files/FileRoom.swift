// What uploads under way may still take of the disk: each finds as much less free.

import Synchronization

/// Bytes that were announced and did not come yet; shared by the threads of files.
final class FileRoom: Sendable {
    private let expected = Atomic<Int>(0)

    /// - Parameter bytes: That are announced; negative when they are here, or come no more.
    /// - Returns: What else is expected.
    @discardableResult
    func expect(_ bytes: Int) -> Int { expected.add(bytes, ordering: .relaxed).oldValue }
}
