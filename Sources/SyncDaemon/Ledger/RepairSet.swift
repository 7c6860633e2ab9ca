// One channel's rows and their coded symbols, brought forward from commit to commit.

import EventModel

/// What is needed to compare a channel with any number of devices, without reading it again.
///
/// A re-added action leaves no trace of when it stood before, so symbols alone could not follow a
/// channel: the set remembers what each key, and each message, added to them, in about 60 bytes.
struct RepairSet: Sendable {
    private struct Row {
        /// A message's own timetoken.
        let message: Timetoken
        /// The row's own timetoken.
        let added: Timetoken
        let hash: RowHash
    }

    /// The commit that the set is of.
    private(set) var cursor: Timetoken
    private let key: DigestKey
    /// By the hash of the action's key, or of the message's timetoken, which differs from process
    /// to process.
    ///
    /// Should two keys ever share one, the digest says so.
    private var rows: [Int: Row] = [:]
    private var digest = Digest.empty
    private var encoder: RatelessEncoder
    /// Symbols that are being made, and up to which row.
    private var growth: (next: RatelessEncoder, place: [Int: Row].Index)?

    /// Its place in the table included.
    private static let bytesPerRow = 56
    /// Rows between two looks at the clock.
    private static let rowsPerLook = 16

    /// A set without rows yet, which are to be those of a snapshot.
    init(of snapshot: any ChannelSnapshot, key: DigestKey, symbolCount: Int) {
        self.key = key
        cursor = snapshot.cursor
        encoder = RatelessEncoder(0..<RepairSet.rounded(symbolCount))
        // No further than what is worth keeping: a damaged file may hold any number.
        let reservableMax = Int64(Limits.repairRowsMax)
        rows.reserveCapacity(Int(max(0, min(snapshot.digest.count, reservableMax))))
    }

    /// Whether the set is what the ledger says that it is.
    func matches(_ snapshot: any ChannelSnapshot) -> Bool {
        cursor == snapshot.cursor && digest == snapshot.digest
    }

    /// Takes over what changed since ``cursor``.
    ///
    /// Does not notice rows that were added and forgotten in between: ask ``matches(_:)``. After a
    /// clearing it stays where it was, and has to be read again: a row does not say who it is of.
    mutating func advance(to snapshot: any ChannelSnapshot) throws(StoreError) {
        guard snapshot.cursor > cursor else { return }
        guard try snapshot.clearings(after: cursor).isEmpty else { return }
        if digest != snapshot.digest {
            // Before the changes: what was added after a deletion stands.
            removeAll(in: try snapshot.deletions(after: cursor))
            try snapshot.forEachChange(after: cursor) { key, action in
                put(key, action)
                return true
            }
            try snapshot.forEachMessage(after: cursor) { message in
                put(message.row)
                return true
            }
        }
        cursor = snapshot.cursor
    }

    /// Makes as many symbols, and as many again, in steps: the set must not change between them.
    ///
    /// - Returns: Whether they are there.
    mutating func grow(to count: Int, while mayGoOn: () -> Bool) -> Bool {
        guard encoder.range.upperBound < count else { return true }
        var (next, place) =
            growth ?? (
                RatelessEncoder(encoder.range.upperBound..<RepairSet.rounded(count)),
                rows.startIndex
            )
        growth = nil
        var looked = 0
        while place != rows.endIndex {
            next.insert(item(rows[place].value))
            rows.formIndex(after: &place)
            looked += 1
            guard looked % RepairSet.rowsPerLook != 0 || mayGoOn() else {
                growth = (next, place)
                return false
            }
        }
        do throws(RepairError) {
            try encoder.append(next)
        } catch {
            preconditionFailure("The symbols of one set are of two sets: \(error)")
        }
        return encoder.range.upperBound >= count
    }

    /// The first symbols.
    ///
    /// - Precondition: They were made.
    func symbols(_ count: Int) -> [CodedSymbol] { Array(encoder.symbols.prefix(count)) }

    /// Bytes in memory, roughly.
    var bytes: Int { 4096 + rows.capacity * RepairSet.bytesPerRow + encoder.range.count * 24 }

    /// Takes over what stands under a key, or that nothing does.
    mutating func put(_ key: MessageAction.Key, _ action: MessageAction?) {
        growth = nil
        let index = key.hashValue
        if let old = rows.removeValue(forKey: index) { takeOut(old) }
        guard let action else { return }
        put(
            Row(
                message: key.messageTimetoken, added: action.actionTimetoken,
                hash: RowHash(action, key: self.key)), at: index)
    }

    /// Takes over a message.
    mutating func put(_ message: MessageRow) {
        growth = nil
        let index = message.timetoken.hashValue
        if let old = rows.removeValue(forKey: index) { takeOut(old) }
        put(
            Row(
                message: message.timetoken, added: message.timetoken,
                hash: RowHash(message, key: key)), at: index)
    }

    private mutating func put(_ row: Row, at index: Int) {
        rows[index] = row
        digest.insert(row.hash)
        encoder.insert(item(row))
    }

    /// - Complexity: O(rows), however many ranges there are.
    private mutating func removeAll(in ranges: [MessageRange]) {
        let ranges = joined(ranges)
        guard !ranges.isEmpty else { return }
        growth = nil
        let gone = rows.filter { _, row in
            let place = ranges.partitioningIndex { $0.through >= row.message }
            return place < ranges.count && ranges[place].contains(row.message)
        }
        for (index, row) in gone {
            rows[index] = nil
            takeOut(row)
        }
    }

    private mutating func takeOut(_ row: Row) {
        digest.remove(row.hash)
        encoder.remove(item(row))
    }

    private func item(_ row: Row) -> RepairItem {
        RepairItem(row.hash, timetoken: row.added, key: key)
    }

    /// A power of two, so that asking for a few more each time does not read the set each time.
    private static func rounded(_ count: Int) -> Int {
        var rounded = 128
        while rounded < count { rounded *= 2 }
        return rounded
    }
}

/// The same messages in ranges that do not touch, ascending.
private func joined(_ ranges: [MessageRange]) -> [MessageRange] {
    var joined: [MessageRange] = []
    for range in ranges.sorted(by: { $0.after < $1.after }) where range.after < range.through {
        guard let last = joined.last, range.after <= last.through else {
            joined.append(range)
            continue
        }
        joined[joined.count - 1] = MessageRange(
            after: last.after, through: max(last.through, range.through))
    }
    return joined
}

extension Array {
    /// The first place from which on all match, by halving.
    fileprivate func partitioningIndex(where matches: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if matches(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
