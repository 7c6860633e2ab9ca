// The bounds of interceptors: what waits for their answers, and how they are asked.

import EventModel

extension Limits {
    /// Interceptors of the whole daemon; over it: the daemon does not start.
    static let interceptorsMax = 64
    /// Milliseconds in which an interceptor may be asked to answer; other values: likewise.
    static let interceptorMillisecondsMin = 10
    static let interceptorMillisecondsMax = 10_000
    /// Questions to one interceptor at a time; the others wait.
    static let interceptorRequestsMax = 64
    /// Of these, questions about what users of one tenant write; its others wait.
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
    /// second, and all other writes are treated as if it had failed, at once.
    static let interceptorFailuresMax = 10
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
