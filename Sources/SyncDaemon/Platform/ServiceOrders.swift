// What operators' requests ask of the main thread, which waits for signals: so each is one.

import Basis
import Glibc

/// What came of reading the configuration again.
struct ReloadOutcome: Sendable, Hashable {
    /// Settings that hold otherwise now.
    var changed: [String] = []
    /// Settings that have changed, and need a restart.
    var waiting: [String] = []
    /// Whole sentences; with any the old configuration holds.
    var mistakes: [String] = []
}

/// Orders of any thread for the main one.
final class ServiceOrders: Sendable {
    typealias Told = @Sendable (ReloadOutcome) -> Void

    private let reloads = Locked<[Told]>([])
    private let isStopAsked = Locked(false)
    private let isToBeginAnew = Locked(false)
    private let raise: @Sendable (Int32) -> Void

    /// - Parameter raise: Sends a signal to this process.
    init(raise: @escaping @Sendable (Int32) -> Void = { _ = kill(getpid(), $0) }) {
        self.raise = raise
    }

    /// Has the configuration read again.
    func reload(_ told: @escaping Told) {
        // First: the signal is taken by who then looks here.
        reloads.withLock { $0.append(told) }
        raise(SIGHUP)
    }

    /// Has the daemon drain and end.
    func stop() {
        isStopAsked.withLock { $0 = true }
        raise(SIGTERM)
    }

    /// Has the daemon drain, and begin anew in the same process.
    func beginAnew() {
        isToBeginAnew.withLock { $0 = true }
        // Not one that ends it: somebody may send that at the same time.
        raise(SIGHUP)
    }

    /// Whether it is to begin anew once it has drained.
    var isBeginningAnew: Bool { isToBeginAnew.withLock { $0 } }

    /// Whether an operator had the daemon end, by request and not by signal.
    var isToStop: Bool { isStopAsked.withLock { $0 } }

    /// Who waits for a reload that has not begun.
    func takeReloads() -> [Told] {
        reloads.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
