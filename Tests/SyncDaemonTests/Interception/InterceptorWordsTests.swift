// What interceptors are asked, and what their answers mean.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Interceptors: words")
struct InterceptorWordsTests {
    private static let origin = Origin(
        reactor: 0, session: SessionID(slot: 1, generation: 0), command: 1)

    private static func question(_ operation: Write.Operation) -> InterceptorQuestion {
        InterceptorQuestion(
            number: 1, interceptor: Interceptor(name: "mod"),
            item: .write(
                Write(
                    origin: origin, author: Author(userID: "ada", deviceID: "phone"),
                    channel: Channel("room"), operation: operation, mutation: "m")),
            deadline: 0)
    }

    private static let publish = question(.publish(Message(payload: #"{"a":1}"#, meta: "2")))
    private static let action = question(.add(.on(7, "👍", by: "ada")))
    private static let edit = question(
        .edit(
            MessageAction.Key(
                messageTimetoken: tick(7), type: MessageVersion.editedType, value: #""x""#,
                uuid: "ada")))
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
                == .refused(reason: String(long.prefix(Limits.interceptorReasonMax))))
    }

    @Test(
        "what is no answer is a failure, and says why",
        arguments: [
            "", "true", "[]", "{}", #"{"allow":1}"#, #"{"allow":"true"}"#, #"{"allow":true"#,
            #"{"allow":true,"payload":"\#(String(repeating: "x", count: Limits.frameBytesMax))"}"#,
        ])
    func garbage(_ text: String) {
        guard case .failed(let reason) = verdict(text) else {
            Issue.record("It was taken.")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test("an action stays as it is, a signal short, an edit without metadata")
    func unchangeable() {
        for (text, question) in [
            (#"{"allow":true,"payload":"x"}"#, Self.action),
            (#"{"allow":true,"meta":"x"}"#, Self.edit),
            (#"{"allow":true,"payload":"\#(String(repeating: "x", count: 64))"}"#, Self.signal),
        ] {
            guard case .failed = verdict(text, on: question) else {
                Issue.record("\(text) was taken.")
                continue
            }
        }
        #expect(verdict(#"{"allow":true}"#, on: Self.action) == .allowed())
    }

    @Test("no answer, or one that speaks of a fault, is a failure")
    func failures() {
        #expect(
            InterceptorWords.verdict(on: Self.publish, .failed(reason: "Timeout was reached"))
                == .failed(reason: "Timeout was reached"))
        for status in [199, 302, 400, 500] {
            #expect(
                verdict(#"{"allow":true}"#, status: status) == .failed(reason: "status \(status)"))
        }
    }
}
