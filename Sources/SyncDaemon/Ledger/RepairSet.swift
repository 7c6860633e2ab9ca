// One channel's standing actions and their coded symbols, brought forward from commit to commit.

import EventModel

/// What is needed to compare a channel with any number of devices, without reading it again.
///
/// A re-added action leaves no trace of when it stood before, so symbols alone could not follow a
/// channel: the set remembers what each key added to them, in about 60 bytes.
struct RepairSet: Sendable {
    private struct Row {
        let message: Timetoken
        let added: Timetoken
        let hash: RowHash
    }

    /// The commit that the set is of.
    private(set) var cursor: Timetoken
    private let key: DigestKey
    /// By the hash of the action's key, which differs from process to process.
    ///
    /// Should two keys ever share one, the digest says so.
    private var rows: [Int: Row] = [:]
    private var digest = Digest.empty
    private var encoder: RatelessEncoder

    /// More deletions than this since the last commit are dearer than reading everything.
    private static let deletionsMax = 32
    /// Its place in the table included.
    private static let bytesPerRow = 56

    /// Reads a whole channel.
    init(_ snapshot: any ChannelSnapshot, key: DigestKey, symbolCount: Int) throws(StoreError) {
        self.key = key
        cursor = snapshot.cursor
        encoder = RatelessEncoder(0..<RepairSet.rounded(symbolCount))
        // No further than what is worth keeping: a damaged file may hold any number.
        let reservableMax = Int64(Limits.repairCacheBytesMax / RepairSet.bytesPerRow)
        rows.reserveCapacity(Int(max(0, min(snapshot.digest.count, reservableMax))))
        try snapshot.forEachAction { action in put(action.key, action.actionTimetoken) }
    }

    /// Whether the set is what the ledger says that it is.
    func matches(_ snapshot: any ChannelSnapshot) -> Bool {
        cursor == snapshot.cursor && digest == snapshot.digest
    }

    /// Takes over what changed since ``cursor``.
    ///
    /// Does not notice rows that were added and forgotten in between: ask ``matches(_:)``.
    mutating func advance(to snapshot: any ChannelSnapshot) throws(StoreError) {
        guard snapshot.cursor > cursor else { return }
        if digest != snapshot.digest {
            let deletions = try snapshot.deletions(after: cursor)
            guard deletions.count <= RepairSet.deletionsMax else { return }
            // Before the changes: what was added after a deletion stands.
            for range in deletions { removeAll(in: range) }
            try snapshot.forEachChange(after: cursor) { key, added in put(key, added) }
        }
        cursor = snapshot.cursor
    }

    /// The first symbols; they are kept, and as many again.
    mutating func symbols(_ count: Int) -> ArraySlice<CodedSymbol> {
        if encoder.range.upperBound < count {
            var next = RatelessEncoder(encoder.range.upperBound..<RepairSet.rounded(count))
            for row in rows.values { next.insert(item(row)) }
            do throws(RepairError) {
                try encoder.append(next)
            } catch {
                preconditionFailure("The symbols of one set are of two sets: \(error)")
            }
        }
        return encoder.symbols.prefix(count)
    }

    /// Bytes in memory, roughly.
    var bytes: Int { 4096 + rows.capacity * RepairSet.bytesPerRow + encoder.range.count * 24 }

    private mutating func put(_ key: MessageAction.Key, _ added: Timetoken?) {
        let index = key.hashValue
        if let old = rows.removeValue(forKey: index) { takeOut(old) }
        guard let added else { return }
        let action = MessageAction(key: key, actionTimetoken: added)
        let row = Row(
            message: key.messageTimetoken, added: added, hash: RowHash(action, key: self.key))
        rows[index] = row
        digest.insert(row.hash)
        encoder.insert(item(row))
    }

    private mutating func removeAll(in range: MessageRange) {
        for (index, row) in rows where range.contains(row.message) {
            rows[index] = nil
            takeOut(row)
        }
    }

    private mutating func takeOut(_ row: Row) {
        digest.remove(row.hash)
        encoder.remove(item(row))
    }

    private func item(_ row: Row) -> RepairItem {
        RepairItem(row.hash, actionTimetoken: row.added, key: key)
    }

    /// A power of two, so that asking for a few more each time does not read the set each time.
    private static func rounded(_ count: Int) -> Int {
        var rounded = 128
        while rounded < count { rounded *= 2 }
        return rounded
    }
}
