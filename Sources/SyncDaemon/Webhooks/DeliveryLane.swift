// One lane of a webhook: at most one request at a time, so that a channel's events stay in order.

import EventModel

/// Where the next request of a lane is.
struct DeliveryLane {
    enum State: Hashable {
        /// The store has to be asked.
        case unknown
        case empty
        /// Events may still join it.
        case forming(OutboxPlace, due: Timetoken)
        /// The receiver failed and is left alone for a while.
        case pausing(OutboxPlace)
        case sending(OutboxPlace, events: Int)
        /// It is over, and the store is to know.
        case ending(OutboxStep)
        /// The store has been told, and has not said yet that it is done.
        case settling(OutboxPlace)
    }

    var state = State.unknown
    /// Since when the store has been known to have the batch that is forming, in milliseconds.
    var formingSince: UInt64 = 0
    /// Whether the store was told that nothing is to join that batch any more.
    var isSealing = false
    /// Whether an operator wants that batch now.
    var isHurried = false
    /// Batches that nothing joins any more, before their time is over.
    private var sealed: Set<Timetoken> = []
    /// No request begins before this moment, in milliseconds.
    private(set) var notBefore: UInt64 = 0
    /// Attempts in a row that failed, whatever they were for.
    var failures = 0
    /// Whether what the receiver says of the request that is under way makes no pause.
    private var isRetried = false
    /// When the first of these was, in milliseconds; `nil` also while nothing waits.
    var failingSince: UInt64?

    /// The request that is next or under way.
    var place: OutboxPlace? {
        switch state {
        case .unknown, .empty: nil
        case .forming(let place, _), .pausing(let place), .sending(let place, _),
            .settling(let place):
            place
        case .ending(.delivered(let place)), .ending(.buried(let place, _)): place
        case .ending(.revived), .ending(.sealed): nil
        }
    }

    /// Nothing joins a batch any more, whatever the time.
    mutating func seal(_ place: OutboxPlace) {
        if case .forming(place, _) = state {
            state = .forming(place, due: .zero)
        }
        // It may fail, and its time comes later than the end of its pause.
        if sealed.count < Limits.webhookFullKnownMax { sealed.insert(place.batch) }
    }

    /// Takes the first batch that the store has; `nil`: there is none.
    mutating func begin(_ batch: (place: OutboxPlace, due: Timetoken)?, at now: UInt64) {
        (formingSince, isSealing) = (now, false)
        guard let (place, due) = batch else {
            (state, isHurried) = (.empty, false)
            // Nothing is late any more; its pauses stay as long as they are, for what comes next.
            failingSince = nil
            return
        }
        if !sealed.isEmpty { sealed = sealed.filter { $0 >= place.batch } }
        state = .forming(place, due: sealed.contains(place.batch) ? .zero : due)
    }

    /// Has the next request begin without a pause, also behind one that is under way; one that is
    /// forming is sent as it is.
    mutating func retry() {
        notBefore = 0
        isHurried = place != nil
        if case .sending = state { isRetried = true }
    }

    /// Takes what became of a request.
    ///
    /// - Parameters:
    ///   - age: Seconds since its first event.
    ///   - now: In milliseconds.
    /// - Returns: Why it failed; `nil` when the receiver has it.
    mutating func take(
        _ outcome: DeliveryOutcome, of place: OutboxPlace, age: Int, at now: UInt64,
        using generator: inout some RandomNumberGenerator
    ) -> String? {
        let reason: String
        var retryAfter: Int?
        let pauses = !isRetried
        isRetried = false
        switch outcome {
        case .answered(200..<300, _, _):
            (failures, failingSince, notBefore) = (0, nil, 0)
            state = .ending(.delivered(place))
            return nil
        case .answered(let status, let seconds, _):
            (reason, retryAfter) = ("status \(status)", seconds)
        case .failed(let cause): reason = cause
        }
        failures += 1
        failingSince = failingSince ?? now
        let isHopeless = age >= Limits.webhookSecondsMax && failures >= Limits.webhookAttemptsMin
        let pause = RetryPause.milliseconds(
            afterFailures: failures, retryAfter: retryAfter, using: &generator)
        notBefore = pauses ? now + pause : now
        if case .answered(410, _, _) = outcome {
            // What comes next may be as unwelcome: it waits for the pause, too.
            state = .ending(.buried(place, reason: reason))
        } else if isHopeless {
            state = .ending(.buried(place, reason: reason))
        } else {
            state = .pausing(place)
        }
        return reason
    }
}
