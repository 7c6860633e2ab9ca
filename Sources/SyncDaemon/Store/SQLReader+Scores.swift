// Pages of the actions on one message by what they count for.

import EventModel
import SQL

extension SQLiteSchema {
    /// - `action_score`: what stands and counts for something else than 1, which costs an add that
    ///   names no score nothing.
    static let scoreOrder = """
        CREATE INDEX action_score ON action(channel, message, score, added)
        WHERE live = 1 AND score <> 1;
        """
}

extension SQLReader {
    /// A page in the order of scores of a message that has more actions than can be sorted.
    ///
    /// Those that count for 1 are found in the order of the channel's changes, the others in their
    /// index.
    func scored(
        _ query: ActionsQuery, on message: Timetoken, in channel: Int64
    ) throws(StoreError) -> ActionsPage {
        var scan = ActionScan(for: query)
        var isOver = false
        for part in query.isDescending ? [ScorePart.others, .ones] : [.ones, .others] {
            guard !isOver, let bounds = part.bounds(of: query) else { continue }
            let look: (borrowing DatabaseRow) -> Bool = { row in
                var match: MessageAction?
                if self.isLive(row), !self.isHidden(row, in: channel) {
                    let action = self.action(row, in: channel)
                    if query.matches(action.key), (action.score == 1) == (part == .ones) {
                        match = action
                    }
                }
                // In the order of changes others stand between those that count for 1.
                let score = part == .ones ? 1 : Int(row.optionalInteger(8) ?? 1)
                isOver =
                    !self.budget.spend()
                    || !scan.look(at: .score(score, row.timetoken(0)), match: match)
                return !isOver
            }
            try forEachRow(of: part, bounds, query, on: message, in: channel, look)
            try checkRows()
        }
        return scan.page
    }

    private func forEachRow(
        of part: ScorePart, _ bounds: ScorePart.Bounds, _ query: ActionsQuery,
        on message: Timetoken, in channel: Int64, _ body: (borrowing DatabaseRow) -> Bool
    ) throws(StoreError) {
        let (id, on) = (SQLValue.integer(channel), SQLValue.timetoken(message))
        let limit = SQLValue.integer(Int64(Limits.actionsExaminedMax + 1))
        let (lower, upper) = (bounds.lower, bounds.upper)
        switch part {
        case .ones where query.isDescending:
            try statements.actionsBackward.query(
                id, .timetoken(lower.time), .timetoken(upper.time), limit, body: body)
        case .ones:
            try statements.actionsForward.query(
                id, .timetoken(lower.time), .timetoken(upper.time), limit, body: body)
        case .others where query.isDescending:
            try statements.groups.scores.backward.query(
                id, on, .integer(Int64(lower.score)), .timetoken(lower.time),
                .integer(Int64(upper.score)), .timetoken(upper.time), limit, body: body)
        case .others:
            try statements.groups.scores.forward.query(
                id, on, .integer(Int64(lower.score)), .timetoken(lower.time),
                .integer(Int64(upper.score)), .timetoken(upper.time), limit, body: body)
        }
    }
}

/// One of two ranges of which the order of scores consists.
private enum ScorePart {
    case ones, others

    typealias Place = (score: Int, time: Timetoken)
    /// Both exclusive.
    typealias Bounds = (lower: Place, upper: Place)

    /// What of it is behind the query's place; `nil` when all of it came before.
    func bounds(of query: ActionsQuery) -> Bounds? {
        var bounds: Bounds =
            self == .ones
            ? ((1, .zero), (1, .end)) : ((1, .end), (Limits.actionScoreMax, .end))
        guard case .score(let score, let time)? = query.after else { return bounds }
        let isHere = (score == 1) == (self == .ones)
        if isHere {
            if query.isDescending {
                bounds.upper = (score, time)
            } else {
                bounds.lower = (score, time)
            }
            return bounds
        }
        // The place is in the other one, which came first, or comes next.
        return (self == .ones) == query.isDescending ? bounds : nil
    }
}

/// What finds the actions of a message that count for something else than 1.
final class SQLScoreStatements {
    let forward: StoreStatement
    let backward: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        // From the index to the rows, so that an entry without its row comes as one without `live`.
        let entries = """
            SELECT i.added, i.message, i.type, i.value, i.uuid, a.added, a.live, a.sum, a.score
            \(connection.dialect.actions(by: "action_score"))
            WHERE i.live = 1 AND i.score <> 1 AND i.channel = ? AND i.message = ?
            AND (i.score, i.added) > (?, ?) AND (i.score, i.added) < (?, ?)
            """
        forward = try connection.prepare("\(entries) ORDER BY i.score, i.added LIMIT ?")
        backward = try connection.prepare(
            "\(entries) ORDER BY i.score DESC, i.added DESC LIMIT ?")
    }
}
