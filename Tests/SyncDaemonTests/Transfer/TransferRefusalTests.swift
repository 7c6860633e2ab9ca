// What an import refuses, in which words, and what it leaves where there was no data.

import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("Import: what is refused")
struct TransferRefusalTests {
    private let scratch: ScratchDirectory
    private let lines: [String]

    init() throws {
        scratch = try ScratchDirectory()
        let source = try TransferBench()
        try source.ledger { bench in
            for number in 1...3 as ClosedRange<UInt64> {
                bench.wall = number * 10
                _ = bench.commit([write(.publish(.numbered(number), hoursKept: 0))])
            }
        }
        lines = try source.export()
    }

    private var data: String { scratch.path + "/data" }
    private var isThere: Bool { FileManager.default.fileExists(atPath: data) }
    private var text: String { lines.map { $0 + "\n" }.joined() }

    @discardableResult
    private func take(
        _ text: String, from origin: ImportRequest.Origin = .syncdaemon, into: String? = nil,
        isTrial: Bool = false
    ) throws -> TransferReport {
        let file = scratch.path + "/file"
        try Data(text.utf8).write(to: URL(filePath: file))
        return try Program.import(
            ImportRequest(
                directory: data, input: file, origin: origin, into: into, isTrial: isTrial),
            tell: { _, _ in })
    }

    private func problem(
        _ text: String, from origin: ImportRequest.Origin = .syncdaemon, into: String? = nil,
        isTrial: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) -> TransferProblem? {
        #expect(throws: TransferProblem.self, sourceLocation: sourceLocation) {
            try take(text, from: origin, into: into, isTrial: isTrial)
        }
    }

    /// Found by an operator: of two exports in one file the second was passed over.
    @Test("what stands behind an export is refused, but for blank lines")
    func behindEnd() throws {
        for (more, blank) in [(text, 0), ("garbage", 0), ("\n \r\n{}\n", 2)] {
            let found = problem(text + more)
            #expect(found?.code == "bad_input")
            let line = "line \(lines.count + 1 + blank): "
            #expect(found?.message.contains(line) == true, "\(String(describing: found))")
            #expect(found?.message.contains("each export by itself") == true)
            #expect(!isThere)
        }
        try take(text + "\n \r\n\t")
        #expect(isThere)
    }

    @Test(
        "a keyset that nobody can name is refused",
        arguments: ["", "a b", "a/b", "é", String(repeating: "a", count: 129)])
    func keyset(name: String) throws {
        let found = problem(#"{"channels":{"room":[]}}"#, from: .pubnub, into: name)
        #expect(found?.code == "bad_keyset")
        #expect(found?.message.contains("1 to 128 letters, digits, dots, - or _") == true)
    }

    @Test("an error of PubNub's is no answer, and an answer without messages is one")
    func pubNubErrors() throws {
        let good = #"{"status":200,"error":false,"error_message":"","channels":{}}"#
        let errors = [
            #"{"status":403,"error":true,"error_message":"Forbidden","channels":{}}"#,
            #"{"error":{"message":"No"},"service":"Access Manager"}"#,
            #"{"status":503,"data":[]}"#,
        ]
        for wrong in errors {
            for (text, number) in [(wrong, 1), (good + "\n" + wrong, 2)] {
                let found = problem(text, from: .pubnub)
                #expect(found?.code == "bad_input")
                #expect(found?.message.contains("JSON text \(number): ") == true)
                #expect(found?.message.contains("Ask PubNub once more") == true)
            }
        }
        try take(good, from: .pubnub)
        #expect(!isThere)
    }

    @Test("users of App Context are no messages, and no actions")
    func objects() {
        let text = #"{"status":200,"data":[{"id":"ada","name":"Ada","eTag":"x"}]}"#
        let found = problem(text, from: .pubnub)
        #expect(found?.code == "bad_input")
        #expect(found?.message.contains("setUser") == true, "\(String(describing: found))")
    }

    @Test("names and pictures of Stream's that are not taken are counted")
    func streamNames() throws {
        let user = #""user":{"id":"ada","name":"Ada"},"created_at":"2024-01-01T00:00:00Z""#
        let messages = ["1", "2"].map { #"{"id":"\#($0)","text":"hi",\#(user)}"# }
        let report = try take(
            #"{"channel":{"cid":"messaging:room","name":"Room","members":[{},{}]},"messages":["#
                + messages.joined(separator: ",") + "]}", from: .stream)
        let remarks = report.remarks.joined(separator: "\n")
        for words in ["users: setUser: 1", "channels: setChannel: 1", "setMembers: 2"] {
            #expect(remarks.contains(words), "\(remarks)")
        }
    }

    /// Found by an operator: "Imported 0 channels", and exit code 0.
    @Test(
        "answers of which nothing can come are refused, with what is to be given",
        arguments: [
            (
                #"{"status":200,"data":[{"type":"reaction","value":"x","uuid":"bob","#
                    + #""actionTimetoken":"15610547826970080","#
                    + #""messageTimetoken":"15610547826970050"}]}"#, "--channel"
            ),
            (#"[[{"message":"old","timetoken":15610547826970049}],0,0]"#, "--channel"),
            (#"{"channels":{"room":[{"message":"old","uuid":"ada"}]}}"#, "include_token"),
        ] as [(String, String)])
    func nothingComes(text: String, words: String) {
        for isTrial in [false, true] {
            let found = problem(text, from: .pubnub, isTrial: isTrial)
            #expect(found?.code == "bad_input")
            #expect(found?.message.contains(words) == true, "\(String(describing: found))")
            #expect(!isThere)
        }
    }

    @Test("a file of the other service is refused, and leaves nothing")
    func otherService() throws {
        let pubNub =
            #"{"status":200,"channels":{"room":[{"message":1,"#
            + #""timetoken":"17000000000000001","uuid":"u"}]}}"#
        let stream = #"{"channels":[{"channel":{"cid":"messaging:a"},"messages":[]}]}"#
        #expect(problem(pubNub, from: .stream)?.message.contains("of Stream's") == true)
        #expect(problem(stream, from: .pubnub)?.message.contains("PubNub's history") == true)
        #expect(!isThere)
        try take(pubNub, from: .pubnub)
        try take(stream, from: .stream)
    }

    // MARK: Dry runs

    @Test("a dry run refuses timetokens ahead of the clock, as the import does")
    func future() throws {
        let late = "29000000000000000"
        let files: [(String, ImportRequest.Origin)] = [
            (text.replacing("\"message\":\"30\"", with: "\"message\":\"\(late)\""), .syncdaemon),
            (
                #"{"channels":{"room":[{"message":1,"timetoken":"\#(late)","uuid":"u"}]}}"#,
                .pubnub
            ),
            (
                #"{"channel":{"cid":"messaging:a"},"messages":[{"id":"1","user":{"id":"u"},"#
                    + #""text":"","created_at":"2290-01-01T00:00:00Z"}]}"#, .stream
            ),
        ]
        for (text, origin) in files {
            #expect(problem(text, from: origin, isTrial: true)?.code == "too_late", "\(origin)")
            #expect(problem(text, from: origin)?.code == "too_late", "\(origin)")
            #expect(!isThere, "\(origin)")
        }
    }

    @Test("a dry run says what it did not do, and of what it refused that nothing was written")
    func trial() throws {
        #expect(try take(text, isTrial: true).sentence.contains("the file alone was read"))
        let cut = lines.dropLast().map { $0 + "\n" }.joined()
        let altered = text.replacing("\"payload\":3", with: "\"payload\":9")
        for text in [cut, altered] {
            let found = try #require(problem(text, isTrial: true))
            #expect(!found.message.contains("the store"), "\(found.message)")
        }
        #expect(!isThere)
        #expect(problem(cut)?.message.contains("is in the store") == true)
    }

    // MARK: What is left

    @Test("where there was no data a refused import leaves none, and touches nothing else")
    func leavesNothing() throws {
        let altered = text.replacing("\"payload\":3", with: "\"payload\":9")
        #expect(problem(altered)?.message.contains("store") == false)
        #expect(!isThere)
        try FileManager.default.createDirectory(
            atPath: data + "/other", withIntermediateDirectories: true)
        #expect(problem(altered) != nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: data) == ["other"])
        try take(text)
        #expect(problem(altered) != nil)
        #expect(FileManager.default.fileExists(atPath: SQLStore.path(in: data)))
        #expect(try take(text).sentence.contains("3 were there already"))
    }

    // MARK: Words

    @Test("each refusal is one sentence with one place, and says what to do")
    func words() throws {
        #expect(problem("")?.message.contains("/file is empty. Make") == true)
        let noJSON = try #require(problem(lines[0] + "\nhello\n"))
        #expect(noJSON.message.contains("line 2: it is no JSON: "))
        #expect(noJSON.message.ranges(of: "line ").count == 1, "\(noJSON.message)")
        #expect(!noJSON.message.contains(".."), "\(noJSON.message)")
        for origin in [ImportRequest.Origin.pubnub, .stream] {
            let foreign = try #require(problem(#"{"channels":["#, from: origin))
            #expect(!foreign.message.contains(".."), "\(foreign.message)")
        }
        let last = try #require(lines.last)
        let total =
            lines.dropLast() + [
                last.replacing("\"messages\":3", with: "\"messages\":4")
            ]
        let wrongTotal = try #require(problem(total.map { $0 + "\n" }.joined()))
        #expect(wrongTotal.message.contains("what it says of all channels is not"))
        let full = TransferError.full(path: "/data/syncdaemon.db").message
        #expect(full.contains("/data/syncdaemon.db") && full.contains("run the command again"))
    }

    @Test("a file without contents is not among what was imported")
    func leftOut() throws {
        let source = try TransferBench()
        try source.live(seed: 2)
        let lines = try source.export(
            StoreSelection(keyset: "default", channels: ["only files"]), copiesFiles: false)

        let report = try take(lines.map { $0 + "\n" }.joined())

        #expect(report.sentence.hasPrefix("Imported 0 channels, 0 messages and 0 reactions: 0"))
        #expect(report.remarks.contains { $0.hasPrefix("1 files are left out") })
    }
}
