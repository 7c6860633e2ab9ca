// What backup and restore say is in a file: what stands, for whoever asks a daemon.

import EventModel
import Foundation
import SQL
import SQLite
import Testing

@testable import SyncDaemon

@Suite("Database summary")
struct DatabaseSummaryTests {
    private let room = Channel("room")

    @Test("what is deleted does not count, though its rows are still there")
    func hidden() throws {
        let directory = try ScratchDirectory()
        var store: SQLStore? = try SQLStore(directory: directory.path)
        try store?.commit(through: 200) {
            for number in 1...9 as ClosedRange<UInt64> {
                try $0.insert(
                    .numbered(number), at: tick(number), in: room, by: "ada", expires: nil)
                for (index, user) in ["ada", "bob"].enumerated() {
                    try $0.add(
                        MessageAction(
                            key: .on(number, by: user),
                            actionTimetoken: tick(100 + 2 * number + UInt64(index))),
                        in: room)
                }
            }
        }
        func counts() throws -> [Int64] {
            let file = try DatabaseFile(
                path: directory.path + "/syncdaemon.db", isShared: true)
            let summary = try file.summary()
            return [summary.channels, summary.messages, summary.actions]
        }
        #expect(try counts() == [1, 9, 18])

        try store?.commit(through: 300) {
            try $0.hideMessages(
                in: MessageRange(after: .zero, through: tick(4)), at: tick(250), of: room)
        }
        #expect(try counts() == [1, 5, 10])
        // What is said of a message that is gone, and what a clearing hides.
        try store?.commit(through: 400) {
            try $0.add(
                MessageAction(key: .on(3, "late", by: "ada"), actionTimetoken: tick(310)),
                in: room)
            try $0.hideActions(
                coveredBy: Clearing(userID: "bob"), at: tick(350), of: room)
        }
        #expect(try counts() == [1, 5, 6])
        while store?.hasHiddenRows == true {
            try store?.commit(through: 500) { try $0.removeHiddenRows(limit: 3) }
        }
        #expect(try counts() == [1, 5, 6])
        store = nil
        #expect(try counts() == [1, 5, 6])
    }

    @Test("the manual names every table")
    func manual() throws {
        let directory = try ScratchDirectory()
        _ = try SQLStore(directory: directory.path)
        var tables: Set<String> = []
        try StoreConnection(path: directory.path + "/syncdaemon.db").prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        ).query { row in
            tables.insert(row.text(0))
            return true
        }

        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let manual = try String(
            contentsOf: root.appending(path: "docs/OPERATIONS.md"), encoding: .utf8)
        let rows = try #require(manual.components(separatedBy: "| table | one row for |\n").last)
            .split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
            .prefix { $0.hasPrefix("|") }
        let named = rows.flatMap { row in
            row.split(separator: "|")[0].split(separator: "`").filter {
                $0.first?.isLetter ?? false
            }
        }

        #expect(Set(named.map(String.init)) == tables)
    }
}
