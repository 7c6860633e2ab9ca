// Mistakes in what a device says of its actions, with the answers that they get.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Commands about repairs")
struct RepairDecoderTests {
    private static let repairs: [(String, String, String)] = [
        (#""channel":"r""#, "missing_field", #"The field "from" is missing."#),
        (
            #""channel":"r","from":16385"#, "invalid_field",
            #"The field "from" must be an integer from 0 to 16384."#
        ),
        (
            #""channel":"r","from":0,"count":-1"#, "invalid_field",
            #"The field "count" must be an integer from 0 to 4294967295."#
        ),
        (
            #""channel":"r","from":0,"count":1"#, "missing_field",
            #"The field "symbols" is missing."#
        ),
        (
            #""channel":"r","from":0,"count":1,"symbols":"AA==""#, "invalid_field",
            #"The field "symbols" must be coded symbols in base64, up to 16384 of"#
        ),
        (
            #""channel":"r","from":16384,"count":0,"symbols":"AAAAAAAAAAAAAAAAAAAAAAA=""#,
            "invalid_field", #"The field "symbols" must be coded symbols in base64"#
        ),
    ]

    private static let bases: [(String, String, String)] = [
        (
            #""channels":[{"name":"r","repair":true}]"#, "missing_field",
            #"The field "cursor" is missing. It must be a string"#
        ),
        (
            #""channels":[{"name":"r","cursor":"1","count":1}]"#, "missing_field",
            #"The field "digest" is missing."#
        ),
        (
            #""channels":[{"name":"r","cursor":"1","digest":"\#(Digest().text)"}]"#,
            "missing_field", #"The field "count" is missing."#
        ),
        (
            #""channels":[{"name":"r","cursor":"1","count":1,"digest":"A"}]"#, "invalid_field",
            #"The field "digest" must be a string of 32 lower-case hexadecimal digits."#
        ),
    ]

    @Test("a mistake gets its code and says what to do", arguments: ["subscribe", "repair"])
    func mistakes(operation: String) throws {
        let rows = operation == "repair" ? Self.repairs : Self.bases
        for (members, code, message) in rows {
            let bytes = Array(#"{"id":1,"op":"\#(operation)",\#(members)}"#.utf8)
            let decoded = CommandDecoder.decode(bytes.span.bytes)
            guard case .failure(let error) = decoded.command else {
                Issue.record("\(members) is no mistake")
                continue
            }
            #expect(error.status == 400)
            #expect(error.code == code)
            #expect(error.message.hasPrefix(message), "\(error.message)")
        }
    }

    @Test("symbols are read as they were written, from any index")
    func symbols() throws {
        let key = try #require(DigestKey("000102030405060708090a0b0c0d0e0f"))
        var encoder = RatelessEncoder(0..<100)
        for number in 1...50 as ClosedRange<UInt64> {
            let place = MessageAction.Key(
                messageTimetoken: Timetoken(rawValue: 1), type: "t", value: "v\(number)", uuid: "u")
            let action = MessageAction(
                key: place, actionTimetoken: Timetoken(rawValue: number + 1))
            encoder.insert(RepairItem(action, key: key))
        }
        let run = encoder.run(40..<90)
        let bytes = Array(
            #"""
            {"id":1,"op":"repair","channel":"r","from":40,"count":50,"symbols":"\#(run.text)"}
            """#.utf8)

        let command = try CommandDecoder.decode(bytes.span.bytes).command.get()

        #expect(command == .repair(RepairRequest(channel: "r", run: run)))
    }

    @Test(
        "who has nothing compared needs no symbols, and may leave out what is empty",
        arguments: ["", #","fetch":"""#, #","only":"","fetch":"","from":0,"count":0,"symbols":"""#])
    func nothing(fields: String) throws {
        let bytes = Array(
            #"{"id":1,"op":"repair","channel":"r","of":"rows"\#(fields)}"#.utf8)

        let command = try CommandDecoder.decode(bytes.span.bytes).command.get()

        let run = SymbolRun(first: 0, itemCount: 0, symbols: [])
        let choice = RepairChoice(fetch: [], only: [])
        #expect(
            command == .repair(RepairRequest(channel: "r", level: .rows, choice: choice, run: run)))
    }
}
