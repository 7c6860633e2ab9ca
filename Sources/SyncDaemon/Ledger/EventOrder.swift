// Hands out timetokens, also while the ledger waits for its disk, so that every reactor hears of
// events in one order.

import Basis
import EventModel
import Synchronization

/// An event that is not stored, on its way to its place in the order.
struct Announcement: Sendable {
    let channel: Channel
    let uuid: String
    let event: Event
    /// Who waits for the timetoken; nobody for presence.
    let origin: Origin?
    /// Whether a server of the tenant's owner sends it, in whoever's name.
    var isOfServer = false
}

extension Announcement {
    /// Bytes that it takes while it waits.
    var size: Int {
        HeapBytes.place(of: Self.self) + event.unstoredBytes + HeapBytes.string(channel.name)
            + HeapBytes.string(uuid)
    }
}

/// What became of an announcement.
enum Announced: Sendable, Hashable {
    case at(Timetoken)
    /// It takes its place when the commit under way is done; the answer comes with that.
    case waits
    /// Too many wait.
    case refused

    /// What an asker hears who is told by steps alone; `nil`: a later step tells.
    ///
    /// - Parameter reply: Says that there is a place.
    func result(_ reply: (Timetoken) -> Reply) -> Result<Reply, ProtocolError>? {
        switch self {
        case .at(let timetoken): .success(reply(timetoken))
        case .waits: nil
        case .refused: .failure(.overloaded)
        }
    }
}

/// The one order of all events, stored or not.
///
/// Where another daemon gives places, what wants one is forwarded to it, and its steps come here by
/// ``finish(_:)``, in their order.
///
/// Events become visible strictly in timetoken order. A commit reserves timetokens a little ahead
/// of the clock, and what is announced while it waits for the disk takes one below those and goes
/// out at once; when that window is used up, it waits for the commit. It never overtakes.
///
/// No position is handed out beyond the durable ceiling, and a daemon that starts begins after it:
/// so nothing ever appears behind a cursor, whatever became of the process and its clock. Each
/// commit raises the ceiling. When none comes the order asks for one; should that take long, it
/// goes on below the ceiling, tick by tick, and refuses when there are none left.
final class EventOrder: Sendable {
    /// Who waits for a place.
    private enum Waiting {
        case event(Announcement)
        case position(Origin)

        /// Bytes that it takes in memory.
        var byteCount: Int {
            switch self {
            case .event(let announcement):
                announcement.size
            case .position: HeapBytes.place(of: Waiting.self)
            }
        }
    }

    /// What only the daemon that orders can give.
    enum Wanted: Sendable {
        case event(Announcement)
        case position(Origin)
    }

    private struct State {
        var places: Places
        var waiting: [Waiting] = []
        var waitingBytes = 0
        var unstored: UnstoredEvents

        var visible: Timetoken { places.visible }
    }

    private let state: Locked<State>
    private let newest: Atomic<UInt64>
    private let newestDurable: Atomic<UInt64>
    private let settledVisible: Atomic<UInt64>
    private let settledDurable: Atomic<UInt64>
    private let wallTicks: @Sendable () -> UInt64
    private let forward: (@Sendable (Wanted) -> Bool)?
    private let receiver: any CommitReceiver
    private let askForCeiling: @Sendable () -> Void

    /// - Parameters:
    ///   - visible: The last timetoken of the store.
    ///   - ceiling: The store's.
    ///   - wallTicks: The daemon's time.
    ///   - unstoredBytesMax: Bytes of what is not stored that stay for polls.
    ///   - forward: Where another daemon gives places: takes what wants one, `false` when too much
    ///     waits. The answer comes with a step.
    ///   - receiver: Told of each visible step, in order.
    ///   - askForCeiling: Asks whoever has the store for ``raise(to:)`` or a commit. Called with
    ///     the order locked: it must not call back.
    init(
        after visible: Timetoken, ceiling: Timetoken, wallTicks: @escaping @Sendable () -> UInt64,
        unstoredBytesMax: Int = Limits.unstoredBytesMax,
        forward: (@Sendable (Wanted) -> Bool)? = nil, receiver: any CommitReceiver,
        askForCeiling: @escaping @Sendable () -> Void
    ) {
        state = Locked(
            State(
                places: Places(after: visible, ceiling: ceiling),
                unstored: UnstoredEvents(bytesMax: unstoredBytesMax)))
        newest = Atomic(visible.rawValue)
        newestDurable = Atomic(visible.rawValue)
        settledVisible = Atomic(visible.rawValue)
        settledDurable = Atomic(visible.rawValue)
        self.wallTicks = wallTicks
        self.forward = forward
        self.receiver = receiver
        self.askForCeiling = askForCeiling
    }

    /// No reactor has heard of anything later, and no cursor that was handed out is later.
    var visible: Timetoken { Timetoken(rawValue: newest.load(ordering: .acquiring)) }

    /// Where somebody begins who was entered in the ``InterestTable`` just now: whatever they are
    /// not told of is at or before `visible`, and of the stored events at or before `durable`.
    var frontier: (visible: Timetoken, durable: Timetoken) {
        // In this order: whoever sees a commit as visible sees it as durable, too. A cursor from
        // before it would promise an event that is not sent.
        let visible = self.visible
        let durable = Timetoken(rawValue: newestDurable.load(ordering: .acquiring))
        return (max(visible, durable), durable)
    }

    /// How far the reactors' mailboxes have everything that concerns them.
    ///
    /// Whoever reads this and then empties its mailbox has seen all its events up to `visible`, and
    /// of the stored ones `durable` is a cursor that survives a restart.
    var settled: (visible: Timetoken, durable: Timetoken) {
        let visible = Timetoken(rawValue: settledVisible.load(ordering: .acquiring))
        let durable = Timetoken(rawValue: settledDurable.load(ordering: .acquiring))
        return (visible, min(visible, durable))
    }

    // MARK: Events that are not stored

    /// Gives an event its place and tells the reactors, if there is one before the commit under
    /// way.
    func announce(_ announcement: Announcement) -> Announced {
        if let forward { return forward(.event(announcement)) ? .waits : .refused }
        return state.withLock { state in
            // What presence says builds on what it said before.
            if announcement.origin == nil, !state.waiting.isEmpty {
                var asks = false
                state.places.want(at: wallTicks(), ask: &asks)
                if asks { askForCeiling() }
                return wait(.event(announcement), &state)
            }
            guard let timetoken = takePlace(&state) else {
                return wait(.event(announcement), &state)
            }
            var step = Commit(last: timetoken)
            add(announcement, at: timetoken, to: &step, &state)
            receiver.publish(step)
            settle(state)
            return .at(timetoken)
        }
    }

    /// Answers who wanted something that never came to the ledger.
    func answer(_ origin: Origin, _ result: Result<Reply, ProtocolError>) {
        state.withLock { state in
            var step = Commit(last: state.visible)
            step.answers = [Answer(origin: origin, result: result)]
            receiver.publish(step)
        }
    }

    /// A position at or after which nothing has happened yet, as close to the clock as possible.
    ///
    /// Every later event is after it, so it may be handed out as a cursor.
    ///
    /// - Parameter origin: Who may be told later; `nil`: a position that is older will do.
    /// - Returns: Never `.refused`.
    func now(for origin: Origin? = nil) -> Announced {
        if let forward {
            guard let origin, forward(.position(origin)) else { return .at(visible) }
            return .waits
        }
        return state.withLock { state in
            if let timetoken = takePlace(&state) { return .at(timetoken) }
            guard let origin, case .asked(isAwaited: true) = state.places.raise,
                wait(.position(origin), &state) == .waits
            else { return .at(state.visible) }
            return .waits
        }
    }

    /// What was announced in a keyset, as far as it is still remembered, to be looked through
    /// without the lock.
    ///
    /// - Returns: The events, and the position up to which nothing can come any more. Whoever then
    ///   reads the store has seen everything up to that position.
    /// - Complexity: O(1) but for a list of runs: every reactor waits for this lock.
    func unstored(inKeyset keyset: String) -> (events: UnstoredRuns, visible: Timetoken) {
        state.withLock { state in (state.unstored.runs(ofKeyset: keyset), state.visible) }
    }

    // MARK: Commits

    /// Reserves timetokens for a commit: all its own must be after the answer.
    func reserve() -> Timetoken {
        state.withLock { state in
            state.places.reserve(at: wallTicks())
        }
    }

    /// Tells the reactors of a commit, or of a step of the daemon that orders, and then of what
    /// waited for it.
    func finish(_ commit: Commit) {
        state.withLock { state in
            state.places.finish(commit, at: wallTicks())
            // Before `visible`, which `frontier` reads first.
            newestDurable.store(state.places.durable.rawValue, ordering: .releasing)
            newest.store(state.visible.rawValue, ordering: .releasing)
            var commit = commit
            commit.last = state.visible
            for event in commit.events where !event.isStored { state.unstored.append(event) }
            receiver.publish(commit)
            settle(state)
            placeWaiting(&state)
        }
    }

    /// Hears how far positions may go now, though nothing was committed; `nil`: the store failed.
    func raise(to ceiling: Timetoken?) {
        state.withLock { state in
            state.places.hear(of: ceiling, at: wallTicks())
            placeWaiting(&state)
        }
    }

    /// Whether somebody still waits for a higher ceiling.
    var asksForCeiling: Bool {
        state.withLock { state in
            if case .asked = state.places.raise { true } else { false }
        }
    }

    // MARK: Places

    private func takePlace(_ state: inout State) -> Timetoken? {
        var asks = false
        let place = state.places.take(at: wallTicks(), ask: &asks)
        if asks { askForCeiling() }
        if let place { newest.store(place.rawValue, ordering: .releasing) }
        return place
    }

    private func wait(_ waiting: Waiting, _ state: inout State) -> Announced {
        // What waits for nothing that is to come would wait for ever.
        if case .refused = state.places.raise, state.places.reserved == nil { return .refused }
        guard state.waiting.count < Limits.announcementsWaitingMax,
            state.waitingBytes + waiting.byteCount <= Limits.ledgerQueueBytesMax
        else { return .refused }
        keep(waiting, &state)
        return .waits
    }

    private func keep(_ waiting: Waiting, _ state: inout State) {
        state.waitingBytes += waiting.byteCount
        state.waiting.append(waiting)
    }

    /// Places what waited, in its order, and tells the reactors.
    private func placeWaiting(_ state: inout State) {
        guard !state.waiting.isEmpty else { return }
        let waiting = state.waiting
        state.waiting = []
        state.waitingBytes = 0
        var step = Commit()
        var keepsPresence = false
        for one in waiting {
            if keepsPresence, case .event(let announcement) = one, announcement.origin == nil {
                keep(one, &state)
                continue
            }
            let timetoken = takePlace(&state)
            switch one {
            case .event(let announcement):
                if let timetoken { add(announcement, at: timetoken, to: &step, &state) }
                guard let origin = announcement.origin else {
                    // Nobody hears that there is no place, and would come again.
                    if timetoken == nil {
                        keep(one, &state)
                        keepsPresence = true
                    }
                    continue
                }
                let result: Result<Reply, ProtocolError> =
                    if let timetoken { .success(.published(timetoken)) } else {
                        .failure(.overloaded)
                    }
                step.answers.append(Answer(origin: origin, result: result))
            case .position(let origin):
                step.answers.append(
                    Answer(origin: origin, result: .success(.pong(timetoken ?? state.visible))))
            }
        }
        step.last = state.visible
        receiver.publish(step)
        settle(state)
    }

    /// Says that the mailboxes have all that is visible.
    private func settle(_ state: State) {
        settledVisible.store(state.visible.rawValue, ordering: .releasing)
        settledDurable.store(state.places.durable.rawValue, ordering: .releasing)
    }

    private func add(
        _ announcement: Announcement, at timetoken: Timetoken, to step: inout Commit,
        _ state: inout State
    ) {
        let envelope = Envelope(
            channel: announcement.channel, timetoken: timetoken, uuid: announcement.uuid,
            event: announcement.event, isStored: false)
        state.unstored.append(envelope)
        step.events.append(envelope)
    }

    /// Looks whether what is said without the lock is what is known behind it.
    ///
    /// Called after each commit, by the simulator and by debug builds.
    ///
    /// - Complexity: O(who waits for a place).
    func checkInvariants() {
        state.withLock { state in
            state.places.checkInvariants()
            precondition(visible == state.visible, "All hear of the newest place.")
            let settled = self.settled
            precondition(settled.visible <= state.visible, "No mailbox is ahead of the order.")
            precondition(
                settled.durable <= state.places.durable, "No cursor is ahead of the store.")
            let bytes = state.waiting.reduce(0) { $0 + $1.byteCount }
            precondition(state.waitingBytes == bytes, "What waits is counted.")
            precondition(
                state.waiting.count <= Limits.announcementsWaitingMax, "What waits has a limit.")
        }
    }
}
