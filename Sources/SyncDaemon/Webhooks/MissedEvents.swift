// What webhooks never hear of, told to operators: at once, and then now and then.

import EventModel

/// Events that webhooks missed, as far as the log was told.
struct MissedEvents {
    private var told: [String: Int] = [:]
    /// Milliseconds before which it is told no more.
    private var next: UInt64 = 0

    /// What is to be told now: how many each webhook missed since the last time.
    ///
    /// - Parameters:
    ///   - now: Milliseconds of a clock that never steps back.
    ///   - isLast: Whether nothing is told behind it.
    mutating func news(
        _ figures: [String: WebhookFigures], at now: UInt64, isLast: Bool = false
    ) -> [String: Int] {
        guard now >= next || isLast else { return [:] }
        var news: [String: Int] = [:]
        for (name, figures) in figures where figures.missed > told[name, default: 0] {
            news[name] = figures.missed - told[name, default: 0]
        }
        guard !news.isEmpty else { return [:] }
        told = figures.mapValues(\.missed)
        next = now + UInt64(Limits.reminderSeconds) * 1000
        return news
    }
}
