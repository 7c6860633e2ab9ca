// Every bound that only the daemon knows, with its unit and what happens at it.

import EventModel

extension Limits {
    // MARK: What a client may send

    /// WebSocket fragments of one message; over it: close code 1008.
    static let fragmentsPerMessageMax = 128
    /// UTF-8 bytes of a user or device id; over it: `invalid_field`.
    static let identifierBytesMax = 255
    /// UTF-8 bytes of a filter expression; over it: HTTP 481.
    static let filterBytesMax = 4096
    /// Levels of parentheses and signs in a filter expression; over it: HTTP 481.
    static let filterDepthMax = 32
    /// Steps of about ten nanoseconds that a filter takes for one message; over it: the message is
    /// sent.
    static let filterStepsMax = 50_000
    /// Such steps of all filters in one turn of a reactor; over it: the next turn.
    static let filterStepsPerTurnMax = 500_000
    /// Filters' verdicts that a reactor remembers; over it: they are forgotten.
    static let filterVerdictsMax = 10_000
    /// Bytes of messages that a reactor keeps as its filters read them; as above.
    static let filteredBytesMax = 1024 * 1024
    /// Milliseconds that events may wait for more, as a subscriber or an administrator wishes; over
    /// it: `invalid_field`.
    static let batchWindowMax = 1000
    /// Channels in one command; over it: `too_many_channels`.
    static let channelsPerCommandMax = 1000
    /// Actions that come with one message in `history`; the rest is read with `actions`.
    static let actionsPerHistoryMessageMax = 1000
    /// Channels in one group; over it: `too_many_channels`.
    static let channelsPerGroupMax = 2000
    /// Groups that one list names; over it: status 400.
    static let groupsListedMax = 10_000
    /// Groups of one keyset; over it: `quota_exceeded`.
    static let groupsPerKeysetMax = 1_000_000
    /// Channels in all groups of one keyset, and of all keysets; over it: `too_many_channels`.
    static let groupedChannelsPerKeysetMax = 1_000_000
    static let groupedChannelsMax = 2_000_000

    // MARK: What a PubNub SDK may send

    /// Channels and groups in one request; over it: status 400.
    static let channelsPerRequestMax = 2000
    /// Channels that one call puts into a group or takes out of it; over it: status 400.
    static let channelsPerGroupChangeMax = 200
    /// Channels whose messages one call counts; over it: status 400.
    static let countedChannelsMax = 100
    /// Messages or actions in one answer; a larger number is taken for this.
    static let pubNubPageMax = 100
    /// Messages per channel in an answer with several channels, or with actions; as above.
    static let pubNubSmallPageMax = 25
    /// Hours that a message can ask to be kept, 100 years; more is taken for this.
    static let hoursKeptMax = 876_000
    /// Seconds after which a client that was refused for now may try again.
    static let retryAfterSeconds = 1

    // MARK: What one session may hold

    /// Commands of one session without a reply yet; over it: `too_many_in_flight`.
    static let commandsInFlightMax = 1024
    /// Commands per second and session, after a burst of the same size; over it: `rate_limited`.
    static let commandsPerSecondMax = 5000
    /// Channels of one `subscribe` or `unsubscribe` that count as one command there.
    ///
    /// So few that a flood of subscriptions is one of commands, and so many that a device may
    /// follow all channels of a session at once.
    static let channelsPerCommandCost = 4
    /// Messages of a page of a window that count as one command there.
    static let messagesPerCommandCost = 25
    /// Bytes of an action's value, or of an edited text, that count as one command there.
    static let valueBytesPerCommandCost = 64
    /// Commands that a `token` counts as there: its signature has to be checked.
    static let tokenCommandCost = 10
    /// Bytes waiting for one session's socket.
    ///
    /// Over it the batches are dropped, and read again from the store once the session reads.
    static let sendQueueBytesMax = 1024 * 1024
    /// Answers to pings that wait for one session's socket; over it: only the newest is sent.
    static let pongsOwedMax = 16
    /// Bytes handed to the kernel in one write.
    static let writeBytesMax = 256 * 1024

    // MARK: Times, in seconds

    /// The daemon's pings come up to so much earlier, at another moment for each connection.
    static let heartbeatSpreadSeconds = 5
    /// From the connection to `hello`; over it: close code 1008.
    static let helloSeconds = 10
    /// From the first byte of an HTTP request to its last; over it: the connection is closed.
    static let requestSeconds = 15
    /// Bytes of a response that a peer takes in a second at least; a slower one is cut off.
    static let slowestBytesPerSecond = 16 * 1024
    /// From then to the moment when it must have read everything; over it: close code 1013.
    static let stuckSeconds = 10
    /// Sessions that a reactor closes for that in a second, unless a tenth of them is more.
    static let stuckClosedPerSecond = 100
    /// From the daemon's close frame to the end of the connection.
    static let closeSeconds = 5
    /// How long a peer that has ended its half waits for an answer; over it: it counts as gone.
    static let halfClosedSeconds = 30
    /// Silence between two HTTP requests of one connection: SDKs poll for up to 310 seconds.
    static let keepAliveSeconds = 320
    /// How long threads may take to accept a reloaded configuration; over it: a warning.
    static let reloadSeconds = 3
    /// How long a drain may take.
    static let drainSeconds = 6
    /// Seconds after which a drain that hangs is given up, beyond those; over it: exit code 1.
    static let drainGraceSeconds = 3

    // MARK: What the daemon holds in memory

    /// Connections of the whole daemon; over it: new ones are closed at once.
    static let connectionsMax = 200_000
    /// Writes waiting for the ledger; over it: `overloaded`.
    static let ledgerQueueMax = 65_536
    /// Bytes of the writes waiting for the ledger; over it: `overloaded`.
    static let ledgerQueueBytesMax = 64 * 1024 * 1024
    /// Writes in one commit.
    static let commitWritesMax = 256
    /// Milliseconds that a commit may take; over it: a warning in the log.
    static let slowCommitMilliseconds = 1000
    /// Rows of messages and actions that one commit deletes; a larger deletion goes in steps.
    static let deletedRowsPerCommitMax = 1000
    /// Actions that one step of a larger deletion reads, between commits.
    static let deletionReadRowsMax = 4000
    /// Milliseconds that one step of removing a larger deletion's rows may take; over it: the next
    /// step removes fewer.
    static let deletionStepMilliseconds = 20
    /// Larger deletions that wait for their turn; over it: `overloaded`.
    static let deletionsWaitingMax = 1024
    /// Of these, those that one tenant asked for; over it: `overloaded`.
    static let deletionsWaitingPerKeysetMax = 16
    /// Reads waiting for the reader threads; over it: `overloaded`.
    static let readerQueueMax = 16_384
    /// Of these, reads of one tenant; over it: `overloaded`, for that tenant only.
    static let readerQueuePerTenantMax = 12_288
    /// Of these, reads of one session or connection; over it: `overloaded`, for that one only.
    static let readerQueuePerSessionMax = 64
    /// Microseconds that a read may go on while others wait; over it: they have their turns.
    static let readStepMicroseconds: UInt64 = 10_000
    /// Channels of a poll whose backlog counts as catching up; over it, and for a wildcard: it is
    /// a dear read, for which one reader is never used.
    static let catchUpChannelsMax = 100
    /// Messages waiting for one reactor; over it the reactor hangs, and the daemon stops itself.
    static let reactorMailboxMax = 1_000_000
    /// Milliseconds that a reactor waits with a flush at most, while the last one left events
    /// behind.
    static let pacingMillisecondsMax = 10
    /// Bytes that a reactor reads from one busy WebSocket per turn, roughly; the rest waits.
    static let readBytesPerTurnMax = 32 * 1024
    /// Recent events kept per followed channel and reactor, in bytes, so that catching up seldom
    /// reads.
    static let recentBytesPerChannelMax = 256 * 1024
    /// Recent events of all channels together, in bytes; over it channels keep none.
    ///
    /// Each reactor has an equal part of it.
    static let recentBytesMax = 128 * 1024 * 1024
    /// Requests that wait for the presence thread; over it: `overloaded`.
    static let presenceQueueMax = 262_144
    /// Channels in one answer about a whole tenant's presence; the totals count all.
    static let presenceSurveyChannelsMax = 1000
    /// Bytes of one answer of PubNub's history, roughly; the channels of a request share them.
    static let historyBytesMax = 4 * 1024 * 1024
    /// Announcements that wait for the commit under way; over it: `overloaded`.
    static let announcementsWaitingMax = 65_536
    /// Bytes of events that are not stored, kept for long polls; over it the oldest are forgotten.
    static let unstoredBytesMax = 32 * 1024 * 1024
    /// How long those are kept: 20 minutes, in timetoken ticks.
    static let unstoredTicksKept: UInt64 = 20 * 60 * 10_000_000
    /// How long a channel that nobody follows any more is remembered, in seconds: between two long
    /// polls.
    static let topicLingerSeconds = 60
    /// Channels that are remembered so; over it the oldest are forgotten.
    static let lingeringTopicsMax = 100_000
    /// Dots of a channel's name at which a wildcard may stand.
    static let wildcardLevelsMax = 2
    /// How long a poll waits for an event, in seconds; SDKs give up after 310.
    static let pollSeconds = 280
    /// Pages that are read for one poll; over it: an empty answer with the position reached.
    static let pollReadsMax = 20
    /// Events in the answer to one poll.
    static let pollEventsMax = 100
    /// Events in one catch-up batch.
    static let catchUpEventsMax = 500
    /// Bytes of one catch-up batch, roughly.
    static let catchUpBytesMax = 256 * 1024
    /// Pages that are being read for one session at a time; its further questions wait.
    static let pagesInFlightMax = 2
    /// Types, values or users of which an action has to have one to be wanted; over it:
    /// `invalid_field`.
    static let actionFilterMax = 100
    /// Rows that a reader looks at for one page of actions; `next` leads to the rest.
    static let actionsExaminedMax = 20_000
    /// Messages behind a read mark that are counted; over it: `more`.
    static let unreadMessagesMax = 1000
    /// Messages of one channel that are counted; over it the answer is this.
    static let messageCountMax = 10_000
    /// Channels that one backlog looks through, those of wildcards too; over it:
    /// `too_many_channels`.
    static let backlogChannelsMax = 50_000
    /// Channel and device names whose ids the store remembers.
    static let internedNamesMax = 100_000
    /// Coded symbols of all repairs under way in one session; over it: `overloaded`.
    static let repairSymbolsPerSessionMax = 32_768
    /// Coded symbols of all repairs under way on one reactor; over it: `overloaded`.
    static let repairSymbolsPerReactorMax = 2_000_000
    /// Bytes of the rows in one repair's answer; over it: a snapshot.
    static let repairBytesMax = 256 * 1024
    /// Rows of a device that is repaired by segments; one with fewer has its rows compared at once.
    static let repairSegmentedRowsMin: Int64 = 5000
    /// Rows of the segments that differ; over it all rows of the channel are compared.
    static let repairSegmentRowsMax = 300_000
    /// Rows of a channel that devices are compared with; over it: a snapshot.
    static let repairRowsMax = 1_500_000
    /// Bytes of channels that devices are being compared with, but for one that alone is larger;
    /// over it the channel that was used longest ago is read again.
    static let repairCacheBytesMax = 64 * 1024 * 1024
    /// Messages in one question for summaries, and in one push; over it: `invalid_field`.
    static let summariesMax = 100
    /// Groups in a summary; those that fewest people are in are left out.
    static let summaryGroupsMax = 100
    /// Groups in a summary that say how a message was edited or deleted, beside those; the newest.
    static let summaryVersionsMax = 10
    /// Bytes of the texts in a summary's groups, and as many of its versions but the newest; those
    /// that do not fit are left out.
    ///
    /// A reply or push of summaries ends with the one that reaches ``pageBytesMax``.
    static let summaryBytesMax = 64 * 1024
    /// Milliseconds between two summaries of one message, at least.
    static let summaryMilliseconds = 250
    /// Changes since a message was summed up last; over it its rows are read again.
    static let summaryChangesMax = 20_000
    /// Bytes of what is kept of messages that were summed up; over it some are read again.
    static let summaryCacheBytesMax = 16 * 1024 * 1024
    /// Channels, and segments of channels, whose digests the ledger remembers; over it they are
    /// read again.
    static let digestsInMemoryMax = 100_000
    /// Messages of a segment on average.
    static let segmentMessages = 32
    /// Actions on timetokens that are still to come which go with a new segment; where there are
    /// more, the old one grows on.
    static let segmentActionsMovedMax = 256
    /// What stands on one timetoken that a device can hold as part of a window, with the message;
    /// over it: `too_many_rows`.
    static let windowPlaceRowsMax = 50_000
    /// Messages and actions of a segment in which a window starts; over it: `too_many_rows`.
    static let windowPartRowsMax = 250_000
    /// The same that is read beside other questions; over it the question waits with dear ones, and
    /// who catches up has to ask for the rest.
    static let windowCheapRowsMax = 2000
    /// Events that who holds a part of a channel is sent of all of it, to catch up; over it a
    /// reader finds what concerns the part.
    static let windowEventsMax = 200
    /// Messages and actions of one page of a window; over it the page ends.
    static let windowPageRowsMax = 5000
    /// Pages of 4 KiB in the store's log; over it a commit waits for readers to let go of the log.
    static let logPagesMax = 16_384
    /// How long it waits, in milliseconds, and again after a quarter more pages.
    static let logWaitMilliseconds = 100
    /// Seconds without a write after which the store gives space back.
    static let idleSeconds = 10
    /// Pages that are given back in one step, between which writes are taken.
    static let freedPagesPerStepMax = 256
    /// Free pages that the store keeps for what comes next.
    static let freePagesKept = 1024
    /// Runs of the daemon whose cursors are still good; over it the shortest is forgotten, and who
    /// has a cursor of that gets a snapshot.
    static let runsMax = 10_000
    /// How far timetokens may go on without a commit, in ticks: 1 second.
    static let ceilingTicks: UInt64 = 10_000_000
    /// What the clock of a file may say that has no checksum, in ticks: 17 digits, which last until
    /// the year 2286; over it the file is damaged.
    static let clockTicksMax: UInt64 = 99_999_999_999_999_999
    /// How far the wall clock may be off to be followed at once, in ticks: a minute.
    static let clockStepTicksMax: UInt64 = 60 * 10_000_000
    /// How long a larger jump of the wall clock has to stand until it is followed: 10 minutes.
    static let clockJumpTicks: UInt64 = 10 * 60 * 10_000_000
    /// How long the machine was off at most, as far as ages go, when only a clock says so that
    /// nothing keeps right: a day, in ticks.
    static let downtimeTicksMax: UInt64 = 24 * 3600 * 10_000_000
    /// How exactly it is known when old writes were made: to the hour, in ticks.
    static let ageTicksMax: UInt64 = 3600 * 10_000_000
    /// How long a mutation id is remembered: 30 days, in timetoken ticks.
    static let mutationTicksKept: UInt64 = 30 * 24 * 3600 * 10_000_000

    // MARK: The disk

    /// How long a configuration may be awaited that comes through a pipe, in milliseconds; over it
    /// it is refused.
    static let pipeMilliseconds = 5000
    /// Messages, and actions, of an earlier release that get a checksum in one idle commit.
    static let oldRowsPerCommitMax = 1000
    /// Bytes that must be free before writes are taken again on a disk that was full.
    static let roomBytesMin = 1024 * 1024
    /// Least time between two log lines that say that the disk is full, in seconds.
    static let reminderSeconds = 60
    /// How long a thread may make no progress while work waits for it, in seconds; over it:
    /// `/readyz` is 503.
    static let stalledSeconds = 3
    /// Channels and the like that are left alone because the file is damaged there; over it further
    /// ones are tried each time.
    static let damagedPlacesMax = 10_000
    /// Keysets in the configuration; over it: the daemon does not start.
    static let keysetsMax = 1000
    /// Channels, or beginnings of them, that all namespaces of the configuration name; over it: the
    /// daemon does not start.
    static let namespacePatternsMax = 256
    /// Values, names and types of reactions in each list of a keyset or namespace; over it: the
    /// daemon does not start.
    ///
    /// Each add looks through them, and each subscriber is told of them.
    static let listedReactionsMax = 5000

    // MARK: Presence

    /// How long a user is in a channel after a heartbeat that does not say how long.
    static let presenceSecondsDefault = 300
    /// The shortest and the longest time in a channel that an owner may decide, in seconds.
    static let presenceSecondsMin = 5
    static let presenceSecondsMax = 24 * 3600
    /// The longest that a client may name, in seconds, unless the owner's default is longer.
    static let presenceSecondsAskedMax = 3600
    /// Users in channels, in all; over it: nobody new gets in, who is in stays in.
    static let presenceMembershipsMax = 2_000_000
    /// How many its tenant may still get for each that a connection has; over it: this connection
    /// gets nobody new in.
    static let presenceConnectionShare = 64
    /// Channels in which one user is at a time; over it: status 400, and the user gets in no
    /// further ones.
    static let presenceChannelsPerUserMax = 5000
    /// Users that time out, and presence events that go out, between two looks at what waits.
    static let presenceStepMax = 1000
    /// Users in one answer about several channels; over it: those of further channels are counted
    /// and not listed.
    static let presenceNamesPerAnswerMax = 10_000
    /// UTF-8 bytes of one user's state in one channel; over it: `invalid_field`, status 400.
    static let presenceStateBytesMax = 4 * 1024
    /// Bytes of all states; over it: those of absent users go, then new ones are not set.
    static let presenceAllStateBytesMax = 128 * 1024 * 1024
    /// States of users who are not in the channel; over it: the one set longest ago goes.
    static let presenceAbsentStatesMax = 100_000
    /// Presence events that are not out yet.
    ///
    /// Over it: nobody new gets in, no state changes and nobody times out; who leaves still leaves,
    /// so there may be as many more as there are users in channels.
    static let presenceAnnouncementsMax = 262_144
    /// Bytes of the users in the reply to one `hereNow`, roughly, but for a user who alone has
    /// more; `next` leads to the rest.
    static let presencePageBytesMax = 64 * 1024
    /// How long whose WebSocket was cut stays in its channels, in seconds, unless an owner's
    /// `presence_timeout_min` is longer or `presence_timeout` shorter; then: `timeout`.
    static let presenceGraceSeconds = 20

    // MARK: HTTP

    /// Connections at `admin_listen`, and as many at `admin_socket`; over it: a new one is closed
    /// at once.
    static let adminConnectionsMax = 64

    /// Bytes of a request's line and headers; over it: 414 or 431, and the connection is closed.
    ///
    /// Also bytes that may come while a request waits for its response; over it: the same, unsaid.
    static let requestHeaderBytesMax = 40 * 1024
    /// Bytes of a request's body; over it: 413, and the connection is closed.
    static let requestBodyBytesMax = 64 * 1024
}
