// The encoder and the decoder against every example of docs/PROTOCOL.md.

import EventModel
import Foundation
import JSON
import TestSupport
import Testing

@testable import SyncClient

@Suite("Codec")
struct CodecTests {
    private let decoder = ServerFrameDecoder(keyset: "default")

    private func decode(_ text: String) throws -> ServerFrame {
        try decoder.decode(Array(text.utf8)) { ProtocolExample.commands[$0]?.kind }
    }

    @Test("every example command is what the encoder writes, byte for byte")
    func examplesOut() throws {
        let examples = try ProtocolDocument.examples("→")

        #expect(examples.count == ProtocolExample.commands.count)
        for example in examples {
            let id = try JSONValue(parsing: example).integer("id")
            let command = try #require(ProtocolExample.commands[id], "id \(id)")
            let written = String(decoding: CommandEncoder.encode(command, id: id), as: UTF8.self)
            #expect(written == example)
        }
    }

    @Test("every example reply and push is read, and says what it says")
    func examplesIn() throws {
        var pushes: [Batch] = []
        var unread = Set(ProtocolExample.replies.keys)
        var errors: [String] = []
        for example in try ProtocolDocument.examples("←") {
            switch try decode(example) {
            case .push(let batch): pushes.append(batch)
            case .reply(let id, .success(let reply)):
                #expect(reply == ProtocolExample.replies[id], "id \(id)")
                unread.remove(id)
            case .reply(12, .failure(let error)): errors.append(error.code)
            case .reply(23, .failure(let error)):
                errors.append(error.code)
                #expect(error.retryAfterSeconds == 1)
            case .complaint(let error): errors.append(error.code)
            case .read(let marks):
                let through = Timetoken(rawValue: 17_952_187_953_730_012)
                #expect(marks == [ReadMark(channel: "room", through: through)])
            default: Issue.record("not expected: \(example)")
            }
        }

        #expect(unread.isEmpty)
        #expect(errors == ["missing_field", "not_json", "rate_limited"])
        #expect(pushes == ProtocolExample.pushes)
    }

    @Test(
        "a keyset is named when there is one, also that which is called default",
        arguments: [
            ("tenant", #""keyset":"tenant","#), (Channel.defaultKeyset, #""keyset":"default","#),
            (nil, ""),
        ] as [(String?, String)])
    func keyset(name: String?, member: String) {
        let hello = Command.hello(
            Hello(userID: "a\"b", deviceID: "d\n", keyset: name, publishKey: "pub", token: "t.o.k"))

        #expect(
            String(decoding: CommandEncoder.encode(hello, id: 0), as: UTF8.self)
                == #"{"id":0,"op":"hello","userId":"a\"b","deviceId":"d\n",\#(member)"#
                + #""publishKey":"pub","token":"t.o.k"}"#)
    }

    @Test("a payload is read as deep as the daemon takes it")
    func deepPayload() throws {
        let deep =
            String(repeating: "[", count: Limits.jsonDepthMax)
            + String(repeating: "]", count: Limits.jsonDepthMax)
        let push = """
            {"t":{"t":"2","r":1},"c":"room","m":[{"f":0,"c":"room","p":{"t":"2","r":1},\
            "d":\(deep)}]}
            """

        guard case .push(let batch) = try decode(push) else {
            Issue.record("not a push")
            return
        }
        #expect(batch.envelopes.first?.event == .message(Message(payload: deep)))
    }

    @Test(
        "what is wrong is named",
        arguments: [
            ("", "not JSON"), ("[]", "an object"), ("{}", "\"id\""), (#"{"id":1}"#, "\"ok\""),
            (#"{"id":1,"ok":{}}"#, "\"limits\""), (#"{"id":"1","ok":{}}"#, "\"id\""),
            (#"{"id":5,"ok":{"timetoken":17}}"#, "\"timetoken\""),
            (#"{"id":7,"ok":{"applied":"perhaps"}}"#, "\"applied\""),
            (#"{"t":{"t":"x"},"c":"room","m":[]}"#, "\"t\""),
            (#"{"t":{"t":"1"},"c":"room","m":{}}"#, "\"m\""),
        ])
    func names(text: String, part: String) {
        let error = #expect(throws: FrameError.self) { try decode(text) }
        #expect(error?.description.contains(part) == true)
    }

    @Test("any cut of an example is an error, never a crash")
    func cuts() throws {
        for example in try ProtocolDocument.examples("←") {
            let bytes = Array(example.utf8)
            for length in 0..<bytes.count {
                #expect(throws: FrameError.self) {
                    try decoder.decode(Array(bytes[..<length])) {
                        ProtocolExample.commands[$0]?.kind
                    }
                }
            }
        }
    }
}
