// A device's cache in one SQLite file.

public import EventModel
import SQL
import SQLite

/// Keeps rows, cursors and unsent writes in a file, in one transaction per applied batch.
///
/// A process that is killed at any moment finds what the last transaction left. When the machine
/// itself fails, the newest batches may be gone, and come again from the server; unsent writes are
/// synced to the disk.
public final class SQLiteDeviceStore: DeviceStore {
    // Order matters: the statements are finalised before the connection is closed.
    private let statements: DeviceStatements
    private let database: CacheConnection

    /// Opens the file, or makes it.
    ///
    /// - Parameter path: `:memory:` keeps nothing.
    public init(path: String) throws(DeviceStoreError) {
        database = try CacheConnection(path: path)
        try database.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
            PRAGMA wal_autocheckpoint = \(ClientLimits.journalPages);
            PRAGMA journal_size_limit = \(ClientLimits.journalBytesKept)
            """)
        try Self.prepareSchema(database, path: path)
        statements = try DeviceStatements(database)
    }

    /// Writes what a file holds into a new one; the file stays as it is, whatever it holds.
    ///
    /// - Parameter hasLog: Whether its log is beside it. That stays, too; without one SQLite makes
    ///   an empty one, and takes it away again unless another program has the file open by then.
    package static func copy(
        _ path: String, hasLog: Bool, to target: String
    ) throws(DeviceStoreError) {
        let database = try CacheConnection(
            path: path, .existingFile, checkpoints: hasLog ? .byCaller : .automatic)
        try database.prepare("VACUUM INTO ?").run(.text(target))
    }

    private static let version = 8

    private static func prepareSchema(
        _ database: borrowing CacheConnection, path: String
    ) throws(DeviceStoreError) {
        let found = try database.prepare("PRAGMA user_version").first { Int($0.integer(0)) } ?? 0
        // Less than none is no release's.
        guard found >= 0, found <= version else {
            throw .newerVersion(path: path, version: found)
        }
        guard found < version else { return }
        let steps = [
            schema, messageCount, "\(scores);\(threads)", rules, wholeDigest, windows, marks,
            markChecksums,
        ]
        .dropFirst(found)
        .joined(separator: ";")
        try database.execute("BEGIN IMMEDIATE; \(steps); PRAGMA user_version = \(version); COMMIT")
    }

    /// Files of the first version do not know how many messages there are.
    private static let messageCount = "ALTER TABLE channel ADD COLUMN messages INTEGER"

    private static let scores = """
        ALTER TABLE action ADD COLUMN score INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE outbox ADD COLUMN score INTEGER
        """

    /// Those of the second know neither scores nor threads.
    private static let threads = """
        ALTER TABLE message ADD COLUMN parent INTEGER;
        ALTER TABLE outbox ADD COLUMN parent INTEGER
        """

    /// Those of the third do not know what reactions there are.
    private static let rules = "ALTER TABLE channel ADD COLUMN rules TEXT"

    /// Those of the fourth have digests of actions alone, and count messages beside.
    private static let wholeDigest = """
        ALTER TABLE channel DROP COLUMN deletion;
        ALTER TABLE channel DROP COLUMN messages
        """

    /// Those of the fifth hold channels whole, and would not see a damaged message.
    private static let windows = """
        ALTER TABLE channel ADD COLUMN after INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE channel ADD COLUMN rest TEXT DEFAULT '\(Digest.empty.line)';
        ALTER TABLE channel ADD COLUMN rest_cursor INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE channel ADD COLUMN whole TEXT;
        ALTER TABLE message ADD COLUMN checksum INTEGER
        """

    /// Those of the sixth know nothing of what the user has read.
    private static let marks = """
        CREATE TABLE mark (
            channel TEXT PRIMARY KEY, confirmed INTEGER, wished INTEGER) WITHOUT ROWID
        """

    /// Those of the seventh believe a damaged mark, which then holds for all of the user's devices.
    private static let markChecksums = "ALTER TABLE mark ADD COLUMN checksum INTEGER"

    /// Texts compare byte for byte, as everywhere.
    private static let schema = """
        CREATE TABLE identity (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            user TEXT NOT NULL, keyset TEXT NOT NULL, device TEXT NOT NULL);
        CREATE TABLE channel (
            name TEXT PRIMARY KEY, cursor INTEGER NOT NULL, epoch TEXT, key TEXT,
            count INTEGER NOT NULL, digest TEXT NOT NULL, deletion INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE message (
            channel TEXT NOT NULL, timetoken INTEGER NOT NULL, uuid TEXT NOT NULL,
            payload TEXT NOT NULL, meta TEXT, type TEXT,
            PRIMARY KEY (channel, timetoken)) WITHOUT ROWID;
        CREATE TABLE action (
            channel TEXT NOT NULL, message INTEGER NOT NULL, type TEXT NOT NULL,
            value TEXT NOT NULL, uuid TEXT NOT NULL, timetoken INTEGER NOT NULL,
            PRIMARY KEY (channel, message, type, value, uuid)) WITHOUT ROWID;
        CREATE TABLE outbox (
            position INTEGER PRIMARY KEY AUTOINCREMENT, mutation TEXT NOT NULL UNIQUE,
            channel TEXT NOT NULL, kind TEXT NOT NULL, message INTEGER, type TEXT, value TEXT,
            uuid TEXT, seen INTEGER, payload TEXT, meta TEXT, progress TEXT NOT NULL,
            timetoken INTEGER, likeness INTEGER)
        """

    // MARK: DeviceStore

    public func identity() throws(DeviceStoreError) -> DeviceIdentity? {
        try database.prepare("SELECT user, keyset, device FROM identity").first { row in
            DeviceIdentity(userID: row.text(0), keyset: row.text(1), deviceID: row.text(2))
        }
    }

    public func setIdentity(_ identity: DeviceIdentity) throws(DeviceStoreError) {
        try database.prepare("REPLACE INTO identity VALUES (1, ?, ?, ?)").run(
            .text(identity.userID), .text(identity.keyset), .text(identity.deviceID))
    }

    public func outbox() throws(DeviceStoreError) -> [OutboxEntry] {
        var entries: [OutboxEntry] = []
        try statements.outbox.query { row in
            entries.append(OutboxEntry(row: row))
            return true
        }
        return entries
    }

    public func channels() throws(DeviceStoreError) -> [String] {
        var names: [String] = []
        try database.prepare("SELECT name FROM channel ORDER BY name").query { row in
            names.append(row.text(0))
            return true
        }
        return names
    }

    public func base(of channel: String) throws(DeviceStoreError) -> ChannelBase {
        guard let header = try statements.header.first([.text(channel)], body: ChannelHeader.init)
        else { return ChannelBase() }
        var messages: [Timetoken: DeviceCache.Entry] = [:]
        try statements.messages.query(.text(channel)) { row in
            let message = Message(
                payload: row.text(2), meta: row.optionalText(3), type: row.optionalText(4),
                parent: row.optionalTimetoken(5))
            let entry = DeviceCache.Entry(uuid: row.text(1), message: message)
            // The daemon's digest does not see a text that the disk has changed: it is as if the
            // message were not there, which it does see.
            if let checksum = row.optionalInteger(6), checksum != entry.checksum { return true }
            messages[row.timetoken(0)] = entry
            return true
        }
        var actions: [MessageAction] = []
        try statements.actions.query(.text(channel)) { row in
            let key = MessageAction.Key(
                messageTimetoken: row.timetoken(0), type: row.text(1), value: row.text(2),
                uuid: row.text(3))
            actions.append(
                MessageAction(
                    key: key, actionTimetoken: row.timetoken(4), score: Int(row.integer(5))))
            return true
        }
        return ChannelBase(messages: messages, actions: actions, header)
    }

    public func rules(of channel: String) throws(DeviceStoreError) -> ReactionRules? {
        let header = try statements.header.first([.text(channel)], body: ChannelHeader.init)
        return header?.rules
    }

    public func marks() throws(DeviceStoreError) -> [KeptMark] {
        var marks: [KeptMark] = []
        let all = "SELECT channel, confirmed, wished, checksum FROM mark ORDER BY channel"
        try database.prepare(all).query { row in
            let mark = KeptMark(
                channel: row.text(0), confirmed: row.optionalTimetoken(1),
                wished: row.optionalTimetoken(2))
            // The daemon is asked for it again.
            if let checksum = row.optionalInteger(3), checksum != mark.checksum { return true }
            marks.append(mark)
            return true
        }
        return marks
    }

    public func commit(_ writes: [DeviceWrite]) throws(DeviceStoreError) {
        guard !writes.isEmpty else { return }
        // What the server can send again need not wait for the disk.
        let hasWishes = writes.contains { if case .outbox = $0 { true } else { false } }
        if hasWishes { try database.execute("PRAGMA synchronous = FULL") }
        defer { if hasWishes { try? database.execute("PRAGMA synchronous = NORMAL") } }
        try database.inTransaction { () throws(DeviceStoreError) in
            for write in writes { try statements.write(write) }
        }
    }

    /// Leaves no log beside the file, unless another connection reads it.
    public func tidyUp() {
        // What cannot be done now is done when the file is opened again.
        try? database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
