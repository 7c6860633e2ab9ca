// Where imports and exports may write, and what is said where they cannot.

import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("Export and import: places")
struct TransferPlaceTests {
    private let scratch: ScratchDirectory
    private let source: TransferBench
    private let lines: [String]

    init() throws {
        scratch = try ScratchDirectory()
        source = try TransferBench()
        try source.live(seed: 2)
        lines = try source.export()
    }

    private var data: String { scratch.path + "/data" }
    private var pubNub: String {
        #"{"channels":{"room":[{"message":1,"timetoken":"17000000000000001","uuid":"u"}]}}"#
    }

    private func take(
        _ lines: [String], from origin: ImportRequest.Origin = .syncdaemon
    ) throws -> TransferReport {
        let file = scratch.path + "/file"
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
        return try Program.import(
            ImportRequest(
                directory: data, input: file, origin: origin,
                files: origin == .syncdaemon ? source.exportedFiles : nil), tell: { _, _ in })
    }

    private func makeFiles(_ names: [String]) throws {
        try FileManager.default.createDirectory(
            atPath: data + "/files", withIntermediateDirectories: true)
        for name in names {
            try Data("x".utf8).write(to: URL(filePath: "\(data)/files/\(name)"))
        }
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: data).sorted() }
    }

    /// An operator found it: nobody read what came, and its contents were among those in use.
    @Test(
        "the directory of a daemon whose store is elsewhere is left alone",
        arguments: [ImportRequest.Origin.syncdaemon, .pubnub])
    func elsewhere(origin: ImportRequest.Origin) throws {
        try makeFiles(["00000000-0000-4000-8000-00000000000f"])

        let problem = #expect(throws: TransferProblem.self) {
            try take(origin == .pubnub ? [pubNub] : lines, from: origin)
        }

        #expect(problem?.code == "store_elsewhere")
        #expect(problem?.message.contains("Import into an empty directory") == true)
        #expect(problem?.message.contains("syncdaemon store copy") == true)
        #expect(try names == ["files"])
    }

    @Test("one with a store, or with no contents, is imported into")
    func here() throws {
        try makeFiles([])
        _ = try take(lines)
        #expect(try take(lines).sentence.contains(": 0 rows written"))
    }

    @Test("an import that failed behind its contents goes on with them")
    func goesOn() throws {
        let last = try #require(lines.last)
        let wrong = last.replacing("\"files\":3", with: "\"files\":4")
        try #require(wrong != last)
        let problem = #expect(throws: TransferProblem.self) {
            try take(Array(lines.dropLast()) + [wrong])
        }
        #expect(problem?.code == "bad_input")
        #expect(try names.contains("files"))

        #expect(try !take(lines).sentence.contains(": 0 rows written"))
    }

    @Test("an export where no store is says that it does not reach PostgreSQL")
    func noData() {
        let problem = #expect(throws: TransferProblem.self) {
            try Program.export(ExportRequest(directory: scratch.path), tell: { _, _ in })
        }
        #expect(problem?.code == "no_data")
        #expect(problem?.message.contains("PostgreSQL: \"syncdaemon store copy\"") == true)
    }

    @Test(
        "a full disk is told with what is written, and what to do",
        arguments: [nil, "/data/export.jsonl"] as [String?])
    func full(name: String?) throws {
        var output = try TransferOutput("/dev/full", as: name)
        let isTaken = output.write([1])
        let isWritten = output.flush()
        let message = output.failure?.message

        #expect(isTaken && !isWritten)
        #expect(message?.hasPrefix("\(name ?? "/dev/full") cannot be written: no space") == true)
        #expect(message?.contains("Free some space there") == true)
    }

    @Test("a daemon is not all that an import may meet")
    func served() throws {
        _ = try take(lines)
        let store = try SQLStore(directory: data)
        let problem = #expect(throws: TransferProblem.self) { try take(lines) }
        withExtendedLifetime(store) {}
        #expect(problem?.code == "in_use")
        #expect(problem?.message.hasPrefix("A daemon or another import runs on") == true)
    }
}
