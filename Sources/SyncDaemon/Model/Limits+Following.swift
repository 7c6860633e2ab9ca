// What one session may have open beside its channels.

import EventModel

extension Limits {
    /// Live queries of one session; over it: `too_many_live_queries`.
    ///
    /// An event of a message asks each that looks at the message.
    static let liveQueriesPerSessionMax = 20
    /// Changes of live queries that wait for one session's socket take one so-many-th of
    /// `send_queue_bytes`, all of it while a page is read; over it: the query that has more to say
    /// ends with `too_slow`, unless nothing else waits.
    static let liveQueueShare = 4
}
