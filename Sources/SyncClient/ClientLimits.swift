// The client's own bounds, in one place, each with its unit and what happens at it.

import EventModel

/// What one client, or one connection of it, may hold or wait for.
///
/// The bounds that the daemon shares are in `Limits` of EventModel.
public enum ClientLimits {
    // MARK: Commands

    /// Commands that wait for their reply at one time; the rest waits unsent, in order.
    public static let commandsInFlightMax = 512
    /// Commands that wait, sent or not; over it: ``SyncClientError/tooManyWaiting(max:)``.
    public static let commandsWaitingMax = 10_000

    // MARK: Memory

    /// Events in one stream that nobody has taken; over it they are replaced by one
    /// ``SyncEvent/eventsMissed``.
    public static let eventsWaitingMax = 65_536
    /// Updates of one list that nobody has taken; over it they are replaced by one
    /// ``ListUpdate/all(_:)``.
    public static let listUpdatesWaitingMax = 1024
    /// Live lists that the daemon refused and nobody has read; over it the oldest is forgotten.
    static let liveRefusalsMax = 100
    /// Bytes received and not yet handled; over it the client stops reading the socket.
    public static let receivedBytesMax = 4 * 1024 * 1024
    /// Bytes of one received message; over it the client closes the connection with 1009.
    public static let messageBytesMax = 64 * 1024 * 1024
    /// Bytes that one turn reads from a socket.
    static let readBytes = 4096
    /// Bytes that one turn offers to the kernel.
    static let writeBytes = 64 * 1024
    /// Levels of nesting in what the daemon sends: a payload's own 32, and the frame around it.
    static let jsonDepthMax = Limits.jsonDepthMax + 16

    // MARK: Disk

    /// Pages of 4 KiB that a cache's log may have before it is copied into the file.
    static let journalPages = 64
    /// Bytes that a cache's log keeps after that; none after ``SyncClient/SyncClient/close()``.
    static let journalBytesKept = 64 * 1024

    // MARK: Times

    /// Seconds for each step of connecting: name lookup and TCP, then the upgrade.
    static let handshakeSeconds = 7
    /// Seconds that a closing connection waits for the other side.
    static let closeSeconds = 3
    /// Seconds before its end at which another token is shown; a fifth of its time at most.
    static let tokenSecondsLeft = 60
    /// Between two comparisons of what is before a window; half of it to one and a half.
    static let windowComparison: Duration = .seconds(3600)
    /// Between two wishes to have read a channel that go out, at least.
    static let markPause: Duration = .seconds(1)
    /// A session that lasted this long was a good one: the next back-off starts at its base.
    public static let goodSession: Duration = .seconds(10)
}
