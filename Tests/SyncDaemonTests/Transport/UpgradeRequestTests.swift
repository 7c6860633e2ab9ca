// Which requests become WebSockets, and what the others are told.

import Testing

@testable import SyncDaemon

@Suite("UpgradeRequest")
struct UpgradeRequestTests {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let right = [
        "Host: x", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: \(key)",
        "Sec-WebSocket-Version: 13",
    ]

    /// What a request leads to that has other lines in place of those with the same name.
    private func outcome(
        _ lines: [String], start: String = "GET /v1/sync HTTP/1.1"
    ) -> HTTPRequestParser.Progress {
        let names = Set(lines.map { $0.prefix { $0 != ":" } })
        let kept = Self.right.filter { !names.contains($0.prefix { $0 != ":" }) }
        let all = [start] + kept + lines.filter { !$0.hasSuffix(": -") }
        let bytes = Array((all.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        let parser = HTTPRequestParser()
        return parser.consume(bytes.span).progress
    }

    private func upgrade(_ lines: [String], target: String = "/v1/sync") -> UpgradeRequest? {
        let progress = outcome(lines, start: "GET \(target) HTTP/1.1")
        return if case .upgrade(let request) = progress { request } else { nil }
    }

    private func status(_ progress: HTTPRequestParser.Progress) -> Int? {
        if case .refused(let refusal) = progress { refusal.response.status } else { nil }
    }

    @Test("the example of RFC 6455, section 1.3")
    func example() throws {
        let request = try #require(upgrade(["Sec-WebSocket-Protocol: chat, sync.v1.json"]))

        #expect(request.provenance == Provenance(host: "x"))
        let text = String(decoding: request.acceptance, as: UTF8.self)
        #expect(
            text == """
                HTTP/1.1 101 Switching Protocols\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
                Sec-WebSocket-Protocol: sync.v1.json\r
                \r\n
                """)
    }

    @Test(
        "headers that are lists, in any case, with more in them",
        arguments: [
            ["Upgrade: WebSocket"], ["Upgrade: foo, websocket"], ["Upgrade: foo ,\twebSocket ,"],
            ["Connection: keep-alive, Upgrade"], ["Connection: upgrade,keep-alive"],
            ["Upgrade: foo", "Upgrade: websocket"], ["Connection: close", "Connection: UPGRADE"],
            ["Content-Length: 0"], ["Sec-WebSocket-Version:   13 "],
            ["Sec-WebSocket-Extensions: permessage-deflate"], ["Origin: http://localhost"],
            ["Host:"], ["Host: [::1]:8080"],
        ])
    func lenient(lines: [String]) {
        #expect(upgrade(lines) != nil)
    }

    @Test(
        "what is wrong, and with what status",
        arguments: [
            (["Sec-WebSocket-Version: 8"], 426), (["Sec-WebSocket-Version: 99"], 426),
            (["Sec-WebSocket-Version: x"], 426), (["Sec-WebSocket-Version: -"], 426),
            (["Sec-WebSocket-Version: 13, 8"], 426), (["Sec-WebSocket-Version: 013"], 426),
            (["Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 13"], 426),
            (["Sec-WebSocket-Key: -"], 400), (["Sec-WebSocket-Key:"], 400),
            (["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ="], 400),
            (["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==="], 400),
            (["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQAA"], 400),
            (["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j!Q=="], 400),
            (["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25=ZQ=="], 400),
            (["Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Key: \(key)"], 400),
            (["Host: -"], 400), (["Host: x", "Host: x"], 400), (["Host: a b"], 400),
            (["Host: a,b"], 400), (["Host: a/b"], 400), (["Host: a@b"], 400),
            (["Content-Length: 5"], 400), (["Content-Length: -1"], 400),
            (["Content-Length: 0", "Content-Length: 0"], 400),
            (["Transfer-Encoding: chunked"], 400), (["Transfer-Encoding:"], 400),
            (["Origin: http://a", "Origin: http://b"], 400),
            (["Upgrade: foo"], 426), (["Upgrade: websocket2"], 426), (["Upgrade: web socket"], 426),
            (["Upgrade: h2c"], 426),
        ])
    func refused(lines: [String], status expected: Int) {
        #expect(status(outcome(lines)) == expected)
    }

    @Test("a 426 says what the daemon speaks")
    func invitation() {
        guard case .refused(let refusal) = outcome(["Sec-WebSocket-Version: 8"]) else {
            Issue.record("taken")
            return
        }
        let text = String(decoding: refusal.response.encoded(), as: UTF8.self)

        #expect(text.contains("\r\nSec-WebSocket-Version: 13\r\n"))
        #expect(text.contains("\r\nUpgrade: websocket\r\n"))
    }

    @Test(
        "what names no upgrade, or may not, is a request like others",
        arguments: [
            (["Connection: keep-alive"], "GET /v1/sync HTTP/1.1"),
            (["Upgrade: -"], "GET /v1/sync HTTP/1.1"), (["Upgrade:"], "GET /v1/sync HTTP/1.1"),
            ([], "GET /v1/sync HTTP/1.0"),
        ])
    func ordinary(lines: [String], start: String) {
        guard case .complete(let request, _, _) = outcome(lines, start: start) else {
            Issue.record("not a plain request")
            return
        }
        #expect(request.target == "/v1/sync")
    }

    @Test(
        "elsewhere there is no upgrade, nor with another method",
        arguments: [
            "GET / HTTP/1.1", "GET /v1/sync/ HTTP/1.1", "GET /v1/Sync HTTP/1.1",
            "GET /v1/%73ync HTTP/1.1", "GET //v1/sync HTTP/1.1", "POST /v1/sync HTTP/1.1",
            "HEAD /v1/sync HTTP/1.1",
        ])
    func elsewhere(start: String) {
        #expect(status(outcome([], start: start)) == 426)
    }

    @Test(
        "queries",
        arguments: [
            ("", [:]), ("?", [:]), ("?a", ["a": ""]),
            ("?a=b+c%2Bd&x=%C3%A9", ["a": "b c+d", "x": "é"]),
            ("?a=1&a=2&&b==", ["a": "1", "b": "="]), ("?a=%ff&b=1", ["a": "", "b": "1"]),
            ("?a=b?c", ["a": "b?c"]), ("?%61=1", ["a": "1"]),
        ])
    func queries(query: String, members: [String: String]) {
        #expect(upgrade([], target: "/v1/sync\(query)")?.query == members)
        #expect(upgrade([], target: "http://h/v1/sync\(query)")?.query == members)
    }

    @Test("broken queries", arguments: ["?a=%", "?a=%4", "?a=%zz", "?%=1", "?a=%00", "?%00=1"])
    func brokenQueries(query: String) {
        #expect(status(outcome([], start: "GET /v1/sync\(query) HTTP/1.1")) == 400)
    }
}
