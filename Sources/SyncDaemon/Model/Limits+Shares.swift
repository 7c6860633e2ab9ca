// What nobody may have so much of that others have none: shares of turns, tenants and memory.

import EventModel

extension Limits {
    // MARK: What one turn of a reactor does

    /// Names of channels that the dear commands and requests of one turn of a reactor may have; the
    /// rest waits for the next turn, and who used least is first.
    ///
    /// To follow one takes about 10 microseconds.
    static let dearNamesPerTurnMax = 500
    /// Such names per millisecond: there is time left for other threads.
    static let dearNamesPerMillisecond = 60
    /// Names in a command or request that does not count as dear.
    static let cheapNamesMax = 16
    /// Users that a `hereNow` may list for each name that it counts as.
    static let usersPerName = 8
    /// Names that a `whereNow` counts as: its reply may have some thousands.
    static let whereNowNames = 100
    /// Names that each channel counts as which is put into a group or taken out: it is a row to
    /// write, for which the writes of all wait.
    static let namesPerGroupedChannel = 4
    /// Names in what waits so of one connection; over it: `rate_limited`.
    static let namesWaitingPerConnectionMax = 10_000
    /// Names in all that waits so on a reactor; over it: the same.
    static let namesWaitingMax = 200_000
    /// Subscriptions and interests of connections that are gone, which a reactor takes out of its
    /// channels in one turn; the rest waits for the next.
    static let endedPerTurnMax = 2000
    /// Channels of groups that a reactor begins to watch for polls, or stops to, in one turn; the
    /// group that reaches it is the turn's last.
    static let groupedPerTurnMax = 1000
    /// Channels of groups and wildcards that a reactor has sessions follow in one turn; the rest
    /// waits for the next.
    static let selectedPerTurnMax = 1000
    /// Channels that a search for those of a wildcard counts as.
    static let searchNames = 100
    /// Of these, channels that one frame names.
    static let selectedPerFrameMax = 200
    /// Groups and wildcards that one session follows; over it: `too_many_channels`.
    static let selectionsPerSessionMax = 100
    /// Bytes that a reactor writes to its sessions in one turn, roughly; the rest is written in the
    /// next, before anything newer.
    static let flushedBytesPerTurnMax = 16 * 1024 * 1024
    /// Bytes of answers to HTTP requests that a reactor makes in one turn, roughly; the rest is
    /// made in the next, but for what is short.
    static let answeredBytesPerTurnMax = 512 * 1024
    /// Bytes of an answer that is always made at once.
    static let answeredShortBytesMax = 4096
    /// Bytes that a list of groups, of a group's channels or of grants counts as.
    static let answeredListBytes = 64 * 1024
    /// Bytes of what readers and presence found that wait so, and less with little `memory_max`;
    /// over it: `overloaded`.
    static let answersWaitingBytesMax = 32 * 1024 * 1024
    /// Bytes of responses, not taken by connections that are gone, that a reactor gives back to the
    /// system in one turn; the rest is given back in the next.
    static let givenBackBytesPerTurnMax = 16 * 1024 * 1024
    /// Bytes of a request's target that count as one name.
    static let targetBytesPerName = 32

    // MARK: What a tenant may have, unless its owner was given less

    /// Sessions, and connections that ask over HTTP; over it: `quota_exceeded`.
    static let connectionsPerKeysetMax = 200_000
    /// Seconds without a request for the tenant, and without one that waits, after which an HTTP
    /// connection is none of those until its next.
    static let quotaIdleSeconds = 30
    /// Channels and groups that sessions and long polls follow; over it: `quota_exceeded`.
    static let subscriptionsPerKeysetMax = 2_000_000
    /// Channels that were ever written to; over it: `quota_exceeded`.
    static let channelsPerKeysetMax = 1_000_000_000
    /// Bytes of stored messages and of reactions that stand, with 100 for each; over it:
    /// `quota_exceeded`.
    static let storedBytesPerKeysetMax = 1_000_000_000_000_000
    /// Commands and requests per second, after a burst of as many; over it: `rate_limited`.
    static let commandsPerSecondPerKeysetMax = 1_000_000
    /// Seconds after which who was refused for a quota may try again.
    static let quotaRetrySeconds = 5
    /// Subscriptions of all tenants, of which no tenant has more than is free; over it:
    /// `overloaded`.
    static let subscriptionsMax = 4_000_000
    /// Bytes of `memory_max` for each of them, at least: one takes about 700, and has half of it.
    static let subscriptionMemoryBytes = 1400
    /// Bytes of `memory_max` for each channel of a group, at least: one takes about 300, and all of
    /// them, which each start loads, have a fifth of it.
    static let groupedChannelMemoryBytes = 1400
    /// Bytes of `memory_max` for each grant of version 2: one takes up to 1,000.
    static let keyGrantMemoryBytes = 4096
    /// How many its tenant may still get for each that a connection has; over it:
    /// `quota_exceeded`.
    static let subscriptionsConnectionShare = 64
    /// Subscriptions for which that is not asked.
    static let subscriptionsOfSmallConnection = 1000

    // MARK: What the process may have

    /// The least that `memory_max` may say: an idle daemon takes a few MB, and its work a few more.
    static let memoryMaxMin = 32 * 1024 * 1024
    /// Bytes of `memory_max` from which caches have all that their limits say; with less each has
    /// as much less.
    static let memoryOfWholeCaches = 1024 * 1024 * 1024
    /// Bytes of the database's pages that the ledger keeps.
    static let storeCacheBytesMax = 64 * 1024 * 1024
    /// Percent of `memory_max` from which tenants without a connection that never wrote anything
    /// get none: `overloaded`.
    static let memoryTenantsPercent = 75
    /// Percent of it from which nobody gets a session or follows more: `overloaded`.
    static let memorySessionsPercent = 85
    /// Percent of it from which is dropped what waits for slow readers and what is remembered for
    /// who comes back.
    static let memoryQueuesPercent = 95
    /// Percent below these at which each ends.
    static let memorySlackPercent = 3
    /// Milliseconds between two looks at the memory of a busy process.
    static let memorySampleMilliseconds: UInt64 = 100
    /// Seconds between two times that free memory is given back to the system near the ceiling.
    static let trimSeconds = 5
    /// Bytes of HTTP responses that sockets have not taken, and no more than an eighth of
    /// `memory_max`: what was read for them is there beside them for a moment.
    ///
    /// Over it those connections are cut that have taken nothing for longest, until an eighth is
    /// free, and what finds no room is status 503.
    static let unsentBytesMax = 256 * 1024 * 1024
    /// Which part of `memory_max` that is at most: one of so many.
    static let unsentMemoryShare = 8
    /// Bytes that the kernel keeps for a connection beyond what its peer has room for.
    static let kernelUnsentBytesMax = 128 * 1024
    /// Bytes of a rest for which a connection is cut so.
    static let unsentRestBytesMin = 4 * 1024
    /// Bytes of a response that is sent also where other reactors have all the room.
    static let unsentShortBytesMax = 64 * 1024
    /// Bytes of requests and messages whose end has not come, of all reactors in equal parts, and
    /// no more than an eighth of `memory_max`.
    ///
    /// Over it those connections are cut that have been sending for longest, until an eighth is
    /// free.
    static let unfinishedBytesMax = 256 * 1024 * 1024
    /// Which part of `memory_max` that is at most: one of so many.
    static let unfinishedMemoryShare = 8
}

extension Limits {
    /// How many there may be.
    ///
    /// - Parameters:
    ///   - bytes: Of `memory_max` for each.
    ///   - memoryMax: Bytes that the process may have; 0 for no bound.
    static func fitting(_ limit: Int, each bytes: Int, within memoryMax: Int) -> Int {
        memoryMax > 0 ? min(limit, memoryMax / bytes) : limit
    }

    /// What a cache may have of its limit.
    ///
    /// - Parameter memoryMax: Bytes that the process may have; 0 for no bound.
    static func cacheBytes(_ limit: Int, within memoryMax: Int) -> Int {
        guard memoryMax > 0, memoryMax < memoryOfWholeCaches else { return limit }
        return limit / 1024 * (memoryMax / 1024) / (memoryOfWholeCaches / 1024) * 1024
    }
}
