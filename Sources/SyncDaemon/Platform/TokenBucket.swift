// How fast somebody may do something.

/// Allows a steady rate with bursts; time is passed in.
struct TokenBucket {
    private var ratePerSecond: Double
    private var capacity: Double
    private var tokens: Double
    private var lastMilliseconds: UInt64

    /// A full bucket.
    ///
    /// - Parameter ratePerSecond: Also its capacity: a burst may spend one second at once.
    init(ratePerSecond: Int, at milliseconds: UInt64) {
        self.ratePerSecond = Double(ratePerSecond)
        capacity = Double(ratePerSecond)
        tokens = capacity
        lastMilliseconds = milliseconds
    }

    /// Goes on at another rate; what was saved up beyond its burst is lost.
    mutating func setRate(_ ratePerSecond: Double) {
        self.ratePerSecond = ratePerSecond
        capacity = ratePerSecond
        tokens = min(tokens, capacity)
    }

    /// Tokens that are there now, as of the last one that was taken.
    var rest: Int { max(0, Int(tokens)) }

    /// Puts back what was taken last, for one that turned out to cost something else.
    mutating func putBack() { tokens = min(capacity, tokens + 1) }

    /// Takes as many tokens as something costs, if they are there.
    ///
    /// What costs more than the bucket holds is to be had for a full one, and paid off before
    /// anything else is.
    mutating func take(_ cost: Int = 1, at milliseconds: UInt64) -> Bool {
        let elapsed = Double(milliseconds - min(milliseconds, lastMilliseconds)) / 1000
        lastMilliseconds = max(lastMilliseconds, milliseconds)
        tokens = min(capacity, tokens + elapsed * ratePerSecond)
        guard tokens >= min(Double(cost), capacity) else { return false }
        tokens -= Double(cost)
        return true
    }
}
