// The second level of a repair: the rows of the segments that differ, read in steps.

import EventModel

/// The symbols of the rows on some messages, while they are being made.
struct SegmentRows: Sendable {
    private var encoder: RatelessEncoder
    private var next = 0
    /// What the channel came to when reading began: while it still does, its rows are the same.
    private var digest: Digest?
    private var restarts = 0
    /// Rows that the device gets besides, as of ``fetchedFrom``.
    private(set) var fetched = RepairRows()
    private var fetchedFrom: Digest?
    /// After so many they are read at once.
    private static let restartsMax = 3

    init(symbolCount: Int) {
        encoder = RatelessEncoder(0..<symbolCount)
    }

    /// Looks for the rows that the device wants, and for those that it cannot have.
    ///
    /// - Returns: The timetokens of those that do not stand; `nil`: all are too long for an answer.
    mutating func fetch(
        _ difference: SegmentDifference, _ snapshot: any ChannelSnapshot, key: DigestKey
    ) throws(StoreError) -> [Timetoken]? {
        guard fetchedFrom != snapshot.digest else { return [] }
        fetched = RepairRows()
        // More may have changed since they were found to be few enough.
        guard
            try fetched.appendNews(
                since: difference.heardOf, through: difference.cursor, of: snapshot,
                limit: 2 * Limits.repairNewsMax),
            let missing = try fetched.fetch(difference.fetch, of: snapshot, key: key)
        else { return nil }
        if missing.isEmpty { fetchedFrom = snapshot.digest }
        return missing
    }

    /// Reads on.
    ///
    /// - Returns: The symbols, as of the snapshot; `nil` when there is more to read.
    mutating func step(
        _ difference: SegmentDifference, _ snapshot: any ChannelSnapshot, key: DigestKey,
        while mayGoOn: () -> Bool
    ) throws(StoreError) -> [CodedSymbol]? {
        if digest != snapshot.digest {
            if digest != nil { restarts += 1 }
            digest = snapshot.digest
            (encoder, next) = (RatelessEncoder(encoder.range), 0)
        }
        let ranges = difference.ranges
        while next < ranges.count {
            try insert(ranges[next], heardOf: difference.heardOf, of: snapshot, key)
            next += 1
            guard restarts > Self.restartsMax || next == ranges.count || mayGoOn() else {
                return nil
            }
        }
        return encoder.symbols
    }

    private mutating func insert(
        _ range: MessageRange, heardOf cursor: Timetoken, of snapshot: any ChannelSnapshot,
        _ key: DigestKey
    ) throws(StoreError) {
        var encoder = RatelessEncoder(0..<0)
        swap(&encoder, &self.encoder)
        defer { swap(&encoder, &self.encoder) }
        var items: [RepairItem] = []
        try snapshot.forEachCoveredRow(in: range) { row in
            guard row.timetoken <= cursor else { return }
            items.append(RepairItem(row.hash(key), timetoken: row.timetoken, key: key))
        }
        encoder.insert(items)
    }
}
