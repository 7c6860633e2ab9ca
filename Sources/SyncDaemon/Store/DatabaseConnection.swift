// A connection to whichever database keeps the rows. Statements are written once; what the two
// understand differently is in `DatabaseDialect`.

import EventModel
import Postgres
import SQL
import SQLite

/// One connection, for one thread at a time.
///
/// Calls are not inlined, for the reason at ``DatabaseStatement``.
enum DatabaseConnection<Failure: Error>: ~Copyable {
    case sqlite(SQLiteConnection<Failure>)
    case postgres(PostgresConnection<Failure>)

    var dialect: DatabaseDialect {
        @inline(never) get {
            switch self {
            case .sqlite: .sqlite
            case .postgres: .postgres
            }
        }
    }

    /// Compiles one statement, which must go away before the connection does.
    @inline(never)
    func prepare(_ sql: String) throws(Failure) -> DatabaseStatement<Failure> {
        let sql = dialect.statement(sql)
        switch self {
        case .sqlite(let connection): return .sqlite(try connection.prepare(sql))
        case .postgres(let connection): return .postgres(connection.prepare(sql))
        }
    }

    /// Compiles a statement that writes a row; a server is told of many rows at once, with
    /// whatever it is asked next.
    @inline(never)
    func prepare(_ row: RowStatement) throws(Failure) -> DatabaseStatement<Failure> {
        switch self {
        case .sqlite: return try prepare(row.forOne)
        case .postgres(let connection):
            return .rows(
                connection.prepareRows(
                    dialect.statement(row.forMany), types: row.types, key: row.key.count,
                    atMost: Limits.rowsPerStatement))
        }
    }

    /// Compiles a question for a row, for a server; what is found comes with ``answers(_:)``.
    @inline(never)
    func prepare(_ lookup: RowLookup) throws(Failure) -> DatabaseStatement<Failure> {
        switch self {
        case .sqlite: return try prepare(lookup.forOne)
        case .postgres(let connection):
            return .rows(
                connection.prepareRows(
                    dialect.statement(lookup.forMany), types: lookup.types, key: 0,
                    atMost: Limits.rowsPerStatement))
        }
    }

    /// Compiles a statement whose rows may be more than memory holds; for transactions.
    @inline(never)
    func prepareScan(_ sql: String) throws(Failure) -> DatabaseStatement<Failure> {
        let sql = dialect.statement(sql)
        switch self {
        case .sqlite(let connection): return .sqlite(try connection.prepare(sql))
        case .postgres(let connection):
            return .scan(connection.prepareScan(sql, rows: Limits.rowsPerFetch))
        }
    }

    /// Runs one or more statements that return nothing.
    @inline(never)
    func execute(_ sql: String) throws(Failure) {
        switch self {
        case .sqlite(let connection): try connection.execute(sql)
        case .postgres(let connection): try connection.execute(sql)
        }
    }

    /// Has a server compile every statement now, so that it can be asked about them.
    @inline(never)
    func compileAll() throws(Failure) {
        switch self {
        case .sqlite: return
        case .postgres(let connection): try connection.compileAll()
        }
    }

    /// Waits for all answers, and lends the first row of each that has one; of rows that were asked
    /// for together each that was found.
    ///
    /// - Parameter body: Told the numbers of ``DatabaseStatement/ask(_:)``, and others.
    @inline(never)
    func answers(_ body: (Int, borrowing DatabaseRow) -> Void) throws(Failure) {
        switch self {
        case .sqlite: preconditionFailure("a file is not asked beforehand")
        case .postgres(let connection):
            try connection.answers { number, row in body(number, .postgres(row.again())) }
        }
    }

    /// Waits until everything was done that was asked for, and tells whether it failed.
    @inline(never)
    func settle() throws(Failure) {
        switch self {
        case .sqlite: return
        case .postgres(let connection): try connection.settle()
        }
    }

    /// Whether it was to a server, and is no more.
    var isLost: Bool {
        switch self {
        case .sqlite: false
        case .postgres(let connection): connection.isLost
        }
    }

    /// Connects to a server again, if the connection was lost; of what was open nothing is left.
    @inline(never)
    func revive() throws(Failure) {
        switch self {
        case .sqlite: return
        case .postgres(let connection): try connection.revive()
        }
    }

    /// Ends a transaction that is open, or failed.
    @inline(never)
    func rollBack() throws(Failure) {
        switch self {
        case .sqlite(let connection):
            if connection.isInTransaction { try connection.execute("ROLLBACK") }
        case .postgres(let connection): connection.rollBack()
        }
    }

    /// As ``SQLiteConnection/onProgress(every:_:)``; of a server each second of a wait.
    @inline(never)
    func onProgress(every steps: Int32, _ body: (() -> Void)?) {
        switch self {
        case .sqlite(let connection): connection.onProgress(every: steps, body)
        case .postgres(let connection): connection.onProgress(body)
        }
    }

    /// As ``PostgresConnection/onSilence(after:_:)``.
    @inline(never)
    func onSilence(after milliseconds: Int32, _ body: @escaping (Int32) -> Bool) {
        switch self {
        case .sqlite: return
        case .postgres(let connection): connection.onSilence(after: milliseconds, body)
        }
    }

    /// Whether a server warned of anything since this was last asked.
    @inline(never)
    func takeWarning() -> Bool {
        switch self {
        case .sqlite: false
        case .postgres(let connection): connection.takeWarning()
        }
    }

    // MARK: What a file has, and a server sees to itself

    /// Rows that the last INSERT, UPDATE or DELETE of a file changed.
    var changedRows: Int {
        @inline(never) get {
            switch self {
            case .sqlite(let connection): connection.changedRows
            case .postgres: 0
            }
        }
    }

    /// As ``SQLiteConnection/logPages``.
    var logPages: Int {
        @inline(never) get {
            switch self {
            case .sqlite(let connection): connection.logPages
            case .postgres: 0
            }
        }
    }

    /// As ``SQLiteConnection/checkpoint()``.
    @inline(never)
    func checkpoint() throws(Failure) {
        switch self {
        case .sqlite(let connection): try connection.checkpoint()
        case .postgres: return
        }
    }

    /// As ``SQLiteConnection/truncateLog(waitingAtMost:)``.
    @inline(never)
    func truncateLog(waitingAtMost milliseconds: Int32) throws(Failure) -> Bool {
        switch self {
        case .sqlite(let connection): try connection.truncateLog(waitingAtMost: milliseconds)
        case .postgres: true
        }
    }

    /// As ``SQLiteConnection/copyPages(to:)``; a server's database is no file.
    @inline(never)
    func copyPages(to target: String) throws(Failure) {
        switch self {
        case .sqlite(let connection): try connection.copyPages(to: target)
        case .postgres: preconditionFailure("The pages of a server's database are its own.")
        }
    }

    /// As ``SQLiteConnection/fileLength()``.
    @inline(never)
    func fileLength() throws(Failure) -> Int64 {
        switch self {
        case .sqlite(let connection): try connection.fileLength()
        case .postgres: 0
        }
    }

    /// As ``SQLiteConnection/lengthenFile(toPages:of:)``.
    @inline(never)
    func lengthenFile(toPages pages: Int64, of pageBytes: Int) throws(Failure) {
        switch self {
        case .sqlite(let connection): try connection.lengthenFile(toPages: pages, of: pageBytes)
        case .postgres: return
        }
    }
}
