// How long a receiver that failed is left alone. Pure: chance comes from a generator.

import EventModel

/// Back-off with full jitter: so that many lanes do not come back at one moment.
///
/// - Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
enum RetryPause {
    /// Milliseconds until the next attempt.
    ///
    /// - Parameters:
    ///   - failures: Attempts that failed in a row, at least 1.
    ///   - retryAfter: Seconds that the receiver asked for.
    static func milliseconds(
        afterFailures failures: Int, retryAfter: Int?,
        using generator: inout some RandomNumberGenerator
    ) -> UInt64 {
        let asked = min(max(0, retryAfter ?? 0), Limits.webhookSecondsMax) * 1000
        let longest = longest(afterFailures: failures)
        return UInt64(max(asked, Int.random(in: 0...longest, using: &generator)))
    }

    static func longest(afterFailures failures: Int) -> Int {
        // Beyond so many doublings it is the longest anyway.
        let doublings = min(max(0, failures - 1), 20)
        return min(
            Limits.webhookPauseMillisecondsMax, Limits.webhookPauseMilliseconds << doublings)
    }
}
