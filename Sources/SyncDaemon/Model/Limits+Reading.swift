// The bounds of what is read: questions, repairs, summaries and windows.

import EventModel

extension Limits {
    // MARK: Questions

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
    /// Bytes of one answer of PubNub's history, roughly; the channels of a request share them.
    static let historyBytesMax = 4 * 1024 * 1024
    /// Rows that a reader looks at for one page of actions; `next` leads to the rest.
    static let actionsExaminedMax = 20_000
    /// The same that are looked at beside other questions; over it: the question waits with what is
    /// dear.
    ///
    /// Of a message whose actions are asked for in order all are looked at.
    static let cheapActionsMax = 5000
    /// Messages behind a read mark that are counted; over it: `more`.
    static let unreadMessagesMax = 1000
    /// Messages of one channel that are counted; over it the answer is this.
    static let messageCountMax = 10_000
    /// Channels that one backlog looks through, those of wildcards too; over it:
    /// `too_many_channels`.
    static let backlogChannelsMax = 50_000

    // MARK: Repairs

    /// Coded symbols of all repairs under way in one session; over it: `overloaded`.
    static let repairSymbolsPerSessionMax = 32_768
    /// Coded symbols of all repairs under way on one reactor; over it: `overloaded`.
    static let repairSymbolsPerReactorMax = 2_000_000
    /// Bytes of the rows in one repair's answer; over it: a snapshot.
    static let repairBytesMax = 256 * 1024
    /// Changes since what a device heard of last, of which it is sent those that added a row, and
    /// has the rest compared; over it all rows are compared.
    static let repairNewsMax = 10_000
    /// Rows of a device that is repaired by segments; one with fewer has its rows compared at once.
    static let repairSegmentedRowsMin: Int64 = 5000
    /// Rows of the segments that differ; over it all rows of the channel are compared.
    static let repairSegmentRowsMax = 300_000
    /// Rows of a channel that devices are compared with; over it: a snapshot.
    static let repairRowsMax = 1_500_000
    /// Bytes of channels that devices are being compared with, but for one that alone is larger;
    /// over it the channel that was used longest ago is read again.
    static let repairCacheBytesMax = 64 * 1024 * 1024

    /// Bytes of the segments of channels that were compared lately, all together; over it those
    /// that were used longest ago are read again.
    static let segmentCacheBytesMax = 16 * 1024 * 1024

    // MARK: Summaries

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

    // MARK: Windows

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
}
