// The daemon's side of every example in docs/PROTOCOL.md.

import EventModel
import JSON
import Testing

@testable import SyncDaemon

private let ada = MessageAction.Key(
    messageTimetoken: Timetoken(rawValue: 17_952_187_953_729_999), type: "reaction", value: "👍",
    uuid: "ada")
private let bob = MessageAction.Key(
    messageTimetoken: Timetoken(rawValue: 17_952_187_953_729_999), type: "reaction", value: "👍",
    uuid: "bob")
private let added = Timetoken(rawValue: 17_952_187_953_730_012)
private let removed = Timetoken(rawValue: 17_952_187_953_730_099)
private let start = Timetoken(rawValue: 17_952_187_953_729_261)
private let bobs = MessageAction(key: bob, actionTimetoken: added)
private let hi = Message(payload: #"{"text":"hi"}"#, meta: #"{"lang":"en"}"#, type: "text")

/// What each example command says, by its id.
private let commands: [CommandID: Command] = [
    1: .hello(Hello(userID: "ada", deviceID: "phone")),
    2: .subscribe([SubscribeRequest(channel: "room")]),
    3: .subscribe([
        SubscribeRequest(channel: "room", cursor: start, epoch: "6f1c0e5b9a7d42d3"),
        SubscribeRequest(channel: "den", cursor: .zero),
    ]),
    4: .unsubscribe(channels: ["den"]),
    5: .publish(PublishRequest(channel: "room", message: hi, mutation: "m-1")),
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
                    timetoken: ada.messageTimetoken, uuid: "ada", message: hi, actions: [bobs])
            ], next: ada.messageTimetoken)),
    9: .history(HistoryPage(messages: [], next: nil)),
    10: .actions(ActionsPage(actions: [bobs], next: nil)),
    11: .pong(Timetoken(rawValue: 17_952_187_953_731_000)),
]

/// What the example pushes say, in their order.
private let pushes: [Batch] = [
    Batch(
        channel: Channel("room"), cursor: added,
        envelopes: [
            Envelope(
                channel: Channel("room"), timetoken: ada.messageTimetoken, uuid: "ada",
                event: .message(Message(payload: #"{"text":"hi"}"#))),
            Envelope(
                channel: Channel("room"), timetoken: added, uuid: "bob", event: .actionAdded(bobs)),
        ]),
    Batch(
        channel: Channel("room"), cursor: removed,
        envelopes: [
            Envelope(
                channel: Channel("room"), timetoken: removed, uuid: "bob",
                event: .actionRemoved(bobs))
        ]),
]

private func written(_ write: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    write(&json)
    return String(decoding: json.bytes, as: UTF8.self)
}

private func decode(_ text: String) -> DecodedCommand {
    let bytes = Array(text.utf8)
    return CommandDecoder.decode(bytes.span.bytes)
}

@Suite("Examples of the protocol")
struct ProtocolExampleTests {
    @Test("every example command is read, and says what it says")
    func commandsRead() throws {
        let examples = try ProtocolDocument.examples("→")

        #expect(examples.count == commands.count)
        for example in examples {
            let decoded = decode(example)
            let id = try #require(decoded.id, "\(example)")
            #expect(try decoded.command.get() == commands[id], "id \(id)")
        }
    }

    @Test("every example reply and push is what the daemon writes, byte for byte")
    func framesWritten() throws {
        let texts =
            replies.map { id, reply in written { ReplyEncoder.encode(reply, to: id, into: &$0) } }
            + pushes.map { batch in
                written { json in
                    json.push(
                        batch.envelopes.map(EncodedEnvelope.init), of: batch.channel,
                        cursor: batch.cursor)
                }
            } + [refusalOfPublish(), refusalOfCutText()]

        #expect(Set(texts) == Set(try ProtocolDocument.examples("←")))
        #expect(try texts.count == ProtocolDocument.examples("←").count)
    }

    /// What answers a command without its channel.
    private func refusalOfPublish() -> String {
        answer(to: #"{"id":12,"op":"publish","payload":1}"#)
    }

    /// What answers a text that ends too early.
    private func refusalOfCutText() -> String { answer(to: #"{"id":123"#) }

    private func answer(to text: String) -> String {
        let decoded = decode(text)
        guard case .failure(let error) = decoded.command else { return "no error" }
        return written { ReplyEncoder.encode(error, to: decoded.id, into: &$0) }
    }

    @Test("every error that the daemon has is in the table, with its status, and no other")
    func errorTable() throws {
        let cut = JSONError.notJSON(reason: "x", line: 1, column: 1)
        let all: [ProtocolError] = [
            .notJSON(cut), .notAnObject, .invalidField("a", "b"), .unknownOperation("x"),
            .invalidChannel, .tooManyChannels(1, per: "command"), .helloFirst, .helloAgain,
            .mutationReused, .rateLimited, .tooManyInFlight, .overloaded, .draining,
            .storeUnavailable, .storeFull, ProtocolError(.tooDeep(limit: 32)),
            ProtocolError(.missingField("a", expected: "b")),
        ]

        let known = Dictionary(all.map { ($0.code, $0.status) }) { first, _ in first }
        #expect(try known == ProtocolDocument.errorCodes())
    }

    @Test("an envelope has the members of its kind, and keeps what it carries")
    func envelopes() throws {
        let tenant = Channel("a\"b", keyset: "t\\")
        let message = Envelope(
            channel: tenant, timetoken: Timetoken(rawValue: 5), uuid: "u\n",
            event: .message(Message(payload: "[1]", meta: "null", type: "q\"")))

        let text = String(decoding: EncodedEnvelope(message).json, as: UTF8.self)

        #expect(
            text == #"{"a":"1","f":0,"i":"u\n","p":{"t":"5","r":1},"k":"t\\","c":"a\"b","#
                + #""d":[1],"u":null,"cmt":"q\""}"#)
        let name = try JSONValue(parsing: text).string("c")
        #expect(name == "a\"b")
    }

    @Test("a push without events is a cursor that moved")
    func emptyPush() {
        let text = written {
            $0.push([EncodedEnvelope](), of: Channel("room"), cursor: Timetoken(rawValue: 7))
        }

        #expect(text == #"{"t":{"t":"7","r":1},"c":"room","m":[]}"#)
    }
}
