// What interceptors are asked, and what their answers mean.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Interceptors: words")
struct InterceptorWordsTests {
    private static let origin = Origin(
        reactor: 0, session: SessionID(slot: 1, generation: 0), command: 1)

    private static func question(
        _ operation: Write.Operation, hoursAsked: Int? = nil
    ) -> InterceptorQuestion {
        InterceptorQuestion(
            number: 1, interceptor: Interceptor(name: "mod"),
            item: .write(
                Write(
                    origin: origin, author: Author(userID: "ada", deviceID: "phone"),
                    channel: Channel("room"), operation: operation, mutation: "m",
                    hoursAsked: hoursAsked)),
            deadline: 0)
    }

    private static let publish = question(.publish(Message(payload: #"{"a":1}"#, meta: "2")))
    private static let action = question(.add(.on(7, "👍", by: "ada")))
    private static let edit = question(
        .edit(
            MessageAction.Key(
                messageTimetoken: tick(7), type: MessageVersion.editedType, value: #""x""#,
                uuid: "ada")))
    private static let kept = question(
        .publish(Message(payload: "1", type: "t", parent: tick(5)), hoursKept: 24), hoursAsked: 24)
    private static let score = question(.add(.on(7, "👍", by: "ada"), score: 3))
    private static let unstored = InterceptorQuestion(
        number: 1, interceptor: Interceptor(name: "mod"),
        item: .announcement(
            Announcement(
                channel: Channel("room"), uuid: "ada", event: .message(Message(payload: "3")),
                origin: origin), origin: origin), deadline: 0)
    private static let signal = InterceptorQuestion(
        number: 1, interceptor: Interceptor(name: "mod"),
        item: .announcement(
            Announcement(
                channel: Channel("room"), uuid: "ada", event: .signal(Message(payload: "3")),
                origin: origin), origin: origin), deadline: 0)

    @Test(
        "a question says who wants what where",
        arguments: [
            (
                publish, #""publish"#,
                #""device":"phone","mutation":"m","payload":{"a":1},"meta":2}"#
            ),
            (
                edit, #""edit"#,
                #""device":"phone","mutation":"m","messageTimetoken":"7","payload":"x"}"#
            ),
            (
                action, #""add_action"#,
                #""device":"phone","mutation":"m","messageTimetoken":"7","type":"reaction","#
                    + #""value":"👍"}"#
            ),
            (
                kept, #""publish"#,
                #""device":"phone","mutation":"m","payload":1,"type":"t","parent":"5","ttl":24}"#
            ),
            (
                score, #""add_action"#,
                #""device":"phone","mutation":"m","messageTimetoken":"7","type":"reaction","#
                    + #""value":"👍","score":3}"#
            ),
            (unstored, #""publish"#, #""payload":3,"store":false}"#),
            (signal, #""signal"#, #""payload":3}"#),
        ])
    func questions(_ question: InterceptorQuestion, _ before: String, _ rest: String) {
        let body = InterceptorWords.body(of: question, id: "mod-1")
        let head =
            #"{"interceptor":"mod","id":"mod-1","before":"# + before
            + #"","keyset":"default","channel":"room","user":"ada","#
        #expect(String(decoding: body, as: UTF8.self) == head + rest)
    }

    private func verdict(
        _ text: String, status: Int = 200, on question: InterceptorQuestion = publish
    ) -> InterceptorVerdict {
        InterceptorWords.verdict(
            on: question, .answered(status: status, retryAfter: nil, body: Array(text.utf8)))
    }

    @Test("an answer allows, changes or refuses")
    func answers() {
        #expect(verdict(#"{"allow":true}"#) == .allowed())
        #expect(
            verdict(#"{"allow":true,"payload":{"b": [1, 2]},"meta":null}"#, status: 201)
                == .allowed(payload: #"{"b":[1,2]}"#, meta: "null"))
        #expect(
            verdict(#"{"allow":true,"payload":"y"}"#, on: Self.edit) == .allowed(payload: #""y""#))
        #expect(verdict(#"{"allow":false}"#) == .refused(reason: ""))
        #expect(verdict(#"{"allow":false,"reason":"no é"}"#) == .refused(reason: "no é"))
        let long = String(repeating: "x", count: 1000)
        #expect(
            verdict(#"{"allow":false,"reason":"\#(long)"}"#)
                == .refused(reason: String(long.prefix(Limits.interceptorReasonBytesMax))))
    }

    @Test(
        "what is no answer is a failure, and says why",
        arguments: [
            "", "true", "[]", "{}", #"{"allow":1}"#, #"{"allow":"true"}"#, #"{"allow":true"#,
        ])
    func garbage(_ text: String) {
        guard case .unclear(let reason) = verdict(text) else {
            Issue.record("It was taken.")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test("an action stays as it is, a signal short, an edit without metadata; that is one write's")
    func unchangeable() {
        let long = String(repeating: "x", count: Limits.requestBodyBytesMax)
        for (text, question) in [
            (#"{"allow":true,"payload":"x"}"#, Self.action),
            (#"{"allow":true,"meta":"x"}"#, Self.edit),
            (#"{"allow":true,"payload":"\#(String(repeating: "x", count: 64))"}"#, Self.signal),
            (#"{"allow":true,"payload":"\#(long)"}"#, Self.publish),
        ] {
            guard case .unusable = verdict(text, on: question) else {
                Issue.record("\(text.prefix(80)) was taken.")
                continue
            }
        }
        #expect(verdict(#"{"allow":true}"#, on: Self.action) == .allowed())
    }

    /// Found by an attack: what the message said went, and its file with it.
    @Test(
        "a changed message tells of its file as before",
        arguments: [
            (#"{"message":"d***","file":{"id":"7","name":"a"}}"#, true),
            (#"{"file":{"name":"a","id":"7"}}"#, true), (#"{"text":"d***"}"#, false),
            (#""d***""#, false), (#"{"message":"x","file":{"id":"8","name":"a"}}"#, false),
        ])
    func file(payload: String, isTaken: Bool) {
        let told = Message(
            payload: #"{"message":"damn","file":{"id":"7", "name":"a"}}"#, type: "pn.file")
        let answer = verdict(
            #"{"allow":true,"payload":\#(payload)}"#, on: Self.question(.publish(told)))
        if isTaken {
            #expect(answer == .allowed(payload: payload))
        } else if case .unusable(let reason) = answer {
            #expect(reason.contains("file"))
        } else {
            Issue.record("\(payload) was taken.")
        }
        #expect(verdict(#"{"allow":true}"#, on: Self.question(.publish(told))) == .allowed())
    }

    @Test("what a question says beside the payload stays, and to repeat it is no change")
    func fixed() {
        for (members, question) in [
            (#""value":"👎""#, Self.action), (#""score":2"#, Self.action),
            (#""score":2"#, Self.score),
            (#""type":"poll""#, Self.action), (#""messageType":"x""#, Self.publish),
            (#""type":null"#, Self.kept), (#""channel":"den""#, Self.publish),
            (#""messageType":"poll""#, Self.kept), (#""messageType":null"#, Self.kept),
            (#""user":"eve""#, Self.edit), (#""parent":"6""#, Self.kept), (#""ttl":1"#, Self.kept),
            (#""store":true"#, Self.unstored), (#""messageTimetoken":"8""#, Self.edit),
            (#""keyset":"a","payload":1"#, Self.publish), (#""device":"x""#, Self.signal),
            (#""server":true"#, Self.publish), (#""mutation":"x""#, Self.publish),
        ] {
            guard case .unusable = verdict(#"{"allow":true,\#(members)}"#, on: question) else {
                Issue.record("\(members) was taken.")
                continue
            }
            #expect(verdict(#"{"allow":false,\#(members)}"#, on: question) == .refused(reason: ""))
        }
        for (members, question) in [
            (#""value":"\ud83d\udc4d","type":"reaction","score":null"#, Self.action),
            (#""score" : 3"#, Self.score), (#""store":false,"channel":"room""#, Self.unstored),
            (#""id":"7","comment":"fine","before":"x""#, Self.publish),
            (#""messageType":"t""#, Self.kept), (#""messageType":"t","type":"t""#, Self.kept),
            (#""messageType":"reaction""#, Self.action), (#""messageType":null"#, Self.publish),
        ] {
            #expect(verdict(#"{"allow":true,\#(members)}"#, on: question) == .allowed())
        }
    }

    @Test("null is a payload, and takes metadata away")
    func null() throws {
        let found = verdict(#"{"allow":true,"payload":null,"meta":null}"#)
        #expect(found == .allowed(payload: "null", meta: "null"))
        guard case .write(let write) = Self.publish.item.saying(payload: "null", meta: "null"),
            case .publish(let message, _) = write.operation
        else {
            Issue.record("It is no publish any more.")
            return
        }
        #expect(message.payload == "null" && message.meta == nil)
    }

    @Test(
        "an edit by an action is asked about as one, and changed as one",
        arguments: [
            (#"{"a":1}"#, #"{"a":1}"#, #"{"b":2}"#, #"{"b":2}"#),
            ("plain", #""plain""#, #""other""#, "other"),
            (#""quoted""#, #""quoted""#, #""12""#, #""12""#),
        ])
    func versions(_ value: String, _ asked: String, _ payload: String, _ written: String) {
        let key = MessageAction.Key(
            messageTimetoken: tick(7), type: MessageVersion.editedType, value: value, uuid: "ada")
        let question = Self.question(.add(key))
        let text = String(
            decoding: InterceptorWords.body(of: question, id: "mod-1"), as: UTF8.self)
        #expect(question.item.kind == .edit && text.hasSuffix(#""payload":\#(asked)}"#))
        guard case .write(let write) = question.item.saying(payload: payload, meta: nil),
            case .add(let changed, _, _) = write.operation
        else {
            Issue.record("It is no action any more.")
            return
        }
        #expect(changed.value == written && changed.uuid == "ada")
    }

    @Test("a reason is short, also in bytes, and has nothing in it that is not shown")
    func reasons() {
        let marks = "a" + String(repeating: "\u{301}", count: 50_000)
        guard case .refused(let reason) = verdict(#"{"allow":false,"reason":"\#(marks)"}"#) else {
            Issue.record("It is no refusal.")
            return
        }
        #expect(reason.utf8.count <= Limits.interceptorReasonBytesMax)
        #expect(
            verdict(#"{"allow":false,"reason":"a\u0000\r\n\u202eb"}"#) == .refused(reason: "ab"))
    }

    @Test("bytes that are no text are no answer")
    func bytes() {
        let body = Array(#"{"allow":true,"payload":""#.utf8) + [0xff] + Array(#""}"#.utf8)
        let found = InterceptorWords.verdict(
            on: Self.publish, .answered(status: 200, retryAfter: nil, body: body))
        guard case .unclear = found else {
            Issue.record("It was taken.")
            return
        }
    }

    @Test("no answer, or one that speaks of a fault, is a failure")
    func failures() {
        #expect(
            InterceptorWords.verdict(on: Self.publish, .failed(reason: "Timeout was reached"))
                == .failed(reason: "Timeout was reached"))
        for status in [199, 302, 400, 500] {
            #expect(
                verdict(#"{"allow":true}"#, status: status) == .unclear(reason: "status \(status)"))
        }
    }
}
