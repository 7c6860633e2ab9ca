// Sessions on real sockets: what comes behind the handshake, full sockets, and the end.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("WebSocket transport")
struct WebSocketTransportTests {
    private func sees(_ bench: TransportBench, _ peer: TransportPeer, _ bytes: [UInt8]) -> Bool {
        bench.run {
            peer.read()
            return peer.received.suffix(bytes.count) == bytes[...]
        }
    }

    @Test("frames in the packets of the handshake are heard", arguments: [1, 3, 100])
    func behindTheHandshake(count: Int) throws {
        let bench = try TransportBench()
        let peer = try bench.connect()
        let frame = ClientFrame(text: String(repeating: "a", count: 1000)).bytes
        let frames = [[UInt8]](repeating: frame, count: count).flatMap(\.self)

        peer.send(Array(TransportBench.upgrade.utf8) + frames + ClientFrame(9, [33]).bytes)

        #expect(sees(bench, peer, [0x8A, 1, 33]))
        #expect(bench.messageCount == count)
        #expect(bench.sessions.map(\.query) == [["userId": "ada"]])
    }

    @Test("when a connection came stays the same, whatever the clock says later")
    func opened() throws {
        var now = 1000
        let bench = try TransportBench(seconds: { now })
        let first = try bench.connect()
        now = 2000
        let second = try bench.connect()
        withExtendedLifetime((first, second)) {
            for later in [2001, 500] {
                now = later
                let found = bench.transport?.connections(from: 0, atMost: 10).found
                #expect(found?.map(\.opened) == [1000, 2000])
            }
        }
    }

    @Test("each of a few pings is answered, and of a flood the newest")
    func pings() throws {
        let bench = try TransportBench()
        let peer = try bench.openSession()
        let before = peer.received.count
        peer.send((0..<10).flatMap { ClientFrame(9, [$0]).bytes })
        #expect(sees(bench, peer, [0x8A, 1, 9]))
        #expect(peer.received.count - before == 30)

        peer.send((0..<200).flatMap { ClientFrame(9, [$0]).bytes })
        #expect(sees(bench, peer, [0x8A, 1, 199]))
        #expect(peer.received.count - before < 30 + 200 * 3)
    }

    @Test("a peer that does not read is heard all the same, and gets all in order")
    func fullSocket() throws {
        let bench = try TransportBench()
        let peer = try bench.openSession()
        let id = try #require(bench.sessions.first?.id)
        let transport = try #require(bench.transport)
        let before = peer.received.count
        var written: [UInt8] = []
        var isOpen = true
        while isOpen {
            let frame = Frame(text: (0..<100_000).map { UInt8(($0 + written.count) % 128) })
            isOpen = transport.write(frame.bytes.span, to: id)
            written += frame.bytes
        }

        peer.send(ClientFrame(text: "a").bytes + ClientFrame(9, [33]).bytes)
        #expect(bench.run { bench.messageCount == 1 })
        #expect(bench.writableCount == 0)
        #expect(sees(bench, peer, [0x8A, 1, 33]))
        #expect(bench.writableCount > 0)
        #expect(peer.received[before...].elementsEqual(written + [0x8A, 1, 33]))
    }

    @Test("a close is answered with its code, and the peer may take its time to read it")
    func peerCloses() throws {
        let bench = try TransportBench()
        let peer = try bench.openSession()

        peer.send(ClientFrame(close: 4000, [97]).bytes + ClientFrame(text: "unread").bytes)

        #expect(sees(bench, peer, [0x88, 2, 0x0F, 0xA0]))
        peer.send(ClientFrame(text: "unread").bytes)
        #expect(
            bench.run {
                peer.read()
                return peer.hasEnded
            })
        #expect(bench.messageCount == 0)
        peer.finish()
        #expect(bench.run { bench.connectionCount == 0 })
        #expect(bench.closedSessions == bench.sessions.map(\.id))
    }

    @Test("a close of ours is over with the peer's answer, and nothing is read before it")
    func weClose() throws {
        let bench = try TransportBench()
        let peer = try bench.openSession()
        let id = try #require(bench.sessions.first?.id)

        bench.transport?.close(id, CloseReason(.goingAway, ""))
        peer.send(ClientFrame(text: "unread").bytes + ClientFrame(9).bytes)
        #expect(sees(bench, peer, [0x88, 2, 0x03, 0xE9]))
        for _ in 0..<5 { bench.loop.runOnce(waitingAtMost: 1) }
        #expect(bench.connectionCount == 1)
        peer.send(ClientFrame(close: 1001).bytes)

        #expect(bench.run { bench.connectionCount == 0 })
        #expect(bench.messageCount == 0)
        #expect(bench.closedSessions == [id])
    }

    @Test("a peer that does not answer a close is let go", arguments: [false, true])
    func noAnswer(breaksRule: Bool) throws {
        let bench = try TransportBench()
        let peer = try bench.openSession()
        let id = try #require(bench.sessions.first?.id)
        if breaksRule {
            peer.send([0xF1])
            #expect(
                bench.run {
                    peer.read()
                    return peer.hasEnded
                })
        } else {
            bench.transport?.close(id, CloseReason(.goingAway, ""))
        }
        let now = Clock.monotonicMilliseconds()

        bench.transport?.endTurn(at: now + UInt64(Limits.closeSeconds - 1) * 1000)
        for _ in 0..<5 { bench.loop.runOnce(waitingAtMost: 1) }
        #expect(bench.connectionCount == 1)
        bench.transport?.endTurn(at: now + UInt64(Limits.closeSeconds + 1) * 1000)
        #expect(bench.run { bench.connectionCount == 0 })
        #expect(bench.closedSessions == [id])
    }

    private static let tooManyFragments: [UInt8] = (0...Limits.fragmentsPerMessageMax)
        .flatMap { ClientFrame($0 == 0 ? 1 : 0, [97], isFinal: false).bytes }

    @Test(
        "a close for a client's mistake is counted, once",
        arguments: [
            ("1002", ClientFrame(1, [97], isMasked: false).bytes),
            ("1003", ClientFrame(2, [97]).bytes),
            ("1007", ClientFrame(1, [0xFF]).bytes),
            ("1008", tooManyFragments),
            ("1009", ClientFrame(1, length: UInt64(Limits.frameBytesMax + 1)).bytes),
        ] as [(String, [UInt8])])
    func counts(code: String, bytes: [UInt8]) throws {
        let bench = try TransportBench()
        let peer = try bench.openSession()
        let id = try #require(bench.sessions.first?.id)

        peer.send(bytes)
        #expect(
            bench.run {
                peer.read()
                return peer.hasEnded
            })
        bench.transport?.close(id, CloseReason(.goingAway, ""))
        peer.send(ClientFrame(close: 1000).bytes)
        peer.finish()
        #expect(bench.run { bench.connectionCount == 0 })

        let figures = try #require(bench.transport?.counters.closes.figures)
        #expect(figures.map(\.code) == [code])
        #expect(figures.map(\.count) == [1])
    }

    @Test("a close that the daemon began is counted once, whatever the peer says then")
    func countsOwn() throws {
        let bench = try TransportBench()
        let peer = try bench.openSession()
        let id = try #require(bench.sessions.first?.id)

        bench.transport?.close(id, CloseReason(.goingAway, ""))
        peer.send(ClientFrame(2, [97]).bytes)
        peer.finish()
        #expect(bench.run { bench.connectionCount == 0 })

        let figures = try #require(bench.transport?.counters.closes.figures)
        #expect(figures.map(\.code) == ["1001"])
        #expect(figures.map(\.count) == [1])
    }
}
