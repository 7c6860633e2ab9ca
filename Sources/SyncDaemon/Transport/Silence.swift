// When a quiet peer is pinged, and when it is given up.

import EventModel

/// How long one peer has said nothing.
///
/// Not lws's own check of validity: its timers are one sorted list, and each ping and each pong
/// walks all of it. With 10,000 connections that were opened together this stops the daemon for
/// 70 ms, every 25 s.
struct Silence {
    /// What is to be done now, and when to ask again, in milliseconds.
    enum Step: Hashable {
        case wait(until: UInt64)
        case ping(until: UInt64)
        case giveUp
    }

    private var since: UInt64
    private var isPinged = false
    /// Milliseconds until a ping; not the same for all: who came together is not pinged together.
    private let patience: UInt64

    /// A peer that was heard of just now.
    ///
    /// - Parameters:
    ///   - now: Milliseconds, like every time here.
    ///   - number: Any that its neighbours do not have.
    init(at now: UInt64, number: UInt32) {
        since = now
        let spread = UInt64(Limits.heartbeatSpreadSeconds) * 1000
        // 7919 has no divisor in common with it: consecutive numbers end up far apart.
        patience = UInt64(Limits.heartbeatSeconds) * 1000 - UInt64(number) * 7919 % spread
    }

    /// The peer said something.
    mutating func heard(at now: UInt64) {
        since = now
        isPinged = false
    }

    /// Looks at the clock.
    mutating func step(at now: UInt64) -> Step {
        let pingAt = since + patience
        guard now >= pingAt else { return .wait(until: pingAt) }
        guard !isPinged else { return .giveUp }
        isPinged = true
        let answerTime = UInt64(Limits.hangupSeconds - Limits.heartbeatSeconds) * 1000
        return .ping(until: now + answerTime)
    }
}
