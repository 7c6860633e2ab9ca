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
}

/// What became of an announcement.
enum Announced: Sendable, Hashable {
    case at(Timetoken)
    /// It takes its place when the commit under way is done; the answer comes with that.
    case waits
    /// Too many wait.
    case refused
}

/// The one order of all events, stored or not.
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
    }

    /// What is known of a higher ceiling.
    private enum Raise {
        case notAsked
        /// - Parameter isAwaited: The clock was far beyond the ceiling: nobody has asked for long,
        ///   and places below it would be of the past.
        case asked(isAwaited: Bool)
        /// The store could not, when the clock said this.
        case refused(at: UInt64)
    }

    private struct State {
        /// No later event is at or before this.
        var visible: Timetoken
        /// The store's newest commit.
        var durable: Timetoken
        /// The commit under way has nothing below this.
        var reserved: Timetoken?
        /// The newest position that may be handed out.
        var ceiling: Timetoken
        var raise = Raise.notAsked
        var waiting: [Waiting] = []
        var waitingBytes = 0
        var unstored = UnstoredEvents()
    }

    private let state: Locked<State>
    private let newest: Atomic<UInt64>
    private let newestDurable: Atomic<UInt64>
    private let settledVisible: Atomic<UInt64>
    private let settledDurable: Atomic<UInt64>
    private let wallTicks: @Sendable () -> UInt64
    private let receiver: any CommitReceiver
    private let askForCeiling: @Sendable () -> Void

    /// How far ahead of the clock a commit's timetokens are, in ticks: 5 ms, longer than most
    /// syncs.
    private static let leadTicks: UInt64 = 50_000
    /// The least number of places that are left below a commit.
    private static let windowTicks: UInt64 = 1000
    /// How far the order may run ahead of the clock for the sake of that window: one second.
    private static let aheadTicksMax: UInt64 = 10_000_000
    /// With less than this below the ceiling the order asks for a higher one.
    private static let askTicks = Limits.ceilingTicks / 2
    /// With less than this it goes on tick by tick: a million places for a disk that takes long.
    private static let tightTicks = Limits.ceilingTicks / 10

    /// - Parameters:
    ///   - visible: The last timetoken of the store.
    ///   - ceiling: The store's.
    ///   - wallTicks: The daemon's time.
    ///   - receiver: Told of each visible step, in order.
    ///   - askForCeiling: Asks whoever has the store for ``raise(to:)`` or a commit. Called with
    ///     the order locked: it must not call back.
    init(
        after visible: Timetoken, ceiling: Timetoken, wallTicks: @escaping @Sendable () -> UInt64,
        receiver: any CommitReceiver,
        askForCeiling: @escaping @Sendable () -> Void
    ) {
        state = Locked(State(visible: visible, durable: visible, ceiling: ceiling))
        newest = Atomic(visible.rawValue)
        newestDurable = Atomic(visible.rawValue)
        settledVisible = Atomic(visible.rawValue)
        settledDurable = Atomic(visible.rawValue)
        self.wallTicks = wallTicks
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
        state.withLock { state in
            guard let timetoken = takePlace(&state) else {
                return wait(.event(announcement), announcement.event.unstoredBytes, &state)
            }
            var step = Commit(last: timetoken)
            add(announcement, at: timetoken, to: &step, &state)
            receiver.publish(step)
            settle(state)
            return .at(timetoken)
        }
    }

    /// A position at or after which nothing has happened yet, as close to the clock as possible.
    ///
    /// Every later event is after it, so it may be handed out as a cursor.
    ///
    /// - Parameter origin: Who may be told later; `nil`: a position that is older will do.
    /// - Returns: Never `.refused`.
    func now(for origin: Origin? = nil) -> Announced {
        state.withLock { state in
            if let timetoken = takePlace(&state) { return .at(timetoken) }
            guard let origin, case .asked(isAwaited: true) = state.raise,
                wait(.position(origin), 0, &state) == .waits
            else { return .at(state.visible) }
            return .waits
        }
    }

    /// What was announced, as far as it is still remembered, to be looked through without the lock.
    ///
    /// - Returns: The events, and the position up to which nothing can come any more. Whoever then
    ///   reads the store has seen everything up to that position.
    /// - Complexity: O(1) but for a list of runs: every reactor waits for this lock.
    func unstored() -> (events: UnstoredEvents, visible: Timetoken) {
        state.withLock { state in (state.unstored, state.visible) }
    }

    // MARK: Commits

    /// Reserves timetokens for a commit: all its own must be after the answer.
    func reserve() -> Timetoken {
        state.withLock { state in
            let now = wallTicks()
            let window =
                state.visible.rawValue < now + Self.aheadTicksMax ? Self.windowTicks : 0
            let last = max(state.visible.rawValue + window, now + Self.leadTicks)
            state.reserved = Timetoken(rawValue: last + 1)
            return Timetoken(rawValue: last)
        }
    }

    /// Tells the reactors of a commit, and then of what waited for it.
    func finish(_ commit: Commit) {
        state.withLock { state in
            state.reserved = nil
            hear(of: commit.ceiling, &state)
            // Before `visible`, which `frontier` reads first.
            state.durable = max(state.durable, commit.durable ?? .zero)
            newestDurable.store(state.durable.rawValue, ordering: .releasing)
            see(max(state.visible, commit.last), &state)
            var commit = commit
            commit.last = state.visible
            receiver.publish(commit)
            settle(state)
            placeWaiting(&state)
        }
    }

    /// Hears how far positions may go now, though nothing was committed; `nil`: the store failed.
    func raise(to ceiling: Timetoken?) {
        state.withLock { state in
            hear(of: ceiling, &state)
            placeWaiting(&state)
        }
    }

    /// Whether somebody still waits for a higher ceiling.
    var asksForCeiling: Bool {
        state.withLock { state in
            if case .asked = state.raise { true } else { false }
        }
    }

    private func hear(of ceiling: Timetoken?, _ state: inout State) {
        if let ceiling {
            state.ceiling = max(state.ceiling, ceiling)
            state.raise = .notAsked
        } else if case .asked = state.raise {
            state.raise = .refused(at: wallTicks())
        }
    }

    // MARK: Places

    /// The next place; `nil` when there is none below the commit under way or the ceiling, or one
    /// that is worth waiting for.
    private func takePlace(_ state: inout State) -> Timetoken? {
        let clock = wallTicks()
        let next = state.visible.successor(at: clock)
        // In a busy daemon each commit raises the ceiling, and this is all that it costs.
        if next.rawValue + Self.askTicks > state.ceiling.rawValue { ask(for: next, clock, &state) }
        let isWithin = state.reserved.map { next < $0 } ?? true
        if isWithin, next.rawValue + Self.tightTicks <= state.ceiling.rawValue {
            see(next, &state)
            return next
        }
        if case .asked(isAwaited: true) = state.raise { return nil }
        let tight = Timetoken(rawValue: state.visible.rawValue + 1)
        guard tight <= state.ceiling, state.reserved.map({ tight < $0 }) ?? true else { return nil }
        see(tight, &state)
        return tight
    }

    private func ask(for next: Timetoken, _ clock: UInt64, _ state: inout State) {
        switch state.raise {
        case .asked: return
        case .notAsked: state.raise = .asked(isAwaited: next > state.ceiling)
        case .refused(let moment):
            // A disk that is full is not asked all the time.
            guard clock < moment || clock - moment >= Limits.ceilingTicks else { return }
            state.raise = .asked(isAwaited: false)
        }
        askForCeiling()
    }

    private func wait(_ waiting: Waiting, _ bytes: Int, _ state: inout State) -> Announced {
        // What waits for nothing that is to come would wait for ever.
        if case .refused = state.raise, state.reserved == nil { return .refused }
        guard state.waiting.count < Limits.announcementsWaitingMax,
            state.waitingBytes + bytes <= Limits.ledgerQueueBytesMax
        else { return .refused }
        keep(waiting, bytes, &state)
        return .waits
    }

    private func keep(_ waiting: Waiting, _ bytes: Int, _ state: inout State) {
        state.waitingBytes += bytes
        state.waiting.append(waiting)
    }

    /// Places what waited, in its order, and tells the reactors.
    private func placeWaiting(_ state: inout State) {
        guard !state.waiting.isEmpty else { return }
        let waiting = state.waiting
        state.waiting = []
        state.waitingBytes = 0
        var step = Commit()
        for one in waiting {
            let timetoken = takePlace(&state)
            switch one {
            case .event(let announcement):
                if let timetoken { add(announcement, at: timetoken, to: &step, &state) }
                guard let origin = announcement.origin else {
                    // Nobody hears that there is no place, and would come again.
                    if timetoken == nil { keep(one, announcement.event.unstoredBytes, &state) }
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
        settledDurable.store(state.durable.rawValue, ordering: .releasing)
    }

    private func see(_ timetoken: Timetoken, _ state: inout State) {
        state.visible = timetoken
        newest.store(timetoken.rawValue, ordering: .releasing)
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
}
