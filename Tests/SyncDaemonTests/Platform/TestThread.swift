// A thread of a test that can be kept in an array until it is joined.

import Basis

@testable import SyncDaemon

/// Owns a running thread: arrays cannot hold one that is not copyable.
final class TestThread: Sendable {
    private let thread: Locked<OSThread?>

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
        thread = Locked(OSThread(name: name, body))
    }

    /// Waits for the end of the thread.
    func join() {
        guard let thread = thread.withLock({ $0.take() }) else { return }
        thread.join()
    }
}
