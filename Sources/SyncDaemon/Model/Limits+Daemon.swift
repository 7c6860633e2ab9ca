// The bounds of the daemon as a whole, each with its unit and what happens at it.

import EventModel

extension Limits {
    /// Connections of the whole daemon; over it: new ones are closed at once.
    static let connectionsMax = 200_000
    /// Messages waiting for one reactor; over it the reactor hangs, and the daemon stops itself.
    static let reactorMailboxMax = 1_000_000
    /// Milliseconds that a reactor waits with a flush at most, while the last one left events
    /// behind.
    static let pacingMillisecondsMax = 10
    /// Bytes that a reactor reads from one busy WebSocket per turn, roughly; the rest waits.
    static let readBytesPerTurnMax = 32 * 1024
    /// How long a configuration may be awaited that comes through a pipe, in milliseconds; over it
    /// it is refused.
    static let pipeMilliseconds = 5000
    /// How long a thread may make no progress while work waits for it, in seconds; over it:
    /// `/readyz` is 503.
    static let stalledSeconds = 3
    /// Seconds without another failure after which reads are not said to fail any more.
    static let readsFailingSeconds = 10
    /// How often the log says that a start takes long, in seconds: an upgrade of the database, or a
    /// server that lets it wait.
    static let startReminderSeconds = 10
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
}
