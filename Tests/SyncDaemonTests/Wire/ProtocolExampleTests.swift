// The daemon's side of every example in docs/PROTOCOL.md.

import EventModel
import JSON
import TestSupport
import Testing

@testable import SyncDaemon

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

        #expect(examples.count == ProtocolExample.commands.count)
        for example in examples {
            let decoded = decode(example)
            let id = try #require(decoded.id, "\(example)")
            #expect(try decoded.command.get() == ProtocolExample.commands[id], "id \(id)")
        }
    }

    @Test("every example reply and push is what the daemon writes, byte for byte")
    func framesWritten() throws {
        let texts =
            ProtocolExample.replies.map { id, reply in
                written { ReplyEncoder.encode(reply, to: id, into: &$0) }
            }
            + ProtocolExample.pushes.map { batch in
                written { json in
                    json.push(
                        batch.envelopes.map(EncodedEnvelope.init), of: batch.channel,
                        cursor: batch.cursor, state: batch.state, window: batch.window)
                }
            } + [
                refusalOfPublish(), refusalOfCutText(),
                written { ReplyEncoder.encode(.rateLimited, to: 23, into: &$0) },
                written { ReplyEncoder.encode(ProtocolExample.marks, into: &$0) },
            ]

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
            .invalidChannel, .tooManyChannels(1, per: "command"), .helloFirst,
            .helloAgain, .noRepair, .noLiveQuery, .tooManyLiveQueries, .unknownKeyset("x"),
            .forbidden, .mutationReused, .rateLimited, .tooManyRows,
            .tokenMissing, .tokenInvalid, .tokenExpired, .tokenRevoked, .tokenOfAnother,
            .refusedByInterceptor(""), .interceptorFailed, .deletingDisabled, .historyDisabled,
            .invalidPublishKey, .tooManyInFlight, .overloaded,
            .draining, .tooManyRevoked, .tooManyKeyGrants, .bodyTooLong, .targetTooLong,
            ProtocolError(QuotaRefusal.exceeded(.connections, max: 1)),
            ProtocolError(QuotaRefusal.share(max: 1)), .memoryShort, .reactionsOff,
            .valueNotAllowed, .noSuchMessage, .notOwner, .tooManyActions("1"), .scoreTooLarge(1),
            .entryModified, .entryTooLarge, .tooManyMemberships, .invalidFilter("x"), .invalidPlace,
            .storeUnavailable, .storeFull, .storeDamaged, ProtocolError(.tooDeep(limit: 32)),
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

    @Test("answers that the page does not show are one object each")
    func otherReplies() {
        let rows: [(Reply, String)] = [
            (.messagesDeleted(Timetoken(rawValue: 5)), #"{"timetoken":"5"}"#),
            (.actionRemoved(.notOwner), #"{"applied":"notOwner"}"#),
        ]
        for (reply, text) in rows {
            #expect(
                written { ReplyEncoder.encode(reply, to: 1, into: &$0) } == #"{"id":1,"ok":"# + text
                    + "}")
        }
    }

    @Test("a push without events is a cursor that moved")
    func emptyPush() {
        let text = written {
            $0.push([EncodedEnvelope](), of: Channel("room"), cursor: Timetoken(rawValue: 7))
        }

        #expect(text == #"{"t":{"t":"7","r":1},"c":"room","m":[]}"#)
    }
}
