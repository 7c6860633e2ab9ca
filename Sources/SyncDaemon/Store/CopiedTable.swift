// What a copy of a store needs to know of a table, and what its rows come to.

import SQL

/// A table, as both databases have it.
struct CopiedTable {
    let name: String
    let columns: [String]

    /// All tables of this release.
    static func all() throws(StoreError) -> [CopiedTable] {
        let empty = try SQLiteSchema.empty(ofVersion: SQLiteSchema.version)
        var names: [String] = []
        try empty.prepare(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table'
            AND substr(name, 1, 7) <> 'sqlite_'
            """
        ).query { row in
            names.append(row.text(0))
            return true
        }
        let columns = try empty.prepare("SELECT name FROM pragma_table_info(?)")
        var tables: [CopiedTable] = []
        for name in names {
            var list: [String] = []
            try columns.query(.text(name)) { row in
                list.append(row.text(0))
                return true
            }
            tables.append(CopiedTable(name: name, columns: list))
        }
        return tables
    }

    /// Whether triggers make its rows from those of other tables.
    var isCounted: Bool { ["action_count", "thread"].contains(name) }

    /// Those whose new rows a server numbers, and the number's column.
    static let numbered = [("channel", "id"), ("device", "id"), ("run", "number")]

    /// What is each database's own stays out.
    var condition: String { name == "meta" ? "WHERE name <> 'version'" : "" }

    /// As both databases read it: one column is called `user`.
    var list: String { columns.map { "\"\($0)\"" }.joined(separator: ", ") }

    func insertion(ofRows count: Int, _ dialect: DatabaseDialect) -> String {
        let row = "(\(columns.map { _ in "?" }.joined(separator: ", ")))"
        let rows = Array(repeating: row, count: count).joined(separator: ", ")
        let numbers = name == "run" && dialect == .postgres ? "OVERRIDING SYSTEM VALUE " : ""
        return "INSERT INTO \(name)(\(list)) \(numbers)VALUES \(rows)"
    }
}

/// What the rows of a table come to, in whichever order.
struct TableSum: Hashable {
    private(set) var count = 0
    private var sum: UInt64 = 0

    mutating func add(_ values: [SQLValue]) {
        var row = RowSum()
        for value in values {
            switch value {
            case .integer(let number):
                row.add(1)
                row.add(UInt64(bitPattern: number))
            case .text(let text):
                row.add(2)
                row.add(text)
            case .null: row.add(3)
            }
        }
        count += 1
        sum &+= Self.mixed(row.state)
    }

    /// Spreads what the last step of a sum leaves side by side: two rows are not to come to what
    /// two others come to because these differ in the same bits.
    ///
    /// - Source: the finaliser of MurmurHash3, of 64 bits.
    private static func mixed(_ word: UInt64) -> UInt64 {
        var word = word
        word = (word ^ word >> 33) &* 0xFF51_AFD7_ED55_8CCD
        word = (word ^ word >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return word ^ word >> 33
    }
}
