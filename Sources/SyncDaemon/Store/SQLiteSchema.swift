// The tables, and how a file gets them. docs/OPERATIONS.md tells operators what is in the file.

/// The layout of the database file.
enum SQLiteSchema {
    static let version = Int64(steps.count)

    /// Makes the tables in a new file, brings an older file up to date, and refuses a file of a
    /// newer release.
    ///
    /// All steps are one transaction: a crash leaves the file as it was.
    static func prepare(
        _ connection: borrowing SQLiteConnection, path: String
    ) throws(StoreError) {
        // Before the first table: it is part of the file's layout.
        try connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        try connection.execute("PRAGMA journal_mode=WAL")
        try connection.execute("PRAGMA synchronous=FULL")
        try connection.execute("PRAGMA mmap_size=0")
        try connection.execute("PRAGMA cache_size=-65536")
        try connection.execute("PRAGMA temp_store=MEMORY")
        let found = try connection.prepare("PRAGMA user_version").first([]) { $0.integer(0) } ?? 0
        guard found <= version else { throw .newerSchema(path: path, version: found) }
        guard found < version else { return }
        try connection.execute("BEGIN IMMEDIATE")
        for step in steps.dropFirst(Int(found)) { try connection.execute(step) }
        if found == 0 {
            try connection.prepare("INSERT INTO meta(name, value) VALUES ('epoch', ?)")
                .run(.text(makeEpoch()))
        }
        try connection.execute("PRAGMA user_version=\(version)")
        try connection.execute("COMMIT")
    }

    /// What leads from each version to the next; files exist of each: append, never change one.
    private static let steps = [tables, deletionsAndGroups]

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
    /// - `deletion`: a range of a channel's messages that is gone. Kept for ever: a device may come
    ///   back with any cursor. One that a later deletion covers could go.
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
}
