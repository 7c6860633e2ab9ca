// Rows that go to the server together: an answer for each would cost it more than the row.

public import SQL

/// A statement about rows, one of which each call gives.
///
/// They are kept until the server is told or asked anything else, and go before that, as one call
/// with an array for each column.
public struct PostgresRows<Failure: Error>: ~Copyable {
    private let set: PostgresRowSet
    private let connection: PostgresConnection<Failure>

    init(_ set: PostgresRowSet, of connection: PostgresConnection<Failure>) {
        self.set = set
        self.connection = connection
    }

    /// Keeps a row; a failure is told by the next call of any statement that waits.
    public func run(_ values: [SQLValue]) throws(Failure) {
        set.add(values)
        try sendFull()
    }

    /// The same, of a statement that looks for what each row names, and says in its last column
    /// which that was, counted from 1.
    ///
    /// - Returns: The number under which ``PostgresConnection/answers(_:)`` brings what is found.
    public func ask(_ values: [SQLValue]) throws(Failure) -> Int {
        let ticket = connection.newTicket()
        set.add(values, ticket)
        try sendFull()
        return ticket
    }

    private func sendFull() throws(Failure) {
        guard set.isFull else { return }
        try connection.telling { () throws(PostgresError) in try connection.sendRows() }
    }
}

/// Rows of one statement that were not sent yet.
final class PostgresRowSet {
    /// The statement's number.
    let number: Int
    private let types: [SQLType]
    /// So many of the first columns name a row: of two alike the later one stays.
    private let key: Int
    private let limit: Int
    private var rows: [[SQLValue]] = []
    private var places: [[UInt8]: Int] = [:]
    /// Under which numbers their answers come, of those that have any.
    private var tickets: [Int] = []

    init(_ number: Int, types: [SQLType], key: Int, limit: Int) {
        (self.number, self.types, self.key, self.limit) = (number, types, key, limit)
    }

    var isEmpty: Bool { rows.isEmpty }
    var isFull: Bool { rows.count >= limit }

    func add(_ values: [SQLValue], _ ticket: Int) {
        tickets.append(ticket)
        add(values)
    }

    func add(_ values: [SQLValue]) {
        precondition(values.count == types.count, "a row has other columns")
        if key > 0 {
            let name = Self.bytes(of: values.prefix(key))
            if let place = places[name] {
                rows[place] = values
                return
            }
            places[name] = rows.count
        }
        rows.append(values)
    }

    /// What was kept, as arrays in binary.
    func take() -> (arrays: [[UInt8]], tickets: [Int]) {
        defer { forget() }
        let arrays = types.indices.map {
            PostgresArray.bytes(of: rows, column: $0, type: types[$0])
        }
        return (arrays, tickets)
    }

    func forget() {
        rows.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        tickets = []
    }

    /// Texts are told apart by their bytes, as the server does.
    private static func bytes(of values: ArraySlice<SQLValue>) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in values {
            switch value {
            case .null: bytes.append(0)
            case .integer(let number): bytes.append(number, lead: 1)
            case .text(let text):
                bytes.append(Int64(text.utf8.count), lead: 2)
                bytes.append(contentsOf: text.utf8)
            }
        }
        return bytes
    }
}

/// Arrays of one dimension in binary.
///
/// - Source: PostgreSQL's `array_recv` in `src/backend/utils/adt/arrayfuncs.c`.
private enum PostgresArray {
    static func bytes(of rows: [[SQLValue]], column: Int, type: SQLType) -> [UInt8] {
        var bytes: [UInt8] = []
        let hasNull = rows.contains { $0[column] == .null }
        let element = type == .integer ? PostgresType.bigint : PostgresType.text
        // Dimensions, whether there is a NULL, the type; how many, counted from 1.
        for word in [1, hasNull ? 1 : 0, Int32(element), Int32(rows.count), 1] {
            bytes.append(word)
        }
        for row in rows {
            switch row[column] {
            case .null: bytes.append(-1 as Int32)
            case .integer(let number):
                bytes.append(8 as Int32)
                bytes.append(number)
            case .text(let text):
                bytes.append(Int32(text.utf8.count))
                bytes.append(contentsOf: text.utf8)
            }
        }
        return bytes
    }
}

extension [UInt8] {
    /// In the order of the network.
    mutating func append(_ number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    fileprivate mutating func append(_ number: Int64, lead: UInt8) {
        append(lead)
        append(number)
    }
}
