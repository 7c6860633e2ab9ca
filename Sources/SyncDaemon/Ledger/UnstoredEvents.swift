// The newest events that no store keeps, for long polls that come a moment later or elsewhere.

import Basis
import EventModel

/// A short memory of what was announced, over all channels of all tenants.
///
/// A long poll sees events only while one is open: what happens between two polls, or before the
/// next one reaches another reactor, is found here. PubNub keeps such events for minutes too, and
/// drops the oldest silently.
///
/// When it is full, it forgets the oldest events of whoever has most: a tenant within an equal
/// share of it keeps what it has, but for one run, however many events others announce.
struct UnstoredEvents: Sendable {
    /// What orders tenants by what they keep; void unless its serial is the tenant's.
    private struct Entry: Comparable, Sendable {
        let byteCount: Int
        var serial: Int
        let keyset: ExactText

        static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.byteCount, lhs.serial) > (rhs.byteCount, rhs.serial)
        }
    }

    private struct Tenant: Sendable {
        var runs = UnstoredRuns()
        /// Its entry, which is renewed when it has grown by a run; serial 0: it has none.
        var listed = Entry(byteCount: 0, serial: 0, keyset: ExactText(""))
    }

    private var tenants: [ExactText: Tenant] = [:]
    /// Who has most is first.
    private var largest = Heap<Entry>()
    /// Each tenant once; the first is looked at next, for events that are too old.
    private var rounds = Queue<ExactText>()
    private var lastSerial = 0
    private(set) var byteCount = 0
    private let bytesMax: Int
    private let ticksMax: UInt64
    private let runLength: Int
    /// Bytes that are forgotten together.
    private let runBytes: Int

    /// - Parameters:
    ///   - bytesMax: Over it the oldest of who has most are forgotten.
    ///   - ticksMax: How long events are kept.
    ///   - runLength: Events that are forgotten together.
    init(
        bytesMax: Int = Limits.unstoredBytesMax, ticksMax: UInt64 = Limits.unstoredTicksKept,
        runLength: Int = 256
    ) {
        self.runLength = runLength
        self.bytesMax = bytesMax
        self.ticksMax = ticksMax
        runBytes = max(1, bytesMax / 512)
    }

    /// What a tenant announced, to be looked through without a lock.
    ///
    /// - Complexity: O(1).
    func runs(ofKeyset keyset: String) -> UnstoredRuns {
        tenants[ExactText(keyset)]?.runs ?? UnstoredRuns()
    }

    /// Adds the newest event; forgets some that are too old, and the oldest of who has most while
    /// there is too much.
    ///
    /// - Complexity: O(log tenants) amortised, and a list of runs where somebody holds it.
    mutating func append(_ event: Envelope) {
        let keyset = ExactText(event.channel.keyset)
        if tenants[keyset] == nil { rounds.append(keyset) }
        let size = event.bytesInMemory
        tenants[keyset, default: Tenant()].runs
            .append(event, of: size, runLength: runLength, runBytes: runBytes)
        byteCount += size
        if let tenant = tenants[keyset],
            tenant.runs.byteCount >= tenant.listed.byteCount + runBytes || tenant.listed.serial == 0
        {
            list(keyset)
        }
        while byteCount > bytesMax, let entry = largest.popFirst() {
            guard tenants[entry.keyset]?.listed.serial == entry.serial else { continue }
            forgetOldest(of: entry.keyset)
        }
        // Two for one that came: so all have their turns, however many they are.
        for _ in 0..<2 { forgetOld(beside: event) }
    }

    /// Forgets what is too old of the tenant whose turn it is.
    private mutating func forgetOld(beside newest: Envelope) {
        guard let keyset = rounds.popFirst() else { return }
        while let end = tenants[keyset]?.runs.endOfFirst,
            end.rawValue + ticksMax < newest.timetoken.rawValue
        {
            forgetOldest(of: keyset)
        }
        if tenants[keyset]?.runs.isEmpty ?? true {
            tenants[keyset] = nil
        } else {
            rounds.append(keyset)
        }
    }

    /// Forgets a tenant's oldest run; who has none goes when its turn comes.
    private mutating func forgetOldest(of keyset: ExactText) {
        byteCount -= tenants[keyset]?.runs.removeFirst() ?? 0
        list(keyset)
    }

    private mutating func list(_ keyset: ExactText) {
        guard let bytes = tenants[keyset]?.runs.byteCount, bytes > 0 else {
            tenants[keyset]?.listed.serial = 0
            return
        }
        lastSerial += 1
        let entry = Entry(byteCount: bytes, serial: lastSerial, keyset: keyset)
        tenants[keyset]?.listed = entry
        largest.insert(entry)
        // Void entries stay until they come first, unless they are most of it.
        guard largest.count > 2 * tenants.count + 1024 else { return }
        largest.keep { tenants[$0.keyset]?.listed.serial == $0.serial }
    }
}

/// What one tenant announced and what is not forgotten yet.
struct UnstoredRuns: Sendable {
    private struct Run: Sendable {
        var events: [Envelope] = []
        var byteCount = 0
    }

    /// Ascending: who looks through them holds the runs, and an append copies one at most.
    private var runs: [Run] = []
    private(set) var byteCount = 0

    var isEmpty: Bool { runs.isEmpty }

    /// The newest event of the oldest run.
    fileprivate var endOfFirst: Timetoken? { runs.first?.events.last?.timetoken }

    fileprivate mutating func append(
        _ event: Envelope, of size: Int, runLength: Int, runBytes: Int
    ) {
        let isFull = runs.last.map { $0.events.count >= runLength || $0.byteCount >= runBytes }
        if isFull ?? true { runs.append(Run()) }
        runs[runs.count - 1].events.append(event)
        runs[runs.count - 1].byteCount += size
        byteCount += size
    }

    /// - Returns: The bytes of what is forgotten.
    fileprivate mutating func removeFirst() -> Int {
        guard !runs.isEmpty else { return 0 }
        let bytes = runs.removeFirst().byteCount
        byteCount -= bytes
        return bytes
    }

    /// The oldest of those after a position that somebody wants, ascending.
    ///
    /// - Complexity: O(events after the position): not for whoever holds a lock.
    func events(
        after cursor: Timetoken, limit: Int, where isWanted: (Channel) -> Bool
    ) -> [Envelope] {
        var found: [Envelope] = []
        for run in runs where run.events.last.map({ $0.timetoken > cursor }) ?? false {
            for event in run.events where event.timetoken > cursor && isWanted(event.channel) {
                found.append(event)
                if found.count == limit { return found }
            }
        }
        return found
    }
}

extension Envelope {
    /// Bytes that it takes in an array of them.
    var bytesInMemory: Int {
        // Most runs are full: half as much again is free, not as much again.
        MemoryLayout<Self>.stride * 3 / 2 + HeapBytes.string(channel.name) + HeapBytes.string(uuid)
            + event.unstoredBytes
    }
}

extension Event {
    /// Bytes behind an event that is not stored.
    var unstoredBytes: Int {
        switch self {
        case .message(let message), .signal(let message):
            return [message.payload, message.meta ?? "", message.type ?? ""]
                .reduce(0) { $0 + HeapBytes.string($1) }
        case .presence(let notice):
            return HeapBytes.string(notice.userID ?? "") + HeapBytes.string(notice.state ?? "")
                + [notice.joined, notice.left, notice.timedOut].reduce(0) { bytes, users in
                    bytes + users.reduce(HeapBytes.array(users)) { $0 + HeapBytes.string($1) }
                }
        case .directory(let notice):
            return HeapBytes.string(notice.id) + HeapBytes.string(notice.entry?.content ?? "")
        case .actionAdded, .actionRemoved, .actionsCleared, .messagesDeleted: return 0
        }
    }
}
