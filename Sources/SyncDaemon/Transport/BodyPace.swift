// Whether a long body goes on as fast as it has to, in or out. No sockets.

import EventModel

/// How far one file has come lately; a class, since most connections have none.
///
/// A deadline for the whole would let somebody hold a place for hours with a few bytes.
final class BodyPace {
    private var lastMoved: UInt64
    private var windowEnd: UInt64
    /// In this window.
    private var bytes = 0
    /// Since when it is us who is waited for.
    private var pausedSince: UInt64?

    /// - Parameter now: Milliseconds, like every time here.
    init(at now: UInt64) {
        lastMoved = now
        windowEnd = now + Self.windowMilliseconds
    }

    /// The peer sent, or took, some.
    func moved(_ count: Int, at now: UInt64) {
        guard count > 0 else { return }
        bytes += count
        lastMoved = now
    }

    /// Time does not count from now on: the peer has nothing to do.
    func pause(at now: UInt64) {
        if pausedSince == nil { pausedSince = now }
    }

    /// It counts again.
    func goOn(at now: UInt64) {
        guard let since = pausedSince else { return }
        pausedSince = nil
        lastMoved += now - since
        windowEnd += now - since
    }

    /// Looks at the clock.
    ///
    /// - Returns: When to look again; `nil`: it is too slow.
    func step(at now: UInt64) -> UInt64? {
        if pausedSince != nil { return now + Self.idleMilliseconds }
        guard now < lastMoved + Self.idleMilliseconds else { return nil }
        if now >= windowEnd {
            guard bytes >= Limits.filePaceSeconds * Limits.slowestBytesPerSecond else { return nil }
            bytes = 0
            windowEnd = now + Self.windowMilliseconds
        }
        return min(lastMoved + Self.idleMilliseconds, windowEnd)
    }

    private static let idleMilliseconds = UInt64(Limits.fileIdleSeconds) * 1000
    private static let windowMilliseconds = UInt64(Limits.filePaceSeconds) * 1000
}
