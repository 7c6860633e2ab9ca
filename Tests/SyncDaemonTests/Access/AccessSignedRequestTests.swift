// Requests that a backend signs: PubNub's two versions, and nothing that is close to them.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Access to signed requests")
struct AccessSignedRequestTests {
    private static let now: Int64 = 1_700_000_000

    /// What Python's SDK 10.8 signs.
    private static func reaction() -> SignedRequest {
        SignedRequest(
            method: "POST",
            path: "/v1/message-actions/sub-test/channel/room%201/message/"
                + "17000000000000000",
            query: [
                ("uuid", "alice smith*"), ("timestamp", "1700000000"),
                ("pnsdk", "PubNub-Python/10.4.0"),
                ("signature", "v2.WRoXqdwIj8fBAiiT5G5392JR8IuBsQgo4C4wiqv041M"),
            ], body: Array(#"{"type": "reaction", "value": "\ud83d\udc4d"}"#.utf8))
    }

    private static func refusal(
        of request: SignedRequest, secret: String = "sec-test", publishKey: String = "pub-test",
        at now: Int64 = now
    ) -> AccessRefusal? {
        do throws(AccessRefusal) {
            try request.check(
                secretKey: secret, publishKey: publishKey, subscribeKey: "sub-test", at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test("what Python's SDK signed is good, for a minute on either side")
    func recorded() {
        let request = Self.reaction()
        #expect(Self.refusal(of: request) == nil)
        #expect(Self.refusal(of: request, at: Self.now + 60) == nil)
        #expect(Self.refusal(of: request, at: Self.now - 60) == nil)
        #expect(Self.refusal(of: request, at: Self.now + 61) == .expired)
        #expect(Self.refusal(of: request, at: Self.now - 61) == .notYet)
        #expect(Self.refusal(of: request, secret: "sec-tesT") == .badSignature)
        #expect(Self.refusal(of: request, publishKey: "pub-tesT") == .badSignature)
    }

    @Test("each part of a request is signed, and its time has to be one")
    func parts() {
        func refusal(_ change: (inout SignedRequest) -> Void) -> AccessRefusal? {
            var request = Self.reaction()
            change(&request)
            return Self.refusal(of: request)
        }
        #expect(refusal { $0.query.reverse() } == nil)
        #expect(refusal { $0.method = "PATCH" } == .badSignature)
        #expect(refusal { $0.path += "0" } == .badSignature)
        #expect(refusal { $0.path = $0.path.replacing("%20", with: " ") } == .badSignature)
        #expect(refusal { $0.body.append(32) } == .badSignature)
        #expect(refusal { $0.query[0].value = "alice smith" } == .badSignature)
        #expect(refusal { $0.query.append(("auth", "t")) } == .badSignature)
        #expect(refusal { $0.query[1].value = "1700000001" } == .badSignature)
        #expect(refusal { $0.query[1].value = "soon" } == .garbage)
        #expect(refusal { $0.query[1].value = "-1" } == .garbage)
        #expect(refusal { $0.query[1].value = "+1700000000" } == .garbage)
        #expect(refusal { $0.query[1].value = "" } == .garbage)
        #expect(refusal { $0.query[1].value = "9999999999999" } == .garbage)
        #expect(refusal { $0.query.remove(at: 1) } == .missing)
        #expect(refusal { $0.query.removeLast() } == .missing)
        #expect(refusal { $0.query.append($0.query[3]) } == .missing)
        #expect(refusal { $0.query[3].value += "=" } == .badSignature)
        #expect(refusal { $0.query[3].value.removeFirst(3) } == .badSignature)
    }

    /// Signs a text as an SDK does.
    private static func signature(of text: String, isFirst: Bool) -> String {
        let code = Signing.code(of: Array(text.utf8), key: Array("sec-test".utf8))
        return (isFirst ? "" : "v2.") + Base64URL.text(code, isPadded: isFirst)
    }

    @Test(
        "publishing by POST may be signed as JavaScript and Python do; nothing else may",
        arguments: [
            ("POST\npub-test\nPATH\ntimestamp=1700000000\n\"hi\"", false, [true, true]),
            ("GET\npub-test\nPATH\ntimestamp=1700000000\n", false, [true, false]),
            ("sub-test\npub-test\nPATH\ntimestamp=1700000000", true, [true, false]),
            ("sub-test\npub-test\nPATH\ntimestamp=1700000000", false, [false, false]),
            ("POST\npub-test\nPATH\ntimestamp=1700000000\n", false, [false, false]),
        ] as [(String, Bool, [Bool])])
    func publishing(text: String, isFirst: Bool, isGood: [Bool]) {
        let paths = ["/publish/pub-test/sub-test/0/room/0", "/v3/pam/sub-test/grant"]
        for (path, isGood) in zip(paths, isGood) {
            let signed = text.replacing("PATH", with: path)
            let signature = Self.signature(of: signed, isFirst: isFirst)
            let request = SignedRequest(
                method: "POST", path: path,
                query: [("timestamp", "1700000000"), ("signature", signature)],
                body: Array("\"hi\"".utf8))
            #expect(Self.refusal(of: request) == (isGood ? nil : .badSignature))
        }
    }

    @Test("GET and DELETE have no body that counts, and every other sign is escaped")
    func canonical() {
        let query = "a=%7E%21%2A%27%28%29%5B%5D%2F%20%2B%C3%A9-_.aZ9&b=&timestamp=1700000000"
        let signature = Self.signature(of: "DELETE\n\n/v3/x\n\(query)\n", isFirst: false)
        let request = SignedRequest(
            method: "DELETE", path: "/v3/x",
            query: [
                ("signature", signature), ("timestamp", "1700000000"), ("b", ""),
                ("a", "~!*'()[]/ +é-_.aZ9"),
            ], body: [])
        #expect(Self.refusal(of: request, publishKey: "") == nil)
    }
}
