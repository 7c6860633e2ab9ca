// The seam between the ledger and what it remembers. A new store is one file that conforms to this.

import EventModel

/// Where a ledger keeps things.
///
/// Confined to the ledger's thread. Every conformer must pass `StoreContract` in the tests.
///
/// Calls between ``begin()`` and ``commit(through:)`` are one transaction: they see each other,
/// readers see none of them before the commit, and all of them are gone after ``rollback()`` or a
/// crash.
protocol Store: AnyObject {
    /// Random, and made with the store: a replaced store has another.
    var epoch: String { get }
    /// The last timetoken that a commit was made through; ``Timetoken/zero`` in a new store.
    var last: Timetoken { get }

    func begin() throws(StoreError)
    /// Returns once the transaction is as durable as this store can make it.
    func commit(through last: Timetoken) throws(StoreError)
    func rollback()

    func insert(
        _ message: Message, at timetoken: Timetoken, in channel: Channel, by uuid: String
    ) throws(StoreError)

    /// Since when an action with this key stands; `nil` when none does.
    func standingAction(
        _ key: MessageAction.Key, in channel: Channel
    ) throws(StoreError) -> Timetoken?

    /// - Precondition: None stands with this key.
    func add(_ action: MessageAction, in channel: Channel) throws(StoreError)

    /// Leaves a tombstone that readers' ``StoreReader/changes(in:after:)`` reports.
    ///
    /// - Precondition: One stands with this key.
    func remove(
        _ key: MessageAction.Key, at timetoken: Timetoken, in channel: Channel
    ) throws(StoreError)

    func outcome(
        of mutation: String, by author: Author
    ) throws(StoreError) -> MutationRecord?

    func remember(
        _ record: MutationRecord, of mutation: String, by author: Author, at timetoken: Timetoken
    ) throws(StoreError)

    /// Forgets at most `limit` mutations that are older than `timetoken`.
    func forgetMutations(before timetoken: Timetoken, limit: Int) throws(StoreError)

    /// Makes a reader on the thread that will use it.
    ///
    /// A reader sees what was committed when each of its calls began.
    var makeReader: @Sendable () throws(StoreError) -> any StoreReader { get }
}

/// Reads a store's committed state.
///
/// Confined to the thread that made it.
protocol StoreReader: AnyObject {
    /// What changed in a channel after a position: each message once, each action key once as it
    /// stands.
    ///
    /// A removed action is reported even to a reader that never saw it added. The page ends early
    /// at ``Limits/catchUpEventsMax`` or ``Limits/catchUpBytesMax``.
    func changes(
        in channel: Channel, after cursor: Timetoken
    ) throws(StoreError) -> ChangePage

    func history(_ query: HistoryQuery, in channel: Channel) throws(StoreError) -> HistoryPage

    func actions(_ query: ActionsQuery, in channel: Channel) throws(StoreError) -> ActionsPage
}

/// Changes of one channel, in order.
struct ChangePage: Sendable, Hashable {
    /// Ascending by timetoken.
    var envelopes: [Envelope]
    /// The page holds every change up to here, and nothing after it.
    var through: Timetoken
    /// Whether `through` is the newest commit that the reader saw.
    var isComplete: Bool
}

/// What a mutation did, so that its retry can be answered alike.
struct MutationRecord: Sendable, Hashable {
    /// Tells one operation from another under a reused id.
    var fingerprint: UInt64
    var outcome: Outcome
}

/// What the ledger decided about a write; the raw values are stored: append, never renumber.
enum Outcome: Sendable, Hashable {
    case published(Timetoken)
    case added(Timetoken)
    case already(Timetoken)
    case removed
    case absent
    case stale

    /// The outcome as two numbers, for a table.
    var stored: (kind: Int64, timetoken: Timetoken) {
        switch self {
        case .published(let timetoken): (1, timetoken)
        case .added(let timetoken): (2, timetoken)
        case .already(let timetoken): (3, timetoken)
        case .removed: (4, .zero)
        case .absent: (5, .zero)
        case .stale: (6, .zero)
        }
    }

    init?(kind: Int64, timetoken: Timetoken) {
        switch kind {
        case 1: self = .published(timetoken)
        case 2: self = .added(timetoken)
        case 3: self = .already(timetoken)
        case 4: self = .removed
        case 5: self = .absent
        case 6: self = .stale
        default: return nil
        }
    }
}

/// A name for a new store: 64 random bits in hexadecimal.
func makeEpoch() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}

/// Why something could not be kept or read; always an operator's problem, never a client's.
enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    case cannotOpen(path: String, reason: String)
    case inUse(path: String)
    case newerSchema(path: String, version: Int64)
    /// The disk is full; the transaction left no trace and the store works on.
    case full
    /// The disk or the file failed. What was being committed may or may not be there.
    case broken(code: Int32, reason: String)

    var description: String {
        switch self {
        case .cannotOpen(let path, let reason):
            "Cannot open \(path): \(reason). Check that the directory exists and is writable "
                + "(--data-dir chooses another)."
        case .inUse(let path):
            "\(path) is in use by another daemon. Stop that one, or choose another --data-dir."
        case .newerSchema(let path, let version):
            "\(path) was written by a newer release (schema \(version)). Install that release."
        case .full:
            "The disk is full. Free some space: until then writes are refused, and nothing is lost."
        case .broken(let code, let reason):
            "The store failed: \(reason) (SQLite \(code)). Check the disk; the daemon stops here."
        }
    }
}
