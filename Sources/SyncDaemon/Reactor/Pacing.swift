// When a reactor may flush again. Pure: the reactor passes the time in.

import EventModel

/// Lets batches grow under load.
///
/// While a flush that took d left events behind, the next one waits until d has passed again, and
/// sockets are read meanwhile: writing takes half of the time at most, and a batch holds what came
/// while the last one was written. When nothing was left behind, nothing waits.
struct Pacing {
    /// Milliseconds; the clock's zero is in the past.
    private var heldUntil: UInt64 = 0

    /// Whether a flush has to wait.
    func holds(at now: UInt64) -> Bool { now < heldUntil }

    /// How long the reactor may sleep, in milliseconds.
    ///
    /// - Parameter due: When something is to be sent though nothing happens; `nil`: never.
    func sleep(at now: UInt64, atMost limit: UInt64, due: UInt64?) -> UInt64 {
        var end = now + limit
        if let due { end = min(end, max(due, now)) }
        return holds(at: now) ? heldUntil - now : end - now
    }

    /// Takes how long a flush took.
    ///
    /// A flush of less than a millisecond is too cheap to be worth a wait.
    mutating func flushed(from start: UInt64, to end: UInt64, leftEvents: Bool) {
        guard leftEvents else { return }
        heldUntil = end + min(end - start, UInt64(Limits.pacingMillisecondsMax))
    }
}
