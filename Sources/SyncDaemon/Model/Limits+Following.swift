// The bounds of who follows: live queries, polls, and what is remembered of channels.

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
    /// Recent events kept per followed channel and reactor, in bytes, so that catching up seldom
    /// reads.
    static let recentBytesPerChannelMax = 256 * 1024
    /// Recent events of all channels together, in bytes; over it channels keep none.
    ///
    /// Each reactor has an equal part of it.
    static let recentBytesMax = 128 * 1024 * 1024
    /// Bytes of events that are not stored, kept for long polls; over it the oldest are forgotten.
    static let unstoredBytesMax = 32 * 1024 * 1024
    /// How long those are kept: 20 minutes, in timetoken ticks.
    static let unstoredTicksKept: UInt64 = 20 * 60 * 10_000_000
    /// How long a channel that nobody follows any more is remembered, in seconds: between two long
    /// polls.
    static let topicLingerSeconds = 60
    /// Channels that are remembered so; over it the oldest are forgotten.
    static let lingeringTopicsMax = 100_000
    /// How long a poll waits for an event, in seconds; SDKs give up after 310.
    static let pollSeconds = 280
    /// Pages that are read for one poll; over it: an empty answer with the position reached.
    static let pollReadsMax = 20
    /// Events in the answer to one poll.
    static let pollEventsMax = 100
    /// Bytes of events in it, but for one that is longer.
    ///
    /// About what the kernel takes of a socket whose peer does not read.
    static let pollBytesMax = 128 * 1024
    /// Bytes of events in a part of a stream, likewise; the next part has the rest.
    ///
    /// What waits for a peer who does not read is no more than that.
    static let streamedPartBytesMax = 32 * 1024
    /// Bytes of what readers find for the polls of a reactor and these were not answered with yet,
    /// and less with little `memory_max`; over it polls wait with their questions, tenants in turn.
    static let polledPagesBytesMax = 8 * 1024 * 1024
    /// Events in one catch-up batch.
    static let catchUpEventsMax = 500
    /// Bytes of one catch-up batch, roughly.
    static let catchUpBytesMax = 256 * 1024
    /// Changes of a group that are remembered for streams that name it; over it: what a stream that
    /// is further behind reads is judged by the channels that came of them.
    static let groupShiftsMax = 64
}
