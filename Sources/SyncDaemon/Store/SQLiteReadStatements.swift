// The statements of a reader's connection, prepared once.

import SQLite

/// Every statement that a reader runs.
final class SQLiteReadStatements {
    let begin: StoreStatement
    let end: StoreStatement
    let clock: StoreStatement
    let deletionFloor: StoreStatement
    let findChannel: StoreStatement
    let findState: StoreStatement
    let channelsFrom: StoreStatement
    let messagesForward: StoreStatement
    let messagesBackward: StoreStatement
    let countMessages: StoreStatement
    let readMarks: SQLiteUnreadStatements
    let push: StoreStatement
    let files: SQLiteFileReadStatements
    let directories: SQLiteDirectoryStatements
    let findHidden: StoreStatement
    let deletions: StoreStatement
    /// The newest first.
    let segments: StoreStatement
    let actionsForward: StoreStatement
    let actionsBackward: StoreStatement
    let countActionsOfMessage: StoreStatement
    let actionsOfMessage: StoreStatement
    /// In the order of the primary key, which a later look goes on from.
    let actionsByKey: StoreStatement
    let actionAddedAt: StoreStatement
    /// What stands on a message, counted.
    let tally: SQLiteTallyStatements
    let groups: SQLiteGroupStatements
    let outbox: SQLiteOutboxReadStatements

    /// Of a channel, after a position and up to another.
    private static let messages = """
        SELECT timetoken, uuid, payload, meta, type, expires, sum, parent FROM message
        WHERE channel = ? AND timetoken > ? AND timetoken <= ? ORDER BY timetoken
        """

    private static let findState =
        "SELECT id, count, lane0, lane1 FROM channel WHERE keyset = ? AND name = ?"
    private static let deletionFloor = "SELECT value FROM meta WHERE name = 'deletion_floor'"

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        begin = try connection.prepare("BEGIN")
        end = try connection.prepare("COMMIT")
        clock = try connection.prepare("SELECT \(ClockRow.columns) FROM clock")
        deletionFloor = try connection.prepare(Self.deletionFloor)
        findChannel = try connection.prepare("SELECT id FROM channel WHERE keyset = ? AND name = ?")
        findState = try connection.prepare(Self.findState)
        channelsFrom = try connection.prepare(
            "SELECT id, name FROM channel WHERE keyset = ? AND name >= ? ORDER BY name LIMIT ?")
        messagesForward = try connection.prepare("\(Self.messages) LIMIT ?")
        messagesBackward = try connection.prepare("\(Self.messages) DESC LIMIT ?")
        countMessages = try connection.prepare(
            """
            SELECT count(*) FROM
            (SELECT 1 FROM message WHERE channel = ? AND timetoken > ? AND timetoken <= ? LIMIT ?)
            """)
        readMarks = try SQLiteUnreadStatements(connection)
        push = try connection.prepare(SQLitePushStatements.channels)
        files = try SQLiteFileReadStatements(connection)
        directories = try SQLiteDirectoryStatements(connection)
        findHidden = try connection.prepare("SELECT timetoken, channel, after, through FROM hidden")
        deletions = try connection.prepare(
            """
            SELECT timetoken, after, through FROM deletion
            WHERE channel = ? AND timetoken > ? ORDER BY timetoken LIMIT ?
            """)
        segments = try connection.prepare(Segment.newestFirst)
        let row = "changed, message, type, value, uuid, added, live, sum, score"
        let columns = "SELECT \(row) FROM action"
        // From the index to the rows, so that an entry without its row comes as one without `live`;
        // SQLite's own way from an index passes over it in silence.
        let entries = """
            SELECT i.changed, i.message, i.type, i.value, i.uuid, a.added, a.live, a.sum, a.score
            FROM action AS i INDEXED BY action_by_change LEFT JOIN action AS a
            ON (a.channel, a.message, a.type, a.value, a.uuid)
            = (i.channel, i.message, i.type, i.value, i.uuid)
            """
        let actions = """
            \(entries) WHERE i.channel = ? AND i.changed > ? AND i.changed < ? ORDER BY i.changed
            """
        actionsForward = try connection.prepare("\(actions) LIMIT ?")
        actionsBackward = try connection.prepare("\(actions) DESC LIMIT ?")
        actionsByKey = try connection.prepare(
            """
            \(columns) WHERE channel = ? AND (message, type, value, uuid) > (?, ?, ?, ?)
            ORDER BY message, type, value, uuid
            """)
        // An action that stands has not changed since it was added. Left to itself, SQLite prefers
        // the primary key here, and walks the whole channel for one row.
        actionAddedAt = try connection.prepare(
            """
            \(entries)
            WHERE i.channel = ? AND i.changed = ? AND ifnull(a.live, 1) = 1
            """)
        countActionsOfMessage = try connection.prepare(
            """
            SELECT count(*) FROM
            (SELECT 1 FROM action WHERE channel = ? AND message = ? LIMIT ?)
            """)
        // Neither condition nor order may name the bare column: SQLite would walk the whole channel
        // in the order of its changes.
        actionsOfMessage = try connection.prepare(
            """
            \(columns) WHERE channel = ?1 AND message = ?2 AND live = 1
            AND +changed > ?3 AND +changed < ?4 ORDER BY score * ?5 * ?6, changed * ?6
            """)
        tally = try SQLiteTallyStatements(connection)
        groups = try SQLiteGroupStatements(connection, columns)
        outbox = try SQLiteOutboxReadStatements(connection)
    }
}
