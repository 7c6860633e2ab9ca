// Pages of the actions that stand, without looking at more rows than a page is worth.

import EventModel
import SQL

extension SQLReader {
    func datedActions(
        _ query: ActionsQuery, in channel: Channel, isDear: Bool
    ) throws(StoreError) -> (page: ActionsPage, asOf: Timetoken)? {
        budget = ActionBudget(isDear: isDear)
        try beginTransaction()
        defer { endTransaction() }
        let page = try page(query, in: channel)
        return budget.isSpent ? nil : (page, try last())
    }

    private func page(
        _ query: ActionsQuery, in channel: Channel
    ) throws(StoreError) -> ActionsPage {
        guard let id = try id(of: channel) else { return ActionsPage(actions: [], next: nil) }
        guard let message = query.messageTimetoken else { return try walked(query, in: id) }
        if query.order == .value { return try grouped(query, on: message, in: id) }
        if let count = try sortable(message, in: id) {
            // All of them are read before the first one comes.
            guard budget.isEnough(for: count) else { return ActionsPage(actions: [], next: nil) }
            return try sorted(query, on: message, in: id)
        }
        // What many say is found soon by looking at all; what few say is sorted.
        if let page = try sortedGroups(query, on: message, in: id) { return page }
        return query.order == .score
            ? try scored(query, on: message, in: id) : try walked(query, in: id)
    }

    /// How many actions are on a message, removed ones too; `nil` when to sort them costs more than
    /// a page may.
    private func sortable(_ message: Timetoken, in channel: Int64) throws(StoreError) -> Int? {
        let limit = Limits.actionsExaminedMax
        // What stands is counted already: to count 20,000 rows takes as long as to send 200.
        let standing = try statements.tally.sum.first([.integer(channel), .timetoken(message)]) {
            $0.integer(0)
        }
        if let standing, standing > limit { return nil }
        let count = try count(on: message, in: channel, upTo: limit + 1)
        return count > limit ? nil : count
    }

    private func count(
        on message: Timetoken, in channel: Int64, upTo limit: Int
    ) throws(StoreError) -> Int {
        let count = try statements.countActionsOfMessage.first([
            .integer(channel), .timetoken(message), .integer(Int64(limit)),
        ]) { $0.integer(0) }
        return Int(count ?? 0)
    }

    /// Sorts the actions of one message.
    private func sorted(
        _ query: ActionsQuery, on message: Timetoken, in channel: Int64
    ) throws(StoreError) -> ActionsPage {
        var scan = ActionScan(for: query)
        let (lower, upper) = query.bounds
        // An action that stands has not changed since it was added.
        let hidden = hiddenEnd(ofActionsOn: message, in: channel)
        try statements.actionsOfMessage.query(
            .integer(channel), .timetoken(message), .timetoken(max(lower, hidden)),
            .timetoken(upper), .integer(query.order == .score ? 1 : 0),
            .integer(query.isDescending ? -1 : 1)
        ) { row in
            let action = action(row, in: channel)
            let place = query.place(of: action)
            // Times are bounds in their own order only.
            guard query.reaches(place) else { return true }
            let isWanted = query.matches(action.key) && !isHidden(row, in: channel)
            return budget.spend() && scan.look(at: place, match: isWanted ? action : nil)
        }
        try checkRows()
        return scan.page
    }

    /// Walks a channel in the order of its changes.
    private func walked(
        _ query: ActionsQuery, in channel: Int64
    ) throws(StoreError) -> ActionsPage {
        var scan = ActionScan(for: query)
        let (lower, upper) = query.bounds
        let limit = SQLValue.integer(Int64(Limits.actionsExaminedMax + 1))
        let look: (borrowing DatabaseRow) -> Bool = { row in
            var match: MessageAction?
            if self.isLive(row), !self.isHidden(row, in: channel) {
                let action = self.action(row, in: channel)
                if query.matches(action.key) { match = action }
            }
            return self.budget.spend()
                && scan.look(at: .time(row.timetoken(0)), match: match)
        }
        let (lowest, highest) = (SQLValue.timetoken(lower), SQLValue.timetoken(upper))
        if query.isDescending {
            try statements.actionsBackward.query(
                .integer(channel), lowest, highest, limit, body: look)
        } else {
            try statements.actionsForward.query(
                .integer(channel), lowest, highest, limit, body: look)
        }
        try checkRows()
        return scan.page
    }

    /// Adds what stands to the first messages, until there is more than a page may hold.
    func addActions(
        to messages: inout [StoredMessage], _ limit: Int, in channel: Int64, bytesMax: Int
    ) throws(StoreError) {
        var bytes = 0
        for index in messages.indices.prefix(limit) where bytes <= bytesMax {
            // All of a message's are sorted before the oldest one comes.
            if budget.isLimited {
                let count = try count(
                    on: messages[index].timetoken, in: channel, upTo: Limits.cheapActionsMax + 1)
                budget.spend(count)
                guard !budget.isSpent else { return }
            }
            var actions: [MessageAction] = []
            var messageBytes = 0
            try statements.actionsOfMessage.query(
                .integer(channel), .timetoken(messages[index].timetoken), .integer(0),
                .timetoken(.end), .integer(0), .integer(1)
            ) { row in
                guard !isHidden(row, in: channel) else { return true }
                actions.append(action(row, in: channel))
                messageBytes += actions[actions.count - 1].size
                return messageBytes <= Limits.pageBytesMax
                    && actions.count <= Limits.actionsPerHistoryMessageMax
            }
            try checkRows()
            messages[index].take(actions)
            bytes += messages[index].size
        }
    }
}

/// Rows of actions that a page may have read; when they are spent it comes to nothing.
struct ActionBudget {
    /// `nil`: as many as there are.
    private var left: Int?

    init(isDear: Bool) { left = isDear ? nil : Limits.cheapActionsMax }

    var isLimited: Bool { left != nil }
    var isSpent: Bool { left.map { $0 < 0 } ?? false }

    /// - Returns: Whether there was room for them.
    @discardableResult
    mutating func spend(_ rows: Int = 1) -> Bool {
        guard let left else { return true }
        self.left = left - rows
        return left >= rows
    }

    /// Spends everything where it is not.
    mutating func isEnough(for rows: Int) -> Bool {
        guard let left, left < rows else { return true }
        self.left = -1
        return false
    }
}
