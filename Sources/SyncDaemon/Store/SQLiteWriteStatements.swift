// The statements of the ledger's connection, prepared once.

/// Every statement that the writer runs.
final class SQLiteWriteStatements {
    let begin: SQLiteStatement
    let commit: SQLiteStatement
    let moveClock: SQLiteStatement
    let findChannel: SQLiteStatement
    let insertChannel: SQLiteStatement
    let insertMessage: SQLiteStatement
    let findAction: SQLiteStatement
    let putAction: SQLiteStatement
    let removeAction: SQLiteStatement
    let findDevice: SQLiteStatement
    let insertDevice: SQLiteStatement
    let findMutation: SQLiteStatement
    let insertMutation: SQLiteStatement
    let forgetMutations: SQLiteStatement

    init(_ connection: borrowing SQLiteConnection) throws(StoreError) {
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        moveClock = try connection.prepare("UPDATE clock SET last = ?")
        findChannel = try connection.prepare("SELECT id FROM channel WHERE keyset = ? AND name = ?")
        insertChannel = try connection.prepare("INSERT INTO channel(keyset, name) VALUES (?, ?)")
        insertMessage = try connection.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?, ?)")
        findAction = try connection.prepare(
            """
            SELECT added FROM action WHERE channel = ? AND message = ? AND type = ? AND value = ?
            AND uuid = ? AND live = 1
            """)
        putAction = try connection.prepare(
            """
            INSERT INTO action VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, 1)
            ON CONFLICT DO UPDATE SET added = ?6, changed = ?6, live = 1
            """)
        removeAction = try connection.prepare(
            """
            UPDATE action SET changed = ?6, live = 0 WHERE channel = ?1 AND message = ?2
            AND type = ?3 AND value = ?4 AND uuid = ?5
            """)
        findDevice = try connection.prepare(
            "SELECT id FROM device WHERE keyset = ? AND user = ? AND name = ?")
        insertDevice = try connection.prepare(
            "INSERT INTO device(keyset, user, name) VALUES (?, ?, ?)")
        findMutation = try connection.prepare(
            "SELECT fingerprint, kind, outcome FROM mutation WHERE device = ? AND name = ?")
        insertMutation = try connection.prepare("INSERT INTO mutation VALUES (?, ?, ?, ?, ?, ?)")
        forgetMutations = try connection.prepare(
            """
            DELETE FROM mutation WHERE timetoken IN
            (SELECT timetoken FROM mutation WHERE timetoken < ? ORDER BY timetoken LIMIT ?)
            """)
    }
}
