// Hands out timetokens, also while the ledger waits for its disk, so that every reactor hears of
// events in one order.

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
final class EventOrder: Sendable {
    private struct State {
        /// No later event is at or before this.
        var visible: Timetoken
        /// The store's newest commit.
        var durable: Timetoken
        /// The commit under way has nothing below this.
        var reserved: Timetoken?
        var waiting: [Announcement] = []
        var waitingBytes = 0
        var unstored = UnstoredEvents()
    }

    private let state: Locked<State>
    private let newest: Atomic<UInt64>
    private let newestDurable: Atomic<UInt64>
    private let settledVisible: Atomic<UInt64>
    private let settledDurable: Atomic<UInt64>
    private let wallTicks: @Sendable () -> UInt64
    private let publish: @Sendable (Commit) -> Void

    /// How far ahead of the clock a commit's timetokens are, in ticks: 5 ms, longer than most
    /// syncs.
    private static let leadTicks: UInt64 = 50_000
    /// The least number of places that are left below a commit.
    private static let windowTicks: UInt64 = 1000
    /// How far the order may run ahead of the clock for the sake of that window: one second.
    private static let aheadTicksMax: UInt64 = 10_000_000

    /// - Parameters:
    ///   - visible: The last timetoken of the store.
    ///   - publish: Called with each visible step, in order, with the order locked: it may post to
    ///     mailboxes and must not call back.
    init(
        after visible: Timetoken, wallTicks: @escaping @Sendable () -> UInt64,
        publish: @escaping @Sendable (Commit) -> Void
    ) {
        state = Locked(State(visible: visible, durable: visible))
        newest = Atomic(visible.rawValue)
        newestDurable = Atomic(visible.rawValue)
        settledVisible = Atomic(visible.rawValue)
        settledDurable = Atomic(visible.rawValue)
        self.wallTicks = wallTicks
        self.publish = publish
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
                let bytes = announcement.event.unstoredBytes
                guard state.waiting.count < Limits.announcementsWaitingMax,
                    state.waitingBytes + bytes <= Limits.ledgerQueueBytesMax
                else { return .refused }
                state.waitingBytes += bytes
                state.waiting.append(announcement)
                return .waits
            }
            var step = Commit(last: timetoken)
            add(announcement, at: timetoken, to: &step, &state)
            tell(step, state)
            return .at(timetoken)
        }
    }

    /// A position at or after which nothing has happened yet, as close to the clock as possible.
    ///
    /// Every later event is after it, so it may be handed out as a cursor.
    func now() -> Timetoken {
        state.withLock { state in takePlace(&state) ?? state.visible }
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
            // Before `visible`, which `frontier` reads first.
            state.durable = max(state.durable, commit.durable ?? .zero)
            newestDurable.store(state.durable.rawValue, ordering: .releasing)
            see(max(state.visible, commit.last), &state)
            var commit = commit
            commit.last = state.visible
            tell(commit, state)
            guard !state.waiting.isEmpty else { return }
            var step = Commit()
            for announcement in state.waiting {
                let timetoken = takePlace(&state) ?? state.visible
                add(announcement, at: timetoken, to: &step, &state)
                if let origin = announcement.origin {
                    step.answers.append(
                        Answer(origin: origin, result: .success(.published(timetoken))))
                }
            }
            state.waiting = []
            state.waitingBytes = 0
            step.last = state.visible
            tell(step, state)
        }
    }

    // MARK: Places

    /// The next place; `nil` when the commit under way leaves none.
    private func takePlace(_ state: inout State) -> Timetoken? {
        let next = state.visible.successor(at: wallTicks())
        guard let reserved = state.reserved, next >= reserved else {
            see(next, &state)
            return next
        }
        let tight = Timetoken(rawValue: state.visible.rawValue + 1)
        guard tight < reserved else { return nil }
        see(tight, &state)
        return tight
    }

    private func tell(_ step: Commit, _ state: State) {
        publish(step)
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
