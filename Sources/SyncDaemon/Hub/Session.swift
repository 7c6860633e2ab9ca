// One connection and what it follows. Confined to its reactor's thread.

import Basis
import EventModel

/// One connection, authenticated once it said `hello`.
final class Session {
    // First what each delivery looks at: it fits into one line of the processor's cache.
    let id: SessionID
    /// The socket is full: nothing is written before the transport says that it takes bytes again.
    var isBlocked = false
    /// Listed for the flush at the end of this turn.
    var isListedForFlush = false
    /// Being closed: nothing more is queued.
    var isClosing = false
    var queue = SendQueue()

    /// `nil` until `hello`.
    var author: Author?
    /// What it showed, and what that is worth: it is looked at again when the tenant's keys change.
    var token: String?
    var credential = Credential.unguarded
    /// Where its connection and its subscriptions are counted.
    var account: Account?
    /// What it named as its tenant's publish key.
    var publishKey: String?
    var subscriptions: [Channel: Subscription] = [:]
    /// `nil` before its first live query.
    var live: SessionQueries?
    /// The groups and wildcards that it follows.
    var selections: [Selection: FollowedSelection] = [:]
    /// A reader looks for the channels of one of these.
    var search: PageNumber?
    /// The channels that these brought, one of two counted twice.
    var selectedCount = 0
    /// Of these, those in which presence was told that the user is.
    var attended: Set<ExactText> = []
    /// Commands that wait for the ledger or a reader.
    var commandsInFlight = 0
    var bucket: TokenBucket
    /// Subscriptions that still have to be brought up to date, oldest wish first.
    var lagging = Queue<Subscription>()
    /// Its questions that no reader has yet, oldest first.
    var questions = Queue<ReadRequest>()
    /// Pages that readers are fetching for it.
    var pagesInFlight = 0
    /// Of these, the pages that others may wait for, too.
    var flights: [PageNumber] = []
    /// Ends with the session.
    let demand = Demand()
    /// When it must have taken everything that is queued: it was found to read too slowly.
    var mustReadBy: UInt64?
    /// Coded symbols that its subscriptions keep.
    var repairSymbolCount = 0

    init(id: SessionID, bucket: TokenBucket) {
        self.id = id
        self.bucket = bucket
    }

    func checkInvariants() {
        precondition(commandsInFlight >= 0, "No command is answered twice.")
        precondition(pagesInFlight >= 0, "No page lands twice.")
    }
}

/// A session's interest in one channel.
final class Subscription: Placed {
    enum State {
        /// Gets events as they come.
        case live
        /// Behind, and in its session's `lagging`: reads on when the session's queue is empty.
        case lagging
        /// Behind, and waiting for a reader's answer.
        case reading
        /// Gets nothing before its device is repaired.
        case held
        /// Taken back by the client, or its session is gone.
        case cancelled
    }

    /// Held as long as the session holds the subscription, which ends with the session: an
    /// `unowned` reference costs a delivery more than this one.
    let session: Session
    let topic: Topic
    /// Where it is in its topic; `nil` once it was taken out.
    var lane: Lane?
    /// How much its device is told of actions.
    var actions: ActionsDetail { lane?.pace.actions ?? .rows }
    /// Whether its device is sent no rows of actions.
    var hidesActions: Bool { actions != .rows }
    /// Names it in a reader's answer; one that was set back has another.
    private(set) var serial = 0
    /// Everything of the channel up to here has been queued for the session.
    var position: Timetoken
    /// Its device has the channel's rows as of here: a repair brought them.
    var rowsFrom = Timetoken.zero
    /// Its device holds no action that was removed before this, and no message that was deleted.
    var tombstonesFrom = Timetoken.zero
    /// What the pages have left out that it is reading.
    private(set) var unseen: Unseen?
    /// Whether it goes on without any selection that brings the channel.
    var isNamed = true
    /// Where the part of the channel starts that its device holds, and may miss changes of; zero:
    /// that is not known; `nil`: the device holds everything, or no rows.
    var window: Timetoken?
    /// From where on its device learns what is outside its window from what happens there.
    ///
    /// Pages leave that out, and only the last of them says what it comes to; before it: `.end`.
    var exactFrom = Timetoken.zero
    /// The last page that it got said nothing of the channel's state.
    var lacksState = false
    var state: State
    /// Before the first change that it alone is still to be told of by a summary, and how many
    /// answers that takes.
    private(set) var owed: (since: Timetoken, answers: Int)?
    /// In its lane's list.
    var place = 0
    /// What its device sent for a repair, while it is held.
    var repair: Repair?

    init(session: Session, topic: Topic, position: Timetoken, state: State) {
        self.session = session
        self.topic = topic
        self.position = position
        self.state = state
    }

    /// Where reading what it lacks starts.
    var start: ChangeStart {
        let rows = max(position, rowsFrom)
        // Who holds a part was perhaps brought it by a page since then.
        if rows == .zero, window == nil { return .ofNothing }
        return ChangeStart(
            messages: rows, deletions: max(rows, tombstonesFrom), actions: rows,
            tombstones: max(rows, tombstonesFrom))
    }

    /// It got a page, or what there was in memory.
    ///
    /// - Parameter unseen: What that and those before left out; `nil`: it has everything.
    func read(leavingOut unseen: Unseen?) { self.unseen = unseen }

    /// A reader is asked for summaries of what changed after a position.
    func owe(since position: Timetoken) {
        owed = (min(owed?.since ?? position, position), (owed?.answers ?? 0) + 1)
    }

    /// Summaries that it was owed were queued.
    func paid() {
        owed = owed.flatMap { $0.answers > 1 ? ($0.since, $0.answers - 1) : nil }
    }

    /// Goes back to before a batch that was dropped.
    ///
    /// - Returns: Whether it has to read on from there, and nothing has it do so yet.
    func setBack(to before: Timetoken) -> Bool {
        guard state != .cancelled else { return false }
        // What it was owed comes with what is read again.
        position = min(position, before, owed?.since ?? before)
        (owed, unseen) = (nil, nil)
        // The batch may have been the one that said it.
        lacksState = true
        // A page that is under way starts too late, and summaries that are would bring a cursor
        // ahead of the messages.
        serial += 1
        return state == .reading || state == .live
    }
}
