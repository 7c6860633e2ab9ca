// Checksums of rows in the embedded store: how they are compared, and how old rows get theirs.

import EventModel
import SQL

extension DatabaseRow {
    /// An action under a key that is known, from the columns that have since when it stands, and
    /// what it counts for.
    func action(under key: MessageAction.Key, added: Int32, score: Int32) -> MessageAction {
        // An index's entry without its row has none.
        let found = optionalInteger(score).map { Int(truncatingIfNeeded: $0) }
        return MessageAction(key: key, actionTimetoken: timetoken(added), score: found ?? 1)
    }

    /// Whether a column holds the checksum of an action; one of an earlier release may have none
    /// yet.
    ///
    /// - Parameter removed: `nil`: it stands.
    func hasSum(
        _ column: Int32, of action: MessageAction, removed: Timetoken? = nil, in channel: Int64
    ) -> Bool {
        guard let sum = optionalInteger(column) else { return true }
        return sum == RowSum.action(action, removed: removed, in: channel)
    }
}

extension DatabaseRow {
    /// Whether the columns `timetoken`, `uuid`, `payload`, `meta`, `type`, `expires`, `sum` and
    /// `parent` are of one message; one of an earlier release may have no sum yet.
    func isSoundMessage(in channel: Int64) -> Bool {
        // An entry of an index without its row.
        guard optionalText(1) != nil else { return false }
        guard let sum = optionalInteger(6) else { return true }
        let message = Message(
            payload: text(2), meta: optionalText(3), type: optionalText(4),
            parent: optionalTimetoken(7))
        return sum
            == RowSum.message(
                message, at: timetoken(0), in: channel, by: text(1), expires: optionalTimetoken(5))
    }
}

extension StoreError {
    static func wrongSum(of key: MessageAction.Key, in path: String) -> StoreError {
        .damaged(
            path: path,
            reason: "the checksum of an action on message \(key.messageTimetoken) is wrong")
    }

    static func wrongSum(ofMutation timetoken: Timetoken, in path: String) -> StoreError {
        .damaged(path: path, reason: "the checksum of mutation \(timetoken) is wrong")
    }

    static func wrongSum(ofMessage timetoken: Timetoken, in path: String) -> StoreError {
        .damaged(path: path, reason: "the checksum of message \(timetoken) is wrong")
    }
}

extension SQLStore {
    /// Gives rows of earlier releases their checksums, in an open transaction.
    ///
    /// - Parameter limit: Rows of each table.
    func sumUpOldRows(limit: Int) throws(StoreError) {
        let messages = try sumUpOldMessages(limit: limit)
        let actions = try sumUpOldActions(limit: limit)
        hasRowsWithoutSum = messages || actions
    }

    static func hasRowsWithoutSum(
        _ connection: borrowing StoreConnection
    ) throws(StoreError) -> Bool {
        let count = try connection.prepare(
            """
            SELECT EXISTS (SELECT 1 FROM message INDEXED BY message_without_sum WHERE sum IS NULL)
            + EXISTS (SELECT 1 FROM action INDEXED BY action_without_sum WHERE sum IS NULL)
            """
        ).first { $0.integer(0) }
        return count ?? 0 > 0
    }

    private func sumUpOldMessages(limit: Int) throws(StoreError) -> Bool {
        var sums: [(timetoken: Timetoken, sum: Int64)] = []
        try connection.prepare(
            """
            SELECT timetoken, channel, uuid, payload, meta, type, expires, parent FROM message
            INDEXED BY message_without_sum WHERE sum IS NULL LIMIT ?
            """
        ).query(.integer(Int64(limit))) { row in
            let message = Message(
                payload: row.text(3), meta: row.optionalText(4), type: row.optionalText(5),
                parent: row.optionalTimetoken(7))
            let sum = RowSum.message(
                message, at: row.timetoken(0), in: row.integer(1), by: row.text(2),
                expires: row.optionalTimetoken(6))
            sums.append((row.timetoken(0), sum))
            return true
        }
        guard !sums.isEmpty else { return false }
        let put = try connection.prepare("UPDATE message SET sum = ? WHERE timetoken = ?")
        for (timetoken, sum) in sums { try put.run(.integer(sum), .timetoken(timetoken)) }
        return true
    }

    private func sumUpOldActions(limit: Int) throws(StoreError) -> Bool {
        var sums: [[SQLValue]] = []
        try connection.prepare(
            """
            SELECT channel, message, type, value, uuid, added, changed, live, score FROM action
            INDEXED BY action_without_sum WHERE sum IS NULL LIMIT ?
            """
        ).query(.integer(Int64(limit))) { row in
            let key = MessageAction.Key(
                messageTimetoken: row.timetoken(1), type: row.text(2), value: row.text(3),
                uuid: row.text(4))
            let sum = RowSum.action(
                row.action(under: key, added: 5, score: 8),
                removed: row.integer(7) == 1 ? nil : row.timetoken(6), in: row.integer(0))
            sums.append([
                .integer(sum), .integer(row.integer(0)), .integer(row.integer(1)),
                .text(row.text(2)), .text(row.text(3)), .text(row.text(4)),
            ])
            return true
        }
        guard !sums.isEmpty else { return false }
        let put = try connection.prepare(
            """
            UPDATE action SET sum = ? WHERE channel = ? AND message = ? AND type = ? AND value = ?
            AND uuid = ?
            """)
        for values in sums { try put.run(values) }
        return true
    }
}
