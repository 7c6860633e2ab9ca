// What triggers count in a schema of PostgreSQL's, as those of the embedded store do: once for each
// statement, whatever it changed.

extension PostgresSchema {
    /// The bytes of some texts of a row, as ``SQLiteSchema/bytes(_:_:)`` counts them.
    private static func bytes(_ columns: [String]) -> String {
        columns.map { "coalesce(octet_length(\($0)), 0)" }.joined(separator: " + ")
    }

    /// A trigger that calls a function once for a statement.
    ///
    /// - Parameters:
    ///   - event: `INSERT`, `UPDATE` or `DELETE`.
    ///   - old: Whether rows are there as they were, as `gone`.
    ///   - new: Whether they are there as they are, as `come`.
    private static func trigger(
        _ name: String, after event: String, on table: String, old: Bool, new: Bool, _ body: String
    ) -> String {
        let tables = [old ? "OLD TABLE AS gone" : nil, new ? "NEW TABLE AS come" : nil]
        return """
            CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                \(body)
                RETURN NULL;
            END $$;
            CREATE TRIGGER \(name) AFTER \(event) ON \(table)
                REFERENCING \(tables.compactMap(\.self).joined(separator: " "))
                FOR EACH STATEMENT EXECUTE FUNCTION \(name)();
            """
    }

    // MARK: Actions by what they say

    /// - `action_count`: as the embedded store has it (``SQLiteSchema/actionCounts``).
    static let counts = """
        CREATE TABLE action_count(
            channel bigint NOT NULL, message bigint NOT NULL, type text COLLATE "C" NOT NULL,
            value text COLLATE "C" NOT NULL, count bigint NOT NULL, score bigint NOT NULL)
            WITH (fillfactor = 80);
        \(trigger("action_added", after: "INSERT", on: "action", old: false, new: true,
            count(standing("come", sign: ""))))
        \(trigger("action_changed", after: "UPDATE", on: "action", old: true, new: true,
            count(
                """
                SELECT channel, message, type, value, sum(count) AS count, sum(score) AS score
                FROM (\(standing("come", sign: "")) UNION ALL \(standing("gone", sign: "-")))
                AS both_ways GROUP BY channel, message, type, value
                HAVING sum(count) <> 0 OR sum(score) <> 0
                """) + dropEmpty))
        \(trigger("action_deleted", after: "DELETE", on: "action", old: true, new: false,
            count(standing("gone", sign: "-")) + dropEmpty))
        """

    /// The rows that stand among those of a statement, by what they say.
    private static func standing(_ rows: String, sign: String) -> String {
        """
        SELECT channel, message, type, value, \(sign)count(*) AS count, \(sign)sum(score) AS score
        FROM \(rows) WHERE live = 1 GROUP BY channel, message, type, value
        """
    }

    /// Brings `action_count` forward by what `change` selects: one row for each type and value.
    ///
    /// The row of a message with neither counts its others, and their bytes. A row that was not
    /// there before has no `xmax`.
    private static func count(_ change: String) -> String {
        """
        WITH counted AS (
            INSERT INTO action_count AS c(channel, message, type, value, count, score) \(change)
            ON CONFLICT (channel, message, type, \(valueKey("value")))
            DO UPDATE SET count = c.count + excluded.count, score = c.score + excluded.score
            RETURNING channel, message, type, value, count, (xmax = 0) AS is_new),
        names AS (
            SELECT channel, message, CASE WHEN is_new THEN 1 ELSE -1 END AS sign,
                \(bytes(["type", "value"])) AS bytes
            FROM counted WHERE is_new OR count = 0)
        INSERT INTO action_count AS c
        SELECT channel, message, '', '', sum(sign), sum(sign * bytes) FROM names
        GROUP BY channel, message
        ON CONFLICT (channel, message, type, \(valueKey("value")))
        DO UPDATE SET count = c.count + excluded.count, score = c.score + excluded.score;
        """
    }

    /// Forgets what nobody says any more, and messages of which nothing is said.
    private static let dropEmpty = """
        DELETE FROM action_count AS c USING (
            SELECT channel, message, type, value FROM gone
            UNION SELECT channel, message, '', '' FROM gone) AS g
        WHERE c.channel = g.channel AND c.message = g.message AND c.type = g.type
        AND \(valueKey("c.value")) = \(valueKey("g.value")) AND c.count < 1;
        """

    // MARK: Replies

    /// - `thread`: as the embedded store has it (``SQLiteSchema/threads``).
    static let threads = """
        CREATE TABLE thread(
            channel bigint NOT NULL, parent bigint NOT NULL, count bigint NOT NULL,
            PRIMARY KEY (channel, parent));
        \(trigger("reply_added", after: "INSERT", on: "message", old: false, new: true,
            """
            INSERT INTO thread AS t SELECT channel, parent, count(*) FROM come
            WHERE parent IS NOT NULL GROUP BY channel, parent
            ON CONFLICT (channel, parent) DO UPDATE SET count = t.count + excluded.count;
            """))
        \(trigger("reply_deleted", after: "DELETE", on: "message", old: true, new: false,
            """
            UPDATE thread AS t SET count = t.count - g.count FROM (
                SELECT channel, parent, count(*) AS count FROM gone
                WHERE parent IS NOT NULL GROUP BY channel, parent) AS g
            WHERE t.channel = g.channel AND t.parent = g.parent;
            DELETE FROM thread AS t USING gone AS g
            WHERE t.channel = g.channel AND t.parent = g.parent AND t.count < 1;
            """))
        """

    // MARK: What tenants take up

    /// - `keyset_use`: as the embedded store has it (``SQLiteSchema/keysetUse``).
    static let uses = """
        CREATE TABLE keyset_use(
            keyset text COLLATE "C" PRIMARY KEY, channels bigint NOT NULL, bytes bigint NOT NULL)
            WITH (fillfactor = 50);
        \(trigger("message_use", after: "DELETE", on: "message", old: true, new: false,
            takeOff("true", ["uuid", "payload", "meta", "type"])))
        \(trigger("action_use", after: "DELETE", on: "action", old: true, new: false,
            takeOff("live = 1", ["type", "value", "uuid"])))
        """

    private static func takeOff(_ condition: String, _ columns: [String]) -> String {
        """
        UPDATE keyset_use AS u SET bytes = u.bytes - g.bytes FROM (
            SELECT c.keyset, sum(r.bytes)::bigint AS bytes FROM (
                SELECT channel, sum(100 + \(bytes(columns))) AS bytes FROM gone
                WHERE \(condition) GROUP BY channel) AS r
            JOIN channel AS c ON c.id = r.channel GROUP BY c.keyset) AS g
        WHERE u.keyset = g.keyset;
        """
    }
}
