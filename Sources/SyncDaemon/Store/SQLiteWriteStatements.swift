// The statements of the ledger's connection, prepared once.

import SQLite

/// Every statement that the writer runs.
final class SQLiteWriteStatements {
    let begin: StoreStatement
    let commit: StoreStatement
    let moveClock: StoreStatement
    let findChannel: StoreStatement
    let insertChannel: StoreStatement
    let insertMessage: StoreStatement
    let findAction: StoreStatement
    let putAction: StoreStatement
    let removeAction: StoreStatement
    let mutations: SQLiteMutationStatements
    let findActionAt: StoreStatement
    let deleteMessages: StoreStatement
    let standingInRange: StoreStatement
    let deleteActions: StoreStatement
    let digests: SQLiteDigestStatements
    let insertDeletion: StoreStatement
    let large: SQLiteDeletionStatements
    let findExpired: StoreStatement
    let channelsOfGroup: StoreStatement
    let addToGroup: StoreStatement
    let removeFromGroup: StoreStatement
    let deleteGroup: StoreStatement
    let revoked: SQLiteRevokedStatements
    let keyGrants: SQLiteKeyGrantStatements
    let readMarks: SQLiteReadMarkStatements
    let push: SQLitePushStatements
    let files: SQLiteFileStatements
    let directories: SQLiteDirectoryStatements
    let outbox: SQLiteOutboxStatements
    let use: SQLiteUseStatements
    let tally: SQLiteTallyStatements

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        moveClock = try connection.prepare(
            "UPDATE clock SET (\(ClockRow.columns)) = (?, ?, ?, ?, ?, ?, ?, ?)")
        findChannel = try connection.prepare("SELECT id FROM channel WHERE keyset = ? AND name = ?")
        insertChannel = try connection.prepare("INSERT INTO channel(keyset, name) VALUES (?, ?)")
        insertMessage = try connection.prepare("INSERT INTO message VALUES (?,?,?,?,?,?,?,?,?)")
        findAction = try connection.prepare(
            """
            SELECT added, changed, sum, score FROM action WHERE channel = ? AND message = ?
            AND type = ? AND value = ? AND uuid = ? AND live = 1
            """)
        putAction = try connection.prepare(
            """
            INSERT INTO action VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, 1, ?7, ?8)
            ON CONFLICT DO UPDATE SET added = ?6, changed = ?6, live = 1, sum = ?7, score = ?8
            """)
        removeAction = try connection.prepare(
            """
            UPDATE action SET changed = ?6, live = 0, sum = ?7 WHERE channel = ?1 AND message = ?2
            AND type = ?3 AND value = ?4 AND uuid = ?5
            """)
        mutations = try SQLiteMutationStatements(connection)
        // A row that is live has not changed since it was added, which is in an index. An entry of
        // that without its row comes as one without `live`.
        findActionAt = try connection.prepare(
            """
            SELECT i.type, i.value, i.uuid, a.added, a.sum, a.live, a.score
            FROM action AS i INDEXED BY action_by_change LEFT JOIN action AS a
            ON (a.channel, a.message, a.type, a.value, a.uuid)
            = (i.channel, i.message, i.type, i.value, i.uuid)
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
        digests = try SQLiteDigestStatements(connection)
        large = try SQLiteDeletionStatements(connection)
        findExpired = try connection.prepare(
            """
            SELECT channel.keyset, channel.name, message.timetoken FROM message
            JOIN channel ON channel.id = message.channel
            WHERE message.expires < ? ORDER BY message.expires, message.timetoken LIMIT ?
            """)
        channelsOfGroup = try connection.prepare(
            "SELECT channel FROM channel_group WHERE keyset = ? AND name = ? ORDER BY channel")
        addToGroup = try connection.prepare("INSERT OR IGNORE INTO channel_group VALUES (?, ?, ?)")
        removeFromGroup = try connection.prepare(
            "DELETE FROM channel_group WHERE keyset = ? AND name = ? AND channel = ?")
        deleteGroup = try connection.prepare(
            "DELETE FROM channel_group WHERE keyset = ? AND name = ?")
        revoked = try SQLiteRevokedStatements(connection)
        keyGrants = try SQLiteKeyGrantStatements(connection)
        readMarks = try SQLiteReadMarkStatements(connection)
        push = try SQLitePushStatements(connection)
        files = try SQLiteFileStatements(connection)
        directories = try SQLiteDirectoryStatements(connection)
        outbox = try SQLiteOutboxStatements(connection)
        use = try SQLiteUseStatements(connection)
        tally = try SQLiteTallyStatements(connection)
    }
}

/// What it takes to remember the mutations of devices, and to forget them.
final class SQLiteMutationStatements {
    let findDevice: StoreStatement
    let insertDevice: StoreStatement
    let find: StoreStatement
    let insert: StoreStatement
    let forget: StoreStatement
    let findOld: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        findDevice = try connection.prepare(
            "SELECT id FROM device WHERE keyset = ? AND user = ? AND name = ?")
        insertDevice = try connection.prepare(
            "INSERT INTO device(keyset, user, name) VALUES (?, ?, ?)")
        find = try connection.prepare(
            """
            SELECT fingerprint, kind, outcome, timetoken, sum FROM mutation
            WHERE device = ? AND name = ?
            """)
        insert = try connection.prepare("INSERT INTO mutation VALUES (?, ?, ?, ?, ?, ?, ?)")
        forget = try connection.prepare(
            """
            DELETE FROM mutation WHERE timetoken IN
            (SELECT timetoken FROM mutation WHERE timetoken < ? ORDER BY timetoken LIMIT ?)
            """)
        findOld = try connection.prepare("SELECT 1 FROM mutation WHERE timetoken < ? LIMIT 1")
    }
}

/// What reconciling devices needs.
final class SQLiteDigestStatements {
    let segments: SQLiteSegmentStatements
    let findDigest: StoreStatement
    let putDigest: StoreStatement
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
        segments = try SQLiteSegmentStatements(connection)
        findDigest = try connection.prepare("SELECT count, lane0, lane1 FROM channel WHERE id = ?")
        putDigest = try connection.prepare(
            "UPDATE channel SET count = ?2, lane0 = ?3, lane1 = ?4 WHERE id = ?1")
        // The index is named so that a statement that cannot use it is an error.
        findTombstones = try connection.prepare(
            """
            SELECT channel, message, type, value, uuid, changed FROM action
            INDEXED BY action_tombstone WHERE live = 0 AND changed < ? ORDER BY changed LIMIT ?
            """)
        deleteAction = try connection.prepare(
            """
            DELETE FROM action WHERE channel = ? AND message = ? AND type = ? AND value = ?
            AND uuid = ?
            """)
        raiseTombstoneFloor = try connection.prepare(
            "UPDATE meta SET value = ? WHERE name = 'tombstone_floor'")
        insertRun = try connection.prepare(
            "INSERT INTO run(id, started_after, began) VALUES (?, ?, ?)")
        endRun = try connection.prepare("UPDATE run SET ended = ? WHERE ended = 0")
        forgetRun = try connection.prepare("DELETE FROM run WHERE id = ?")
        ages = try connection.prepare("SELECT through, ticks FROM age ORDER BY through")
        insertAge = try connection.prepare("INSERT OR IGNORE INTO age VALUES (?, ?)")
        forgetAges = try connection.prepare("DELETE FROM age WHERE through < ?")
    }
}

/// What a deletion needs that goes in steps.
final class SQLiteDeletionStatements {
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
    let clearings: SQLiteClearingStatements

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        let messages = "FROM message WHERE channel = ? AND timetoken > ? AND timetoken <= ?"
        countMessages = try connection.prepare(
            "SELECT count(*) FROM (SELECT 1 \(messages) LIMIT ?)")
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
            "SELECT count(*) FROM (SELECT 1 FROM action \(range) LIMIT ?)")
        // In the order of the primary key, from one key on.
        let actions = """
            FROM action WHERE channel = ?1 AND (message, type, value, uuid) >= (?2, ?3, ?4, ?5)
            """
        let order = "ORDER BY message, type, value, uuid LIMIT"
        scanActions = try connection.prepare(
            """
            SELECT message, type, value, uuid, added, live, sum, score \(actions) AND message <= ?6
            \(order) ?7
            """)
        lastOfStep = try connection.prepare(
            "SELECT message, type, value, uuid \(actions) AND message <= ?6 \(order) 1 OFFSET ?7")
        deleteStep = try connection.prepare(
            """
            DELETE \(actions) AND (message, type, value, uuid) <= (?6, ?7, ?8, ?9)
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
            (SELECT timetoken FROM deletion WHERE timetoken < ? ORDER BY timetoken LIMIT ?)
            """)
        forgetDeletions = try connection.prepare("DELETE FROM deletion WHERE timetoken <= ?")
        raiseFloor = try connection.prepare(
            "UPDATE meta SET value = ? WHERE name = 'deletion_floor'")
        clearings = try SQLiteClearingStatements(connection)
    }
}
