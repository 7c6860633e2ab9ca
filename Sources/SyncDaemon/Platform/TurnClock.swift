// How long the reactors' turns take: nobody waits for longer than the longest.

/// Measures the turns of one loop, which are the time between its waits.
struct TurnClock {
    private var lastEnd: UInt64
    private var lastIdle: UInt64

    /// - Parameters:
    ///   - now: Nanoseconds on a clock that never steps back.
    ///   - idle: Nanoseconds that the loop has waited in all.
    init(at now: UInt64, idle: UInt64) {
        lastEnd = now
        lastIdle = idle
    }

    /// The turn that ends now, in microseconds.
    mutating func endTurn(at now: UInt64, idle: UInt64) -> UInt64 {
        let passed = now - min(now, lastEnd)
        let waited = idle - min(idle, lastIdle)
        lastEnd = now
        lastIdle = idle
        return (passed - min(passed, waited)) / 1000
    }
}
