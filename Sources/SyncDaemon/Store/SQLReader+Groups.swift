// Pages of the actions on one message by what they say: the primary key has them in that order.

import EventModel
import SQL

/// What actions of a message say, and how many are stored that do.
private struct StoredGroup {
    let type: ExactText
    let value: ExactText
    let count: Int
}

extension SQLReader {
    /// A page in the order of types, values and users.
    func grouped(
        _ query: ActionsQuery, on message: Timetoken, in channel: Int64
    ) throws(StoreError) -> ActionsPage {
        var scan = ActionScan(for: query)
        var goesOn = true
        for group in try groups(of: query, on: message, in: channel) where goesOn {
            guard let users = query.users(in: group) else { continue }
            try forEachRow(of: group, users, query, on: message, in: channel) { user, action in
                let place = ActionsPlace.value(
                    type: group.type.string, value: group.value.string, userID: user)
                goesOn = budget.spend() && scan.look(at: place, match: action)
                return goesOn
            }
        }
        try checkRows()
        return scan.page
    }

    /// A page in the order of time, or of scores, of what few actions say, or few users; `nil` when
    /// they are too many to be sorted.
    func sortedGroups(
        _ query: ActionsQuery, on message: Timetoken, in channel: Int64
    ) throws(StoreError) -> ActionsPage? {
        guard !(query.types.isEmpty && query.values.isEmpty && query.userIDs.isEmpty) else {
            return nil
        }
        let groups = try groups(of: query, on: message, in: channel)
        let work =
            query.userIDs.isEmpty
            ? groups.reduce(0) { $0 + $1.count } : groups.count * query.userIDs.count
        guard work <= Limits.actionsExaminedMax else { return nil }
        let (lower, upper) = query.bounds
        func isBehind(_ action: MessageAction) -> Bool {
            query.reaches(query.place(of: action)) && action.actionTimetoken > lower
                && action.actionTimetoken < upper
        }
        var found: [MessageAction] = []
        var examined = 0
        for group in groups where examined <= Limits.actionsExaminedMax {
            let users = UserRange.all(descending: query.isDescending)
            try forEachRow(of: group, users, query, on: message, in: channel) { _, action in
                examined += 1
                if let action, isBehind(action) { found.append(action) }
                return budget.spend() && examined <= Limits.actionsExaminedMax
            }
        }
        try checkRows()
        // Removed ones are looked at, too.
        guard examined <= Limits.actionsExaminedMax, !budget.isSpent else { return nil }
        found.sort { query.precedes(query.place(of: $0), query.place(of: $1)) }
        var scan = ActionScan(for: query)
        for action in found {
            guard scan.look(at: query.place(of: action), match: action) else { break }
        }
        return scan.page
    }

    /// What is wanted of what the actions of a message say, in the order by value.
    ///
    /// - Complexity: O(n log n) for all n of them.
    private func groups(
        of query: ActionsQuery, on message: Timetoken, in channel: Int64
    ) throws(StoreError) -> [StoredGroup] {
        var groups: [StoredGroup] = []
        try statements.tally.values.query(.integer(channel), .timetoken(message)) { row in
            let (type, value) = (row.text(0), row.text(1))
            guard budget.spend() else { return false }
            guard query.wants(type: type, value: value) else { return true }
            groups.append(
                StoredGroup(
                    type: ExactText(type), value: ExactText(value),
                    count: row.actionTotals(from: 2).count))
            return true
        }
        return groups.sorted {
            (($0.type, $0.value) < ($1.type, $1.value)) != query.isDescending
        }
    }

    /// Calls `body` with each user in a group, in the order of the query, until it returns `false`;
    /// without an action where it does not stand any more.
    private func forEachRow(
        of group: StoredGroup, _ users: UserRange, _ query: ActionsQuery, on message: Timetoken,
        in channel: Int64, _ body: (String, MessageAction?) -> Bool
    ) throws(StoreError) {
        var goesOn = true
        func look(_ row: borrowing DatabaseRow) -> Bool {
            let stands = isLive(row) && !isHidden(row, in: channel)
            goesOn = body(row.text(4), stands ? action(row, in: channel) : nil)
            return goesOn
        }
        let (id, on) = (SQLValue.integer(channel), SQLValue.timetoken(message))
        let (type, value) = (
            SQLValue.text(group.type.string), SQLValue.text(group.value.string)
        )
        let limit = SQLValue.integer(Int64(Limits.actionsExaminedMax + 1))
        if !query.userIDs.isEmpty {
            for user in users.cut(query.userIDs) where goesOn && budget.spend() {
                try statements.groups.forward.query(
                    id, on, type, value, .text(user), .integer(1)
                ) { row in ExactText(row.text(4)) == ExactText(user) && look(row) }
            }
        } else if query.isDescending {
            try statements.groups.backward.query(
                id, on, type, value, .text(users.bound), limit, body: look)
        } else {
            try statements.groups.forward.query(
                id, on, type, value, .text(users.bound), limit, body: look)
        }
    }
}

/// The users of a group that come behind a place.
private struct UserRange {
    /// The first one that may come, or when descending the first one that may not.
    let bound: String
    let isDescending: Bool

    /// Behind every name: no text of this length is greater.
    private static let end = String(repeating: "\u{10FFFF}", count: 256)

    static func all(descending isDescending: Bool) -> UserRange {
        UserRange(bound: isDescending ? end : "", isDescending: isDescending)
    }

    static func behind(_ user: String, descending isDescending: Bool) -> UserRange {
        // No text is between one and the same with this behind it, for none holds a zero.
        UserRange(bound: isDescending ? user : user + "\u{1}", isDescending: isDescending)
    }

    /// Those of a list that are in the range, each once, in order.
    func cut(_ users: [String]) -> [String] {
        Set(users.map(ExactText.init))
            .filter { isDescending ? $0 < ExactText(bound) : $0 >= ExactText(bound) }
            .sorted { ($0 < $1) != isDescending }.map(\.string)
    }
}

extension ActionsQuery {
    /// Whose actions in a group come behind the query's place; `nil` when all came before.
    fileprivate func users(in group: StoredGroup) -> UserRange? {
        guard case .value(let type, let value, let user)? = after else {
            return .all(descending: isDescending)
        }
        let (there, place) = ((group.type, group.value), (ExactText(type), ExactText(value)))
        if there == place { return .behind(user, descending: isDescending) }
        return (place < there) != isDescending ? .all(descending: isDescending) : nil
    }
}

/// Actions of a message that say one thing, by their users.
final class SQLGroupStatements {
    let forward: StoreStatement
    let backward: StoreStatement
    let threads: SQLThreadStatements
    let scores: SQLScoreStatements
    let clearings: SQLClearingReadStatements

    /// - Parameter columns: Of an action, selected.
    init(
        _ connection: borrowing StoreConnection, _ columns: String
    ) throws(StoreError) {
        let group = """
            \(columns) WHERE channel = ? AND message = ? AND type = ? AND {value} = {?}
            """
        threads = try SQLThreadStatements(connection)
        scores = try SQLScoreStatements(connection)
        clearings = try SQLClearingReadStatements(connection)
        forward = try connection.prepare("\(group) AND uuid >= ? ORDER BY uuid LIMIT ?")
        backward = try connection.prepare("\(group) AND uuid < ? ORDER BY uuid DESC LIMIT ?")
    }
}
