// The bounds that clients know; those that only the daemon knows are in SyncDaemon's room Model.

/// What clients and the daemon agree on, and what bounds a device.
public enum Limits {
    /// Bytes of one message from a client; over it: close code 1009.
    public static let frameBytesMax = 32 * 1024
    /// Levels of nesting in a JSON text; over it: `json_too_deep`.
    public static let jsonDepthMax = 32
    /// UTF-8 bytes of a channel name; over it: `invalid_channel`.
    public static let channelNameBytesMax = 255
    /// UTF-8 bytes of a mutation id; over it: `invalid_field`.
    public static let mutationBytesMax = 64
    /// UTF-8 bytes of an action's type; over it: `invalid_field`.
    public static let actionTypeBytesMax = 64
    /// UTF-8 bytes of an action's value; over it: `invalid_field`.
    ///
    /// Chat applications put whole edited texts here, so the frame's own limit is the only one.
    public static let actionValueBytesMax = 32 * 1024
    /// Different actions, by type and value, on one message; over it: `too_many_actions`.
    public static let actionValuesMax = 5000
    /// UTF-8 bytes of these types and values, each counted once; likewise.
    ///
    /// Whoever sums a message up reads them all: 60 edits of the largest message, or 4,000 of
    /// 500 bytes.
    public static let actionValuesBytesMax = 2 * 1024 * 1024
    /// One of so many of these is kept for versions by the message's author, and for reports of it;
    /// over it, for all else: `too_many_actions`.
    public static let keptValuesPart = 50
    /// Of the bytes, those that are kept likewise.
    public static let keptValuesBytes = 256 * 1024
    /// The same where a user's own are looked for at each add: in the mode `unique`, or with a
    /// bound of actions of one user.
    public static let ownActionValuesMax = 500
    /// UTF-8 bytes of a reaction where only emoji or listed values are taken; over it:
    /// `value_not_allowed`.
    public static let canonicalValueBytesMax = 256
    /// Names that come with the count of a message's reactions; the newest ones.
    public static let reactionAuthorsMax = 10
    /// What one action counts for; over it: `score_too_large`.
    public static let actionScoreMax = 1_000_000_000
    /// What the actions of one message that say the same count for together; likewise.
    ///
    /// JavaScript's numbers are exact up to here.
    public static let groupScoreMax = 9_007_199_254_740_991
    /// Bytes of a signal's JSON text; over it: `invalid_field`, and status 400 for an SDK.
    public static let signalBytesMax = 64
    /// UTF-8 bytes of a message type; over it: `invalid_field`.
    public static let messageTypeBytesMax = 64
    /// Messages in one `history` reply; a larger `limit` is refused with `invalid_field`.
    public static let historyPageMax = 100
    /// Messages that one `older` may ask for; over it: `invalid_field`.
    public static let windowPageMessagesMax = 1000
    /// Messages that a device keeps of a window, where nobody says how many; the oldest go.
    public static let windowMessagesKept = 1000
    /// Actions of one page of a window that a client takes; over it the reply is refused.
    public static let windowPageActionsMax = 100_000
    /// Channels of one `unread`; over it: `too_many_channels`.
    public static let unreadChannelsMax = 100
    /// Entries of a directory in one reply; a larger `limit` is refused with `invalid_field`.
    public static let directoryPageMax = 100
    /// Bytes of a token's text, of either kind; over it: it is refused, or not made.
    public static let tokenBytesMax = 8 * 1024
    /// Actions in one `actions` reply; a larger `limit` is refused with `invalid_field`.
    public static let actionsPageMax = 1000
    /// Users of one channel in one answer; a larger `limit` of an SDK gets as many, that of a
    /// `hereNow` is refused with `invalid_field`.
    public static let presencePageMax = 1000
    /// Channels that one session follows; over it: `too_many_channels`.
    public static let channelsPerSessionMax = 10_000
    /// Seconds of silence after which each side pings.
    public static let heartbeatSeconds = 25
    /// Seconds of silence after which the daemon gives a connection up.
    public static let hangupSeconds = 33
    /// Bytes of one reply's page, roughly; `next` leads to the rest.
    public static let pageBytesMax = 256 * 1024
    /// Writes that wait in a device's outbox; over it the user is told so.
    public static let outboxEntriesMax = 1000
    /// Coded symbols that a device may send in one repair; when they cannot do: a snapshot.
    ///
    /// The daemon keeps them meanwhile, 24 bytes each. No more rows can be brought or dropped
    /// either: each symbol gives one row away.
    public static let repairSymbolsMax = 16_384
    /// Segments that differ whose states the daemon tells, 17 bytes each, and of each of which a
    /// device may fetch one row; where more do, symbols of all their rows are compared.
    public static let repairStatesMax = 2048
}
