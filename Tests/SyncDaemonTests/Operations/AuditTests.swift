// The trail: what it names, what it never says, and how much of it there is.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Audit")
struct AuditTests {
    private final class Lines: LogSink {
        private let records = Locked<[LogRecord]>([])

        var texts: [String] { records.withLock { $0.map(LogText.message) } }

        func write(_ record: LogRecord) { records.withLock { $0.append(record) } }
    }

    private let lines = Lines()
    private let counters = Counters()
    private let connection = SessionID(slot: 7, generation: 9)
    private let mallory = Author(keyset: "sub", userID: "m\n", deviceID: "d")

    private var audit: Audit {
        Audit(
            counters: counters,
            log: Log(level: .notice, sink: lines) { LogTime(seconds: 7, nanoseconds: 0) },
            peer: {
                Audit.Peer(connection: "1-\($0)", address: PeerAddress(high: 0, low: 1))
            })
    }

    @Test("a refusal names who lacked which right where, and is counted")
    func refusal() {
        let place = Need.Place(kind: .group, name: "a b", rights: [.read, .manage], isAny: true)
        audit.refused(.forbidden, to: mallory, lacking: [place, place], from: connection)
        // No policy: the client's mistake, or the daemon's trouble.
        audit.refused(.overloaded, to: mallory, from: connection)

        #expect(
            lines.texts == [
                #"Refused: forbidden. keyset=sub user="m\n" device=d "#
                    + #"lacking="read or manage on group \"a b\"" places=2 connection=1-7-9 "#
                    + "peer=\(PeerAddress(high: 0, low: 1))"
            ])
        let counts = PolicyRefusal.allCases.map { counters.policyRefusals.count(of: $0) }
        #expect(counts == PolicyRefusal.allCases.map { $0 == .forbidden ? 1 : 0 })
    }

    @Test("whose a token is, and where it was shown, are for who has to block somebody")
    func shownByAnother() {
        audit.refusedToken(.tokenOfAnother, of: ExactText("ada"), to: mallory, from: connection)
        audit.refusedSignature(
            in: Keyset(subscribeKey: "sub"), isOfAnotherTime: false, from: connection)

        let peer = "connection=1-7-9 peer=\(PeerAddress(high: 0, low: 1))"
        #expect(
            lines.texts == [
                #"Refused: token_of_another. keyset=sub user="m\n" device=d token_user=ada "#
                    + peer,
                "Refused: wrong_signature. keyset=sub " + peer
                    + #" hint="SDKs sign their publish_key: give this keyset the same""#,
            ])
    }

    @Test("what ends with its token is named, at most ten a second of each kind, and no refusal")
    func ended() {
        let audit = audit
        let grant = Grant(
            tenant: ExactText("sub"), user: ExactText("ada"), device: nil, expiry: 7,
            permissions: Permissions(), id: TokenID(of: Array("token".utf8)))
        for _ in 0..<15 {
            for (what, error) in [
                (Audit.Ended.session, ProtocolError.tokenExpired), (.poll, .tokenExpired),
                (.session, .tokenRevoked),
            ] {
                audit.ended(
                    what, because: error, of: mallory, with: .token(grant), on: connection)
            }
            audit.ended(
                .poll, because: .tokenExpired, of: mallory, with: .secretKey, on: connection)
        }

        let fields =
            #"keyset=sub user="m\n" device=d token=\#(grant.id.text.prefix(10)) token_user=ada "#
            + "connection=1-7-9 peer=\(PeerAddress(high: 0, low: 1))"
        for start in [
            "Ended: token_expired. what=session ", "Ended: token_expired. what=poll ",
            "Ended: token_revoked. what=session ",
        ] {
            #expect(lines.texts.count { $0 == start + fields } == 10)
        }
        #expect(lines.texts.count == 30)
        #expect(PolicyRefusal.allCases.allSatisfy { counters.policyRefusals.count(of: $0) == 0 })
    }

    @Test("each kind has its own ten lines a second; all are counted")
    func limits() {
        let audit = audit
        for _ in 0..<100 {
            audit.refused(.tokenExpired, to: mallory, from: connection)
            audit.refused(.tokenInvalid, to: mallory, from: connection)
            audit.refused(.host, to: Provenance(host: "evil.example"), from: connection)
        }

        for line in ["token_expired", "token_invalid", "foreign_host"] {
            #expect(lines.texts.count { $0.hasPrefix("Refused: \(line).") } == 10)
        }
        #expect(counters.policyRefusals.count(of: .foreignHost) == 100)
        audit.log?.reportSuppressed()
        #expect(lines.texts.contains("Refused: token_expired. suppressed=90"))
    }

    @Test("every right has words, and so has what either of two brings")
    func words() {
        #expect(Rights([.read, .history]).missingWords == ["read", "history"])
        #expect(Rights.unreact.missingWords == ["react or delete"])
        for (word, right) in Rights.words {
            #expect(right.subtracting(.unreact).missingWords == [word])
        }
    }

    @Test("PubNub's 403 lists what was refused, and nothing else")
    func payload() {
        let endpoint = PubNubRequest.Endpoint.subscribe(
            .init(
                channels: ["a", "b"], groups: ["g"], cursor: .zero,
                beat: .init(channels: [], groups: [])))
        let refused = Need.having(.read, on: ["b"])
        for error in [ProtocolError.forbidden, .forbidden(lacking: "x")] {
            let answer = PubNubError(error, for: endpoint, at: .zero, refusing: refused)
            #expect((answer.status, answer.channels, answer.groups) == (403, ["b"], []))
        }
        let missing = PubNubError(.tokenMissing, for: endpoint, at: .zero)
        #expect((missing.channels, missing.groups) == (["a", "b"], ["g"]))
    }
}
