// A store in another database: every table and column goes over, and nothing that differs does.

import EventModel
import Foundation
import SQL
import Testing

@testable import SyncDaemon
@testable import TestSupport

@Suite("A copy of a store")
struct StoreCopyTests {
    private let directory: ScratchDirectory
    private let path: String

    init() throws {
        directory = try ScratchDirectory()
        path = SQLStore.path(in: directory.path)
        _ = try SQLStore(directory: directory.path)
    }

    private var target: String { get throws { try TestPostgres.shared.target } }

    /// Puts one row into each table, which no other row needs to explain.
    ///
    /// The message and the action are hidden: they are in no digest.
    private func fillAllTables() throws {
        let connection = try StoreConnection(path: path)
        for table in try CopiedTable.all() where !["clock", "meta"].contains(table.name) {
            guard !table.isCounted else { continue }
            var types: [String: String] = [:]
            try connection.prepare("SELECT name, type FROM pragma_table_info(?)")
                .query(.text(table.name)) { row in
                    types[row.text(0)] = row.text(1)
                    return true
                }
            let values = table.columns.map { column -> SQLValue in
                switch (table.name, column) {
                case ("message", "sum"), ("action", "sum"), ("mutation", "sum"): .null
                case ("hidden", "after"): .integer(0)
                case ("hidden", "through"), ("hidden", "timetoken"): .integer(9)
                case ("action", "live"): .integer(1)
                // What is hidden is in no segment. It is the channel's only one, and so what all of
                // it comes to.
                case ("segment", let name) where name != "channel" && name != "after": .integer(0)
                case ("action", "value"): .text(String(repeating: "❤️\"\\", count: 4000))
                default: types[column] == "TEXT" ? .text("é'\"\n😀") : .integer(5)
                }
            }
            try connection.prepare(table.insertion(ofRows: 1, .sqlite)).run(values)
        }
    }

    private func rows(
        of table: CopiedTable, in connection: borrowing StoreConnection
    ) throws(StoreError) -> [[SQLValue]] {
        var rows: [[SQLValue]] = []
        try connection.prepare("SELECT \(table.list) FROM \(table.name)").query { row in
            rows.append(row.values(table.columns.count) ?? [])
            return true
        }
        return rows
    }

    @Test("takes every table and column to a server, and back")
    func allTables() throws {
        try fillAllTables()
        let there = try StoreCopy.copy(
            file: path, to: target, schema: directory.schema, progress: { _, _, _ in })
        let back = directory.path + "/back.db"
        let here = try StoreCopy.copy(
            from: target, schema: directory.schema, to: back, progress: { _, _, _ in })

        #expect(there == here)
        #expect(there.channels == 1)
        let place = DatabasePlace.server(target: try target, schema: directory.schema)
        let before = try StoreConnection(path: path)
        let server = try place.connect(for: .reader)
        let after = try StoreConnection(path: back)
        for table in try CopiedTable.all() {
            let expected = Set(try rows(of: table, in: before))
            #expect(!expected.isEmpty, "\(table.name)")
            #expect(Set(try rows(of: table, in: after)) == expected, "\(table.name)")
            let copied = try rows(of: table, in: server).filter { $0.first != .text("version") }
            #expect(Set(copied) == expected, "\(table.name)")
        }
    }

    @Test("has more rows than one statement takes, and numbers new ones after them")
    func manyRows() throws {
        let count = Limits.rowsPerInsert * 2 + 3
        var store: SQLStore? = try SQLStore(directory: directory.path)
        try store?.commit(through: 1000) { store in
            for number in 1...count {
                try store.insert(
                    .numbered(UInt64(number)), at: tick(UInt64(number)), in: Channel("c\(number)"),
                    by: "ada")
            }
        }
        store = nil
        // The ledger keeps digests; here nobody does.
        try StoreConnection(path: path).execute("DELETE FROM message WHERE timetoken > 3")
        let error = #expect(throws: StoreCopyError.self) {
            try StoreCopy.copy(
                file: path, to: target, schema: directory.schema, progress: { _, _, _ in })
        }
        guard case .differs(let what)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(what.contains("do not come to its digest"))

        try StoreConnection(path: path).execute("DELETE FROM message")
        let copied = try StoreCopy.copy(
            file: path, to: target, schema: directory.schema, progress: { _, _, _ in })
        #expect(copied.channels == count)
        let server = try SQLStore(server: target, schema: directory.schema)
        #expect(server.last == tick(1000))
        try server.publish(1001, in: Channel("new"))
        #expect(try server.knownID(of: Channel("new")) == Int64(count + 1))
    }

    @Test("is refused where a store is, and of what is none")
    func places() throws {
        _ = try StoreCopy.copy(
            file: path, to: target, schema: directory.schema, progress: { _, _, _ in })
        #expect(throws: StoreCopyError.self) {
            try StoreCopy.copy(
                file: path, to: target, schema: directory.schema, progress: { _, _, _ in })
        }
        #expect(throws: StoreCopyError.self) {
            try StoreCopy.copy(
                from: target, schema: "none_" + directory.schema, to: directory.path + "/x.db",
                progress: { _, _, _ in })
        }
        let server = try SQLStore(server: target, schema: directory.schema)
        #expect(throws: StoreCopyError.self) {
            try StoreCopy.copy(
                from: target, schema: directory.schema, to: directory.path + "/y.db",
                progress: { _, _, _ in })
        }
        #expect(server.last == .zero)
    }

    @Test("its sum tells rows apart, and does not ask for their order")
    func sums() {
        func sum(_ rows: [[SQLValue]]) -> TableSum {
            rows.reduce(into: TableSum()) { $0.add($1) }
        }
        let rows: [[SQLValue]] = [[.integer(1), .text("a")], [.integer(2), .null]]
        #expect(sum(rows) == sum(rows.reversed()))
        #expect(sum(rows) != sum([[.integer(1), .null], [.integer(2), .text("a")]]))
        #expect(sum(rows) != sum([[.integer(1), .text("a")], [.integer(2), .text("")]]))
        #expect(sum(rows) != sum([rows[0]]))
        #expect(sum([[.integer(1)], [.integer(2)]]) != sum([[.integer(0)], [.integer(3)]]))
    }
}
