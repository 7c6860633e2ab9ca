// What operations ask of the order of events, the readers and presence.

import EventModel

/// The engine as one reactor sees it.
///
/// Plain functions, so that tests and simulations can stand in
/// for threads.
struct Engine {
    /// The reactor's own number.
    let reactor: Int
    /// Names the store and the present run of the daemon: `STORE.RUN`.
    let epoch: String
    /// What a cursor is worth that a client got when its epoch was the one it names.
    let judge: (_ cursor: Timetoken, _ epoch: String?) -> CursorJudgement
    /// Removed actions up to here may be forgotten: a cursor before it cannot be caught up with.
    let tombstoneFloor: () -> Timetoken
    /// Deletions up to here may be forgotten: before it only a snapshot brings a device up to date.
    let deletionFloor: () -> Timetoken
    /// The key of a channel's digests.
    let digestKey: (Channel) -> DigestKey
    /// The tenants.
    var keysets: Keysets
    /// Queues a write; `false` when too many wait.
    let submit: (Write) -> Bool
    /// Has the ledger commit what was queued; called once per turn.
    let commitSoon: () -> Void
    /// Gives an event that is not stored its place in the order.
    let announce: (Announcement) -> Announced
    /// Queues a question; `false` when too many wait.
    let ask: (ReadRequest) -> Bool
    /// Queues a question or a fact about who is where; `false` when too many wait.
    let askPresence: (PresenceRequest) -> Bool
    /// Who is in which channel group.
    let groups: ChannelGroups
    /// The newest commit of all: at or after what any reactor has seen.
    let newest: () -> Timetoken
    /// How far this reactor's mailbox has everything; see ``EventOrder/settled``.
    let settled: () -> (visible: Timetoken, durable: Timetoken)
    /// A cursor as of now: every later event is after it.
    ///
    /// It may come with a commit, as `.pong`.
    let freshCursor: (Origin) -> Announced
    /// Where this run of the daemon began: all its events are after this.
    let began: Timetoken
    /// The daemon's time, in 100 ns since 1970.
    let wallTicks: () -> UInt64
    /// Whether a channel's changes after a position can be read, as far as is known.
    var canRead: (Channel, Timetoken) -> Bool = { _, _ in true }
}
