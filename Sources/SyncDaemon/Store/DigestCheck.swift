// Whether the rows of a database come to the digests that it keeps.

import EventModel

/// Each channel's digest, computed from its rows, beside the one that is kept.
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
        let computed = try Self.computed(connection, names.mapValues { secret.key(of: $0) })
        for (id, digest) in kept where digest != computed[id] ?? .empty {
            let name = names[id].map { LogText.quoted($0.name) } ?? "?"
            difference = "the rows of the channel \(name) do not come to its digest"
        }
        channels = kept.count
    }

    private static func computed(
        _ connection: borrowing StoreConnection, _ keys: [Int64: DigestKey]
    ) throws(StoreError) -> [Int64: Digest] {
        var computed: [Int64: Digest] = [:]
        func insert(_ row: CoveredRow, _ channel: Int64) {
            // A row of no channel is in none's digest.
            guard let key = keys[channel] else { return }
            computed[channel, default: .empty].insert(row.hash(key))
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
