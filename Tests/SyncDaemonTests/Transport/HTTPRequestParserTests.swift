// Requests in pieces, at their limits, and in every wrong form.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("HTTPRequestParser")
struct HTTPRequestParserTests {
    /// What a parser makes of a text that comes in pieces of `size` bytes.
    private struct Outcome {
        var request: HTTPRequest?
        var upgrade: UpgradeRequest?
        var keepsConnection: Bool?
        var status: Int?
        var taken = 0

        init(_ bytes: [UInt8], inPiecesOf size: Int) {
            let parser = HTTPRequestParser()
            while taken < bytes.count, request == nil, upgrade == nil, status == nil {
                let piece = Array(bytes[taken..<min(taken + size, bytes.count)])
                let (count, progress) = parser.consume(piece)
                taken += count
                switch progress {
                case .incomplete, .begun, .part: break
                case .complete(let request, let keepsConnection, _):
                    self.request = request
                    self.keepsConnection = keepsConnection
                case .upgrade(let request): upgrade = request
                case .refused(let refusal): status = refusal.response.status
                }
            }
        }

        init(_ text: String, inPiecesOf size: Int = .max / 2) {
            self.init(Array(text.utf8), inPiecesOf: size)
        }
    }

    private static let post =
        "POST /v2/a%2Fb+c//d;e/../f?x=%20+&y HTTP/1.1\r\nHost: x\r\nX-Empty:\r\n"
        + "Content-Length: 11\r\nX-Long: \(String(repeating: "y", count: 300))\r\n\r\n"
        + "{\"a\":\r\n\r\n1}"

    @Test("a request is the same in pieces of any size", arguments: 1...60)
    func pieces(size: Int) {
        let outcome = Outcome(Self.post + "GET", inPiecesOf: size)

        #expect(outcome.request?.method == .post)
        #expect(outcome.request?.target == "/v2/a%2Fb+c//d;e/../f?x=%20+&y")
        #expect(outcome.request?.body == Array("{\"a\":\r\n\r\n1}".utf8))
        #expect(outcome.keepsConnection == true)
        #expect(outcome.taken == Self.post.utf8.count)
    }

    @Test("a request is the same wherever it is cut in two")
    func cuts() {
        let bytes = Array(Self.post.utf8)
        for cut in 1..<bytes.count {
            let parser = HTTPRequestParser()
            let (first, _) = parser.consume(Array(bytes[..<cut]))
            let (second, progress) = parser.consume(Array(bytes[cut...]))

            guard case .complete(let request, _, _) = progress else {
                Issue.record("cut at \(cut)")
                continue
            }
            #expect(first + second == bytes.count)
            #expect(request.body.count == 11)
        }
    }

    @Test(
        "methods",
        arguments: [
            ("GET", HTTPRequest.Method.get), ("HEAD", .head), ("POST", .post), ("PATCH", .patch),
            ("DELETE", .delete), ("OPTIONS", .options), ("PUT", .other), ("M-SEARCH", .other),
        ])
    func methods(name: String, method: HTTPRequest.Method) {
        #expect(Outcome("\(name) / HTTP/1.1\r\nHost: x\r\n\r\n").request?.method == method)
    }

    @Test(
        "whether the connection stays",
        arguments: [
            ("HTTP/1.1\r\nHost: x", true), ("HTTP/1.1\r\nHost: x\r\nConnection: close", false),
            ("HTTP/1.0", false), ("HTTP/1.0\r\nConnection: keep-alive", true),
            ("HTTP/1.1\r\nHost: x\r\nConnection: x, Close", false),
        ])
    func keepAlive(rest: String, keeps: Bool) {
        #expect(Outcome("GET / \(rest)\r\n\r\n").keepsConnection == keeps)
    }

    @Test(
        "a target in absolute form is its path and query",
        arguments: [
            ("http://x/time/0", "/time/0"), ("HTTP://x:80/a%2Fb?c=/", "/a%2Fb?c=/"),
            ("https://[::1]:9/", "/"), ("http://x", "/"), ("http://x?y=1", "/?y=1"),
            ("/http://x/y", "/http://x/y"), ("//x/y", "//x/y"),
        ])
    func absoluteForm(target: String, path: String) {
        let text = "GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n"
        #expect(Outcome(text).request?.target == path)
        #expect(Outcome(text, inPiecesOf: 1).request?.target == path)
    }

    @Test(
        "a target in absolute form says whom it is for, whatever Host says",
        arguments: [
            ("http://evil.example/a", "evil.example"), ("HTTPS://[::1]:9?a=/", "[::1]:9"),
            ("http://evil", "evil"), ("/http://evil/a", "x"), ("//evil/a", "x"),
        ])
    func authority(target: String, host: String) {
        let upgrade =
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        #expect(
            Outcome("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n").request?.provenance.host == host)
        let sync = "GET http://evil/v1/sync HTTP/1.1\r\nHost: x\r\n\(upgrade)\r\n"
        #expect(Outcome(sync).upgrade?.provenance.host == "evil")
    }

    @Test("a target that names no host", arguments: ["http:///a", "http://", "https://?a"])
    func noAuthority(target: String) {
        #expect(Outcome("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n").status == 400)
    }

    @Test("blank lines before a request are let pass")
    func lenience() {
        #expect(Outcome("\r\n\r\nGET /a HTTP/1.1\r\nHost: x\r\n\r\n").request?.target == "/a")
    }

    @Test(
        "lines that end with LF alone are refused",
        arguments: [
            "\n", "\r\n\n", "GET /a HTTP/1.1\nHost: x\n\n", "GET /a HTTP/1.1\nHost: x\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: x\n\r\n", "GET /a HTTP/1.1\r\nHost: x\r\n\n",
        ])
    func lineFeeds(text: String) {
        #expect(Outcome(text).status == 400)
        #expect(Outcome(text, inPiecesOf: 1).status == 400)
    }

    @Test("a Host that could be none", arguments: ["a b", "a,b", "a/b", "u@a", "a\"", "a\\b", "é"])
    func hosts(host: String) {
        #expect(Outcome("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").status == 400)
    }

    @Test(
        "what is not HTTP/1.1 is refused, in one piece and in many",
        arguments: [
            "get / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}", "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET /\r\n", "GET\r\n\r\n",
            "GET / HXXX/1.1\r\n", "GET / HTTP/1.1 \r\n", "GET  / HTTP/1.1\r\n",
            "GET /  HTTP/1.1\r\n", "GET /a b HTTP/1.1\r\n", "GET /\t HTTP/1.1\r\n",
            "GET /👍 HTTP/1.1\r\nHost: x\r\n\r\n", "GET a HTTP/1.1\r\n", " GET / HTTP/1.1\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nA:\r\n\tc\r\n\r\n", "GET / HTTP/1.1\r\n Host: x\r\n",
            "GET / HTTP/1.1\r\nHost : x\r\n\r\n", "GET / HTTP/1.1\r\nA b: x\r\n",
            "GET / HTTP/1.1\r\nHost x\r\n\r\n", "GET / HTTP/1.1\r\nA: b\rc\r\n",
            "GET / HTTP/1.1\r\nA: b\u{1}\r\n", "GET / HTTP/1.1\r\n: b\r\n",
            "GET / HTTP/1.1\r\nA: b\0c\r\n", "GET / HTTP/1.1\r\nHost: x\0y\r\n",
            "GET / HTTP/1.1\r\nConnection: clo\0se\r\n", "GET / HTTP/1.1\r\nHost: \0\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nA:\u{1}b\n\n",
            "GET / HTTP/1.1\r\nHost: x\r\nA: \u{7F}\r\n\r\n",
        ])
    func malformed(text: String) {
        #expect(Outcome(text).status == 400)
        #expect(Outcome(text, inPiecesOf: 1).status == 400)
    }

    @Test(
        "a body without one clear end is refused",
        arguments: [
            ("Transfer-Encoding: chunked", 411), ("Transfer-Encoding: identity", 411),
            ("Transfer-Encoding: chunked\r\nContent-Length: 3", 411),
            ("Content-Length: 3\r\nTransfer-Encoding: chunked", 411),
            ("Transfer-Encoding:", 411), ("transfer-encoding: x", 411),
            ("Content-Length: -1", 400), ("Content-Length: +3", 400), ("Content-Length: 3, 3", 400),
            ("Content-Length: 3\r\nContent-Length: 3", 400), ("Content-Length:", 400),
            ("Content-Length: 3 3", 400), ("Content-Length: 0x3", 400),
            ("Content-Length : 3", 400), ("Content-Length: 99999999999999999999", 400),
            ("Content-Length: \(Limits.requestBodyBytesMax + 1)", 413),
        ])
    func framing(header: String, status: Int) {
        let text = "POST / HTTP/1.1\r\nHost: x\r\n\(header)\r\n\r\nabc"

        #expect(Outcome(text).status == status)
        #expect(Outcome(text, inPiecesOf: 1).status == status)
    }

    @Test(
        "other versions, upgrades and tunnels are refused",
        arguments: [
            ("GET / HTTP/9.9\r\nHost: x\r\n\r\n", 505),
            ("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", 426),
            ("CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        ])
    func unwanted(text: String, status: Int) {
        #expect(Outcome(text).status == status)
    }

    @Test("the longest head is read, and one byte more is refused", arguments: [1, 1000, .max / 2])
    func headLimit(size: Int) {
        let max = Limits.requestHeaderBytesMax
        let ending = " HTTP/1.1\r\nHost: x\r\n\r\n"
        let target = "/" + String(repeating: "t", count: max - ending.utf8.count - 5)

        #expect(Outcome("GET \(target)\(ending)", inPiecesOf: size).request?.target == target)
        #expect(Outcome("GET \(target)t\(ending)", inPiecesOf: size).status == 431)
        let endless = String(repeating: "t", count: max)
        #expect(Outcome("GET /\(endless)", inPiecesOf: size).status == 414)
        #expect(Outcome("GET / HTTP/1.1\r\nX: \(endless)", inPiecesOf: size).status == 431)
    }

    @Test("the longest body is read")
    func bodyLimit() {
        let body = String(repeating: "b", count: Limits.requestBodyBytesMax)
        let head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n"

        #expect(Outcome(head + body, inPiecesOf: 4000).request?.body.count == body.utf8.count)
    }

    @Test("a client that waits for leave to send its body is told once")
    func expectation() {
        let parser = HTTPRequestParser()
        let head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-Continue\r\n\r\n"
        _ = parser.consume(Array(head.utf8))

        #expect(parser.takeContinue())
        #expect(!parser.takeContinue())
    }
}

extension HTTPRequestParser {
    fileprivate func consume(_ bytes: [UInt8]) -> (count: Int, progress: Progress) {
        consume(bytes.span)
    }
}
