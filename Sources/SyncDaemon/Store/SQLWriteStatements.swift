// The statements of the ledger's connection, prepared once.

import SQL

/// Every statement that the writer runs.
final class SQLWriteStatements {
    let begin: StoreStatement
    let commit: StoreStatement
    let moveClock: StoreStatement
    let findChannel: StoreStatement
    let insertChannel: StoreStatement
    let insertMessage: StoreStatement
    let findAction: StoreStatement
    let findActions: StoreStatement
    let putAction: StoreStatement
    let mutations: SQLMutationStatements
    let findActionAt: StoreStatement
    let deleteMessages: StoreStatement
    let standingInRange: StoreStatement
    let deleteActions: StoreStatement
    let digests: SQLDigestStatements
    let insertDeletion: StoreStatement
    let large: SQLDeletionStatements
    let findExpired: StoreStatement
    let channelsOfGroup: StoreStatement
    let addToGroup: StoreStatement
    let removeFromGroup: StoreStatement
    let deleteGroup: StoreStatement
    let revoked: SQLRevokedStatements
    let keyGrants: SQLKeyGrantStatements
    let readMarks: SQLReadMarkStatements
    let push: SQLPushStatements
    let files: SQLFileStatements
    let directories: SQLDirectoryStatements
    let outbox: SQLOutboxStatements
    let use: SQLUseStatements
    let tally: SQLTallyStatements

    static let findChannel = "SELECT id FROM channel WHERE keyset = ? AND name = ?"
    private static let insertChannel =
        "INSERT INTO channel(keyset, name) VALUES (?, ?) RETURNING id"

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        begin = try connection.prepare(connection.dialect.beginWriting)
        commit = try connection.prepare("COMMIT")
        moveClock = try connection.prepare(
            "UPDATE clock SET (\(ClockRow.columns)) = (?, ?, ?, ?, ?, ?, ?, ?)")
        findChannel = try connection.prepare(Self.findChannel)
        insertChannel = try connection.prepare(Self.insertChannel)
        insertMessage = try connection.prepare(RowStatement.message)
        findAction = try connection.prepare(RowLookup.action.forOne)
        findActions = try connection.prepare(RowLookup.action)
        putAction = try connection.prepare(RowStatement.action)
        mutations = try SQLMutationStatements(connection)
        // A row that is live has not changed since it was added, which is in an index. An entry of
        // that without its row comes as one without `live`.
        findActionAt = try connection.prepare(
            """
            SELECT i.type, i.value, i.uuid, a.added, a.sum, a.live, a.score
            \(connection.dialect.actions(by: "action_by_change"))
            WHERE i.channel = ? AND i.changed = ? AND i.message = ? AND ifnull(a.live, 1) = 1
            """)
        deleteMessages = try connection.prepare(
            "DELETE FROM message WHERE channel = ? AND timetoken > ? AND timetoken <= ?")
        standingInRange = try connection.prepare(
            """
            SELECT message, type, value, uuid, added, changed, sum, score FROM action
            WHERE channel = ? AND message > ? AND message <= ? AND live = 1
            """)
        deleteActions = try connection.prepare(
            "DELETE FROM action WHERE channel = ? AND message > ? AND message <= ?")
        insertDeletion = try connection.prepare(
            "INSERT INTO deletion(timetoken, channel, after, through) VALUES (?, ?, ?, ?)")
        digests = try SQLDigestStatements(connection)
        large = try SQLDeletionStatements(connection)
        findExpired = try connection.prepare(
            """
            SELECT channel.keyset, channel.name, message.timetoken FROM message
            JOIN channel ON channel.id = message.channel
            WHERE message.expires < ? ORDER BY message.expires, message.timetoken LIMIT ?
            """)
        channelsOfGroup = try connection.prepare(
            "SELECT channel FROM channel_group WHERE keyset = ? AND name = ? ORDER BY channel")
        addToGroup = try connection.prepare(
            "INSERT INTO channel_group VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
        removeFromGroup = try connection.prepare(
            "DELETE FROM channel_group WHERE keyset = ? AND name = ? AND channel = ?")
        deleteGroup = try connection.prepare(
            "DELETE FROM channel_group WHERE keyset = ? AND name = ?")
        revoked = try SQLRevokedStatements(connection)
        keyGrants = try SQLKeyGrantStatements(connection)
        readMarks = try SQLReadMarkStatements(connection)
        push = try SQLPushStatements(connection)
        files = try SQLFileStatements(connection)
        directories = try SQLDirectoryStatements(connection)
        outbox = try SQLOutboxStatements(connection)
        use = try SQLUseStatements(connection)
        tally = try SQLTallyStatements(connection)
    }
}

/// What it takes to remember the mutations of devices, and to forget them.
final class SQLMutationStatements {
    let findDevice: StoreStatement
    let insertDevice: StoreStatement
    let find: StoreStatement
    let findMany: StoreStatement
    let insert: StoreStatement
    let forget: StoreStatement
    let findOld: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        findDevice = try connection.prepare(
            "SELECT id FROM device WHERE keyset = ? AND \"user\" = ? AND name = ?")
        insertDevice = try connection.prepare(
            "INSERT INTO device(keyset, \"user\", name) VALUES (?, ?, ?) RETURNING id")
        find = try connection.prepare(RowLookup.mutation.forOne)
        findMany = try connection.prepare(RowLookup.mutation)
        insert = try connection.prepare(RowStatement.mutation)
        forget = try connection.prepare(
            """
            DELETE FROM mutation WHERE timetoken IN
            (SELECT timetoken FROM mutation WHERE timetoken < ? ORDER BY timetoken LIMIT ?)
            """)
        findOld = try connection.prepare("SELECT 1 FROM mutation WHERE timetoken < ? LIMIT 1")
    }
}

/// What reconciling devices needs.
final class SQLDigestStatements {
    let segments: SQLSegmentStatements
    let findDigest: StoreStatement
    let findTombstones: StoreStatement
    let deleteAction: StoreStatement
    let raiseTombstoneFloor: StoreStatement
    let insertRun: StoreStatement
    let endRun: StoreStatement
    let forgetRun: StoreStatement
    let ages: StoreStatement
    let insertAge: StoreStatement
    let forgetAges: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        segments = try SQLSegmentStatements(connection)
        findDigest = try connection.prepare(
            """
            SELECT count, lane0, lane1, after FROM segment
            WHERE channel = ? ORDER BY after DESC LIMIT 1
            """)
        // The index is named so that a statement that cannot use it is an error.
        findTombstones = try connection.prepare(
            """
            SELECT channel, message, type, value, uuid, changed FROM action
            INDEXED BY action_tombstone WHERE live = 0 AND changed < ? ORDER BY changed LIMIT ?
            """)
        deleteAction = try connection.prepare(
            """
            DELETE FROM action WHERE channel = ? AND message = ? AND type = ? AND {value} = {?}
            AND uuid = ?
            """)
        raiseTombstoneFloor = try connection.prepare(
            "UPDATE meta SET value = ? WHERE name = 'tombstone_floor'")
        insertRun = try connection.prepare(
            "INSERT INTO run(id, started_after, began) VALUES (?, ?, ?)")
        endRun = try connection.prepare("UPDATE run SET ended = ? WHERE ended = 0")
        forgetRun = try connection.prepare("DELETE FROM run WHERE id = ?")
        ages = try connection.prepare("SELECT through, ticks FROM age ORDER BY through")
        insertAge = try connection.prepare("INSERT INTO age VALUES (?, ?) ON CONFLICT DO NOTHING")
        forgetAges = try connection.prepare("DELETE FROM age WHERE through < ?")
    }
}

/// What a deletion needs that goes in steps.
final class SQLDeletionStatements {
    let countMessages: StoreStatement
    let countActions: StoreStatement
    let findMessage: StoreStatement
    let readMessages: StoreStatement
    let findAction: StoreStatement
    let findNewAction: StoreStatement
    let scanActions: StoreStatement
    let lastOfStep: StoreStatement
    let deleteStep: StoreStatement
    let deleteRest: StoreStatement
    let deleteMessages: StoreStatement
    let findHidden: StoreStatement
    let insertHidden: StoreStatement
    let deleteHidden: StoreStatement
    let deleteCovered: StoreStatement
    let newestForgotten: StoreStatement
    let forgetDeletions: StoreStatement
    let raiseFloor: StoreStatement
    let clearings: SQLClearingStatements

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        let messages = "FROM message WHERE channel = ? AND timetoken > ? AND timetoken <= ?"
        countMessages = try connection.prepare(
            "SELECT count(*) FROM (SELECT 1 \(messages) LIMIT ?) AS found")
        findMessage = try connection.prepare("SELECT 1 \(messages) LIMIT 1")
        readMessages = try connection.prepare(
            """
            SELECT timetoken, uuid, payload, meta, type, expires, sum, parent \(messages)
            ORDER BY timetoken LIMIT ?
            """)
        let range = "WHERE channel = ? AND message > ? AND message <= ?"
        findAction = try connection.prepare("SELECT 1 FROM action \(range) LIMIT 1")
        findNewAction = try connection.prepare(
            "SELECT 1 FROM action INDEXED BY action_by_change \(range) AND changed > ? LIMIT 1")
        deleteMessages = try connection.prepare(
            "DELETE FROM message WHERE timetoken IN (SELECT timetoken \(messages) LIMIT ?)")
        countActions = try connection.prepare(
            "SELECT count(*) FROM (SELECT 1 FROM action \(range) LIMIT ?) AS found")
        // In the order of the primary key, from one key on.
        let actions = """
            FROM action
            WHERE channel = ?1 AND (message, type, {value}, uuid) >= (?2, ?3, {?4}, ?5)
            """
        let order = "ORDER BY message, type, {value}, uuid LIMIT"
        scanActions = try connection.prepare(
            """
            SELECT message, type, value, uuid, added, live, sum, score \(actions) AND message <= ?6
            \(order) ?7
            """)
        lastOfStep = try connection.prepare(
            "SELECT message, type, value, uuid \(actions) AND message <= ?6 \(order) 1 OFFSET ?7")
        deleteStep = try connection.prepare(
            """
            DELETE \(actions) AND (message, type, {value}, uuid) <= (?6, ?7, {?8}, ?9)
            AND added <= ?10
            """)
        deleteRest = try connection.prepare(
            "DELETE \(actions) AND message <= ?6 AND added <= ?7")
        findHidden = try connection.prepare(
            "SELECT timetoken, channel, after, through FROM hidden ORDER BY timetoken")
        insertHidden = try connection.prepare(
            "INSERT INTO hidden(timetoken, channel, after, through) VALUES (?, ?, ?, ?)")
        deleteHidden = try connection.prepare("DELETE FROM hidden WHERE timetoken = ?")
        deleteCovered = try connection.prepare(
            """
            DELETE FROM deletion WHERE timetoken IN
            (SELECT timetoken FROM deletion INDEXED BY deletion_by_range
            WHERE channel = ? AND after >= ? AND through <= ? AND after < ? LIMIT ?)
            """)
        newestForgotten = try connection.prepare(
            """
            SELECT max(timetoken) FROM
            (SELECT timetoken FROM deletion WHERE timetoken < ? ORDER BY timetoken LIMIT ?) AS found
            """)
        forgetDeletions = try connection.prepare("DELETE FROM deletion WHERE timetoken <= ?")
        raiseFloor = try connection.prepare(
            "UPDATE meta SET value = ? WHERE name = 'deletion_floor'")
        clearings = try SQLClearingStatements(connection)
    }
}
