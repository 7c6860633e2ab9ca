// What an order told, for tests that look at it or only need somebody to be told.

import Basis

@testable import SyncDaemon

/// Keeps every step.
final class Steps: CommitReceiver {
    private let heard = Locked<[Commit]>([])

    var all: [Commit] { heard.withLock { $0 } }

    func publish(_ step: Commit) { heard.withLock { $0.append(step) } }
}
