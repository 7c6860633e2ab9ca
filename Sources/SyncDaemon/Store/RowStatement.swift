// Statements about one row each: a server is told of those of a batch at once, because a statement
// costs it more than a row, and triggers that count cost more than both.

import SQL

/// A statement that writes one row, and answers nothing.
struct RowStatement {
    /// What becomes of a row that is there.
    enum Kind {
        /// None may be there.
        case insert
        /// It gets all columns.
        case put
    }

    typealias Columns = KeyValuePairs<String, SQLType>

    let kind: Kind
    let table: String
    /// What names the row: the first values.
    let key: [String]
    private let rest: [String]
    let types: [SQLType]

    /// - Parameters:
    ///   - key: What names a row; of two of one batch the later one stays.
    ///   - rest: Its other columns.
    init(_ kind: Kind, _ table: String, key: Columns = [:], _ rest: Columns) {
        (self.kind, self.table) = (kind, table)
        (self.key, self.rest) = (key.map(\.key), rest.map(\.key))
        types = key.map(\.value) + rest.map(\.value)
    }

    private var columns: [String] { key + rest }
    private var names: String { columns.joined(separator: ", ") }

    /// For a file: of one row.
    var forOne: String {
        let values = columns.map { _ in "?" }.joined(separator: ", ")
        switch kind {
        case .insert: return "INSERT INTO \(table)(\(names)) VALUES (\(values))"
        case .put: return "INSERT INTO \(table)(\(names)) VALUES (\(values)) \(replacing)"
        }
    }

    /// For a server: of as many as its arrays have.
    var forMany: String {
        let rows = "\(types.arrays) AS r(\(names))"
        let values = columns.map { "r.\($0)" }.joined(separator: ", ")
        switch kind {
        case .insert: return "INSERT INTO \(table)(\(names)) SELECT \(values) FROM \(rows)"
        case .put:
            return "INSERT INTO \(table)(\(names)) SELECT \(values) FROM \(rows) \(replacing)"
        }
    }

    private var replacing: String {
        let places = key.map { $0 == "value" ? "{value}" : $0 }.joined(separator: ", ")
        let changes = rest.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return "ON CONFLICT (\(places)) DO UPDATE SET \(changes)"
    }
}

/// A question for the row that its key names.
struct RowLookup {
    private let columns: [String]
    private let table: String
    /// What else has to hold.
    private let condition: String?
    private let key: [String]
    let types: [SQLType]

    init(
        _ columns: [String], of table: String, key: RowStatement.Columns,
        where condition: String? = nil
    ) {
        (self.columns, self.table, self.condition) = (columns, table, condition)
        self.key = key.map(\.key)
        types = key.map(\.value)
    }

    /// A value is found by what stands for it in an index.
    private func conditions(_ row: String, _ value: (Int, String) -> String) -> String {
        let places = key.enumerated().map { index, name in
            name == "value"
                ? "{\(row)value} = {\(value(index, name))}"
                : "\(row)\(name) = \(value(index, name))"
        }
        return (places + (condition.map { ["\(row)\($0)"] } ?? [])).joined(separator: " AND ")
    }

    /// For one row.
    var forOne: String {
        """
        SELECT \(columns.joined(separator: ", ")) FROM \(table)
        WHERE \(conditions("") { _, _ in "?" })
        """
    }

    /// For a server, of as many as its arrays have: which of them it is comes last.
    var forMany: String {
        """
        SELECT \(columns.map { "t.\($0)" }.joined(separator: ", ")), q.n
        FROM \(types.arrays) WITH ORDINALITY AS q(\(key.joined(separator: ", ")), n)
        JOIN \(table) AS t ON \(conditions("t.") { "q.\($1)" })
        """
    }
}

extension [SQLType] {
    /// Parameters of a server's, each an array, as the columns of a table.
    fileprivate var arrays: String {
        let list = enumerated().map { "$\($0 + 1)::\($1 == .integer ? "bigint" : "text")[]" }
        return "unnest(\(list.joined(separator: ", ")))"
    }
}

// MARK: What batches write

extension RowStatement {
    static let message = RowStatement(
        .insert, "message",
        [
            "timetoken": .integer, "channel": .integer, "uuid": .text, "payload": .text,
            "meta": .text, "type": .text, "expires": .integer, "sum": .integer,
            "parent": .integer,
        ])
    static let action = RowStatement(
        .put, "action",
        key: [
            "channel": .integer, "message": .integer, "type": .text, "value": .text, "uuid": .text,
        ],
        [
            "added": .integer, "changed": .integer, "live": .integer, "sum": .integer,
            "score": .integer,
        ])
    static let mutation = RowStatement(
        .insert, "mutation",
        [
            "timetoken": .integer, "device": .integer, "name": .text, "fingerprint": .integer,
            "kind": .integer, "outcome": .integer, "sum": .integer,
        ])
    static let segment = RowStatement(
        .put, "segment", key: ["channel": .integer, "after": .integer],
        [
            "messages": .integer, "count": .integer, "lane0": .integer, "lane1": .integer,
            "timetokens": .integer,
        ])
    static let outbox = RowStatement(
        .insert, "outbox",
        [
            "webhook": .text, "lane": .integer, "batch": .integer, "timetoken": .integer,
            "due": .integer, "author": .text, "event": .text,
        ])
}

// MARK: What they look for beforehand

extension RowLookup {
    static let action = RowLookup(
        ["added", "changed", "sum", "score"], of: "action",
        key: [
            "channel": .integer, "message": .integer, "type": .text, "value": .text, "uuid": .text,
        ], where: "live = 1")
    static let mutation = RowLookup(
        ["fingerprint", "kind", "outcome", "timetoken", "sum"], of: "mutation",
        key: ["device": .integer, "name": .text])
    static let totals = RowLookup(
        ["count", "score"], of: "action_count",
        key: ["channel": .integer, "message": .integer, "type": .text, "value": .text])
}
