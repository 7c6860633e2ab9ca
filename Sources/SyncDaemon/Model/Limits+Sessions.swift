// The bounds of one session: what it may hold, and how long it may take.

import EventModel

extension Limits {
    // MARK: What one session may hold

    /// Commands of one session without a reply yet; over it: `too_many_in_flight`.
    static let commandsInFlightMax = 1024
    /// Commands per second and session, after a burst of the same size; over it: `rate_limited`.
    static let commandsPerSecondMax = 5000
    /// Channels of one `subscribe` or `unsubscribe`, or values and users of an `actions`, that
    /// count as one command there.
    ///
    /// So few that a flood of subscriptions is one of commands, and so many that a device may
    /// follow all channels of a session at once.
    static let channelsPerCommandCost = 4
    /// Messages of a page of a window that count as one command there.
    static let messagesPerCommandCost = 25
    /// Messages of a `summaries` that count as one command there.
    static let summariesPerCommandCost = 4
    /// Bytes of an action's value, of an edited text, or of a filter of a directory's entries, that
    /// count as one command there.
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
    /// Pages that are being read for one session at a time; its further questions wait.
    static let pagesInFlightMax = 2

    // MARK: Times, in seconds

    /// The daemon's pings come up to so much earlier, at another moment for each connection.
    static let heartbeatSpreadSeconds = 5
    /// From the connection to `hello`; over it: close code 1013.
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
    /// The same at `admin_listen` and `admin_socket`, where there are few places: who does not read
    /// what the kernel took for them would keep one; over it: the connection is closed.
    static let adminKeepAliveSeconds = 30
    /// How long threads may take to accept a reloaded configuration; over it: a warning.
    static let reloadSeconds = 3
    /// How long a drain may take.
    static let drainSeconds = 6
    static var drainMilliseconds: UInt64 { UInt64(drainSeconds) * 1000 }
    /// The same in milliseconds where the daemon begins anew, without the one that it followed.
    static let anewMilliseconds: UInt64 = 500
    /// Seconds after which a drain that hangs is given up, beyond those; over it: exit code 1.
    static let drainGraceSeconds = 3
}
