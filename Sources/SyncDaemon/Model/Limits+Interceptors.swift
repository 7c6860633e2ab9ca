// The bounds of interceptors: what waits for their answers, and how they are asked.

import EventModel

extension Limits {
    /// Interceptors of the whole daemon; over it: the daemon does not start.
    static let interceptorsMax = 64
    /// Milliseconds in which an interceptor may be asked to answer; other values: likewise.
    static let interceptorMillisecondsMin = 10
    static let interceptorMillisecondsMax = 10_000
    /// Questions to one interceptor at a time, at most; the others wait.
    static let interceptorRequestsMax = 64
    /// Likewise, before it is known how fast it answers.
    static let interceptorRequestsAtFirst = 16
    /// Likewise, however slow it is: one that hangs on what somebody writes leaves room for others.
    static let interceptorRequestsMin = 4
    /// Milliseconds, and those before, of which the quickest answer tells which ones are late.
    static let interceptorQuickestMilliseconds = 10_000
    /// Of these, questions about what users of one tenant write, and as large a part of fewer; its
    /// others wait.
    static let interceptorRequestsPerKeysetMax = 56
    /// Likewise, of what one user writes.
    static let interceptorRequestsPerUserMax = 48
    /// Writes that wait for one interceptor, or behind such a one; over it: `overloaded`.
    ///
    /// A tenant has no more of them than are left, and a user no more than its tenant may still
    /// get: a third of them, alone.
    static let interceptedMax = 4096
    /// Bytes of all writes that wait for interceptors, shared likewise; over it: likewise.
    static let interceptedBytesMax = 64 * 1024 * 1024
    /// Bytes of an answer; over it: it counts as none.
    static let interceptorAnswerBytesMax = 128 * 1024
    /// Bytes of the reason for a refusal that a client is shown; the rest is cut.
    static let interceptorReasonBytesMax = 400
    /// Questions without an answer in a row after which an interceptor is asked one question a
    /// second, and all other writes are treated as if it had failed, at once: those of a user whose
    /// questions they were, or all.
    static let interceptorFailuresMax = 10
    /// Users whose questions these have to be for all writes to be treated like that: what one
    /// writes may be why there are no answers.
    static let interceptorFailingUsersMin = 3
    /// Questions at a time that try such users again; over it: they are not tried.
    static let interceptorTrialsMax = 8
    /// Milliseconds after an answer to somebody else in which such a user's writes are refused,
    /// whatever is to become of them without an answer.
    static let interceptorAliveMilliseconds = 10_000
    /// Users of one interceptor that are known not to have been answered; over it one is forgotten.
    static let interceptorRecordsMax = 1024
    /// Questions without a right answer in a row after which that is an operator's trouble; each is
    /// still asked, because what a client writes may make an answer wrong.
    static let interceptorWrongMax = 10
    /// Seconds between two log lines about answers of one interceptor that are none; others are
    /// counted.
    static let interceptorLogSeconds = 60
    /// Milliseconds between questions to one that fails.
    static let interceptorProbeMilliseconds = 1000
    /// Milliseconds before the end of a drain at which what still waits is refused.
    static let interceptorDrainMilliseconds = 2000
}
