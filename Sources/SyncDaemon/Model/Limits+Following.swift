// What one session may have open beside its channels.

import EventModel

extension Limits {
    /// Live queries of one session; over it: `too_many_live_queries`.
    ///
    /// An event of a message asks each that looks at the message.
    static let liveQueriesPerSessionMax = 20
    /// Bytes of changes that wait for one session's socket, of all its live queries, and a quarter
    /// of `send_queue_max` at most; over it: the query that has more to say ends with `too_slow`,
    /// unless nothing else waits.
    static let liveBytesPerSessionMax = 256 * 1024
}
