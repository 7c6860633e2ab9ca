// How much is kept of writes that are traced.

import EventModel

extension Limits {
    /// Traces that wait to be told; over it: the next writes are not traced, and counted.
    static let tracesWaitingMax = 1000
    /// Traces of one request to a collector; over it: a further request.
    static let tracesPerRequestMax = 200
    /// Milliseconds from a write to when its trace is told: by then it has left everywhere.
    static let traceSettleMilliseconds = 3000
    /// Milliseconds between two looks for traces that are due.
    static let tracePauseMilliseconds = 500
    /// Milliseconds that a collector has for an answer; over it: what it was told is forgotten.
    static let traceTimeoutMilliseconds = 5000
    /// Bytes of its answer that are read; over it: what it was told counts as not taken.
    static let traceAnswerBytesMax = 16_384
    /// Milliseconds that a stop waits for it; over it: what is left is forgotten.
    static let traceStopMilliseconds = 500
}
