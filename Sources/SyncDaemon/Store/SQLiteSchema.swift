// The tables, and how a file gets them. docs/OPERATIONS.md tells operators what is in the file.

import EventModel
import SQL

/// The layout of the database file.
enum SQLiteSchema {
    static let version = Int64(steps.count)

    /// Makes the tables in a new file, brings an older file up to date, and refuses a file of a
    /// newer release.
    ///
    /// All steps are one transaction: a crash leaves the file as it was.
    ///
    /// - Parameter given: The secret of a new file; `nil`: a random one.
    static func prepare(
        _ connection: borrowing StoreConnection, path: String, log: Log? = nil,
        secret given: DigestSecret? = nil, using generator: inout some RandomNumberGenerator
    ) throws(StoreError) {
        let found = try connection.prepare("PRAGMA user_version").first { $0.integer(0) } ?? 0
        guard found <= version else {
            throw .newerSchema(path: path, version: found, known: version)
        }
        // No release writes one: there are no steps from it.
        guard found >= 0 else {
            throw .damaged(path: path, reason: "its schema is of version \(found)")
        }
        // Before the first table: it is part of the file's layout. Never again: it writes, and a
        // daemon must start on a full disk.
        if found == 0 { try connection.execute("PRAGMA auto_vacuum=INCREMENTAL") }
        try connection.execute("PRAGMA journal_mode=WAL")
        try connection.execute("PRAGMA synchronous=FULL")
        // What a long reader made of the log's file goes back when the log starts anew.
        try connection.execute("PRAGMA journal_size_limit=\(Limits.logPagesMax * 4096)")
        try connection.execute("PRAGMA mmap_size=0")
        try connection.execute("PRAGMA cache_size=-\(Limits.storeCacheBytesMax / 1024)")
        try connection.execute("PRAGMA temp_store=MEMORY")
        guard found < version else { return }
        let upgrade = found > 0 ? SchemaUpgrade(path: path, version: found, log: log) : nil
        upgrade?.begin(connection, freeBytes: FileSystem.freeBytes(beside: path))
        try connection.execute("BEGIN IMMEDIATE")
        for (index, step) in steps.enumerated().dropFirst(Int(found)) {
            upgrade?.step(index + 1, of: steps.count)
            try connection.execute(step)
        }
        let insertMeta = try connection.prepare("INSERT INTO meta(name, value) VALUES (?, ?)")
        if found == 0 { try insertMeta.run(.text("epoch"), .text(makeEpoch(using: &generator))) }
        if found < 3 {
            let secret = given ?? DigestSecret.random(using: &generator)
            try insertMeta.run(.text("secret"), .text(secret.text))
            try insertMeta.run(.text("tombstone_floor"), .text("0"))
        }
        if found < 27, let secret = try secret(connection) { try sumUp(connection, secret) }
        try connection.execute("PRAGMA user_version=\(version)")
        try connection.execute("COMMIT")
        upgrade?.end(connection)
    }

    static func secret(
        _ connection: borrowing StoreConnection
    ) throws(StoreError) -> DigestSecret? {
        try connection.prepare("SELECT value FROM meta WHERE name = 'secret'").first {
            DigestSecret($0.text(0))
        } ?? nil
    }

    /// The runs that are in the file, the oldest first.
    ///
    /// One that damage moved beyond the end is left out: who has a cursor of it gets a snapshot.
    static func runs(
        _ connection: borrowing StoreConnection, end: Timetoken
    ) throws(StoreError) -> [StoreRun] {
        var runs: [StoreRun] = []
        try connection.prepare("SELECT id, started_after, began, ended FROM run ORDER BY number")
            .query { row in
                let run = StoreRun(
                    id: row.text(0), startedAfter: row.timetoken(1), began: row.timetoken(2),
                    ended: row.timetoken(3) == .zero ? nil : row.timetoken(3))
                if max(run.startedAfter, run.began, run.ended ?? .zero) <= end { runs.append(run) }
                return true
            }
        return runs
    }

    /// What the last commit left.
    static func clock(
        _ connection: borrowing StoreConnection, path: String
    ) throws(StoreError) -> ClockRow {
        try ClockRow.read(connection, schema: version) { .damaged(path: path, reason: $0) }
    }

    static func meta(
        _ connection: borrowing StoreConnection, path: String, end: Timetoken
    ) throws(StoreError) -> StoreMeta {
        try StoreMeta(connection, schema: version, end: end) { .damaged(path: path, reason: $0) }
    }

    /// How a file of some version is laid out.
    static func layout(ofVersion version: Int64) throws(StoreError) -> SchemaLayout {
        try SchemaLayout(empty(ofVersion: version))
    }

    /// The tables of some version, in memory.
    static func empty(ofVersion version: Int64) throws(StoreError) -> StoreConnection {
        let connection = try StoreConnection(path: ":memory:")
        for step in steps.prefix(Int(version)) { try connection.execute(step) }
        return connection
    }

    /// What leads from each version to the next; files exist of each: append, never change one.
    private static let steps = [
        tables, deletionsAndGroups, reconciliation, durableClock, retention, checksums,
        mutationCount, moreChecksums, revocations, keysetUse, keyGrants, actionCounts,
        scores, messageVersions, threads, scoreOrder, clearings, wholeDigests, valueBytes,
        segments, readMarks, entries, outbox, pushDevices, files, pushDeviceOwners,
        segmentTimetokens,
    ]

    /// - `clock`: one row; every commit moves it, so it also says where a restarted ledger goes on.
    /// - `message`: keyed by its timetoken, which is unique in the whole file.
    /// - `action`: one row per key, until its message is deleted; `live` is 0 for a tombstone, and
    ///   `changed` is when the row took its present state, which makes a delta one range of the
    ///   index.
    /// - `mutation`: keyed by the timetoken at which it was remembered, so that forgetting is one
    ///   range.
    private static let tables = """
        CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE clock(id INTEGER PRIMARY KEY CHECK (id = 0), last INTEGER NOT NULL);
        INSERT INTO clock VALUES (0, 0);
        CREATE TABLE channel(
            id INTEGER PRIMARY KEY, keyset TEXT NOT NULL, name TEXT NOT NULL,
            UNIQUE (keyset, name));
        CREATE TABLE message(
            timetoken INTEGER PRIMARY KEY, channel INTEGER NOT NULL, uuid TEXT NOT NULL,
            payload TEXT NOT NULL, meta TEXT, type TEXT);
        CREATE INDEX message_by_channel ON message(channel, timetoken);
        CREATE TABLE action(
            channel INTEGER NOT NULL, message INTEGER NOT NULL, type TEXT NOT NULL,
            value TEXT NOT NULL, uuid TEXT NOT NULL, added INTEGER NOT NULL,
            changed INTEGER NOT NULL, live INTEGER NOT NULL,
            PRIMARY KEY (channel, message, type, value, uuid)) WITHOUT ROWID;
        CREATE INDEX action_by_change ON action(channel, changed);
        CREATE TABLE device(
            id INTEGER PRIMARY KEY, keyset TEXT NOT NULL, user TEXT NOT NULL, name TEXT NOT NULL,
            UNIQUE (keyset, user, name));
        CREATE TABLE mutation(
            timetoken INTEGER PRIMARY KEY, device INTEGER NOT NULL, name TEXT NOT NULL,
            fingerprint INTEGER NOT NULL, kind INTEGER NOT NULL, outcome INTEGER NOT NULL);
        CREATE UNIQUE INDEX mutation_by_name ON mutation(device, name);
        """

    /// - `message.expires`: absent for a message that is kept.
    /// - `deletion`: a range of a channel's messages that is gone, unless a later one covers it.
    /// - `channel_group`: one row per channel of a group.
    private static let deletionsAndGroups = """
        ALTER TABLE message ADD COLUMN expires INTEGER;
        CREATE INDEX message_by_expiry ON message(expires) WHERE expires IS NOT NULL;
        CREATE TABLE deletion(
            timetoken INTEGER PRIMARY KEY, channel INTEGER NOT NULL, after INTEGER NOT NULL,
            through INTEGER NOT NULL);
        CREATE INDEX deletion_by_channel ON deletion(channel, timetoken);
        CREATE TABLE channel_group(
            keyset TEXT NOT NULL, name TEXT NOT NULL, channel TEXT NOT NULL,
            PRIMARY KEY (keyset, name, channel)) WITHOUT ROWID;
        """

    /// - `sum`: see ``RowSum``. Rows of earlier releases have none at first; the indexes hold
    ///   those, and are empty once ``SQLStore/sumUpOldRows(limit:)`` has been through.
    private static let checksums = """
        ALTER TABLE message ADD COLUMN sum INTEGER;
        ALTER TABLE action ADD COLUMN sum INTEGER;
        CREATE INDEX message_without_sum ON message(timetoken) WHERE sum IS NULL;
        CREATE INDEX action_without_sum ON action(channel) WHERE sum IS NULL;
        """

    /// - `channel.count`, `lane0`, `lane1`: the digest of the rows that stand; its key comes
    ///   from
    ///   `secret` in `meta`.
    /// - `run`: one row per start of the daemon, with the last timetoken before it.
    /// - `action_tombstone`: in the order in which tombstones are forgotten; `tombstone_floor` in
    ///   `meta` is the newest that was.
    private static let reconciliation = """
        ALTER TABLE channel ADD COLUMN count INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE channel ADD COLUMN lane0 INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE channel ADD COLUMN lane1 INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE run(
            number INTEGER PRIMARY KEY, id TEXT NOT NULL, started_after INTEGER NOT NULL);
        CREATE INDEX action_tombstone ON action(changed) WHERE live = 0;
        """

    /// - `channel.count`, `lane0`, `lane1`: from here on of messages, too; they are computed anew.
    private static let wholeDigests = """
        \(removeHidden)
        UPDATE channel SET count = 0, lane0 = 0, lane1 = 0;
        """

    /// - `segment`: see ``Segment``; the channel's digest is their sum. They are computed with it.
    private static let segments = """
        \(removeHidden)
        CREATE TABLE segment(
            channel INTEGER NOT NULL, after INTEGER NOT NULL, messages INTEGER NOT NULL,
            count INTEGER NOT NULL, lane0 INTEGER NOT NULL, lane1 INTEGER NOT NULL,
            PRIMARY KEY (channel, after)) WITHOUT ROWID;
        """

    /// - `segment.timetokens`: see ``Segment``. The state of the whole channel is in a row of its
    ///   own here, behind all others (``Segment/wholeAfter``). All are computed anew.
    private static let segmentTimetokens = """
        \(removeHidden)
        DROP TABLE segment;
        CREATE TABLE segment(
            channel INTEGER NOT NULL, after INTEGER NOT NULL, messages INTEGER NOT NULL,
            count INTEGER NOT NULL, lane0 INTEGER NOT NULL, lane1 INTEGER NOT NULL,
            timetokens INTEGER NOT NULL, PRIMARY KEY (channel, after)) WITHOUT ROWID;
        ALTER TABLE channel DROP COLUMN count;
        ALTER TABLE channel DROP COLUMN lane0;
        ALTER TABLE channel DROP COLUMN lane1;
        """

    /// - `clock.ceiling`: no position beyond it was handed out; `boot`, `uptime`, `ticks`, `age`:
    ///   one moment on each clock (``ClockAnchor``); all 0 until the first start writes them.
    /// - `run.began`, `ended`: the first and the last position that a run may have handed out.
    /// - `age`: everything up to `through` was there by `ticks` of the retention clock.
    private static let durableClock = """
        ALTER TABLE clock ADD COLUMN ceiling INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE clock ADD COLUMN boot TEXT NOT NULL DEFAULT '';
        ALTER TABLE clock ADD COLUMN uptime INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE clock ADD COLUMN ticks INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE clock ADD COLUMN age INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE run ADD COLUMN began INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE run ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;
        UPDATE run SET began = started_after;
        CREATE TABLE age(through INTEGER PRIMARY KEY, ticks INTEGER NOT NULL);
        """

    /// - `hidden`: large deletions whose rows are still to be removed; no reader sees those any
    ///   more.
    /// - `deletion_floor` in `meta`: the newest deletion that was forgotten.
    private static let retention = """
        INSERT INTO meta VALUES ('deletion_floor', '0');
        CREATE INDEX deletion_by_range ON deletion(channel, after);
        CREATE TABLE hidden(
            timetoken INTEGER PRIMARY KEY, channel INTEGER NOT NULL, after INTEGER NOT NULL,
            through INTEGER NOT NULL);
        """

    /// - `clock.mutations`: rows of `mutation`; every commit writes that row anyway.
    private static let mutationCount = """
        ALTER TABLE clock ADD COLUMN mutations INTEGER NOT NULL DEFAULT 0;
        UPDATE clock SET mutations = (SELECT count(*) FROM mutation);
        """

    /// - `clock.sum`: see ``ClockRow``. The first commit makes it.
    /// - `mutation.sum`: rows of earlier releases have none until they are forgotten.
    private static let moreChecksums = """
        ALTER TABLE clock ADD COLUMN sum INTEGER;
        ALTER TABLE mutation ADD COLUMN sum INTEGER;
        """

    /// - `revoked_token`: `expiry` in Unix seconds is the token's own, `forgettable` the same on
    ///   the retention clock.
    private static let revocations = """
        CREATE TABLE revoked_token(
            keyset TEXT NOT NULL, id TEXT NOT NULL, expiry INTEGER NOT NULL,
            forgettable INTEGER NOT NULL, PRIMARY KEY (keyset, id)) WITHOUT ROWID;
        CREATE INDEX revoked_token_by_end ON revoked_token(forgettable);
        """

    /// - `keyset_use`: see ``StoredUse``. The triggers take off what deletions remove; a tombstone
    ///   was taken off when its action was removed.
    private static let keysetUse = """
        CREATE TABLE keyset_use(
            keyset TEXT PRIMARY KEY, channels INTEGER NOT NULL, bytes INTEGER NOT NULL)
            WITHOUT ROWID;
        CREATE TRIGGER message_use AFTER DELETE ON message BEGIN
            UPDATE keyset_use SET bytes = bytes - \(messageBytes("OLD"))
            WHERE keyset = (SELECT keyset FROM channel WHERE id = OLD.channel);
        END;
        CREATE TRIGGER action_use AFTER DELETE ON action WHEN OLD.live = 1 BEGIN
            UPDATE keyset_use SET bytes = bytes - \(actionBytes("OLD"))
            WHERE keyset = (SELECT keyset FROM channel WHERE id = OLD.channel);
        END;
        \(countUse)
        """

    /// Counts anew what all keysets take up; reads all rows.
    static let countUse = """
        INSERT OR REPLACE INTO keyset_use
        SELECT keyset, count(*), total(bytes) FROM (
            SELECT keyset,
                (SELECT total(\(messageBytes("m"))) FROM message AS m WHERE m.channel = c.id)
                + (SELECT total(\(actionBytes("a"))) FROM action AS a
                    WHERE a.channel = c.id AND a.live = 1) AS bytes
            FROM channel AS c)
        GROUP BY keyset;
        UPDATE keyset_use SET bytes = CAST(bytes AS INTEGER);
        """

    private static func messageBytes(_ row: String) -> String {
        "(100 + \(bytes(row, ["uuid", "payload", "meta", "type"])))"
    }

    private static func actionBytes(_ row: String) -> String {
        "(100 + \(bytes(row, ["type", "value", "uuid"])))"
    }

    static func bytes(_ row: String, _ columns: [String]) -> String {
        let lengths = columns.map { "ifnull(length(CAST(\(row).\($0) AS BLOB)), 0)" }
        return "(\(lengths.joined(separator: " + ")))"
    }
}
