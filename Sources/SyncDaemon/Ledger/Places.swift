// Which positions were given out, and how far they may go: the deciding half of the order.

import EventModel

/// The newest position, what a commit has reserved ahead of it, and the durable ceiling above both.
///
/// It gets the time passed in; ``EventOrder`` holds it behind its lock.
struct Places {
    /// What is known of a higher ceiling.
    enum Raise: Hashable {
        case notAsked
        /// - Parameter isAwaited: The clock was far beyond the ceiling: nobody has asked for long,
        ///   and places below it would be of the past.
        case asked(isAwaited: Bool)
        /// The store could not, when the clock said this.
        case refused(at: UInt64)
    }

    /// No later event is at or before this.
    private(set) var visible: Timetoken
    /// The store's newest commit.
    private(set) var durable: Timetoken
    /// The commit under way has nothing below this.
    private(set) var reserved: Timetoken?
    private(set) var raise = Raise.notAsked
    /// The newest position that may be handed out.
    private var ceiling: Timetoken
    /// Where this run began: a file of an earlier release may have no ceiling as high.
    private let start: Timetoken

    /// How far ahead of the clock a commit's timetokens are, in ticks: 5 ms, longer than most
    /// syncs.
    private static let leadTicks: UInt64 = 50_000
    /// The least number of places that are left below a commit.
    private static let windowTicks: UInt64 = 1000
    /// How far the order may run ahead of the clock for the sake of that window: one second.
    private static let aheadTicksMax: UInt64 = 10_000_000
    /// With less than this below the ceiling a higher one is asked for.
    private static let askTicks = Limits.ceilingTicks / 2
    /// With less than this it goes on tick by tick: a million places for a disk that takes long.
    private static let tightTicks = Limits.ceilingTicks / 10

    /// - Parameters:
    ///   - visible: The last timetoken of the store.
    ///   - ceiling: The store's.
    init(after visible: Timetoken, ceiling: Timetoken) {
        (self.visible, durable, start) = (visible, visible, visible)
        self.ceiling = ceiling
    }

    /// The next place; `nil` when there is none below the commit under way or the ceiling, or one
    /// that is worth waiting for.
    ///
    /// - Parameter ask: Set when whoever has the store must be asked for a higher ceiling.
    mutating func take(at clock: UInt64, ask: inout Bool) -> Timetoken? {
        let next = want(at: clock, ask: &ask)
        let isWithin = reserved.map { next < $0 } ?? true
        if isWithin, next.rawValue + Self.tightTicks <= ceiling.rawValue {
            visible = next
            return next
        }
        if case .asked(isAwaited: true) = raise { return nil }
        let tight = Timetoken(rawValue: visible.rawValue + 1)
        guard tight <= ceiling, reserved.map({ tight < $0 }) ?? true else { return nil }
        visible = tight
        return tight
    }

    /// Has a higher ceiling asked for, where the next place needs one, and takes none.
    ///
    /// - Returns: That place, if the ceiling were no matter.
    @discardableResult
    mutating func want(at clock: UInt64, ask: inout Bool) -> Timetoken {
        let next = visible.successor(at: clock)
        // In a busy daemon each commit raises the ceiling, and this is all that it costs.
        if next.rawValue + Self.askTicks > ceiling.rawValue { ask = asks(for: next, at: clock) }
        return next
    }

    private mutating func asks(for next: Timetoken, at clock: UInt64) -> Bool {
        switch raise {
        case .asked: return false
        case .notAsked: raise = .asked(isAwaited: next > ceiling)
        case .refused(let moment):
            // A disk that is full is not asked all the time.
            guard clock < moment || clock - moment >= Limits.ceilingTicks else { return false }
            raise = .asked(isAwaited: false)
        }
        return true
    }

    /// Reserves timetokens for a commit: all its own must be after the answer.
    mutating func reserve(at clock: UInt64) -> Timetoken {
        let window = visible.rawValue < clock + Self.aheadTicksMax ? Self.windowTicks : 0
        let last = max(visible.rawValue + window, clock + Self.leadTicks)
        reserved = Timetoken(rawValue: last + 1)
        return Timetoken(rawValue: last)
    }

    /// Takes note of the commit for which timetokens were reserved.
    mutating func finish(_ commit: Commit, at clock: UInt64) {
        reserved = nil
        hear(of: commit.ceiling, at: clock)
        durable = max(durable, commit.durable ?? .zero)
        visible = max(visible, commit.last)
    }

    /// Hears how far positions may go now; `nil`: the store failed.
    mutating func hear(of ceiling: Timetoken?, at clock: UInt64) {
        if let ceiling {
            self.ceiling = max(self.ceiling, ceiling)
            raise = .notAsked
        } else if case .asked = raise {
            raise = .refused(at: clock)
        }
    }

    /// What always holds.
    func checkInvariants() {
        precondition(durable <= visible, "A commit is visible when it is durable.")
        precondition(
            visible <= ceiling || visible == start, "No position is beyond the durable ceiling.")
        precondition(
            reserved.map { visible < $0 } ?? true, "What is reserved is still to come.")
    }
}
