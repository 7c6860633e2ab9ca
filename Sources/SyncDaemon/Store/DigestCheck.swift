// Whether the rows of a database come to the digests that it keeps.

import EventModel

/// Each channel's digest and those of its segments, computed from its rows, beside what is kept.
struct DigestCheck {
    /// What differs; `nil`: nothing does.
    private(set) var difference: String?
    private(set) var channels = 0

    /// Reads all rows.
    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        guard let secret = try SQLiteSchema.secret(connection) else {
            difference = "the secret cannot be read"
            return
        }
        var kept: [Int64: Digest] = [:]
        var names: [Int64: Channel] = [:]
        try connection.prepareScan(
            "SELECT id, keyset, name, \(Segment.wholeColumns) FROM channel \(Segment.joinWhole)"
        ).query { row in
            let words = (UInt64(bitPattern: row.integer(4)), UInt64(bitPattern: row.integer(5)))
            kept[row.integer(0)] = Digest(count: row.integer(3), words: words)
            names[row.integer(0)] = Channel(row.text(2), keyset: row.text(1))
            return true
        }
        let parts = try Self.parts(connection)
        let computed = try Self.computed(
            connection, names.mapValues { secret.key(of: $0) },
            parts.mapValues { $0.map { Segment(after: $0.after) } })
        for (id, digest) in kept {
            let name = names[id].map { LogText.quoted($0.name) } ?? "?"
            if computed.parts[id] ?? [] != parts[id] ?? [] {
                difference = "the rows of the channel \(name) do not come to what its segments are"
            }
            if digest != computed.wholes[id] ?? .empty {
                difference = "the rows of the channel \(name) do not come to its digest"
            }
        }
        if computed.strays > 0 { difference = "\(computed.strays) rows are in no channel" }
        channels = kept.count
    }

    /// What rows come to.
    private struct Computed {
        var wholes: [Int64: Digest] = [:]
        var parts: [Int64: [Segment]]
        /// Those whose channel is none.
        var strays = 0
    }

    /// What is kept of the segments of each channel, the oldest first.
    private static func parts(
        _ connection: borrowing StoreConnection
    ) throws(StoreError) -> [Int64: [Segment]] {
        var parts: [Int64: [Segment]] = [:]
        try connection.prepareScan(
            """
            SELECT \(Segment.columns), channel FROM segment
            WHERE after < \(Segment.wholeAfter) ORDER BY channel, after
            """
        ).query { row in
            parts[row.integer(6), default: []].append(Segment(row))
            return true
        }
        return parts
    }

    /// - Parameter parts: Segments with nothing in them yet, the oldest first.
    private static func computed(
        _ connection: borrowing StoreConnection, _ keys: [Int64: DigestKey],
        _ parts: [Int64: [Segment]]
    ) throws(StoreError) -> Computed {
        var computed = Computed(parts: parts)
        func insert(_ row: CoveredRow, _ channel: Int64) {
            guard let key = keys[channel] else { return computed.strays += 1 }
            let hash = row.hash(key)
            computed.wholes[channel, default: .empty].insert(hash)
            // (One that is before all segments is missing in the sum of the first.)
            guard let index = computed.parts[channel]?.index(of: row.message) else { return }
            computed.parts[channel]?[index].insert(row, hash)
        }
        // What is hidden is in no digest.
        try connection.prepareScan(
            """
            SELECT channel, timetoken, uuid, type FROM message
            WHERE NOT \(SQLiteSchema.isHiddenMessage)
            """
        ).query { row in
            let message = MessageRow(
                timetoken: row.timetoken(1), uuid: row.text(2), type: row.optionalText(3))
            insert(.message(message), row.integer(0))
            return true
        }
        try connection.prepareScan(
            """
            SELECT channel, message, type, value, uuid, added, score FROM action
            WHERE live = 1 AND NOT \(SQLiteSchema.isHiddenAction)
            AND NOT \(SQLiteSchema.isHiddenByClearing)
            """
        ).query { row in
            let key = MessageAction.Key(
                messageTimetoken: row.timetoken(1), type: row.text(2), value: row.text(3),
                uuid: row.text(4))
            insert(.action(row.action(under: key, added: 5, score: 6)), row.integer(0))
            return true
        }
        return computed
    }
}

extension [Segment] {
    /// Which one a message's timetoken is in, of those that begin one after the other.
    fileprivate func index(of message: Timetoken) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].after < message { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }
}
