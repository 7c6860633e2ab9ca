// Followers of one topic who get the same frames at the same moments.

import Basis
import EventModel

/// How a follower wants its batches.
struct Pace: Hashable, Sendable {
    /// How long events may wait for more, in milliseconds; 0: to the end of the turn.
    var milliseconds = 0
    /// Whether only the net effect per action matters.
    var coalesces = false
    /// How much is told of actions.
    var actions = ActionsDetail.rows

    /// Whether rows of actions are left out, and what they come to with them.
    var hidesActions: Bool { actions != .rows }

    /// The windows that there are: a wish gets the next longer one, so that a topic has few lanes.
    static let windows = [0, 10, 20, 50, 100, 200, 500, 1000]

    init() {}

    /// - Parameter wish: Milliseconds, up to the longest window.
    init(wish: Int, coalesces: Bool, actions: ActionsDetail = .rows) {
        milliseconds = Self.windows.first { $0 >= wish } ?? Limits.batchWindowMax
        // Of nothing there is no net effect: such followers share a lane.
        self.coalesces = coalesces && actions == .rows
        self.actions = actions
    }

    /// What a batch brings to a follower who has everything before it.
    func news(of batch: ArraySlice<EncodedEnvelope>) -> ArraySlice<EncodedEnvelope> {
        hidesActions
            ? withoutActions(batch, for: actions) : coalesces ? netEffect(of: batch) : batch
    }

    /// The same of a part of a batch, to one who had the other part.
    func rest(of batch: ArraySlice<EncodedEnvelope>) -> ArraySlice<EncodedEnvelope> {
        hidesActions
            ? withoutActions(batch, for: actions)
            : coalesces ? summed(Array(batch))[...] : batch
    }

    /// What a follower gets of a state.
    func shown(_ state: Digest?) -> Digest? { hidesActions ? nil : state }
}

/// Some subscriptions of a topic, with what they are sent next.
final class Lane {
    unowned let topic: Topic
    let pace: Pace
    var subscriptions = PlaceList<Subscription>()
    /// Events whose window is not over.
    var pending: [EncodedEnvelope] = []
    /// In the hub's list of lanes whose window is open.
    var isWaiting = false
    /// The store has nothing for these followers up to here that they were not sent.
    private(set) var storedPosition: Timetoken

    /// What these followers are told that they have.
    var cursor: Timetoken {
        pace.actions == .summary ? min(storedPosition, topic.summaries.bound) : storedPosition
    }

    init(of topic: Topic, pace: Pace, storedPosition: Timetoken) {
        self.topic = topic
        self.pace = pace
        self.storedPosition = storedPosition
    }

    /// Takes the events of a window that is over.
    func takePending() -> [EncodedEnvelope] {
        defer { pending = [] }
        return pending
    }

    /// Takes a batch's end into the cursor that goes with it.
    ///
    /// - Parameter durable: The newest commit that the reactor has seen.
    func advance(to end: EncodedEnvelope, durable: Timetoken) {
        // A restarted daemon knows nothing of what is not stored: the cursor stays before it, but
        // at the newest commit. Who began to follow at that must not be set back.
        let before = end.timetoken.predecessor
        storedPosition = max(storedPosition, end.isStored ? end.timetoken : min(durable, before))
    }
}

/// Lanes whose windows are open, by the time at which they end.
struct OpenWindows {
    private typealias Window = (due: UInt64, lane: Lane)

    /// By length: all windows of one length end in the order in which they began.
    private var windows: [Int: Queue<Window>] = [:]

    /// When the first one ends; `nil` when none is open.
    var nextDue: UInt64? { windows.values.compactMap(\.first?.due).min() }

    mutating func open(_ lane: Lane, at now: UInt64) {
        lane.isWaiting = true
        let due = now + UInt64(lane.pace.milliseconds)
        windows[lane.pace.milliseconds, default: Queue()].append((due, lane))
    }

    /// The lanes whose windows are over.
    mutating func takeDue(at now: UInt64) -> [Lane] {
        var due: [Lane] = []
        for length in windows.keys {
            while let window = windows[length]?.popFirst(where: { $0.due <= now }) {
                due.append(window.lane)
            }
            if windows[length]?.isEmpty == true { windows[length] = nil }
        }
        for lane in due { lane.isWaiting = false }
        return due
    }
}
