// What a command may touch, and how its answer gets back.

import EventModel

/// One command of one session, being carried out on the session's reactor.
struct CommandContext {
    let id: CommandID
    let session: Session
    /// Who asks.
    let author: Author
    let hub: Hub
    let engine: Engine

    /// What the owner of the session's keyset decided.
    var keyset: Keyset {
        engine.keysets[author.keyset] ?? Keyset(subscribeKey: author.keyset)
    }

    /// The channel that a client's name stands for: names are per keyset.
    func channel(_ name: String) -> Channel {
        Channel(name, keyset: author.keyset)
    }

    /// Sends a change on its way; its answer comes with a commit.
    func submit(
        _ operation: Write.Operation, in channel: String, mutation: String?,
        hoursAsked: Int? = nil
    ) -> Result<Reply, ProtocolError>? {
        // Whoever could write there could say that somebody came or left.
        guard !self.channel(channel).isPresence else { return .failure(.presenceIsReadOnly) }
        let write = Write(
            origin: origin, author: author, channel: self.channel(channel), operation: operation,
            mutation: mutation, hoursAsked: hoursAsked)
        return engine.submit(write) ? awaitAnswer() : .failure(.overloaded)
    }

    /// Sends an event that is not stored to its place in the order.
    func announce(_ event: Event, in channel: String) -> Result<Reply, ProtocolError>? {
        guard !self.channel(channel).isPresence else { return .failure(.presenceIsReadOnly) }
        let announcement = Announcement(
            channel: self.channel(channel), uuid: author.userID, event: event, origin: origin)
        switch engine.announce(announcement) {
        case .at(let timetoken): return .success(.published(timetoken))
        case .waits: return awaitAnswer()
        case .refused: return .failure(.overloaded)
        }
    }

    /// Sends a question on its way; its answer comes from a reader.
    func ask(_ query: ReadRequest.Query, about channel: String) -> Result<Reply, ProtocolError>? {
        hub.ask(
            ReadRequest(asker: .client(origin), channel: self.channel(channel), query: query),
            for: session)
        return awaitAnswer()
    }

    private var origin: Origin {
        Origin(reactor: engine.reactor, session: session.id, command: id)
    }

    private func awaitAnswer() -> Result<Reply, ProtocolError>? {
        session.commandsInFlight += 1
        return nil
    }
}

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
