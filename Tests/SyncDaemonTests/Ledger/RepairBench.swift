// A device that differs from the server, and how often the server reads to mend it.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// A reader that counts how often a whole channel is read.
final class CountingReader: SnapshotSource {
    /// Shared by the readers of several threads.
    let wholeReads: Locked<Int>
    private let base: any SnapshotSource

    init(_ base: any SnapshotSource, wholeReads: Locked<Int> = Locked(0)) {
        self.base = base
        self.wholeReads = wholeReads
    }

    private struct Snapshot: ChannelSnapshot {
        let base: any ChannelSnapshot
        let wholeReads: Locked<Int>

        var cursor: Timetoken { base.cursor }
        var digest: Digest { base.digest }
        var hidesRows: Bool { base.hidesRows }

        func forEachKey(
            behind key: MessageAction.Key?, _ body: (MessageAction.Key, MessageAction?) -> Bool
        ) throws(StoreError) {
            if key == nil { wholeReads.withLock { $0 += 1 } }
            try base.forEachKey(behind: key, body)
        }

        func forEachMessage(
            after timetoken: Timetoken, _ body: (StoredMessage) -> Bool
        ) throws(StoreError) {
            try base.forEachMessage(after: timetoken, body)
        }

        func message(at timetoken: Timetoken) throws(StoreError) -> StoredMessage? {
            try base.message(at: timetoken)
        }

        func newestPlace(in range: MessageRange) throws(StoreError) -> Timetoken? {
            try base.newestPlace(in: range)
        }

        func forEachSegment(
            before timetoken: Timetoken, _ body: (Segment) -> Bool
        ) throws(StoreError) {
            try base.forEachSegment(before: timetoken, body)
        }

        func deletions(after cursor: Timetoken) throws(StoreError) -> [MessageRange] {
            try base.deletions(after: cursor)
        }

        func clearings(after cursor: Timetoken) throws(StoreError) -> [Clearing] {
            try base.clearings(after: cursor)
        }

        func forEachChange(
            after cursor: Timetoken, _ body: (MessageAction.Key, MessageAction?) -> Bool
        ) throws(StoreError) {
            try base.forEachChange(after: cursor, body)
        }

        func changes(
            after cursor: Timetoken, limit: Int
        ) throws(StoreError) -> [MessageAction.Key: MessageAction?]? {
            try base.changes(after: cursor, limit: limit)
        }

        func totals(on message: Timetoken) throws(StoreError) -> [ActionName: ActionTotals] {
            try base.totals(on: message)
        }

        func versions(
            of message: Timetoken, limit: Int
        ) throws(StoreError) -> [MessageAction] {
            try base.versions(of: message, limit: limit)
        }

        func action(addedAt timetoken: Timetoken) throws(StoreError) -> MessageAction? {
            try base.action(addedAt: timetoken)
        }
    }

    func withSnapshot<Result>(
        of channel: Channel, _ body: (any ChannelSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try base.withSnapshot(of: channel) { snapshot throws(StoreError) in
            try body(Snapshot(base: snapshot, wholeReads: wholeReads))
        }
    }
}

/// A device's rows of one channel, which need not be anything like the server's.
struct RepairingDevice {
    var rows: Set<MessageAction>
    var messages: Set<MessageRow> = []
    let key: DigestKey

    init(rows: Set<MessageAction>, key: DigestKey) {
        self.rows = rows
        self.key = key
    }

    init(_ all: Set<CoveredRow>, key: DigestKey) {
        self.init(rows: [], key: key)
        for row in all {
            switch row {
            case .action(let action): rows.insert(action)
            case .message(let message): messages.insert(message)
            }
        }
    }

    var all: Set<CoveredRow> {
        Set(rows.map { .action($0) }).union(messages.map { .message($0) })
    }

    /// Its first symbols.
    func symbols(_ count: Int) -> SymbolRun {
        var encoder = RatelessEncoder(0..<count)
        for row in rows { encoder.insert(RepairItem(row, key: key)) }
        for message in messages { encoder.insert(RepairItem(message, key: key)) }
        return encoder.run(0..<count)
    }

    var digest: Digest {
        var digest = Digest.empty
        for row in rows { digest.insert(row, key: key) }
        for message in messages { digest.insert(message, key: key) }
        return digest
    }

    /// Asks until it is repaired.
    ///
    /// - Returns: What the server said at last.
    mutating func repair(
        _ channel: Channel, with cache: RepairCache, from reader: any SnapshotSource,
        looks: Int = .max
    ) throws -> RepairOutcome {
        var count = 32
        while true {
            let outcome = try cache.outcome(
                of: symbols(count), in: channel, from: reader, looks: looks)
            switch outcome {
            case .needs(let more):
                #expect(more > count, "asking must end")
                count = max(more, count + 1)
            case .repaired(let repaired):
                apply(repaired)
                return outcome
            case .snapshot, .segments, .missing, .whole:
                return outcome
            }
        }
    }

    mutating func apply(_ repaired: RepairedChannel) {
        // What encodes them on the wire insists on this.
        #expect(repaired.drop == Array(Set(repaired.drop)).sorted())
        #expect(Set(repaired.rows.map(\.actionTimetoken)).count == repaired.rows.count)
        let sent = repaired.messages.map(\.timetoken)
        #expect(sent == Array(Set(sent)).sorted())
        let drop = Set(repaired.drop)
        rows = rows.filter { !drop.contains($0.actionTimetoken) }.union(repaired.rows)
        messages = messages.filter { !drop.contains($0.timetoken) }
            .union(repaired.messages.map(\.row))
    }
}
