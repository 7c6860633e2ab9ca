// What the daemon counts. Each thread adds to counters that any thread may read.

import Synchronization

/// Numbers that only grow, except for the four that are levels.
///
/// Relaxed atomics: each number is right by itself, and nothing is decided from two of them.
final class Counters: Sendable {
    let turns = Durations(upTo: Durations.turns)
    /// Transactions of the ledger, the disk included.
    let commitTimes = Durations()
    /// Of these, what the disk took, or the database server.
    let syncTimes = Durations()
    /// From when a write is submitted to when it stands or is refused.
    let writeTimes = Durations()
    /// From a commit to when a reactor has given all of it to its sockets, or to their queues.
    let deliveryTimes = Durations()
    /// From a question to its answer, by what it is about.
    let readTimes = Dictionary(
        uniqueKeysWithValues: ReadKind.allCases.map { ($0, Durations()) })
    let sessions = Atomic<Int>(0)
    let subscriptions = Atomic<Int>(0)
    let liveQueries = Atomic<Int>(0)
    let polls = Atomic<Int>(0)
    let connectionsAccepted = Atomic<Int>(0)
    let connectionsShed = Atomic<Int>(0)
    let tlsHandshakes = Atomic<Int>(0)
    let tlsHandshakeFailures = Atomic<Int>(0)
    let requests = Atomic<Int>(0)
    let commands = Atomic<Int>(0)
    let commandErrors = Atomic<Int>(0)
    /// What commands of sessions were refused for, and requests as `http_404`; and with which codes
    /// sessions were closed.
    let errors = CodeCounts()
    let closes = CodeCounts()
    /// Devices whose rows were not the channel's.
    let mismatches = Atomic<Int>(0)
    let deliveries = Atomic<Int>(0)
    let framesWritten = Atomic<Int>(0)
    let bytesWritten = Atomic<Int>(0)
    let slowConsumersCollapsed = Atomic<Int>(0)
    let slowConsumersClosed = Atomic<Int>(0)
    let commits = Atomic<Int>(0)
    let writesCommitted = Atomic<Int>(0)
    let writesRefused = Atomic<Int>(0)
    let reads = Atomic<Int>(0)
    let readsRefused = Atomic<Int>(0)
    let readMicroseconds = Atomic<Int>(0)
    let dearReadMicroseconds = Atomic<Int>(0)
    let readErrors = Atomic<Int>(0)
    let storeDamage = Atomic<Int>(0)
    /// Bytes of the store's file that hold nothing.
    let storeFreeBytes = Atomic<Int>(0)
    /// Subscriptions to a part of a channel, and those whose device had to begin anew.
    let windows = Atomic<Int>(0)
    let windowsRenewed = Atomic<Int>(0)
    /// Questions for messages before a window, and for what is before it alone.
    let windowPages = Atomic<Int>(0)
    let windowChecks = Atomic<Int>(0)
    /// Devices whose rows were compared at once, and those whose segments were compared first.
    let repairs = Atomic<Int>(0)
    let segmentRepairs = Atomic<Int>(0)
    let policyRefusals = PolicyRefusals()
}

/// What the readers are asked, as operators see it.
enum ReadKind: String, CaseIterable, Sendable {
    case catchUp = "catch_up"
    case repair
    case window
    case poll
    case history
    case summary
    case other
}

extension Atomic where Value == Int {
    func add(_ amount: Int = 1) {
        add(amount, ordering: .relaxed)
    }

    var value: Int { load(ordering: .relaxed) }
}
