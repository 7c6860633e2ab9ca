// HTTP over real sockets, with answers that come when the test says so.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("HTTP transport")
struct HTTPTransportTests {
    private let get = "GET /v2/a%2Fb HTTP/1.1\r\nHost: x\r\n\r\n"

    private func answer(_ text: String, keeps: Bool = true) -> HTTPResponse {
        HTTPResponse(status: 200, contentType: "text/plain", text: text, keepsConnection: keeps)
    }

    @Test("an answer may come later, and the next request after it")
    func later() throws {
        let bench = try TransportBench()
        let peer = try bench.connect()
        peer.send(get + get)
        try #require(bench.run { bench.requests.count == 1 })
        for _ in 0..<5 { bench.loop.runOnce(waitingAtMost: 1) }
        #expect(bench.requests.count == 1, "One request at a time.")
        let connection = bench.requests[0].connection

        bench.transport?.respond(answer("first"), to: connection)
        #expect(bench.requests.count == 1, "Whoever answers is not called back.")
        #expect(peer.expect(1, endingWith: "first"))
        #expect(bench.run { bench.requests.count == 2 })
        bench.transport?.respond(answer("second"), to: connection)
        #expect(peer.expect(2, endingWith: "second"))
        bench.transport?.respond(answer("third"), to: connection)
        #expect(bench.closed.isEmpty)
    }

    @Test("answers from within the delegate, to many requests at once")
    func atOnce() throws {
        let bench = try TransportBench()
        bench.answersAtOnce = answer("now")
        let peer = try bench.connect()
        peer.send(String(repeating: get, count: 500))

        #expect(peer.expect(500, endingWith: "now"))
        #expect(bench.requests.count == 500)
    }

    @Test("a peer that leaves while it waits is noticed, and answering it does nothing")
    func leaving() throws {
        let bench = try TransportBench()
        let peer = try bench.connect()
        peer.send(get)
        try #require(bench.run { bench.requests.count == 1 })

        peer.finish()

        #expect(bench.run { bench.closed.count == 1 && bench.connectionCount == 0 })
        #expect(bench.closed == [bench.requests[0].connection])
        bench.transport?.respond(answer("late"), to: bench.closed[0])
        for _ in 0..<5 { bench.loop.runOnce(waitingAtMost: 1) }
        peer.read()
        #expect(peer.received.isEmpty)
    }

    @Test("a peer that has said all gets its answers", arguments: [1, 2, 40])
    func halfClosed(count: Int) throws {
        let bench = try TransportBench()
        bench.mayTakeLong = false
        let peer = try bench.connect()
        peer.send(String(repeating: get, count: count))
        peer.finish()

        for number in 1...count {
            try #require(bench.run { bench.requests.count == number })
            for _ in 0..<3 { bench.loop.runOnce(waitingAtMost: 1) }
            #expect(bench.closed.isEmpty)
            let connection = bench.requests[number - 1].connection
            bench.transport?.respond(answer("answer \(number)"), to: connection)
        }
        #expect(peer.expect(count, endingWith: "answer \(count)"))
        #expect(bench.run { bench.connectionCount == 0 })
        #expect(bench.closed == [bench.requests[0].connection])
    }

    @Test("a large answer reaches a peer that has said all")
    func halfClosedLarge() throws {
        let bench = try TransportBench()
        bench.mayTakeLong = false
        let peer = try bench.connect()
        peer.send(get)
        peer.finish()
        try #require(bench.run { bench.requests.count == 1 })
        let text = String(repeating: "0123456789", count: 800_000)

        bench.transport?.respond(answer(text), to: bench.requests[0].connection)

        let isEnded = bench.run {
            peer.read()
            return peer.hasEnded && bench.connectionCount == 0
        }
        #expect(isEnded)
        #expect(peer.received.count > text.utf8.count)
    }

    @Test("a connection that stays is read on from after an answer that came later")
    func readOnAfterAnswer() throws {
        let bench = try TransportBench()
        bench.mayTakeLong = false
        let peer = try bench.connect()
        for number in 1...3 {
            peer.send(get)
            try #require(bench.run { bench.requests.count == number })
            for _ in 0..<3 { bench.loop.runOnce(waitingAtMost: 1) }
            bench.transport?.respond(
                answer("now"), to: bench.requests[number - 1].connection)
            #expect(peer.expect(number, endingWith: "now"))
        }
        peer.finish()
        #expect(bench.run { bench.connectionCount == 0 })
    }

    @Test("an answer that does not come is not waited for without end")
    func halfClosedTooLong() throws {
        let bench = try TransportBench()
        bench.mayTakeLong = false
        let peer = try bench.connect()
        peer.send(get)
        peer.finish()
        try #require(bench.run { bench.requests.count == 1 })
        let now = Clock.monotonicMilliseconds()

        bench.transport?.endTurn(at: now + UInt64(Limits.halfClosedSeconds - 1) * 1000)
        for _ in 0..<5 { bench.loop.runOnce(waitingAtMost: 1) }
        #expect(bench.closed.isEmpty)
        bench.transport?.endTurn(at: now + UInt64(Limits.halfClosedSeconds + 1) * 1000)
        #expect(bench.run { bench.closed.count == 1 && bench.connectionCount == 0 })
    }

    @Test("that a peer left between requests is said once; of one that asked nothing, never")
    func leavingIdle() throws {
        let bench = try TransportBench()
        bench.answersAtOnce = answer("now")
        let peer = try bench.connect()
        peer.send(get)
        try #require(peer.expect(1, endingWith: "now"))
        let silent = try bench.connect()

        peer.finish()
        silent.finish()

        #expect(bench.run { bench.connectionCount == 0 })
        #expect(bench.closed == [bench.requests[0].connection])
    }

    @Test("a peer that sends too much while it waits is let go")
    func flood() throws {
        let bench = try TransportBench()
        let peer = try bench.connect()
        peer.send(get)
        try #require(bench.run { bench.requests.count == 1 })

        peer.send(String(repeating: "x", count: Limits.requestHeaderBytesMax + 1))

        #expect(bench.run { bench.closed.count == 1 && bench.connectionCount == 0 })
    }

    @Test("a response that no socket takes at once arrives whole, and then the connection ends")
    func large() throws {
        let bench = try TransportBench()
        let peer = try bench.connect()
        peer.send(get + "GET /unread HTTP/1.1\r\n")
        try #require(bench.run { bench.requests.count == 1 })
        let text = String(repeating: "0123456789", count: 800_000)

        bench.transport?.respond(answer(text, keeps: false), to: bench.requests[0].connection)

        #expect(
            bench.run {
                peer.read()
                return peer.hasEnded
            })
        #expect(peer.received.count > text.utf8.count)
        #expect(peer.received.suffix(100).elementsEqual(text.utf8.suffix(100)))
        peer.finish()
        #expect(bench.run { bench.connectionCount == 0 })
        #expect(bench.closed == [bench.requests[0].connection])
    }

    @Test("a large response does not end a connection that stays")
    func largeAndMore() throws {
        let bench = try TransportBench()
        let peer = try bench.connect()
        peer.send(get + get)
        try #require(bench.run { bench.requests.count == 1 })
        let text = String(repeating: "0123456789", count: 800_000)

        bench.transport?.respond(answer(text), to: bench.requests[0].connection)

        #expect(
            bench.run {
                peer.read()
                return bench.requests.count == 2
            })
        bench.transport?.respond(answer("more"), to: bench.requests[1].connection)
        #expect(
            bench.run {
                peer.read()
                return peer.received.suffix(4).elementsEqual("more".utf8)
            })
    }

    @Test("a connection whose first bytes come one by one, and begin as a WebSocket's")
    func slowStart() throws {
        let bench = try TransportBench()
        let peer = try bench.connect()
        for character in "GET /v1/syn" {
            peer.send(String(character))
            bench.loop.runOnce(waitingAtMost: 1)
        }
        peer.send("x HTTP/1.1\r\nHost: x\r\n\r\n")

        #expect(bench.run { bench.requests.first?.request.target == "/v1/synx" })
    }

    @Test("a connection that ends before it has said enough", arguments: ["", "GET /v1/sync"])
    func nothing(text: String) throws {
        let bench = try TransportBench()
        let peer = try bench.connect()
        if !text.isEmpty { peer.send(text) }
        bench.loop.runOnce(waitingAtMost: 1)
        #expect(bench.connectionCount == 1)

        peer.finish()

        #expect(bench.run { bench.connectionCount == 0 })
    }

    @Test("a connection that says nothing is let go after its time")
    func silence() throws {
        let bench = try TransportBench()
        let silent = try bench.connect()
        let waiting = try bench.connect()
        waiting.send(get)
        try #require(bench.run { bench.requests.count == 1 })
        let now = Clock.monotonicMilliseconds()

        bench.transport?.endTurn(at: now + UInt64(Limits.requestSeconds - 1) * 1000)
        #expect(bench.connectionCount == 2)
        bench.transport?.endTurn(at: now + UInt64(Limits.requestSeconds + 1) * 1000)

        #expect(
            bench.run {
                silent.read()
                return silent.hasEnded
            })
        #expect(bench.connectionCount == 1, "A request may wait for ever.")
    }

    @Test(
        "who asks and does not read keeps a connection no longer than one between requests stays",
        arguments: [
            (.main, Limits.keepAliveSeconds), (.admin, Limits.adminKeepAliveSeconds),
        ] as [(Entrance, Int)])
    func unread(entrance: Entrance, seconds: Int) throws {
        let bench = try TransportBench()
        bench.answersAtOnce = answer(String(repeating: "a", count: 20_000))
        let peer = try bench.connect(at: entrance)
        peer.send(get + get + get)
        try #require(bench.run { bench.requests.count == 3 })
        for _ in 0..<5 { bench.loop.runOnce(waitingAtMost: 1) }
        let now = Clock.monotonicMilliseconds()

        bench.transport?.endTurn(at: now + UInt64(seconds - 2) * 1000)
        for _ in 0..<5 { bench.loop.runOnce(waitingAtMost: 1) }
        #expect(bench.connectionCount == 1)
        bench.transport?.endTurn(at: now + UInt64(seconds + 1) * 1000)
        #expect(bench.run { bench.connectionCount == 0 })
        withExtendedLifetime(peer) {}
    }
}
