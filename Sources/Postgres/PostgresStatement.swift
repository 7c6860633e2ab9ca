// A statement that was compiled once and runs often.

public import SQL

/// A prepared statement, which lives as long as its connection.
///
/// Each call gives its values to the parameters in order.
public struct PostgresStatement<Failure: Error>: ~Copyable {
    private let number: Int
    private let connection: PostgresConnection<Failure>

    init(_ number: Int, of connection: PostgresConnection<Failure>) {
        self.number = number
        self.connection = connection
    }

    /// Queues a call whose rows nobody needs; a failure is told by the next call that waits.
    public func run(_ values: SQLValue...) throws(Failure) {
        try run(values)
    }

    public func run(_ values: [SQLValue]) throws(Failure) {
        try connection.telling { () throws(PostgresError) in
            try connection.send(number, values)
        }
    }

    /// Queues a call whose answer ``PostgresConnection/answers(_:)`` brings.
    ///
    /// - Returns: The number of the answer.
    public func ask(_ values: [SQLValue]) throws(Failure) -> Int {
        try run(values)
        return connection.pipeline.lastSent
    }

    /// Runs it at once.
    ///
    /// - Returns: How many rows it changed.
    public func runCounting(_ values: [SQLValue]) throws(Failure) -> Int {
        try connection.telling { () throws(PostgresError) in
            try connection.send(number, values)
            return try connection.pipeline.settle { $0.changedRows } ?? 0
        }
    }

    /// Runs it at once.
    ///
    /// - Parameter tag: What the server must say that it has done; `nil`: whatever.
    public func run(expecting tag: String?) throws(Failure) {
        try connection.telling { () throws(PostgresError) in
            try connection.send(number, [])
            let done = try connection.pipeline.settle { $0.commandTag }
            guard let tag, done != tag else { return }
            throw PostgresError(
                state: "25P02", message: "it did \(done ?? "nothing") instead of \(tag)",
                isLost: false)
        }
    }

    /// Calls `body` with each row until it answers `false`.
    public func query(
        _ values: SQLValue..., body: (borrowing PostgresRow) -> Bool
    ) throws(Failure) {
        _ = try rows(values, body: body)
    }

    public func query(
        _ values: [SQLValue], body: (borrowing PostgresRow) -> Bool
    ) throws(Failure) {
        _ = try rows(values, body: body)
    }

    /// The first row, read by `body`.
    public func first<Value>(
        _ values: [SQLValue] = [], body: (borrowing PostgresRow) -> Value
    ) throws(Failure) -> Value? {
        var value: Value?
        _ = try rows(values) { row in
            value = body(row)
            return false
        }
        return value
    }

    /// Calls `body` with each row until it answers `false`.
    ///
    /// - Returns: How many rows there are, and whether it stopped.
    func rows(
        _ values: [SQLValue], body: (borrowing PostgresRow) -> Bool
    ) throws(Failure) -> (count: Int, hasStopped: Bool) {
        try connection.telling { () throws(PostgresError) in
            try connection.send(number, values)
            return try connection.pipeline.settle { result in
                for row in 0..<result.rowCount {
                    guard result.withRow(row, body) else { return (result.rowCount, true) }
                }
                return (result.rowCount, false)
            } ?? (0, false)
        }
    }

    /// OIDs of the types of its parameters and columns, as the server understood it.
    public func types() throws(Failure) -> (parameters: [UInt32], columns: [UInt32]) {
        try connection.telling { () throws(PostgresError) in
            try connection.describe(number)
        }
    }
}

/// A statement whose rows come in parts; for the inside of a transaction.
public struct PostgresScan<Failure: Error>: ~Copyable {
    private let open: PostgresStatement<Failure>
    private let fetch: PostgresStatement<Failure>
    private let close: PostgresStatement<Failure>
    private let rows: Int

    init(
        open: consuming PostgresStatement<Failure>, fetch: consuming PostgresStatement<Failure>,
        close: consuming PostgresStatement<Failure>, rows: Int
    ) {
        self.open = open
        self.fetch = fetch
        self.close = close
        self.rows = rows
    }

    /// Calls `body` with each row until it answers `false`.
    public func query(
        _ values: [SQLValue], body: (borrowing PostgresRow) -> Bool
    ) throws(Failure) {
        try open.run(values)
        while true {
            let part = try fetch.rows([], body: body)
            if part.hasStopped || part.count < rows { break }
        }
        try close.run()
    }
}
