// What a file's rows come to, computed from all of them.

import EventModel
import SQL

extension SQLiteSchema {
    /// Computes what the ledger keeps up to date from then on: each channel's segments, and their
    /// sum; channels without rows are left as they are.
    ///
    /// - Precondition: Nothing is hidden, and there are no segments.
    static func sumUp(
        _ connection: borrowing StoreConnection, _ secret: DigestSecret
    ) throws(StoreError) {
        var channels: [(id: Int64, channel: Channel)] = []
        try connection.prepare("SELECT id, name, keyset FROM channel").query { row in
            channels.append((row.integer(0), Channel(row.text(1), keyset: row.text(2))))
            return true
        }
        let messages = try connection.prepare(
            "SELECT timetoken, uuid, type FROM message WHERE channel = ? ORDER BY timetoken")
        let actions = try connection.prepare(
            """
            SELECT message, type, value, uuid, added, score FROM action
            WHERE channel = ? AND live = 1 ORDER BY message
            """)
        let insert = try connection.prepare(
            "INSERT INTO segment(channel, \(Segment.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)")
        for (id, channel) in channels {
            var sums = SegmentSums(secret.key(of: channel))
            try messages.query(.integer(id)) { row in
                let message = MessageRow(
                    timetoken: row.timetoken(0), uuid: row.text(1), type: row.optionalText(2))
                sums.append(message)
                return true
            }
            try actions.query(.integer(id)) { row in
                let key = MessageAction.Key(
                    messageTimetoken: row.timetoken(0), type: row.text(1), value: row.text(2),
                    uuid: row.text(3))
                sums.append(row.action(under: key, added: 4, score: 5))
                return true
            }
            guard sums.whole != .empty else { continue }
            let total = Segment(after: Segment.wholeAfter, digest: sums.whole)
            for segment in sums.segments + (sums.segments.count > 1 ? [total] : []) {
                let words = segment.digest.words
                try insert.run(
                    .integer(id), .timetoken(segment.after), .integer(Int64(segment.messageCount)),
                    .integer(segment.digest.count), .word(words.0), .word(words.1),
                    .word(segment.timetokens))
            }
        }
    }
}

/// Segments of rows that come in the order of their messages.
private struct SegmentSums {
    private(set) var segments = [Segment(after: .zero)]
    /// Their sum.
    private(set) var whole = Digest.empty
    private let key: DigestKey
    /// Where the next action may be.
    private var index = 0

    init(_ key: DigestKey) {
        self.key = key
    }

    /// - Precondition: It is later than those before, and there was no action yet.
    mutating func append(_ message: MessageRow) {
        if message.timetoken.beginsSegment(ofMessages: Limits.segmentMessages) {
            segments.append(Segment(after: message.timetoken.predecessor))
        }
        add(.message(message), to: segments.count - 1)
    }

    /// - Precondition: It is on the message of the one before, or on a later one.
    mutating func append(_ action: MessageAction) {
        while index + 1 < segments.count,
            segments[index + 1].after < action.key.messageTimetoken
        {
            index += 1
        }
        add(.action(action), to: index)
    }

    private mutating func add(_ row: CoveredRow, to index: Int) {
        let hash = row.hash(key)
        segments[index].insert(row, hash)
        whole.insert(hash)
    }
}
