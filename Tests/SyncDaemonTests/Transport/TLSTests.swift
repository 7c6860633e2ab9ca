// Certificates that can be used and others, and a session without sockets: both ends in memory.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("TLS")
struct TLSTests {
    @Test("a certificate and its key can be used, and the first of the chain to end counts")
    func identity() throws {
        let one = try TLSIdentity(certificates: TestCertificate.a, key: TestCertificate.aKey)
        let chain = try TLSIdentity(
            certificates: "Text before it.\n" + TestCertificate.b + TestCertificate.a,
            key: TestCertificate.bKey)

        #expect(one.expiry == TestCertificate.expiries.a)
        #expect(chain.expiry == TestCertificate.expiries.a)
        #expect(!chain.isExpired(at: chain.expiry - 1))
        #expect(chain.isExpired(at: chain.expiry))
    }

    @Test(
        "others are refused, with the file that is wrong",
        arguments: [
            ("", TestCertificate.aKey, .noCertificate, false),
            ("nothing", TestCertificate.aKey, .noCertificate, false),
            (TestCertificate.aKey, TestCertificate.aKey, .noCertificate, false),
            (
                TestCertificate.a.replacing("MII", with: "MIX"), TestCertificate.aKey,
                .badCertificate(number: 1), false
            ),
            (
                TestCertificate.a + TestCertificate.b.dropLast(60), TestCertificate.aKey,
                .badCertificate(number: 2), false
            ),
            (TestCertificate.a, "", .badKey, true),
            (TestCertificate.a, TestCertificate.a, .badKey, true),
            (TestCertificate.a, TestCertificate.lockedKey, .badKey, true),
            (TestCertificate.a, TestCertificate.bKey, .keyOfAnother, true),
            (
                TestCertificate.weak, TestCertificate.aKey, .refused(reason: "ee key too small"),
                false
            ),
        ] as [(String, String, TLSIdentityError, Bool)])
    func refusals(chain: String, key: String, error: TLSIdentityError, isOfKey: Bool) {
        #expect(throws: error) { try TLSIdentity(certificates: chain, key: key) }
        #expect(error.isOfKey == isOfKey)
        #expect(error.description.hasSuffix("."))
    }

    @Test("what is no handshake fails with a reason, and with an alert for the peer")
    func noHandshake() throws {
        let engine = try TLSEngine(
            TLSIdentity(certificates: TestCertificate.a, key: TestCertificate.aKey))
        let secure = TLSConnection()
        #expect(secure.begin(engine))
        var alert: [UInt8] = []

        engine.putInput([22, 3, 1, 0, 5, 99, 0, 0, 1, 0].span)
        let step = secure.handshake()
        let hasAnswered = engine.takeOutput { bytes in
            for index in 0..<bytes.count { alert.append(bytes[index]) }
        }

        guard case .failed(let reason) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(!reason.isEmpty)
        #expect(hasAnswered)
        #expect(alert.first == 21)
        #expect(!secure.isEstablished)
        let isWritten = secure.write([1].span)
        #expect(!isWritten)
    }

    @Test("a handshake may be so long, its last read aside")
    func length() {
        let secure = TLSConnection()

        #expect(secure.mayHandshake(with: Limits.handshakeBytesMax))
        #expect(secure.mayHandshake(with: 100_000))
        #expect(!secure.mayHandshake(with: 1))
    }

    @Test("what TLS answers unasked is bounded")
    func answers() {
        let secure = TLSConnection()

        for _ in 0..<Limits.tlsAnswersMax { #expect(secure.mayAnswerUnasked()) }
        #expect(!secure.mayAnswerUnasked())
    }
}

@Suite("Handshakes")
struct HandshakesTests {
    private func id(_ number: Int) -> SessionID {
        SessionID(slot: UInt32(number), generation: UInt32(number))
    }

    @Test("of too many the oldest that is not over gives way")
    func eviction() {
        var handshakes = Handshakes()
        let fitting = (0..<Limits.handshakesMax).map { handshakes.begin(id($0)) }
        #expect(fitting.allSatisfy { $0 == nil })

        let first = handshakes.begin(id(9000))
        handshakes.end(id(1))
        let replacing = handshakes.begin(id(9001))
        let second = handshakes.begin(id(9002))

        #expect([first, replacing, second] == [id(0), nil, id(2)])
    }

    @Test("a turn has so much time for them, the rest comes in its order in the next ones")
    func turns() {
        var handshakes = Handshakes()
        let time = UInt64(Limits.handshakeMillisecondsPerTurn)

        let may = [
            handshakes.mayStep(id(1), at: 1000), handshakes.mayStep(id(2), at: 999 + time),
            handshakes.mayStep(id(3), at: 1000 + time),
            // It came later, and does not overtake.
            handshakes.mayStep(id(4), at: 1000),
        ]
        #expect(may == [true, true, false, false])
        let none = handshakes.next(at: 1000 + time)
        let waits = handshakes.endTurn()
        #expect(none == nil)
        #expect(waits)

        let overtakes = handshakes.mayStep(id(5), at: 2000)
        #expect(!overtakes)
        let order = [2000, 2001, 2000 + time].map { handshakes.next(at: $0) }
        #expect(order == [id(3), id(4), nil])
        let stillWaits = handshakes.endTurn()
        let last = [handshakes.next(at: 9000), handshakes.next(at: 9000)]
        let isOver = !handshakes.endTurn()
        #expect(stillWaits)
        #expect(last == [id(5), nil])
        #expect(isOver)
    }
}
