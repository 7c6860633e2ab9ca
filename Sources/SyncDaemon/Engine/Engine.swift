// What stands between operations and the order of events: the seam for another order.

import EventModel

/// Order, store, readers and presence, as one reactor sees them.
///
/// No call waits: what takes time is answered to an ``Origin`` or ``Asker``, in the reactor's
/// mailbox.
protocol Engine {
    /// The reactor's own number.
    var reactor: Int { get }
    /// Names the store and the present run of the daemon: `STORE.RUN`.
    var epoch: String { get }
    /// Where this run of the daemon began: all its events are after this.
    var began: Timetoken { get }
    /// Who is in which channel group.
    var groups: ChannelGroups { get }
    /// Which tokens were taken back.
    var revocations: Revocations { get }
    /// What was granted by version 2 of PubNub's Access Manager.
    var keyGrants: KeyGrants { get }

    // MARK: Submit and announce

    /// Queues a write; `false` when too many wait, or nobody knows for how long they would.
    func submit(_ write: Write) -> Bool
    /// Has what was queued committed; called once per turn.
    func commitSoon()
    /// Gives an event that is not stored its place in the order.
    func announce(_ announcement: Announcement) -> Announced

    // MARK: Ask

    /// Queues a question; `false` when too many wait.
    func ask(_ request: ReadRequest) -> Bool
    /// Queues a question or a fact about who is where; `false` when too many wait.
    func askPresence(_ request: PresenceRequest) -> Bool

    // MARK: Follow

    /// Has the reactor told of a channel's or wildcard's events.
    ///
    /// - Returns: Positions after which it is told of all, and of all that are stored.
    func follow(_ channel: Channel) -> (visible: Timetoken, durable: Timetoken)
    /// Takes that back.
    func unfollow(_ channel: Channel)

    // MARK: Positions

    /// The newest commit of all: at or after what any reactor has seen.
    var newest: Timetoken { get }
    /// How far this reactor's mailbox has everything; see ``EventOrder/settled``.
    var settled: (visible: Timetoken, durable: Timetoken) { get }
    /// Removed actions up to here may be forgotten: a cursor before it cannot be caught up with.
    var tombstoneFloor: Timetoken { get }
    /// Deletions up to here may be forgotten: before it only a snapshot brings a device up to date.
    var deletionFloor: Timetoken { get }
    /// What a cursor is worth that a client got when its epoch was the one it names.
    func judge(_ cursor: Timetoken, of epoch: String?) -> CursorJudgement
    /// Whether another daemon gave a cursor that is ahead of this one, and what is before it is on
    /// its way here.
    func isAhead(_ cursor: Timetoken, of epoch: String?) -> Bool
    /// Asks the daemon that orders for a mark: once that is here, so is all that anybody could have
    /// been told before it was asked for.
    func catchUp() -> Int
    /// The newest mark that is here.
    var caughtUp: Int { get }
    /// A cursor as of now: every later event is after it.
    ///
    /// It may come with a commit, as `.pong`.
    func freshCursor(for origin: Origin) -> Announced
    /// Whether a channel's changes after a position can be read, as far as is known.
    func canRead(_ channel: Channel, after position: Timetoken) -> Bool
    /// Whether the rows of files can be read, as far as is known.
    var canReadFiles: Bool { get }
    /// The key of a channel's digests.
    func digestKey(of channel: Channel) -> DigestKey
    /// The daemon's time, in 100 ns since 1970.
    func wallTicks() -> UInt64
}

extension Engine {
    func isAhead(_ cursor: Timetoken, of epoch: String?) -> Bool { false }
    func catchUp() -> Int { 0 }
    var caughtUp: Int { 0 }
    /// The daemon's time as tokens have it: Unix seconds.
    var seconds: Int64 { Int64(wallTicks() / 10_000_000) }
    /// The same as a position.
    var wallTime: Timetoken { Timetoken(rawValue: wallTicks()) }
}
