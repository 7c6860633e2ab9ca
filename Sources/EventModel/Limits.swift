// Every bound in the system, in one place, with its unit and what happens at it.

/// The bounds that clients and the daemon agree on, and those that protect the daemon.
public enum Limits {
    // MARK: What a client may send

    /// Bytes of one message from a client; over it: close code 1009.
    public static let frameBytesMax = 32 * 1024
    /// WebSocket fragments of one message; over it: close code 1008.
    public static let fragmentsPerMessageMax = 128
    /// Levels of nesting in a JSON text; over it: `json_too_deep`.
    public static let jsonDepthMax = 32
    /// UTF-8 bytes of a channel name; over it: `invalid_channel`.
    public static let channelNameBytesMax = 255
    /// UTF-8 bytes of a user or device id; over it: `invalid_field`.
    public static let identifierBytesMax = 255
    /// UTF-8 bytes of a mutation id; over it: `invalid_field`.
    public static let mutationBytesMax = 64
    /// UTF-8 bytes of an action's type; over it: `invalid_field`.
    public static let actionTypeBytesMax = 64
    /// UTF-8 bytes of an action's value; over it: `invalid_field`.
    ///
    /// Chat applications put whole edited texts here, so the frame's own limit is the only one.
    public static let actionValueBytesMax = 32 * 1024
    /// UTF-8 bytes of a message type; over it: `invalid_field`.
    public static let messageTypeBytesMax = 64
    /// Channels in one command; over it: `too_many_channels`.
    public static let channelsPerCommandMax = 1000
    /// Messages in one `history` reply; a larger `limit` is refused with `invalid_field`.
    public static let historyPageMax = 100
    /// Actions in one `actions` reply; a larger `limit` is refused with `invalid_field`.
    public static let actionsPageMax = 1000
    /// Actions that come with one message in `history`; the rest is read with `actions`.
    public static let actionsPerHistoryMessageMax = 1000
    /// Channels in one group; over it: `too_many_channels`.
    public static let channelsPerGroupMax = 2000
    /// Groups of one keyset; over it: `too_many_groups`.
    public static let groupsPerKeysetMax = 1_000_000

    // MARK: What one session may hold

    /// Channels that one session follows; over it: `too_many_channels`.
    public static let channelsPerSessionMax = 10_000
    /// Commands of one session without a reply yet; over it: `too_many_in_flight`.
    public static let commandsInFlightMax = 1024
    /// Commands per second and session, after a burst of the same size; over it: `rate_limited`.
    public static let commandsPerSecondMax = 5000
    /// Bytes waiting for one session's socket.
    ///
    /// Over it: close code 1013; the device resumes from
    /// its cursor.
    public static let sendQueueBytesMax = 1024 * 1024
    /// Bytes handed to the kernel in one write.
    public static let writeBytesMax = 256 * 1024

    // MARK: Times, in seconds

    /// Silence after which each side pings.
    public static let heartbeatSeconds = 25
    /// Silence after which the daemon gives a connection up.
    public static let hangupSeconds = 33
    /// From the connection to `hello`; over it: close code 1008.
    public static let helloSeconds = 10
    /// From the first byte of an HTTP request to its last; over it: the connection is closed.
    public static let requestSeconds = 15
    /// From the daemon's close frame to the end of the connection.
    public static let closeSeconds = 5
    /// Silence between two HTTP requests of one connection.
    public static let keepAliveSeconds = 60
    /// How long a drain may take.
    public static let drainSeconds = 6

    // MARK: What the daemon holds in memory

    /// Connections of the whole daemon; over it: new ones are closed at once.
    public static let connectionsMax = 200_000
    /// Writes waiting for the ledger; over it: `overloaded`.
    public static let ledgerQueueMax = 65_536
    /// Bytes of the writes waiting for the ledger, roughly; over it: `overloaded`.
    public static let ledgerQueueBytesMax = 64 * 1024 * 1024
    /// Writes in one commit.
    public static let commitWritesMax = 256
    /// Reads waiting for the reader threads; over it: `overloaded`.
    public static let readerQueueMax = 16_384
    /// Messages waiting for one reactor; over it the reactor hangs, and the daemon stops itself.
    public static let reactorMailboxMax = 1_000_000
    /// Recent events kept per followed channel and reactor, in bytes, so that catching up seldom
    /// reads.
    public static let recentBytesPerChannelMax = 64 * 1024
    /// Recent events of all channels together, per reactor, in bytes; over it channels keep none.
    public static let recentBytesPerReactorMax = 64 * 1024 * 1024
    /// Events in one catch-up batch.
    public static let catchUpEventsMax = 500
    /// Bytes of one catch-up batch, roughly.
    public static let catchUpBytesMax = 256 * 1024
    /// Pages that are being read for one session at a time; its further questions wait.
    public static let pagesInFlightMax = 2
    /// Bytes of one reply's page, roughly; `next` leads to the rest.
    public static let pageBytesMax = 256 * 1024
    /// Rows that a reader looks at for one page of actions; `next` leads to the rest.
    public static let actionsExaminedMax = 20_000
    /// Messages of one channel that are counted; over it the answer is this.
    public static let messageCountMax = 10_000
    /// Channels that one backlog looks through, those of wildcards too; over it:
    /// `too_many_channels`.
    public static let backlogChannelsMax = 50_000
    /// Channel and device names whose ids the store remembers.
    public static let internedNamesMax = 100_000
    /// How long a mutation id is remembered: 30 days, in timetoken ticks.
    public static let mutationTicksKept: UInt64 = 30 * 24 * 3600 * 10_000_000

    // MARK: HTTP

    /// Bytes of a request's line and headers; over it: the connection is closed.
    public static let requestHeaderBytesMax = 40 * 1024
}
