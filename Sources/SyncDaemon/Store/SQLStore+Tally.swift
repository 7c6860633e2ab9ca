// What stands on one message in the embedded store, which triggers count.

import EventModel
import SQL

extension SQLStore {
    func ownActions(
        of user: String, on message: Timetoken, in channel: Channel
    ) throws(StoreError) -> [MessageAction] {
        guard let id = try knownID(of: channel) else { return [] }
        var keys: [MessageAction.Key] = []
        try statements.tally.values.query(.integer(id), .timetoken(message)) { row in
            keys.append(
                MessageAction.Key(
                    messageTimetoken: message, type: row.text(0), value: row.text(1), uuid: user))
            return true
        }
        var actions: [MessageAction] = []
        for key in keys { try action(under: key, in: channel).map { actions.append($0) } }
        return actions
    }

    func hasMessage(_ timetoken: Timetoken, in channel: Channel) throws(StoreError) -> Bool {
        guard let id = try knownID(of: channel),
            hidden.end(ofActionsOn: timetoken, in: id) == .zero
        else { return false }
        return try statements.tally.hasMessage.first([.timetoken(timetoken), .integer(id)]) { _ in
            true
        } ?? false
    }

    func totals(
        type: String, value: String, on message: Timetoken, in channel: Channel
    ) throws(StoreError) -> ActionTotals {
        let name = ActionName(type: type, value: value)
        if let totals = foreseen?.totals(of: name, on: message, in: channel) { return totals }
        guard let id = try knownID(of: channel) else { return ActionTotals() }
        return try statements.tally.totals.first(
            [.integer(id), .timetoken(message), .text(type), .text(value)]
        ) { $0.actionTotals(from: 0) } ?? ActionTotals()
    }

    func values(on message: Timetoken, in channel: Channel) throws(StoreError) -> ActionValues {
        let row = try totals(type: "", value: "", on: message, in: channel)
        return ActionValues(count: row.count, bytes: row.score)
    }

    func actionCount(on message: Timetoken, in channel: Channel) throws(StoreError) -> Int {
        guard let id = try knownID(of: channel) else { return 0 }
        let count = try statements.tally.sum.first([.integer(id), .timetoken(message)]) {
            $0.rowCount(0)
        }
        return Int(max(count ?? 0, 0))
    }
}

extension SQLiteSchema {
    /// - `action_count`: how many actions of a type and a value stand on a message, no row for
    ///   none; and in one row with neither how many such rows the message has.
    static let actionCounts = """
        CREATE TABLE action_count(
            channel INTEGER NOT NULL, message INTEGER NOT NULL, type TEXT NOT NULL,
            value TEXT NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY (channel, message, type, value)) WITHOUT ROWID;
        CREATE TRIGGER action_added AFTER INSERT ON action WHEN NEW.live = 1 BEGIN
            \(countOneMore)
        END;
        CREATE TRIGGER action_added_again AFTER UPDATE OF live ON action
        WHEN NEW.live > OLD.live BEGIN
            \(countOneMore)
        END;
        CREATE TRIGGER action_removed AFTER UPDATE OF live ON action WHEN NEW.live < OLD.live BEGIN
            \(countOneLess)
        END;
        CREATE TRIGGER action_deleted AFTER DELETE ON action WHEN OLD.live = 1 BEGIN
            \(countOneLess)
        END;
        CREATE TRIGGER value_added AFTER INSERT ON action_count WHEN NEW.type <> '' BEGIN
            INSERT INTO action_count VALUES (NEW.channel, NEW.message, '', '', 1)
            ON CONFLICT DO UPDATE SET count = count + 1;
        END;
        CREATE TRIGGER value_removed AFTER DELETE ON action_count WHEN OLD.type <> '' BEGIN
            UPDATE action_count SET count = count - 1 WHERE (channel, message, type, value)
            = (OLD.channel, OLD.message, '', '');
            DELETE FROM action_count WHERE (channel, message, type, value)
            = (OLD.channel, OLD.message, '', '') AND count < 1;
        END;
        \(countActions)
        """

    private static let countActions = """
        INSERT INTO action_count SELECT channel, message, type, value, count(*) FROM action
        WHERE live = 1 GROUP BY channel, message, type, value;
        """

    private static let countOneMore = """
        INSERT INTO action_count VALUES (NEW.channel, NEW.message, NEW.type, NEW.value, 1)
            ON CONFLICT DO UPDATE SET count = count + 1;
        """

    private static let countOneLess = """
        UPDATE action_count SET count = count - 1 WHERE (channel, message, type, value)
            = (OLD.channel, OLD.message, OLD.type, OLD.value);
            DELETE FROM action_count WHERE (channel, message, type, value)
            = (OLD.channel, OLD.message, OLD.type, OLD.value) AND count < 1;
        """

    /// - `action.score`: what it counts for.
    /// - `action_count.score`: what its actions count for together; 0 in the row with neither type
    ///   nor value.
    static let scores = """
        ALTER TABLE action ADD COLUMN score INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE action_count ADD COLUMN score INTEGER NOT NULL DEFAULT 0;
        UPDATE action_count SET score = count WHERE type <> '';
        DROP TRIGGER action_added;
        DROP TRIGGER action_added_again;
        DROP TRIGGER action_removed;
        DROP TRIGGER action_deleted;
        DROP TRIGGER value_added;
        CREATE TRIGGER action_added AFTER INSERT ON action WHEN NEW.live = 1 BEGIN
            \(scoreOneMore)
        END;
        CREATE TRIGGER action_added_again AFTER UPDATE OF live ON action
        WHEN NEW.live > OLD.live BEGIN
            \(scoreOneMore)
        END;
        CREATE TRIGGER action_removed AFTER UPDATE OF live ON action WHEN NEW.live < OLD.live BEGIN
            \(scoreOneLess)
        END;
        CREATE TRIGGER action_deleted AFTER DELETE ON action WHEN OLD.live = 1 BEGIN
            \(scoreOneLess)
        END;
        CREATE TRIGGER value_added AFTER INSERT ON action_count WHEN NEW.type <> '' BEGIN
            INSERT INTO action_count VALUES (NEW.channel, NEW.message, '', '', 1, 0)
            ON CONFLICT DO UPDATE SET count = count + 1;
        END;
        """

    /// - `action_count.score`: from here on, in the row with neither type nor value, the bytes of
    ///   the others' types and values.
    static let valueBytes = """
        DROP TRIGGER value_added;
        DROP TRIGGER value_removed;
        CREATE TRIGGER value_added AFTER INSERT ON action_count WHEN NEW.type <> '' BEGIN
            INSERT INTO action_count
            VALUES (NEW.channel, NEW.message, '', '', 1, \(nameBytes("NEW")))
            ON CONFLICT DO UPDATE SET count = count + 1, score = score + \(nameBytes("NEW"));
        END;
        CREATE TRIGGER value_removed AFTER DELETE ON action_count WHEN OLD.type <> '' BEGIN
            UPDATE action_count SET count = count - 1, score = score - \(nameBytes("OLD"))
            WHERE (channel, message, type, value) = (OLD.channel, OLD.message, '', '');
            DELETE FROM action_count WHERE (channel, message, type, value)
            = (OLD.channel, OLD.message, '', '') AND count < 1;
        END;
        UPDATE action_count SET score = (
            SELECT sum(\(nameBytes("c"))) FROM action_count AS c
            WHERE c.channel = action_count.channel AND c.message = action_count.message
            AND c.type <> '')
        WHERE type = '';
        """

    private static func nameBytes(_ row: String) -> String { bytes(row, ["type", "value"]) }

    /// Counts anew, in an empty table; reads all rows.
    static let countScores = """
        INSERT INTO action_count
        SELECT channel, message, type, value, count(*), sum(score) FROM action
        WHERE live = 1 GROUP BY channel, message, type, value;
        """

    private static let scoreOneMore = """
        INSERT INTO action_count
            VALUES (NEW.channel, NEW.message, NEW.type, NEW.value, 1, NEW.score)
            ON CONFLICT DO UPDATE SET count = count + 1, score = score + NEW.score;
        """

    private static let scoreOneLess = """
        UPDATE action_count SET count = count - 1, score = score - OLD.score
            WHERE (channel, message, type, value)
            = (OLD.channel, OLD.message, OLD.type, OLD.value);
            DELETE FROM action_count WHERE (channel, message, type, value)
            = (OLD.channel, OLD.message, OLD.type, OLD.value) AND count < 1;
        """
}

/// What stands on a message, counted: for the rules of reactions, and for pages of who reacted.
final class SQLTallyStatements {
    let values: StoreStatement
    let hasMessage: StoreStatement
    let totals: StoreStatement
    let manyTotals: StoreStatement
    let sum: StoreStatement
    let newest: StoreStatement
    let versions: SQLVersionStatements

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        versions = try SQLVersionStatements(connection)
        values = try connection.prepare(
            """
            SELECT type, value, count, score FROM action_count
            WHERE channel = ? AND message = ? AND type <> ''
            """)
        hasMessage = try connection.prepare(
            "SELECT 1 FROM message WHERE timetoken = ? AND channel = ?")
        totals = try connection.prepare(RowLookup.totals.forOne)
        manyTotals = try connection.prepare(RowLookup.totals)
        // Of counts that damage made, SQLite has no sum: it is an error.
        let countMax = 1 << 32
        sum = try connection.prepare(
            """
            SELECT CAST(sum(CASE WHEN count BETWEEN 0 AND \(countMax) THEN count
                WHEN count > 0 THEN \(countMax) ELSE 0 END) AS BIGINT)
            FROM action_count WHERE channel = ? AND message = ? AND type <> ''
            """)
        newest = try connection.prepare(
            """
            SELECT message FROM action_count WHERE channel = ? AND message > ? AND message <= ?
            ORDER BY message DESC LIMIT 1
            """)
    }
}
