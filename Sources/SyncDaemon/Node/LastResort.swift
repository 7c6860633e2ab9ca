// Ends a process whose drain hangs, and says what was not finished: the devices resume elsewhere.

import Basis
import EventModel
import Glibc

/// What a drain does, one after the other.
enum DrainStep: String, Sendable {
    case acceptor = "the acceptor had not stopped"
    case sessions = "not every reactor had sent its clients away"
    case ledger = "the ledger had not committed what waited, or not closed the database"
    case end = "the process had not ended"
}

/// Waits beside a drain for longer than one may take.
final class LastResort: Sendable {
    private let step = Locked(DrainStep.acceptor)

    /// Tenths of a second until the process ends.
    ///
    /// Counted, not read from a clock: time in which the whole process was stopped, or got no
    /// processor, is not the drain's.
    private static let pauses = (Limits.drainSeconds + Limits.drainGraceSeconds) * 10

    /// Notes how far the drain has come.
    func begins(_ step: DrainStep) { self.step.withLock { $0 = step } }

    /// Begins to wait, on a thread of its own that needs nothing of the others.
    func start() {
        _ = OSThread(name: "last-resort") { [self] in
            wait(pause: { usleep(100_000) })
            tell()
            _exit(1)
        }
    }

    func wait(pause: () -> Void) {
        for _ in 0..<Self.pauses { pause() }
    }

    var message: String {
        "The drain took longer than it may: \(step.withLock { $0.rawValue }). It ends here;"
            + " what was acknowledged is on the disk."
    }

    /// Past the log, which a thread that hangs may hold, and only if nobody has to be waited for.
    private func tell() {
        var standardError = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&standardError, 1, 0) == 1 else { return }
        complain("syncdaemon: \(message)")
    }
}
