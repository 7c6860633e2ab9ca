// Pages of the actions that stand, without looking at more rows than a page is worth.

import EventModel
import SQLite

extension SQLiteReader {
    func actions(_ query: ActionsQuery, in channel: Channel) throws(StoreError) -> ActionsPage {
        try beginTransaction()
        defer { endTransaction() }
        guard let id = try id(of: channel) else { return ActionsPage(actions: [], next: nil) }
        if let message = query.messageTimetoken, try !isCrowded(message, in: id) {
            return try sorted(query, on: message, in: id)
        }
        return try walked(query, in: id)
    }

    /// Whether sorting a message's actions costs more than a page may.
    private func isCrowded(_ message: Timetoken, in channel: Int64) throws(StoreError) -> Bool {
        let limit = Int64(Limits.actionsExaminedMax)
        let count = try statements.countActionsOfMessage.first([
            .integer(channel), .timetoken(message), .integer(limit + 1),
        ]) { $0.integer(0) }
        return count ?? 0 > limit
    }

    /// Sorts the actions of one message.
    private func sorted(
        _ query: ActionsQuery, on message: Timetoken, in channel: Int64
    ) throws(StoreError) -> ActionsPage {
        var scan = ActionScan(for: query)
        // An action that stands has not changed since it was added.
        let hidden = hiddenEnd(ofActionsOn: message, in: channel)
        try statements.actionsOfMessage.query(
            .integer(channel), .timetoken(message), .timetoken(max(query.after ?? .zero, hidden)),
            .timetoken(query.before ?? .end), .optional(query.type), .optional(query.value),
            .optional(query.userID), .integer(query.fromNewest ? -1 : 1),
            .integer(Int64(query.limit + 1))
        ) { row in scan.look(at: row.timetoken(0), match: action(row, in: channel)) }
        try checkRows()
        return scan.page
    }

    /// Walks a channel in the order of its changes.
    private func walked(
        _ query: ActionsQuery, in channel: Int64
    ) throws(StoreError) -> ActionsPage {
        var scan = ActionScan(for: query)
        let after = SQLiteValue.timetoken(query.after ?? .zero)
        let before = SQLiteValue.timetoken(query.before ?? .end)
        let limit = SQLiteValue.integer(Int64(Limits.actionsExaminedMax + 1))
        let look: (borrowing SQLiteRow) -> Bool = { row in
            var match: MessageAction?
            if self.isLive(row), !self.isHidden(row, in: channel) {
                let action = self.action(row, in: channel)
                if query.matches(action.key) { match = action }
            }
            return scan.look(at: row.timetoken(0), match: match)
        }
        if query.fromNewest {
            try statements.actionsBackward.query(
                .integer(channel), after, before, limit, body: look)
        } else {
            try statements.actionsForward.query(
                .integer(channel), after, before, limit, body: look)
        }
        try checkRows()
        return scan.page
    }

    /// Adds the actions that stand, until there are more than a page may hold.
    func addActions(
        to messages: inout [StoredMessage], in channel: Int64, bytesMax: Int
    ) throws(StoreError) {
        var bytes = 0
        for index in messages.indices where bytes <= bytesMax {
            var actions: [MessageAction] = []
            var messageBytes = 0
            try statements.actionsOfMessage.query(
                .integer(channel), .timetoken(messages[index].timetoken), .integer(0),
                .timetoken(.end), .null, .null, .null, .integer(1),
                .integer(Int64(Limits.actionsPerHistoryMessageMax + 1))
            ) { row in
                actions.append(action(row, in: channel))
                messageBytes += actions[actions.count - 1].size
                return messageBytes <= Limits.pageBytesMax
            }
            try checkRows()
            messages[index].take(actions)
            bytes += messages[index].size
        }
    }
}
