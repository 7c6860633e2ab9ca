// The tables in a schema of PostgreSQL's. The columns are those of the embedded store, in the same
// order; docs/OPERATIONS.md tells operators what is in them.

import EventModel
import SQL

/// The layout of a PostgreSQL schema.
enum PostgresSchema {
    /// What this release makes and reads.
    static let version: Int64 = 2

    /// Makes the tables in an empty schema, which is made as well, and refuses those of a newer
    /// release.
    ///
    /// One transaction: a crash leaves nothing.
    ///
    /// - Parameters:
    ///   - name: The database's, for errors.
    ///   - schema: Its name.
    ///   - given: The secret of a new store; `nil`: a random one.
    static func prepare(
        _ connection: borrowing StoreConnection, name: String, schema: String,
        secret given: DigestSecret?, using generator: inout some RandomNumberGenerator
    ) throws(StoreError) {
        guard try !exists(connection, name: name, schema: schema) else { return }
        try connection.execute("BEGIN")
        guard try connection.lockOutOfMaking() else { throw .inUse(path: name) }
        // Whoever made it meanwhile is done.
        guard try !exists(connection, name: name, schema: schema) else {
            return try connection.rollBack()
        }
        let secret = given ?? DigestSecret.random(using: &generator)
        try make(
            connection, schema: schema,
            [
                ("epoch", makeEpoch(using: &generator)), ("secret", secret.text),
                ("tombstone_floor", "0"), ("deletion_floor", "0"),
            ])
        try connection.execute("COMMIT")
    }

    /// Whether there are tables that this release can use.
    static func exists(
        _ connection: borrowing StoreConnection, name: String, schema: String
    ) throws(StoreError) -> Bool {
        let found = try version(connection, of: schema)
        guard found <= version else {
            throw .newerSchema(path: name, version: found, known: version)
        }
        guard found == 0 || found == version else {
            throw .olderSchema(path: name, version: found)
        }
        return found > 0
    }

    /// Makes the schema, unless it is there, and the tables, in the caller's transaction.
    ///
    /// - Parameter meta: What `meta` holds beside the version.
    static func make(
        _ connection: borrowing StoreConnection, schema: String,
        _ meta: [(name: String, value: String)] = []
    ) throws(StoreError) {
        let find = try connection.prepare("SELECT 1 FROM pg_namespace WHERE nspname = ?")
        // Who may not make one may have one.
        if try find.first([.text(schema)], body: { _ in true }) == nil {
            try connection.execute("CREATE SCHEMA \(quoted(schema))")
        }
        for part in [entryIDs, tables, longKeys, counts, threads, uses, keys, seat] {
            try connection.execute(part)
        }
        let insert = try connection.prepare("INSERT INTO meta(name, value) VALUES (?, ?)")
        for (name, value) in [("version", "\(version)")] + meta {
            try insert.run(.text(name), .text(value))
        }
        try connection.settle()
    }

    /// 0: there are no tables.
    private static func version(
        _ connection: borrowing StoreConnection, of schema: String
    ) throws(StoreError) -> Int64 {
        let hasTables = try connection.prepare(
            "SELECT 1 FROM pg_tables WHERE schemaname = ? AND tablename = 'meta'"
        ).first([.text(schema)]) { _ in true }
        guard hasTables == true else { return 0 }
        let find = try connection.prepare("SELECT value FROM meta WHERE name = 'version'")
        let version = try find.first { Int64($0.text(0)) }
        return (version ?? nil) ?? 0
    }

    /// A name as SQL has it.
    static func quoted(_ name: String) -> String {
        "\"\(name.replacing("\"", with: "\"\""))\""
    }

    // MARK: Words in statements

    /// What a value is found by in an index, whose rows hold 2,704 bytes.
    static func valueKey(_ value: some StringProtocol) -> String {
        let text = value.hasPrefix("$") ? "\(value)::text" : "\(value)"
        return "(CASE WHEN octet_length(\(text)) <= 1000 THEN \(text) ELSE long_key(\(text)) END)"
    }

    static let entryID = "(entry_id(payload) COLLATE \"C\")"

    // MARK: Tables

    /// All texts are sorted by their bytes.
    ///
    /// `segment` has room for states that change in place.
    private static let tables = """
        CREATE TABLE meta(name text COLLATE "C" PRIMARY KEY, value text COLLATE "C" NOT NULL);
        CREATE TABLE clock(
            id bigint PRIMARY KEY CHECK (id = 0), last bigint NOT NULL, ceiling bigint NOT NULL,
            boot text COLLATE "C" NOT NULL, uptime bigint NOT NULL, ticks bigint NOT NULL,
            age bigint NOT NULL, mutations bigint NOT NULL, sum bigint)
            WITH (fillfactor = 10, autovacuum_vacuum_threshold = 5000,
                autovacuum_vacuum_scale_factor = 0);
        INSERT INTO clock VALUES (0, 0, 0, '', 0, 0, 0, 0, NULL);
        CREATE TABLE run(
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            id text COLLATE "C" NOT NULL, started_after bigint NOT NULL, began bigint NOT NULL,
            ended bigint NOT NULL DEFAULT 0);
        CREATE TABLE age(through bigint PRIMARY KEY, ticks bigint NOT NULL);
        CREATE TABLE channel(
            id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            keyset text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL,
            UNIQUE (keyset, name));
        CREATE TABLE segment(
            channel bigint NOT NULL, after bigint NOT NULL, messages bigint NOT NULL,
            count bigint NOT NULL, lane0 bigint NOT NULL, lane1 bigint NOT NULL,
            timetokens bigint NOT NULL, PRIMARY KEY (channel, after)) WITH (fillfactor = 60);
        CREATE TABLE message(
            timetoken bigint PRIMARY KEY, channel bigint NOT NULL,
            uuid text COLLATE "C" NOT NULL, payload text COLLATE "C" NOT NULL,
            meta text COLLATE "C", type text COLLATE "C", expires bigint, sum bigint,
            parent bigint);
        CREATE INDEX message_by_channel ON message(channel, timetoken);
        CREATE INDEX message_by_expiry ON message(expires, timetoken) WHERE expires IS NOT NULL;
        CREATE INDEX message_by_parent ON message(channel, parent, timetoken)
            WHERE parent IS NOT NULL;
        CREATE INDEX message_by_entry ON message(channel, \(entryID))
            WHERE type = '\(Directory.messageType)';
        CREATE TABLE action(
            channel bigint NOT NULL, message bigint NOT NULL, type text COLLATE "C" NOT NULL,
            value text COLLATE "C" NOT NULL, uuid text COLLATE "C" NOT NULL,
            added bigint NOT NULL, changed bigint NOT NULL, live bigint NOT NULL, sum bigint,
            score bigint NOT NULL DEFAULT 1);
        CREATE INDEX action_by_change ON action(channel, changed);
        CREATE INDEX action_tombstone ON action(changed) WHERE live = 0;
        CREATE INDEX action_version ON action(channel, message, uuid, type, added)
            WHERE live = 1 AND type IN ('edited', 'deleted');
        CREATE INDEX action_score ON action(channel, message, score, added)
            WHERE live = 1 AND score <> 1;
        CREATE TABLE deletion(
            timetoken bigint PRIMARY KEY, channel bigint NOT NULL, after bigint NOT NULL,
            through bigint NOT NULL);
        CREATE INDEX deletion_by_channel ON deletion(channel, timetoken);
        CREATE INDEX deletion_by_range ON deletion(channel, after);
        CREATE TABLE hidden(
            timetoken bigint PRIMARY KEY, channel bigint NOT NULL, after bigint NOT NULL,
            through bigint NOT NULL);
        CREATE TABLE clearing(
            timetoken bigint PRIMARY KEY, channel bigint NOT NULL, message bigint,
            type text COLLATE "C", value text COLLATE "C", uuid text COLLATE "C");
        CREATE INDEX clearing_by_channel ON clearing(channel, timetoken);
        CREATE TABLE hidden_clearing(
            timetoken bigint PRIMARY KEY, channel bigint NOT NULL, message bigint,
            type text COLLATE "C", value text COLLATE "C", uuid text COLLATE "C");
        CREATE TABLE device(
            id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            keyset text COLLATE "C" NOT NULL, "user" text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL, UNIQUE (keyset, "user", name));
        CREATE TABLE mutation(
            timetoken bigint PRIMARY KEY, device bigint NOT NULL, name text COLLATE "C" NOT NULL,
            fingerprint bigint NOT NULL, kind bigint NOT NULL, outcome bigint NOT NULL,
            sum bigint);
        CREATE UNIQUE INDEX mutation_by_name ON mutation(device, name);
        CREATE TABLE channel_group(
            keyset text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL,
            channel text COLLATE "C" NOT NULL, PRIMARY KEY (keyset, name, channel));
        CREATE TABLE read_mark(
            channel bigint NOT NULL, "user" text COLLATE "C" NOT NULL, through bigint NOT NULL,
            PRIMARY KEY (channel, "user"));
        """

    /// - `seat`: which start of a daemon may write, its backend, when that last said so, and where
    ///   other daemons find it.
    /// - `fence`: ends a transaction of any other one, or of one whose commits would be on one
    ///   machine only where they are to be on two.
    private static let seat = """
        CREATE TABLE seat(
            id bigint PRIMARY KEY CHECK (id = 0), term bigint NOT NULL, pid bigint NOT NULL,
            renewed timestamptz NOT NULL, address text COLLATE "C" NOT NULL DEFAULT '')
            WITH (fillfactor = 10, autovacuum_vacuum_threshold = 5000,
                autovacuum_vacuum_scale_factor = 0);
        INSERT INTO seat VALUES (0, 0, 0, clock_timestamp());
        CREATE FUNCTION fence(held bigint, needs_standby bigint) RETURNS bigint
        LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE seat SET renewed = clock_timestamp() WHERE id = 0 AND term = held;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'another daemon has taken over (term %)', held
                    USING ERRCODE = 'SD001';
            END IF;
            IF needs_standby = 1 AND current_setting('synchronous_standby_names') = '' THEN
                RAISE EXCEPTION 'require_standby is on, and the server has no'
                    ' synchronous_standby_names' USING ERRCODE = 'SD002';
            END IF;
            RETURN held;
        END $$;
        """

    /// What a payload says that its entry is called, so that any payload has a place in an index.
    ///
    /// Texts of a server's cannot hold U+0000, also where nobody looks at them, and the rows of its
    /// indexes are short. No entry's id is as long.
    private static let entryIDs = """
        CREATE FUNCTION entry_id(payload text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
            SELECT left((CASE WHEN strpos(payload, '\\u0000') = 0 THEN payload
                ELSE regexp_replace(payload, '(\\\\\\\\)|\\\\u0000', '\\1', 'g')
                END)::json ->> 'id', 500)
        $$;
        """

    private static let longKeys = """
        CREATE FUNCTION long_key(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
        BEGIN
            RETURN left(value, 240) || encode(sha256(convert_to(value, 'UTF8')), 'hex');
        END $$;
        """

    /// What is found by a value, and the tables that are not of channels.
    private static let keys = """
        CREATE UNIQUE INDEX action_key
            ON action(channel, message, type, \(valueKey("value")), uuid);
        CREATE UNIQUE INDEX action_count_key
            ON action_count(channel, message, type, \(valueKey("value")));
        CREATE TABLE outbox(
            webhook text COLLATE "C" NOT NULL, lane bigint NOT NULL, batch bigint NOT NULL,
            timetoken bigint NOT NULL, due bigint NOT NULL, author text COLLATE "C",
            event text COLLATE "C" NOT NULL, PRIMARY KEY (webhook, lane, batch, timetoken));
        CREATE TABLE dead_letter(
            webhook text COLLATE "C" NOT NULL, batch bigint NOT NULL, lane bigint NOT NULL,
            timetoken bigint NOT NULL, due bigint NOT NULL, author text COLLATE "C",
            event text COLLATE "C" NOT NULL, reason text COLLATE "C" NOT NULL,
            died bigint NOT NULL, PRIMARY KEY (webhook, batch, lane, timetoken));
        CREATE TABLE revoked_token(
            keyset text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
            expiry bigint NOT NULL, forgettable bigint NOT NULL, PRIMARY KEY (keyset, id));
        CREATE INDEX revoked_token_by_end ON revoked_token(forgettable);
        CREATE TABLE key_grant(
            keyset text COLLATE "C" NOT NULL, level bigint NOT NULL,
            name text COLLATE "C" NOT NULL, auth_key text COLLATE "C" NOT NULL,
            bits bigint NOT NULL, expiry bigint NOT NULL, forgettable bigint NOT NULL,
            PRIMARY KEY (keyset, level, name, auth_key));
        CREATE INDEX key_grant_by_end ON key_grant(forgettable);
        CREATE TABLE push_device(
            keyset text COLLATE "C" NOT NULL, token text COLLATE "C" NOT NULL,
            gateway text COLLATE "C" NOT NULL, environment text COLLATE "C" NOT NULL,
            topic text COLLATE "C" NOT NULL, channel text COLLATE "C" NOT NULL,
            "user" text COLLATE "C" NOT NULL DEFAULT '',
            PRIMARY KEY (keyset, token, gateway, environment, topic, channel));
        CREATE INDEX push_device_by_channel ON push_device(keyset, channel);
        CREATE TABLE file(
            keyset text COLLATE "C" NOT NULL, channel text COLLATE "C" NOT NULL,
            created bigint NOT NULL, id text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL,
            size bigint NOT NULL, "user" text COLLATE "C" NOT NULL,
            PRIMARY KEY (keyset, channel, created));
        CREATE UNIQUE INDEX file_by_id ON file(id);
        """
}
