// The encoder and the decoder against every example of docs/PROTOCOL.md.

import EventModel
import Foundation
import JSON
import Testing

@testable import SyncClient

private let ada = MessageAction.Key(
    messageTimetoken: Timetoken(rawValue: 17_952_187_953_729_999), type: "reaction", value: "👍",
    uuid: "ada")
private let bob = MessageAction.Key(
    messageTimetoken: Timetoken(rawValue: 17_952_187_953_729_999), type: "reaction", value: "👍",
    uuid: "bob")
private let added = Timetoken(rawValue: 17_952_187_953_730_012)
private let start = Timetoken(rawValue: 17_952_187_953_729_261)

/// What each example command says, by its id.
private let commands: [CommandID: Command] = [
    1: .hello(Hello(userID: "ada", deviceID: "phone")),
    2: .subscribe([SubscribeRequest(channel: "room")]),
    3: .subscribe([
        SubscribeRequest(channel: "room", cursor: start, epoch: "6f1c0e5b9a7d42d3"),
        SubscribeRequest(channel: "den", cursor: .zero),
    ]),
    4: .unsubscribe(channels: ["den"]),
    5: .publish(
        PublishRequest(
            channel: "room",
            message: Message(
                payload: #"{"text":"hi"}"#, meta: #"{"lang":"en"}"#, type: "text"),
            mutation: "m-1")),
    6: .addAction(
        ActionRequest(
            channel: "room", messageTimetoken: ada.messageTimetoken, value: "👍", mutation: "m-2")),
    7: .removeAction(
        RemovalRequest(
            action: ActionRequest(
                channel: "room", messageTimetoken: ada.messageTimetoken, value: "👍",
                mutation: "m-3"),
            actionTimetoken: added)),
    8: .history(HistoryQuery(channel: "room", limit: 2, includesActions: true)),
    9: .history(HistoryQuery(channel: "room", before: ada.messageTimetoken, limit: 2)),
    10: .actions(
        ActionsQuery(
            channel: "room", messageTimetoken: ada.messageTimetoken, type: "reaction", value: "👍",
            userID: "bob", after: .zero, limit: 10)),
    11: .ping,
]

/// What each example reply says, by its id.
private let replies: [CommandID: Reply] = [
    1: .hello(
        Welcome(session: "0-1", time: start, epoch: "6f1c0e5b9a7d42d3", heartbeatSeconds: 25)),
    2: .subscribed([SubscribedChannel(channel: "room", mode: .current, cursor: start)]),
    3: .subscribed([
        SubscribedChannel(channel: "room", mode: .delta, cursor: start),
        SubscribedChannel(channel: "den", mode: .delta, cursor: .zero),
    ]),
    4: .unsubscribed(channels: ["den"]),
    5: .published(ada.messageTimetoken),
    6: .actionAdded(MessageAction(key: ada, actionTimetoken: added), .added),
    7: .actionRemoved(.removed),
    8: .history(
        HistoryPage(
            messages: [
                StoredMessage(
                    timetoken: ada.messageTimetoken, uuid: "ada",
                    message: Message(
                        payload: #"{"text":"hi"}"#, meta: #"{"lang":"en"}"#, type: "text"),
                    actions: [MessageAction(key: bob, actionTimetoken: added)])
            ], next: ada.messageTimetoken)),
    9: .history(HistoryPage(messages: [], next: nil)),
    10: .actions(
        ActionsPage(actions: [MessageAction(key: bob, actionTimetoken: added)], next: nil)),
    11: .pong(Timetoken(rawValue: 17_952_187_953_731_000)),
]

@Suite("Codec")
struct CodecTests {
    /// The examples of one direction: what follows the arrow.
    private static func examples(_ arrow: Character) throws -> [String] {
        let document = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/PROTOCOL.md").standardized
        return try String(contentsOf: document, encoding: .utf8)
            .split(separator: "\n").filter { $0.first == arrow }
            .map { String($0.dropFirst(2)) }
    }

    private let decoder = ServerFrameDecoder(keyset: "default")

    private func decode(_ text: String) throws -> ServerFrame {
        try decoder.decode(Array(text.utf8)) { commands[$0]?.kind }
    }

    @Test("every example command is what the encoder writes, byte for byte")
    func examplesOut() throws {
        let examples = try Self.examples("→")

        #expect(examples.count == commands.count)
        for example in examples {
            let id = try JSONValue(parsing: example).integer("id")
            let command = try #require(commands[id], "id \(id)")
            let written = String(decoding: CommandEncoder.encode(command, id: id), as: UTF8.self)
            #expect(written == example)
        }
    }

    @Test("every example reply and push is read, and says what it says")
    func examplesIn() throws {
        var pushes: [Batch] = []
        var unread = Set(replies.keys)
        var errors: [String] = []
        for example in try Self.examples("←") {
            switch try decode(example) {
            case .push(let batch): pushes.append(batch)
            case .reply(let id, .success(let reply)):
                #expect(reply == replies[id], "id \(id)")
                unread.remove(id)
            case .reply(12, .failure(let error)): errors.append(error.code)
            case .complaint(let error): errors.append(error.code)
            default: Issue.record("not expected: \(example)")
            }
        }

        #expect(unread.isEmpty)
        #expect(errors == ["missing_field", "not_json"])
        try check(pushes)
    }

    private func check(_ pushes: [Batch]) throws {
        let room = Channel("room")
        let action = MessageAction(key: bob, actionTimetoken: added)
        try #require(pushes.count == 2)
        #expect(
            pushes[0]
                == Batch(
                    channel: room, cursor: added,
                    envelopes: [
                        Envelope(
                            channel: room, timetoken: ada.messageTimetoken, uuid: "ada",
                            event: .message(Message(payload: #"{"text":"hi"}"#))),
                        Envelope(
                            channel: room, timetoken: added, uuid: "bob",
                            event: .actionAdded(action)),
                    ]))
        let removed = Timetoken(rawValue: 17_952_187_953_730_099)
        #expect(
            pushes[1]
                == Batch(
                    channel: room, cursor: removed,
                    envelopes: [
                        Envelope(
                            channel: room, timetoken: removed, uuid: "bob",
                            event: .actionRemoved(action))
                    ]))
    }

    @Test("a keyset is named unless it is the default one")
    func keyset() {
        let hello = Command.hello(Hello(userID: "a\"b", deviceID: "d\n", keyset: "tenant"))

        #expect(
            String(decoding: CommandEncoder.encode(hello, id: 0), as: UTF8.self)
                == #"{"id":0,"op":"hello","userId":"a\"b","deviceId":"d\n","keyset":"tenant"}"#)
    }

    @Test("a payload is read as deep as the daemon takes it")
    func deepPayload() throws {
        let deep =
            String(repeating: "[", count: Limits.jsonDepthMax)
            + String(repeating: "]", count: Limits.jsonDepthMax)
        let push = """
            {"t":{"t":"2","r":1},"c":"room","m":[{"i":"b","p":{"t":"2","r":1},"d":\(deep)}]}
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
            (#"{"t":{"t":"1"},"c":"room","m":[{}]}"#, "\"i\""),
            (#"{"t":{"t":"1"},"c":"room","m":[{"i":"a","e":3,"p":{"t":"1"},"d":1}]}"#, "\"d\""),
        ])
    func names(text: String, part: String) {
        let error = #expect(throws: FrameError.self) { try decode(text) }
        #expect(error?.description.contains(part) == true)
    }

    @Test("any cut of an example is an error, never a crash")
    func cuts() throws {
        for example in try Self.examples("←") {
            let bytes = Array(example.utf8)
            for length in 0..<bytes.count {
                #expect(throws: FrameError.self) {
                    try decoder.decode(Array(bytes[..<length])) { commands[$0]?.kind }
                }
            }
        }
    }
}
