// One connection to a PostgreSQL server. Only this folder touches libpq.

import CLibPQ
public import SQL

/// One connection to a server; closed when its owner and its statements are gone.
///
/// For one thread at a time. After an error with ``PostgresError/isLost`` every call fails, until
/// ``revive()`` made another one.
public final class PostgresConnection<Failure: Error> {
    private(set) var pipeline: PostgresPipeline
    /// Makes another one.
    private let connect: () throws(PostgresError) -> PostgresPipeline
    let failure: (PostgresError) -> Failure
    /// The statements of this connection, by the numbers in their names.
    private var statements: [String] = []
    /// Those of them that are about rows.
    private var rowSets: [PostgresRowSet] = []
    /// Numbers under which rows are answered, by the statements that were sent about them.
    private var tickets: [Int: [Int]] = [:]
    private var lastTicket = 0
    /// Makes the names of cursors.
    private var scanCount = 0

    /// Connects.
    ///
    /// - Parameters:
    ///   - target: A URL, or a list of keywords and values, as libpq has them. What it leaves out
    ///     comes from the environment (`PGHOST` and others).
    ///   - session: Statements that every connection begins with.
    ///   - patience: How long any wait may last without a byte from the server, in milliseconds.
    ///   - failure: Says in the caller's words what the connection and its statements throw.
    public init(
        _ target: String, session: String = "", patience: Patience,
        failure: @escaping (PostgresError) -> Failure
    ) throws(Failure) {
        self.failure = failure
        connect = { () throws(PostgresError) in
            let pipeline = try PostgresPipeline.first(of: target, patience: patience.connecting)
            pipeline.patience = patience.waiting
            if !session.isEmpty { try pipeline.execute(session) }
            return pipeline
        }
        do throws(PostgresError) {
            pipeline = try connect()
        } catch {
            throw failure(error)
        }
    }

    /// How long waits may last without a byte from the server, in milliseconds.
    public struct Patience: Sendable {
        /// Shared among the servers, where a target names several.
        public var connecting: Int32
        public var waiting: Int32

        public init(connecting: Int32, waiting: Int32) {
            self.connecting = connecting
            self.waiting = waiting
        }
    }

    /// Whether nothing can be had of it before it is revived.
    public var isLost: Bool { pipeline.isLost }

    /// Connects again if the connection was lost; of what was open on it nothing is left.
    ///
    /// Statements stay as they are: the server compiles each anew with its next call.
    public func revive() throws(Failure) {
        guard pipeline.isLost else { return }
        let old = pipeline
        forgetRows()
        try telling { () throws(PostgresError) in pipeline = try connect() }
        pipeline.patience = old.patience
        (pipeline.onWait, pipeline.onSilence) = (old.onWait, old.onSilence)
    }

    /// Has something called each second that a wait lasts; `nil`: no more.
    public func onProgress(_ body: (() -> Void)?) { pipeline.onWait = body }

    /// Has something asked when a wait has lasted so long, and as long again, and so on, in
    /// milliseconds: `true` has it go on.
    public func onSilence(after milliseconds: Int32, _ body: @escaping (Int32) -> Bool) {
        pipeline.patience = milliseconds
        pipeline.onSilence = body
    }

    /// As libpq has it, such as 150018 for 15.18.
    public var serverVersion: Int { Int(pipeline.serverVersion) }

    /// Whether a transaction is open, or failed and not yet rolled back.
    public var isInTransaction: Bool { pipeline.isInTransaction }

    /// Runs one or more statements that return nothing, after everything that was queued.
    public func execute(_ sql: String) throws(Failure) {
        try telling { () throws(PostgresError) in
            try sendRows()
            try pipeline.execute(sql)
        }
    }

    /// Takes one statement, with parameters `$1`, `$2` ….
    ///
    /// The server compiles it with its first call: few connections need all that they know.
    public func prepare(_ sql: String) -> PostgresStatement<Failure> {
        statements.append(sql)
        return PostgresStatement(statements.count - 1, of: self)
    }

    /// Takes a statement with an array for each parameter, of which each call gives one row.
    ///
    /// Rows of several statements go in the order in which these were prepared: what one writes
    /// another one must not need.
    ///
    /// - Parameters:
    ///   - types: Of the arrays' elements.
    ///   - key: So many of the first columns name a row; of two alike the later one stays. 0: there
    ///     are no two.
    ///   - limit: Rows that go at once.
    public func prepareRows(
        _ sql: String, types: [SQLType], key: Int, atMost limit: Int
    ) -> PostgresRows<Failure> {
        statements.append(sql)
        let set = PostgresRowSet(statements.count - 1, types: types, key: key, limit: limit)
        rowSets.append(set)
        return PostgresRows(set, of: self)
    }

    /// Queues all rows that are kept.
    func sendRows() throws(PostgresError) {
        for set in rowSets where !set.isEmpty {
            try pipeline.compile(set.number, statements[set.number])
            let (arrays, tickets) = set.take()
            try pipeline.send(set.number, arrays)
            if !tickets.isEmpty { self.tickets[pipeline.lastSent] = tickets }
        }
    }

    private func forgetRows() {
        for set in rowSets { set.forget() }
        // Another pipeline counts its statements anew.
        tickets = [:]
    }

    /// No statement's number.
    func newTicket() -> Int {
        lastTicket -= 1
        return lastTicket
    }

    /// Queues a call of a statement, after the rows that are kept.
    func send(_ statement: Int, _ values: [SQLValue]) throws(PostgresError) {
        try sendRows()
        try pipeline.compile(statement, statements[statement])
        try pipeline.send(statement, values)
    }

    func describe(
        _ statement: Int
    ) throws(PostgresError) -> (parameters: [UInt32], columns: [UInt32]) {
        try pipeline.compile(statement, statements[statement])
        return try pipeline.describe(statement)
    }

    /// Has the server compile all statements now, so that it can be asked about them.
    public func compileAll() throws(Failure) {
        try telling { () throws(PostgresError) in
            for (number, sql) in statements.enumerated() { try pipeline.compile(number, sql) }
            try pipeline.settle()
        }
    }

    /// Takes a statement whose rows come in parts, for those that are too many for memory.
    ///
    /// - Parameter rows: How many rows a part has.
    public func prepareScan(
        _ sql: String, rows: Int
    ) -> PostgresScan<Failure> {
        scanCount += 1
        let cursor = "c\(scanCount)"
        return PostgresScan(
            open: prepare("DECLARE \(cursor) NO SCROLL CURSOR FOR \(sql)"),
            fetch: prepare("FETCH \(rows) FROM \(cursor)"), close: prepare("CLOSE \(cursor)"),
            rows: rows)
    }

    /// Waits until the server has done everything that was queued.
    public func settle() throws(Failure) {
        try telling { () throws(PostgresError) in
            try sendRows()
            try pipeline.settle()
        }
    }

    /// Waits for all answers, and lends the first row of each that has one.
    ///
    /// - Parameter body: Told the numbers of ``PostgresStatement/ask(_:)``, and others; of
    ///   ``PostgresRows/ask(_:)`` each row that was found.
    public func answers(
        _ body: (Int, borrowing PostgresRow) -> Void
    ) throws(Failure) {
        try telling { () throws(PostgresError) in
            try sendRows()
            defer { tickets = [:] }
            try pipeline.collect { number, result in
                guard let tickets = tickets[number] else {
                    if result.rowCount > 0 { result.withRow(0) { body(number, $0) } }
                    return
                }
                let last = Int32(result.columnTypes.count - 1)
                for index in 0..<result.rowCount {
                    result.withRow(index) { body(tickets[Int($0.integer(last)) - 1], $0) }
                }
            }
        }
    }

    /// Ends a transaction that is open or failed, and forgets what was queued for it; without a
    /// connection the server does it.
    public func rollBack() {
        forgetRows()
        do throws(PostgresError) {
            // What failed in it was told, or belongs to what is taken back.
            do throws(PostgresError) { try pipeline.settle() } catch  where !error.isLost {}
            if pipeline.isInTransaction { try pipeline.execute("ROLLBACK") }
        } catch {}
    }

    /// Whether the server warned of anything since this was last asked, such as of a commit that
    /// did not wait for a standby.
    public func takeWarning() -> Bool { pipeline.warnings.take() }

    func telling<Value>(
        _ body: () throws(PostgresError) -> Value
    ) throws(Failure) -> Value {
        do throws(PostgresError) {
            return try body()
        } catch {
            throw failure(error)
        }
    }
}
