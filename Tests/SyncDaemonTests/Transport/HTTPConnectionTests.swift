// One request at a time on a connection, whatever the peer sends meanwhile.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("HTTPConnection")
struct HTTPConnectionTests {
    private let get = Array("GET /a HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
    private let head = Array("HEAD /b HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
    private let answer = HTTPResponse(status: 200, contentType: "text/plain", text: "answer")

    private func target(_ step: HTTPConnection.Step?) -> String? {
        if case .request(let request) = step { request.target } else { nil }
    }

    private func text(_ bytes: [UInt8]?) -> String? {
        bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("pipelined requests are read one after the other's response")
    func pipelining() {
        var connection = HTTPConnection()

        #expect(target(connection.receive((get + head + get))) == "/a")
        #expect(connection.isWaiting)
        #expect(connection.readOn() == nil)
        #expect(text(connection.answer(answer))?.hasSuffix("answer") == true)
        #expect(connection.answer(answer) == nil)
        #expect(connection.readOn() == nil)
        let staysAfterFirst = connection.responseHasLeft()
        #expect(staysAfterFirst)
        #expect(target(connection.readOn()) == "/b")
        #expect(text(connection.answer(answer))?.hasSuffix("\r\n\r\n") == true)
        let staysAfterSecond = connection.responseHasLeft()
        #expect(staysAfterSecond)
        #expect(target(connection.readOn()) == "/a")
        #expect(!connection.hasMore)
    }

    @Test("bytes that come between a response and the next reading keep their place")
    func order() {
        var connection = HTTPConnection()
        _ = connection.receive((get + head[..<9]))
        _ = connection.answer(answer)
        _ = connection.responseHasLeft()

        #expect(target(connection.receive(Array(head[9...]))) == "/b")
    }

    @Test("a peer that sends too much while it waits is let go, and still counts as waiting")
    func overflow() {
        var connection = HTTPConnection()
        _ = connection.receive(get)
        let most = [UInt8](repeating: 0x41, count: Limits.requestHeaderBytesMax)

        guard case .wait = connection.receive(most) else {
            Issue.record("let go too early")
            return
        }
        guard case .hangUp = connection.receive(Array("x".utf8)) else {
            Issue.record("kept")
            return
        }
        #expect(connection.isWaiting)
    }

    @Test("after a last response nothing is read")
    func ending() {
        var connection = HTTPConnection()
        _ = connection.receive(
            (Array("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8) + get))

        #expect(text(connection.answer(answer))?.contains("Connection: close\r\n") == true)
        let stays = connection.responseHasLeft()
        #expect(!stays)
        #expect(connection.readOn() == nil)
        #expect(target(connection.receive(get)) == nil)
    }

    @Test("HTTP/1.0 is told that the connection stays")
    func oldVersion() {
        var connection = HTTPConnection()
        _ = connection.receive(
            Array("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n".utf8))

        #expect(text(connection.answer(answer))?.contains("Connection: keep-alive\r\n") == true)
        let stays = connection.responseHasLeft()
        #expect(stays)
    }

    @Test("a refusal ends the connection")
    func refusal() {
        var connection = HTTPConnection()

        guard case .refuse(let refusal, isHead: false) = connection.receive(Array("nonsense".utf8))
        else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.response.status == 400)
        let stays = connection.responseHasLeft()
        #expect(!stays)
    }

    @Test(
        "a refused HEAD gets no body",
        arguments: [
            ("/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            (" / HTTP/1.1\r\n", 400), ("/ HTTP/1.1\r\nA\0: b\r\n", 400),
            ("/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
            ("/ HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n", 413),
            ("/\(String(repeating: "x", count: Limits.requestHeaderBytesMax))", 414),
            ("/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", 426),
            ("/ HTTP/9.9\r\n", 505),
        ])
    func refusedHead(rest: String, status: Int) throws {
        for (method, hasBody) in [("HEAD", false), ("GET", true)] {
            for size in [1000, Int.max / 2] {
                var connection = HTTPConnection()
                var bytes = Array("\(method) \(rest)".utf8)[...]
                var answer: String?
                while answer == nil, !bytes.isEmpty {
                    let step = connection.receive(Array(bytes.prefix(size)))
                    bytes = bytes.dropFirst(size)
                    if case .refuse(let refusal, let isHead) = step {
                        answer = text(refusal.response.encoded(omitsBody: isHead))
                    }
                }
                let head = try #require(answer, "\(method)")
                #expect(head.hasPrefix("HTTP/1.1 \(status) "))
                #expect(head.hasSuffix("\r\n\r\n") == !hasBody)
            }
        }
    }

    @Test(
        "a WebSocket may follow other requests, and what is behind it is kept", arguments: [0, 2])
    func upgrade(earlier: Int) throws {
        var connection = HTTPConnection()
        for _ in 0..<earlier {
            _ = connection.receive(get)
            _ = connection.answer(answer)
            _ = connection.responseHasLeft()
        }

        let step = connection.receive(Array((TransportBench.upgrade + "frames").utf8))
        guard case .upgrade(let request) = step else {
            Issue.record("not taken for one")
            return
        }
        #expect(request.query == ["userId": "ada"])
        var refusing = connection
        #expect(connection.takeRest() == Array("frames".utf8))
        refusing.refuse()
        let stays = refusing.responseHasLeft()
        #expect(!stays)
        #expect(refusing.takeRest().isEmpty)
    }

    @Test(
        "a handshake and its frames are the same however cut", arguments: 0..<50 as Range<UInt64>)
    func cutUpgrade(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        let frames = (0..<3).flatMap { ClientFrame(text: "text \($0)").bytes }
        var rest = (Array(TransportBench.upgrade.utf8) + frames)[...]
        var connection = HTTPConnection()
        var query: [String: String]?
        while query == nil, !rest.isEmpty {
            let count = 1 + choices.below(choices.chance(50) ? 5 : rest.count)
            let step = connection.receive(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
            if case .upgrade(let request) = step { query = request.query }
        }

        #expect(query == ["userId": "ada"])
        #expect(connection.takeRest() + rest == frames)
    }

    @Test("only the first bytes of a later request start its time")
    func deadlines() {
        var connection = HTTPConnection()
        func hasBegun(_ text: String) -> Bool? {
            if case .wait(let hasBegun) = connection.receive(Array(text.utf8)) {
                hasBegun
            } else {
                nil
            }
        }

        #expect(hasBegun("GET ") == false)
        #expect(hasBegun("/ HTTP/1.1\r\nHost: x\r\n\r\n") == nil)
        _ = connection.answer(answer)
        _ = connection.responseHasLeft()
        #expect(hasBegun("GET ") == true)
        #expect(hasBegun("/ HT") == false)
    }

    // MARK: Bodies in parts

    private func upload(_ length: Int) -> [UInt8] {
        Array(
            "POST /v1/files/upload/t HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\r\n"
                .utf8)
    }

    @Test("the body of an upload comes in parts, behind its head, and then the next request")
    func parts() {
        var connection = HTTPConnection()
        var step: HTTPConnection.Step? = connection.receive(upload(5) + Array("ab".utf8))
        guard case .request(let request)? = step else {
            Issue.record("no request")
            return
        }
        #expect((request.bodyLength, request.body) == (5, []))
        #expect(connection.isReceiving)
        #expect(!connection.isWaiting)
        var parts: [[UInt8]] = []
        var ends: [Bool] = []
        step = connection.readOn()
        while case .part(let part, let isLast)? = step {
            parts.append(part)
            ends.append(isLast)
            step = isLast ? nil : connection.receive(Array("cde".utf8) + get)
        }
        #expect(parts == [Array("ab".utf8), Array("cde".utf8)])
        #expect(ends == [false, true])
        #expect(connection.isWaiting)
        #expect(text(connection.answer(answer))?.hasSuffix("answer") == true)
        let stays = connection.responseHasLeft()
        #expect(stays)
        #expect(target(connection.readOn()) == "/a")
    }

    @Test("who is refused before the body has come is not read on, however much comes")
    func refusedEarly() {
        var connection = HTTPConnection()
        _ = connection.receive(upload(100_000_000))

        #expect(text(connection.answer(answer))?.contains("Connection: close") == true)

        for _ in 0..<100 {
            guard case .wait = connection.receive([UInt8](repeating: 1, count: 4096)) else {
                Issue.record("it is read")
                return
            }
        }
        let stays = connection.responseHasLeft()
        #expect(!stays)
    }

    @Test("other paths keep their bodies, and their bound")
    func others() {
        for path in ["/v1/files/uploads/t", "/v1/files/upload", "/V1/files/upload/t"] {
            var connection = HTTPConnection()
            let request = "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n"
            guard case .refuse = connection.receive(Array(request.utf8)) else {
                Issue.record("\(path) is read")
                return
            }
        }
    }
}

extension HTTPConnection {
    fileprivate mutating func receive(_ bytes: [UInt8]) -> Step {
        receive(bytes.span)
    }
}
