// What an import does where the store says something else, and with files that are wrong.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Import: contradictions and wrong files")
struct ContradictionTests {
    private let room = Channel("room")
    private let source: TransferBench
    private let lines: [String]

    init() throws {
        source = try TransferBench()
        try source.ledger { bench in
            for number in 1...6 as ClosedRange<UInt64> {
                bench.wall = number * 10
                _ = bench.commit([write(.publish(.numbered(number), hoursKept: 0))])
            }
            bench.wall = 100
            _ = bench.commit([write(.add(.on(10))), write(.add(.on(20)))])
            bench.wall = 110
            _ = bench.commit([write(.remove(.on(20), observed: nil))])
            bench.wall = 120
            _ = bench.commit([write(.deleteMessages(after: tick(25), through: tick(35)))])
        }
        lines = try source.export()
    }

    /// A store with one commit of its own in the room.
    private func target(_ body: (any Store) throws -> Void) throws -> TransferBench {
        let target = try TransferBench()
        try target.open().commit(through: 500, body)
        target.close()
        return target
    }

    private func expectRefused(
        _ target: TransferBench, saying words: String, kept: Int = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let error = #expect(throws: TransferError.self, sourceLocation: sourceLocation) {
            try target.take(lines)
        }
        #expect(error?.code == "contradiction", sourceLocation: sourceLocation)
        #expect(error?.message.contains(words) == true, sourceLocation: sourceLocation)

        let report = try target.take(lines, keeps: true)

        #expect(report.outcome.kept == kept, sourceLocation: sourceLocation)
        #expect(
            report.outcome.written + report.outcome.already == report.counts.rows - kept,
            sourceLocation: sourceLocation)
        let store = try target.open()
        #expect(
            try recomputedDigest(of: room, in: store) == store.digest(of: room)
                || kept == 0, sourceLocation: sourceLocation)
    }

    @Test("another message at the timetoken")
    func message() throws {
        let target = try TransferBench()
        try target.ledger { bench in
            bench.wall = 10
            _ = bench.commit([write(.publish(.numbered(7), hoursKept: 0))])
        }

        try expectRefused(target, saying: "the message at 10 is another one")
        #expect(
            try StoreIntake(try target.open()).message(at: tick(10))?.record.message.payload == "7")
    }

    @Test("a message of another channel at the timetoken")
    func otherChannel() throws {
        let target = try TransferBench()
        try target.ledger { bench in
            bench.wall = 10
            _ = bench.commit([write(.publish(.numbered(1), hoursKept: 0), channel: Channel("b"))])
        }

        try expectRefused(target, saying: "where another channel has one")
    }

    @Test("an action that stands since another moment, or was removed")
    func action() throws {
        let target = try TransferBench()
        try target.ledger { bench in
            bench.wall = 90
            _ = bench.commit([write(.add(.on(10)))])
        }

        try expectRefused(target, saying: "stands since 90, and stands since 100 in the file")
    }

    @Test("a message that was deleted here later")
    func deleted() throws {
        let target = try TransferBench()
        try target.take(lines)
        try target.ledger { bench in
            bench.wall = 200
            _ = bench.commit([write(.deleteMessages(after: tick(5), through: tick(10)))])
        }

        try expectRefused(target, saying: "the message at 10 was deleted at", kept: 2)
    }

    @Test("messages that stand where the file says that they were deleted")
    func deletion() throws {
        let target = try TransferBench()
        try target.ledger { bench in
            bench.wall = 30
            _ = bench.commit([write(.publish(.numbered(3), hoursKept: 0))])
        }

        try expectRefused(target, saying: "messages stand after 25 through 35")
    }

    @Test("a read mark only goes forward, and is no contradiction")
    func mark() throws {
        let store = try source.open()
        try store.commit(through: 600) { try $0.setReadMark(tick(20), of: "ada", in: room) }
        source.close()
        let target = try target {
            try $0.insert(.numbered(9), at: tick(450), in: room, by: "ada")
            try $0.setReadMark(tick(450), of: "ada", in: room)
        }

        let report = try target.take(try source.export(), keeps: true)

        #expect(report.outcome.kept == 0)
        #expect(try target.open().readMark(of: "ada", in: room) == tick(450))
    }

    // MARK: Files

    private func error(of lines: [String]) throws -> TransferError? {
        let target = try TransferBench()
        return #expect(throws: TransferError.self) { try target.take(lines) }
    }

    @Test("a payload that was changed is found, though no digest covers it")
    func altered() throws {
        let changed = lines.map { $0.replacing("\"payload\":6", with: "\"payload\":9") }

        #expect(changed != lines)
        #expect(try error(of: changed)?.code == "bad_input")
    }

    @Test("a line less, a line twice, and lines in another order are found")
    func lineChanges() throws {
        let index = try #require(lines.firstIndex { $0.hasPrefix("{\"message\":\"50\"") })
        var (less, twice, turned) = (lines, lines, lines)
        less.remove(at: index)
        twice.insert(lines[index], at: index)
        turned.swapAt(index, index - 1)

        for changed in [less, twice, turned] {
            #expect(try error(of: changed)?.code == "bad_input")
        }
    }

    @Test("what is no export, what is cut, and what a newer release made is refused in words")
    func wrongFiles() throws {
        #expect(try error(of: ["hello"])?.message.contains("line 1") == true)
        #expect(try error(of: ["{\"channels\":{}}"])?.message.contains("--from") == true)
        #expect(
            try error(of: [lines[0].replacing("\"format\":1", with: "\"format\":2")])?.message
                .contains("format is 2") == true)
        let cut = try error(of: Array(lines.dropLast()))
        guard case .notWhole(_, let line, _) = cut else {
            Issue.record("\(String(describing: cut))")
            return
        }
        #expect(line == lines.count - 1)
    }

    @Test("timetokens of the day after tomorrow are refused")
    func future() throws {
        let late = "30000000000000000"
        let changed = lines.map {
            $0.replacing("\"message\":\"60\"", with: "\"message\":\"\(late)\"")
        }

        #expect(try error(of: changed) == .tooLate(tick(30_000_000_000_000_000)))
    }

    @Test("an import into the data of a running daemon is refused")
    func served() throws {
        let target = try TransferBench()
        _ = try target.open()
        let file = "\(target.directory.path)/no.jsonl"

        let error = #expect(throws: TransferProblem.self) {
            try Program.import(
                ImportRequest(directory: target.directory.path, input: file), tell: { _, _ in })
        }
        #expect(error?.code == "no_input")
    }
}
