// A whole store in another database: every row as it is, so that cursors, mutations and digests go
// on there; and all is read back and compared before anybody may use it.

import EventModel
import SQL

/// What was copied.
struct StoreCopySummary: Hashable, Sendable {
    /// Rows of all tables, without what triggers count.
    var rows = 0
    /// Channels whose digest was computed from the rows of the copy.
    var channels = 0
    var files = 0
    /// What is not in the copy as it is in the original; `nil`: nothing.
    var difference: String?
}

/// Copies one database into another one.
///
/// Which tables there are is read off the layout of a new file: of a table that is added nothing
/// has to be said here.
struct StoreCopy: ~Copyable {
    private let old: StoreConnection
    let new: StoreConnection
    private let progress: Progress

    /// - Parameters:
    ///   - old: In a transaction; nobody else writes to it.
    ///   - new: Has its tables, in a transaction which ends after ``run()``: one that fails, or
    ///     finds a difference, is to be thrown away.
    init(
        from old: consuming StoreConnection, to new: consuming StoreConnection,
        progress: @escaping Progress
    ) {
        self.old = old
        self.new = new
        self.progress = progress
    }

    /// Copies all rows, and compares what is there then.
    func run() throws(StoreError) -> StoreCopySummary {
        if old.dialect == .postgres { try old.execute(Self.hurry) }
        if new.dialect == .postgres { try new.execute(Self.hurry) }
        var summary = StoreCopySummary()
        let tables = try CopiedTable.all()
        var sums: [TableSum] = []
        for table in tables {
            let sum = table.isCounted ? try self.sum(of: table, inOld: true) : try copy(table)
            sums.append(sum)
            if !table.isCounted { summary.rows += sum.count }
            if table.name == "file" { summary.files = sum.count }
        }
        try countOn()
        for (table, before) in zip(tables, sums) {
            let after = try sum(of: table, inOld: false)
            guard after == before else {
                summary.difference =
                    "\(table.name) has \(after.count) rows for \(before.count), or others"
                return summary
            }
        }
        let unsound = [
            "message": try new.unsoundMessages().count, "action": try new.unsoundActions().count,
            "mutation": try new.unsoundMutations().count,
        ].filter { $0.value > 0 }
        if let (table, count) = unsound.min(by: { $0.key < $1.key }) {
            summary.difference = "\(count) rows of \(table) have a wrong checksum"
            return summary
        }
        let check = try DigestCheck(new)
        if let difference = check.difference { summary.difference = difference }
        summary.channels = check.channels
        return summary
    }

    /// Tables are read whole here, and servers told otherwise for all else.
    private static let hurry =
        "SET enable_seqscan = on; SET idle_in_transaction_session_timeout = 0"

    // MARK: Rows

    private func copy(_ table: CopiedTable) throws(StoreError) -> TableSum {
        // A new database has rows of its own.
        try new.execute("DELETE FROM \(table.name) \(table.condition)")
        let many = try new.prepare(table.insertion(ofRows: Limits.rowsPerInsert, new.dialect))
        let one = try new.prepare(table.insertion(ofRows: 1, new.dialect))
        let width = table.columns.count
        var waiting: [SQLValue] = []
        let sum = try eachRow(of: table, in: old, "copying") { values throws(StoreError) in
            waiting += values
            guard waiting.count == Limits.rowsPerInsert * width else { return }
            try many.run(waiting)
            // What was sent has its answer: neither side heaps up.
            try new.settle()
            waiting.removeAll(keepingCapacity: true)
        }
        for start in stride(from: 0, to: waiting.count, by: width) {
            try one.run(Array(waiting[start..<start + width]))
        }
        try new.settle()
        return sum
    }

    private func sum(of table: CopiedTable, inOld isOld: Bool) throws(StoreError) -> TableSum {
        isOld
            ? try eachRow(of: table, in: old, "reading") { _ in }
            : try eachRow(of: table, in: new, "comparing") { _ in }
    }

    private func eachRow(
        of table: CopiedTable, in connection: borrowing StoreConnection, _ doing: String,
        _ body: ([SQLValue]) throws(StoreError) -> Void
    ) throws(StoreError) -> TableSum {
        var sum = TableSum()
        var failure: StoreError?
        let query = "SELECT \(table.list) FROM \(table.name) \(table.condition)"
        try connection.prepareScan(query).query { row in
            guard let values = row.values(table.columns.count) else {
                failure = .damaged(path: table.name, reason: "a column holds what none may hold")
                return false
            }
            sum.add(values)
            if sum.count % 10_000 == 0 { progress(doing, table.name, sum.count) }
            do throws(StoreError) { try body(values) } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
        return sum
    }

    /// Has a server number new rows after those that came with their numbers.
    private func countOn() throws(StoreError) {
        guard new.dialect == .postgres else { return }
        for (table, column) in CopiedTable.numbered {
            let set = try new.prepare(
                """
                SELECT setval(pg_get_serial_sequence('\(table)', '\(column)'),
                    coalesce(max(\(column)), 0) + 1, false) FROM \(table)
                """)
            _ = try set.first { _ in true }
        }
    }
}
