// Quiet peers: pinged in time and not all together, and given up when they do not answer.

import CWebsockets
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Silence")
struct SilenceTests {
    private let heartbeat = UInt64(Limits.heartbeatSeconds) * 1000
    private let spread = UInt64(Limits.heartbeatSpreadSeconds) * 1000
    private let answerTime = UInt64(Limits.hangupSeconds - Limits.heartbeatSeconds) * 1000

    @Test("a ping after the promised time at the latest, and the end if nothing comes")
    func steps() {
        for number in [0, 1, 999, .max] as [UInt32] {
            var silence = Silence(at: 1000, number: number)
            guard case .wait(let pingAt) = silence.step(at: 1000) else {
                Issue.record("pinged at once")
                return
            }
            #expect((heartbeat - spread...heartbeat).contains(pingAt - 1000))
            #expect(silence.step(at: pingAt - 1) == .wait(until: pingAt))
            #expect(silence.step(at: pingAt) == .ping(until: pingAt + answerTime))
            var answering = silence
            #expect(silence.step(at: pingAt + answerTime) == .giveUp)

            answering.heard(at: pingAt + 10)
            let next = 2 * pingAt - 1000 + 10
            #expect(answering.step(at: pingAt + answerTime) == .wait(until: next))
            #expect(answering.step(at: next) == .ping(until: next + answerTime))
        }
    }

    @Test("who came together is not pinged together")
    func spreads() {
        var perTenth: [UInt64: Int] = [:]
        for number in 0..<5000 as Range<UInt32> {
            var silence = Silence(at: 0, number: number)
            guard case .wait(let pingAt) = silence.step(at: 0) else { continue }
            perTenth[pingAt / 100, default: 0] += 1
        }
        #expect(perTenth.values.reduce(0, +) == 5000)
        #expect(perTenth.values.allSatisfy { $0 <= 5000 / 50 + 1 })
    }

    @Test("a session is pinged; one that answers or speaks stays, one that does not goes")
    func sessions() throws {
        let bench = try TransportBench()
        let transport = try #require(bench.transport)
        let ping: [UInt8] = [0x89, 1, UInt8(ascii: "?")]
        let (answering, speaking, silent) = (
            try bench.openSession(), try bench.openSession(), try bench.openSession()
        )
        func sees(_ peer: TransportPeer, _ text: [UInt8]) -> Bool {
            bench.run {
                peer.read()
                return peer.received.suffix(text.count) == text[...]
            }
        }
        var now = transport.now

        now += heartbeat - spread - 1000
        transport.endTurn(at: now)
        speaking.send([0x81, 0x81, 0, 0, 0, 0, UInt8(ascii: "a")])
        #expect(bench.run { bench.messageCount == 1 })
        now += spread + 1000
        transport.endTurn(at: now)
        #expect(sees(answering, ping))
        #expect(sees(silent, ping))
        speaking.read()
        #expect(speaking.received.suffix(3) != ping[...])

        // A ping of its own comes back when the pong before it has been read.
        answering.send([0x8A, 0x81, 0, 0, 0, 0, UInt8(ascii: "?")])
        answering.send([0x89, 0x81, 0, 0, 0, 0, UInt8(ascii: "!")])
        #expect(sees(answering, [0x8A, 1, UInt8(ascii: "!")]))
        now += answerTime
        transport.endTurn(at: now)
        let isClosed = bench.run {
            silent.read()
            return silent.hasEnded
        }
        #expect(isClosed)
        #expect(bench.connectionCount == 2)
        for peer in [answering, speaking] {
            peer.read()
            #expect(!peer.hasEnded)
        }
    }
}
