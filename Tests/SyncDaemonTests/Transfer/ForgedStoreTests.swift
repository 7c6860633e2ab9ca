// What an export, an import and a salvage do about a file that somebody else has had his hands in.

import EventModel
import Foundation
import Testing

@testable import SyncDaemon

/// Found by an attacker: root's command never ended, or wrote what the data's owner liked better.
@Suite("Transfer: a forged or damaged file", .timeLimit(.minutes(10)))
struct ForgedStoreTests {
    private let source: TransferBench
    private let lines: [String]

    init() throws {
        source = try TransferBench()
        try source.live(seed: 5)
        lines = try source.export()
    }

    private static let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"

    /// Changes of a file, and what is said of it.
    private static let forgeries = [
        ("segment", "view"), ("file", "view"), ("keyset_use", "view"), ("message", "trigger"),
        ("channel", "virtual table"),
    ]

    private func forge(_ table: String, _ kind: String, in bench: TransferBench) throws {
        let connection = try StoreConnection(path: bench.database)
        if kind != "trigger" {
            // So that what depends on it need not be changed, too.
            try connection.execute("PRAGMA legacy_alter_table=1")
            try connection.execute("ALTER TABLE \(table) RENAME TO other")
        }
        switch kind {
        case "view": try connection.execute("CREATE VIEW \(table) AS \(Self.endless)")
        case "trigger":
            try connection.execute(
                """
                CREATE TRIGGER forge AFTER INSERT ON \(table) BEGIN
                UPDATE \(table) SET payload = '"forged"' WHERE timetoken = NEW.timetoken; END
                """)
        default: try connection.execute("CREATE VIRTUAL TABLE \(table) USING fts5(keyset, name)")
        }
    }

    @Test("neither is taken for data", arguments: forgeries)
    func forged(table: String, kind: String) throws {
        let file = "\(source.directory.path)/export.jsonl"
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
        let target = try TransferBench()
        _ = try target.open()
        target.close()
        for bench in [source, target] { try forge(table, kind, in: bench) }

        let exported = #expect(throws: TransferError.self) { try source.export() }
        let imported = #expect(throws: TransferError.self) {
            try Transfers.import(
                TransferInput(file), into: nil, keeps: false, files: source.exportedFiles,
                directory: target.directory.path, tell: { _, _ in })
        }
        for error in [exported, imported] {
            guard case .file(.notOurs(_, let reason)) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(reason.contains(kind == "trigger" ? "\"forge\"" : table))
        }
        let database = try DatabaseFile(path: source.database, isShared: false)
        let salvage = Result { () throws(DatabaseFileError) in try database.checkTables() }
        // What is only read sets off no trigger.
        let isRefused = kind != "trigger"
        #expect((try? salvage.get()) == nil ? isRefused : !isRefused)
    }

    @Test("a view in a table's place is not even read, whoever asks")
    func views() throws {
        let connection = try StoreConnection(path: source.database)
        try connection.execute("CREATE VIEW endless AS \(Self.endless)")
        #expect(throws: StoreError.self) {
            try connection.prepare("SELECT i FROM endless").query { _ in true }
        }
    }

    @Test(
        "a name that is no text ends an export, which else would meet it for ever",
        arguments: [("channel", "name"), ("channel", "keyset"), ("file", "channel")],
        ["x'ff'", "CAST(x'61ff' AS TEXT)", "CAST(x'ff' AS TEXT)"])
    func names(place: (table: String, column: String), name: String) throws {
        let (table, column) = place
        let key = table == "channel" ? "id" : "created"
        try StoreConnection(path: source.database).execute(
            """
            UPDATE \(table) SET \(column) = \(name)
            WHERE \(key) = (SELECT max(\(key)) FROM \(table))
            """)
        let error = #expect(throws: TransferError.self) { try source.export() }
        guard case .file(.damaged(_, let reason)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("of a \(table) is none"))
    }

    @Test("names that come in another order than theirs end it, too")
    func order() throws {
        let file = URL(filePath: source.database)
        var data = try Data(contentsOf: file)
        var place = data.startIndex
        // In the table, and in the index beside it.
        while let found = data[place...].range(of: Data("defaultb".utf8)) {
            data[found.upperBound - 1] = UInt8(ascii: "!")
            place = found.upperBound
        }
        try #require(place > data.startIndex)
        try data.write(to: file)
        let error = #expect(throws: TransferError.self) { try source.export() }
        guard case .file(.damaged(_, let reason)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("its index is another"))
    }
}
