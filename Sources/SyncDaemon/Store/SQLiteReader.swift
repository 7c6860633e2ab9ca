// Queries on a connection of their own: each call sees one committed state, and waits for no
// writer.

import EventModel

/// A reader of the embedded store, for one thread at a time.
///
/// (``StoreReader``).
final class SQLiteReader: StoreReader {
    // Statements first: they must go before the connection.
    private let begin: SQLiteStatement
    private let end: SQLiteStatement
    private let clock: SQLiteStatement
    private let findChannel: SQLiteStatement
    private let messagesAfter: SQLiteStatement
    private let messagesBefore: SQLiteStatement
    private let changedActions: SQLiteStatement
    private let actionsOfMessage: SQLiteStatement
    private let actionsOfChannel: SQLiteStatement
    private let connection: SQLiteConnection

    init(path: String) throws(StoreError) {
        connection = try SQLiteConnection(path: path)
        try connection.execute("PRAGMA query_only=1")
        try connection.execute("PRAGMA mmap_size=0")
        begin = try connection.prepare("BEGIN")
        end = try connection.prepare("COMMIT")
        clock = try connection.prepare("SELECT last FROM clock")
        findChannel = try connection.prepare("SELECT id FROM channel WHERE keyset = ? AND name = ?")
        let messageColumns = "SELECT timetoken, uuid, payload, meta, type FROM message"
        messagesAfter = try connection.prepare(
            "\(messageColumns) WHERE channel = ? AND timetoken > ? ORDER BY timetoken LIMIT ?")
        messagesBefore = try connection.prepare(
            """
            \(messageColumns) WHERE channel = ?1 AND timetoken < ?2 AND timetoken > ?3
            ORDER BY timetoken DESC LIMIT ?4
            """)
        changedActions = try connection.prepare(
            """
            SELECT changed, message, type, value, uuid, added, live FROM action
            WHERE channel = ? AND changed > ? ORDER BY changed LIMIT ?
            """)
        let filter = """
            live = 1 AND (?3 IS NULL OR type = ?3) AND (?4 IS NULL OR value = ?4)
            AND (?5 IS NULL OR uuid = ?5)
            """
        let actionColumns = "SELECT changed, message, type, value, uuid, added, live FROM action"
        actionsOfChannel = try connection.prepare(
            """
            \(actionColumns) WHERE channel = ?1 AND \(filter) AND changed > ?2
            ORDER BY changed LIMIT ?6
            """)
        // The plus signs keep SQLite from walking the whole channel in the order of its changes.
        actionsOfMessage = try connection.prepare(
            """
            \(actionColumns) WHERE channel = ?1 AND message = ?7 AND \(filter) AND +changed > ?2
            ORDER BY +changed LIMIT ?6
            """)
    }

    func changes(in channel: Channel, after cursor: Timetoken) throws(StoreError) -> ChangePage {
        try begin.run()
        defer { endTransaction() }
        let last = try clock.first([]) { $0.timetoken(0) } ?? .zero
        guard let id = try id(of: channel) else {
            return ChangePage(envelopes: [], through: last, isComplete: true)
        }
        let limit = Limits.catchUpEventsMax
        var messageBudget = PageBudget()
        var messages: [Envelope] = []
        try messagesAfter.query(.integer(id), .timetoken(cursor), .integer(Int64(limit))) { row in
            let stored = storedMessage(row)
            messages.append(stored.envelope(in: channel))
            return messageBudget.spend(stored.size)
        }
        var actionBudget = PageBudget()
        var actions: [Envelope] = []
        try changedActions.query(.integer(id), .timetoken(cursor), .integer(Int64(limit))) { row in
            let action = action(row)
            actions.append(
                Envelope(
                    channel: channel, timetoken: row.timetoken(0), uuid: action.key.uuid,
                    event: row.integer(6) == 1 ? .actionAdded(action) : .actionRemoved(action)))
            return actionBudget.spend(action.size)
        }
        return merge(
            messages, isCut: messageBudget.isSpent || messages.count == limit,
            with: actions, isCut: actionBudget.isSpent || actions.count == limit, last: last)
    }

    func history(_ query: HistoryQuery, in channel: Channel) throws(StoreError) -> HistoryPage {
        try begin.run()
        defer { endTransaction() }
        guard let id = try id(of: channel) else { return HistoryPage(messages: [], next: nil) }
        let goesForward = query.after != nil && query.before == nil
        // One more than asked for tells whether there is a next page.
        let limit = SQLiteValue.integer(Int64(query.limit + 1))
        var messages: [StoredMessage] = []
        if goesForward {
            try messagesAfter.query(.integer(id), .optional(query.after), limit) { row in
                messages.append(storedMessage(row))
                return true
            }
        } else {
            let before = query.before ?? Timetoken(rawValue: UInt64(Int64.max))
            try messagesBefore.query(
                .integer(id), .timetoken(before), .timetoken(query.after ?? .zero), limit
            ) { row in
                messages.append(storedMessage(row))
                return true
            }
        }
        if query.includesActions { try addActions(to: &messages, in: id) }
        let hasMore = cut(&messages, to: query.limit, size: \.size)
        let next = hasMore ? messages.last?.timetoken : nil
        if !goesForward { messages.reverse() }
        return HistoryPage(messages: messages, next: next)
    }

    func actions(_ query: ActionsQuery, in channel: Channel) throws(StoreError) -> ActionsPage {
        try begin.run()
        defer { endTransaction() }
        guard let id = try id(of: channel) else { return ActionsPage(actions: [], next: nil) }
        var actions: [MessageAction] = []
        let after = SQLiteValue.timetoken(query.after ?? .zero)
        let limit = SQLiteValue.integer(Int64(query.limit + 1))
        let take: (borrowing SQLiteRow) -> Bool = { row in
            actions.append(self.action(row))
            return true
        }
        if let message = query.messageTimetoken {
            try actionsOfMessage.query(
                .integer(id), after, .optional(query.type), .optional(query.value),
                .optional(query.userID), limit, .timetoken(message), body: take)
        } else {
            try actionsOfChannel.query(
                .integer(id), after, .optional(query.type), .optional(query.value),
                .optional(query.userID), limit, body: take)
        }
        let hasMore = cut(&actions, to: query.limit, size: \.size)
        return ActionsPage(
            actions: actions, next: hasMore ? actions.last?.actionTimetoken : nil)
    }

    /// Adds the actions that stand, until there are more than a page may hold.
    private func addActions(
        to messages: inout [StoredMessage], in channel: Int64
    ) throws(StoreError) {
        var bytes = 0
        for index in messages.indices where bytes <= Limits.pageBytesMax {
            var actions: [MessageAction] = []
            var messageBytes = 0
            try actionsOfMessage.query(
                .integer(channel), .integer(0), .null, .null, .null,
                .integer(Int64(Limits.actionsPerHistoryMessageMax)),
                .timetoken(messages[index].timetoken)
            ) { row in
                actions.append(action(row))
                messageBytes += actions[actions.count - 1].size
                return messageBytes <= Limits.pageBytesMax
            }
            _ = cut(&actions, to: Limits.actionsPerHistoryMessageMax, size: \.size)
            messages[index].actions = actions
            bytes += messages[index].size
        }
    }

    private func id(of channel: Channel) throws(StoreError) -> Int64? {
        try findChannel.first([.text(channel.keyset), .text(channel.name)]) { $0.integer(0) }
    }

    private func endTransaction() {
        // Ending a read cannot fail in a way that matters: the next `begin` would say so.
        _ = try? end.run()
    }

    private func storedMessage(_ row: borrowing SQLiteRow) -> StoredMessage {
        StoredMessage(
            timetoken: row.timetoken(0), uuid: row.text(1),
            message: Message(
                payload: row.text(2), meta: row.optionalText(3), type: row.optionalText(4)))
    }

    private func action(_ row: borrowing SQLiteRow) -> MessageAction {
        MessageAction(
            key: MessageAction.Key(
                messageTimetoken: row.timetoken(1), type: row.text(2), value: row.text(3),
                uuid: row.text(4)),
            actionTimetoken: row.timetoken(5))
    }
}
