// Where events wait for webhooks the store may be damaged, or not be read for a moment.

import EventModel

/// How long damage was met where events wait for webhooks, in ticks since the machine's start.
struct OutboxDamage {
    private var times: (first: UInt64, last: UInt64)?

    /// Hears of damage.
    ///
    /// - Returns: Whether it may yet be over before webhooks must be left alone.
    mutating func isPassing(at now: UInt64) -> Bool {
        let quiet = UInt64(Limits.webhookDamageForgottenSeconds) * 10_000_000
        let known = times.flatMap { now >= $0.last && now - $0.last < quiet ? $0.first : nil }
        let first = known ?? now
        times = (first, now)
        return now - first < UInt64(Limits.webhookDamageSeconds) * 10_000_000
    }
}

extension Ledger {
    /// What damage is taken for that a disk may have which cannot be read for a moment.
    ///
    /// A commit that meets it is refused for some seconds, and retried by who asked for it: without
    /// its events webhooks would never hear of it.
    ///
    /// - Returns: `nil`: for what it is.
    func passing(_ error: StoreError, in place: Quarantine.Place?) -> StoreError? {
        guard place == .outbox, case .damaged(let path, let reason) = error,
            outboxDamage.isPassing(at: anchor().uptime)
        else { return nil }
        quarantine.met(.outbox, error)
        return .unreadable(path: path, reason: reason)
    }

    /// Has webhooks tried again that were left alone, and counts what they have where that failed
    /// before; once a second or so.
    func retryOutbox() -> OutboxNews? {
        quarantine.release(.outbox)
        return outbox.uses == nil ? countOutbox() : nil
    }

    /// Whether there are steps of webhooks that a commit can take.
    var hasOutboxSteps: Bool { !outboxSteps.isEmpty && !quarantine.holds(.outbox) }

    /// What a commit does about webhooks that are left alone.
    func leaveOutboxAlone(in commit: inout Commit) {
        // Who waits to have it sealed says so again, and may do so for long.
        unfinishedSteps = outboxSteps.filter { if case .sealed = $0 { false } else { true } }
        let missed = outbox.webhooks.map { webhook in
            (webhook.name, commit.events.count { webhook.wants($0) })
        }
        let some = missed.filter { $0.1 > 0 }
        guard !some.isEmpty else { return }
        commit.outbox = OutboxNews(missed: Dictionary(some) { $0 + $1 })
    }
}
