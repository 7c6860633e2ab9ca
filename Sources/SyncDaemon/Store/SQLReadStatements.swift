// The statements of a reader's connection, prepared once.

import SQL

/// Every statement that a reader runs.
final class SQLReadStatements {
    let begin: StoreStatement
    let end: StoreStatement
    let clock: StoreStatement
    let deletionFloor: StoreStatement
    let findChannel: StoreStatement
    let findState: StoreStatement
    let channelsFrom: StoreStatement
    let namesFrom: StoreStatement
    let messagesForward: StoreStatement
    let messagesBackward: StoreStatement
    let allMessages: StoreStatement
    let countMessages: StoreStatement
    let readMarks: SQLUnreadStatements
    let push: StoreStatement
    let files: SQLFileReadStatements
    let directories: SQLDirectoryStatements
    let findHidden: StoreStatement
    let deletions: StoreStatement
    /// The newest first.
    let segments: StoreStatement
    let covered: SQLCoveredStatements
    let actionsForward: StoreStatement
    let actionsBackward: StoreStatement
    let allChanges: StoreStatement
    let countActionsOfMessage: StoreStatement
    let actionsOfMessage: StoreStatement
    /// In the order of the primary key, which a later look goes on from.
    let actionsByKey: StoreStatement
    let actionAddedAt: StoreStatement
    /// What stands on a message, counted.
    let tally: SQLTallyStatements
    let groups: SQLGroupStatements
    let outbox: SQLOutboxReadStatements

    /// Of a channel, after a position and up to another.
    private static let messages = """
        SELECT timetoken, uuid, payload, meta, type, expires, sum, parent FROM message
        WHERE channel = ? AND timetoken > ? AND timetoken <= ? ORDER BY timetoken
        """

    private static let findState = """
        SELECT id, \(Segment.wholeColumns) FROM channel \(Segment.joinWhole)
        WHERE keyset = ? AND name = ?
        """
    private static let channelsFrom =
        "SELECT id, name FROM channel WHERE keyset = ? AND name >= ? ORDER BY name LIMIT ?"
    /// One that has nothing but files has no row of its own.
    private static let namesFrom = """
        SELECT name FROM (
            SELECT name FROM channel WHERE keyset = ? AND name >= ?
            ORDER BY name LIMIT ?) AS channels
        UNION SELECT channel FROM (
            SELECT DISTINCT channel FROM file WHERE keyset = ? AND channel >= ?
            ORDER BY channel LIMIT ?) AS files
        ORDER BY 1 LIMIT ?
        """
    private static let deletions = """
        SELECT timetoken, after, through FROM deletion
        WHERE channel = ? AND timetoken > ? ORDER BY timetoken LIMIT ?
        """
    private static let deletionFloor = "SELECT value FROM meta WHERE name = 'deletion_floor'"

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        begin = try connection.prepare(connection.dialect.beginReading)
        end = try connection.prepare("COMMIT")
        clock = try connection.prepare("SELECT \(ClockRow.columns) FROM clock")
        deletionFloor = try connection.prepare(Self.deletionFloor)
        findChannel = try connection.prepare(SQLWriteStatements.findChannel)
        findState = try connection.prepare(Self.findState)
        channelsFrom = try connection.prepare(Self.channelsFrom)
        namesFrom = try connection.prepare(Self.namesFrom)
        messagesForward = try connection.prepare("\(Self.messages) LIMIT ?")
        messagesBackward = try connection.prepare("\(Self.messages) DESC LIMIT ?")
        allMessages = try connection.prepareScan(Self.messages)
        countMessages = try connection.prepare(
            """
            SELECT count(*) FROM
            (SELECT 1 FROM message WHERE channel = ? AND timetoken > ? AND timetoken <= ? LIMIT ?)
            AS found
            """)
        readMarks = try SQLUnreadStatements(connection)
        push = try connection.prepare(SQLPushStatements.channels)
        files = try SQLFileReadStatements(connection)
        directories = try SQLDirectoryStatements(connection)
        findHidden = try connection.prepare("SELECT timetoken, channel, after, through FROM hidden")
        deletions = try connection.prepare(Self.deletions)
        segments = try connection.prepareScan(Segment.newestFirst)
        covered = try SQLCoveredStatements(connection)
        let row = "changed, message, type, value, uuid, added, live, sum, score"
        let columns = "SELECT \(row) FROM action"
        // From the index to the rows, so that an entry without its row comes as one without `live`;
        // SQLite's own way from an index passes over it in silence.
        let entries = """
            SELECT i.changed, i.message, i.type, i.value, i.uuid, a.added, a.live, a.sum, a.score
            \(connection.dialect.actions(by: "action_by_change"))
            """
        let actions = """
            \(entries) WHERE i.channel = ? AND i.changed > ? AND i.changed < ? ORDER BY i.changed
            """
        actionsForward = try connection.prepare("\(actions) LIMIT ?")
        actionsBackward = try connection.prepare("\(actions) DESC LIMIT ?")
        allChanges = try connection.prepareScan(actions)
        actionsByKey = try connection.prepareScan(
            """
            \(columns) WHERE channel = ? AND (message, type, {value}, uuid) > (?, ?, {?}, ?)
            ORDER BY message, type, {value}, uuid
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
            (SELECT 1 FROM action WHERE channel = ? AND message = ? LIMIT ?) AS found
            """)
        // Neither condition nor order may name the bare column: SQLite would walk the whole channel
        // in the order of its changes.
        actionsOfMessage = try connection.prepare(
            """
            \(columns) WHERE channel = ?1 AND message = ?2 AND live = 1
            AND +changed > ?3 AND +changed < ?4 ORDER BY score * ?5 * ?6, changed * ?6
            """)
        tally = try SQLTallyStatements(connection)
        groups = try SQLGroupStatements(connection, columns)
        outbox = try SQLOutboxReadStatements(connection)
    }
}

/// What a digest covers of a stretch, after a position and up to another.
final class SQLCoveredStatements {
    let messages: StoreStatement
    let actions: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        messages = try connection.prepareScan(
            """
            SELECT timetoken, uuid, type FROM message
            WHERE channel = ? AND timetoken > ? AND timetoken <= ?
            """)
        actions = try connection.prepareScan(
            """
            SELECT message, type, value, uuid, added, score FROM action
            WHERE channel = ? AND message > ? AND message <= ? AND live = 1
            """)
    }
}
