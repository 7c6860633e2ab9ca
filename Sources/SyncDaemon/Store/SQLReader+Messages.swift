// Messages that are there: pages of history, counts, and the walk that all queries share.

import EventModel
import SQL

extension SQLReader {
    func history(
        _ query: HistoryQuery, in channel: Channel, isDear: Bool
    ) throws(StoreError) -> HistoryPage? {
        budget = ActionBudget(isDear: isDear)
        try beginTransaction()
        defer { endTransaction() }
        guard let id = try id(of: channel) else { return HistoryPage(messages: [], next: nil) }
        var messages: [StoredMessage] = []
        var bytes = 0
        // One more than asked for tells whether there is a next page.
        try forEachMessage(
            in: id, after: query.after ?? .zero, before: query.before ?? .end,
            forward: query.goesForward, limit: query.limit + 1, parent: query.parent
        ) { message in
            messages.append(message)
            bytes += message.size
            return bytes <= query.bytesMax || messages.count == 1
        }
        if query.includesActions {
            try addActions(to: &messages, query.limit, in: id, bytesMax: query.bytesMax)
            guard !budget.isSpent else { return nil }
        }
        if query.includesVersions {
            try countReplies(to: &messages, in: id)
            try addVersions(to: &messages, in: id, bytesMax: query.bytesMax)
        }
        let hasMore = cut(&messages, to: query.limit, bytesMax: query.bytesMax, size: \.size)
        let next = hasMore ? messages.last?.timetoken : nil
        if !query.goesForward { messages.reverse() }
        return HistoryPage(messages: messages, next: next)
    }

    func messageCounts(
        _ positions: [(channel: Channel, after: Timetoken)]
    ) throws(StoreError) -> [Int] {
        try beginTransaction()
        defer { endTransaction() }
        var counts: [Int] = []
        for (channel, after) in positions {
            if let id = try id(of: channel) {
                counts.append(try count(in: id, after: after))
            } else {
                counts.append(0)
            }
        }
        return counts
    }

    private func count(in id: Int64, after cursor: Timetoken) throws(StoreError) -> Int {
        var count: Int64 = 0
        for part in hidden.visible(MessageRange(after: cursor, through: .end), in: id) {
            count +=
                try statements.countMessages.first([
                    .integer(id), .timetoken(part.after), .timetoken(part.through),
                    .integer(Int64(Limits.messageCountMax) - count),
                ]) { $0.integer(0) } ?? 0
        }
        return Int(count)
    }

    /// Calls `body` with up to `limit` messages between two positions, until it answers `false`.
    func forEachMessage(
        in id: Int64, after start: Timetoken, before end: Timetoken, forward: Bool, limit: Int,
        parent: Timetoken? = nil,
        body: (StoredMessage) -> Bool
    ) throws(StoreError) {
        let through = Timetoken(rawValue: end.rawValue - min(1, end.rawValue))
        let parts = hidden.visible(MessageRange(after: start, through: through), in: id)
        var left = limit
        var isWanted = true
        for part in forward ? parts : parts.reversed() where left > 0 && isWanted {
            let take: (borrowing DatabaseRow) -> Bool = { row in
                left -= 1
                isWanted = body(self.storedMessage(row, in: id))
                return isWanted
            }
            let (after, through) = (
                SQLValue.timetoken(part.after), SQLValue.timetoken(part.through)
            )
            let limit = SQLValue.integer(Int64(left))
            if let parent {
                try statements.groups.threads.query(
                    to: parent, in: id, part, limit: left, forward: forward, body: take)
            } else if forward && left == .max {
                try statements.allMessages.query(.integer(id), after, through, body: take)
            } else if forward {
                try statements.messagesForward.query(
                    .integer(id), after, through, limit, body: take)
            } else {
                try statements.messagesBackward.query(
                    .integer(id), after, through, limit, body: take)
            }
        }
        try checkRows()
    }
}
