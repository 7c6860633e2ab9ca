// What an import does behind one that met a damaged or a shorter file.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Import: behind a damaged file")
struct DamagedExportTests {
    /// Each behind the first commit of the channel.
    enum Damage: CaseIterable {
        case payload, missingLine, noJSON

        /// Spoils what is said of the message at 100.
        func spoil(_ lines: inout [String], at index: Int) {
            switch self {
            case .payload:
                lines[index] = lines[index].replacing("\"payload\":10", with: "\"payload\":99")
            case .missingLine: lines.remove(at: index)
            case .noJSON: lines[index] = "{\"message\""
            }
        }
    }

    private let room = Channel("room")
    private let lines: [String]

    init() throws {
        let source = try TransferBench()
        try source.ledger { bench in
            for number in 1...30 as ClosedRange<UInt64> {
                bench.wall = number * 10
                _ = bench.commit([write(.publish(.numbered(number), hoursKept: 0))])
            }
        }
        lines = try source.export()
    }

    private func spoiled(_ damage: Damage) throws -> [String] {
        var spoiled = lines
        let index = try #require(lines.firstIndex { $0.hasPrefix("{\"message\":\"100\"") })
        damage.spoil(&spoiled, at: index)
        try #require(spoiled != lines)
        return spoiled
    }

    private func noted(in target: TransferBench) throws -> String? {
        defer { target.close() }
        return try StoreIntake(target.open()).noted()
    }

    private func bytes(of lines: some Sequence<String>) -> Int {
        lines.reduce(0) { $0 + $1.utf8.count + 1 }
    }

    /// Found by an operator: the intact file was called damaged from then on.
    @Test("the intact file is read from its beginning", arguments: Damage.allCases)
    func intact(damage: Damage) throws {
        let target = try TransferBench()
        let error = #expect(throws: TransferError.self) { try target.take(spoiled(damage)) }
        #expect(error?.code == "bad_input")
        if damage != .noJSON {
            #expect(error?.message.contains("rows of that channel are in the store") == true)
            #expect(error?.message.contains("new directory") == true)
        }
        #expect(try noted(in: target) == nil)

        if damage == .payload {
            let error = #expect(throws: TransferError.self) { try target.take(lines) }
            #expect(error?.code == "contradiction")
            #expect(error?.message.contains("the message at 100 is another one") == true)
        }
        let report = try target.take(lines, keeps: true)

        // Behind a contradiction it goes on where that was.
        #expect(report.resumedBehind == nil || damage == .payload)
        #expect(report.outcome.kept == (damage == .payload ? 1 : 0))
        #expect(try target.open().digest(of: room).count == 30)
    }

    @Test("where nothing of it was committed nothing is said of the store")
    func notCommitted() throws {
        let target = try TransferBench()
        let error = #expect(throws: TransferError.self) {
            try target.take(spoiled(.payload), rowsPerCommit: 1000)
        }
        #expect(error?.message.contains("the store") == false)
        #expect(error?.message.hasSuffix("Copy or make the file anew.") == true)
    }

    /// The intact file cannot be told from the damaged one: the words name both.
    @Test("damage that an earlier run took is not said of this file alone")
    func carriedOver() throws {
        let target = try TransferBench()
        let damaged = try spoiled(.payload)
        #expect(throws: TransferError.self) {
            try target.take(damaged, cutAt: bytes(of: damaged.dropLast(8)))
        }
        let behind = damaged.count - 8

        let error = #expect(throws: TransferError.self) { try target.take(lines) }
        #expect(error?.message.contains("an earlier run read up to line \(behind),") == true)
        let next = #expect(throws: TransferError.self) { try target.take(lines) }
        #expect(next?.code == "contradiction")
    }

    @Test("a shorter file is read from its beginning, and its own end is named")
    func shorter() throws {
        let target = try TransferBench()
        #expect(throws: TransferError.self) {
            try target.take(lines, cutAt: bytes(of: lines.prefix(25)))
        }

        let error = #expect(throws: TransferError.self) {
            try target.take(lines, cutAt: bytes(of: lines.prefix(12)))
        }
        guard case .notWhole(_, let line, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(line == 12)
        let report = try target.take(lines)
        #expect(report.outcome.written + report.outcome.already == report.counts.rows)
        #expect(try target.open().digest(of: room).count == 30)
        target.close()
        #expect(try target.export().dropFirst() == lines.dropFirst())
    }
}
