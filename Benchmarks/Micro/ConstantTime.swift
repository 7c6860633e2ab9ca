// Whether the time of a refusal tells how much of a secret code was right.
//
// Each kind of code is checked again and again, wrong in its first byte or in its last one, in an
// order that chance decides, so that whatever else the machine does falls on both alike.
//
// - Source: Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?", DATE 2017.

import Basis
import EventModel

@testable import SyncDaemon

/// One check with a code that is wrong early, and wrong late.
struct ConstantTime {
    struct Row {
        let check: String
        let samples: Int
        let comparison: TimeComparison
    }

    /// Calls that one sample times, so that the clock's own steps do not hide them.
    private static let callsPerSample = 4
    private let samples: Int
    private(set) var rows: [Row] = []

    /// - Parameter samples: Of each check, both sides together.
    init(samples: Int) {
        self.samples = samples
        measureComparisons()
        measureTokens()
        measureSignedRequest()
    }

    private mutating func measure(_ check: String, _ body: (_ isLate: Bool) -> Bool) {
        var choices = SeededGenerator(seed: 1)
        var times: (early: [Double], late: [Double]) = ([], [])
        var accepted = false
        for number in 0..<samples + samples / 10 {
            let isLate = choices.next() & 1 == 1
            let duration = ContinuousClock().measure {
                for _ in 0..<Self.callsPerSample { accepted = body(isLate) || accepted }
            }
            // The first ones warm the caches up.
            guard number >= samples / 10 else { continue }
            let nanoseconds = duration / .nanoseconds(1) / Double(Self.callsPerSample)
            if isLate { times.late.append(nanoseconds) } else { times.early.append(nanoseconds) }
        }
        precondition(!accepted, "\(check) took a wrong code.")
        rows.append(
            Row(
                check: check, samples: samples,
                comparison: TimeComparison(times.early, times.late)))
    }

    private mutating func measureComparisons() {
        let right = [UInt8](repeating: 7, count: Signing.hashBytes)
        let wrong = Self.wrongPair(right)
        measure("control: stops at the first difference") { isLate in
            !zip(right, isLate ? wrong.late : wrong.early).contains { $0 != $1 } as Bool
        }
        measure("32 bytes by themselves") { isLate in
            Signing.areEqual(right, isLate ? wrong.late : wrong.early)
        }
    }

    private mutating func measureTokens() {
        let (tenant, secret, now): (String, String, Int64) = ("sub", "sec", 1_700_000_000)
        var keys = AccessKeys(tenant: tenant)
        let key = AccessTokenKey(secretKey: secret, subscribeKey: tenant)
        keys.tokenKeys = [key]
        let shared = [UInt8](repeating: 9, count: 32)
        let text = Base64URL.text(shared, isPadded: false)
        keys.webKeys = try? JSONWebKeySet(#"{"keys":[{"kty":"oct","k":"\#(text)"}]}"#)
        var token = AccessToken(issued: now, minutes: 60)
        token.resources.channels[ExactText("room")] = 3
        if let good = try? token.text(signedWith: key),
            let bytes = Base64URL.bytes(good, isPadded: true)
        {
            let wrong = Self.wrongPair(Array(bytes.suffix(Signing.hashBytes)), behind: bytes) {
                Base64URL.text($0, isPadded: true)
            }
            measure("PubNub token") { isLate in
                (try? keys.grant(for: isLate ? wrong.late : wrong.early, at: now)) != nil
            }
        }
        let parts = [#"{"alg":"HS256"}"#, #"{"sub":"ada","keyset":"sub","exp":1700003600}"#]
        let signed = parts.map { Base64URL.text(Array($0.utf8), isPadded: false) }
            .joined(separator: ".")
        let code = Signing.code(of: Array(signed.utf8), key: shared)
        let wrong = Self.wrongPair(code, behind: code) {
            signed + "." + Base64URL.text($0, isPadded: false)
        }
        measure("HS256 web token") { isLate in
            (try? keys.grant(for: isLate ? wrong.late : wrong.early, at: now)) != nil
        }
    }

    private mutating func measureSignedRequest() {
        let body = Array(#"{"ttl":5}"#.utf8)
        let text =
            Array("POST\npub\n/v3/pam/sub/grant\ntimestamp=1700000000\n".utf8) + body
        let code = Signing.code(of: text, key: Array("sec".utf8))
        func request(_ code: [UInt8]) -> SignedRequest {
            SignedRequest(
                method: "POST", path: "/v3/pam/sub/grant",
                query: [
                    ("timestamp", "1700000000"),
                    ("signature", "v2." + Base64URL.text(code, isPadded: false)),
                ], body: body)
        }
        func isGood(_ request: SignedRequest) -> Bool {
            do throws(AccessRefusal) {
                try request.check(
                    secretKey: "sec", publishKey: "pub", subscribeKey: "sub", at: 1_700_000_000)
                return true
            } catch {
                return false
            }
        }
        precondition(isGood(request(code)), "The right signature is refused.")
        let wrong = Self.wrongPair(code, behind: code, request)
        measure("signed request") { isLate in isGood(isLate ? wrong.late : wrong.early) }
    }

    private static func wrongPair(_ code: [UInt8]) -> (early: [UInt8], late: [UInt8]) {
        wrongPair(code, behind: code) { $0 }
    }

    /// The code as the last part of a text, with one bit of its first and of its last byte turned.
    private static func wrongPair<Result>(
        _ code: [UInt8], behind text: [UInt8], _ make: ([UInt8]) -> Result
    ) -> (early: Result, late: Result) {
        var (early, late) = (text, text)
        early[text.count - code.count] ^= 1
        late[text.count - 1] ^= 1
        return (make(early), make(late))
    }

    var text: String {
        let head = ["check", "samples", "ns, wrong early", "ns, wrong late", "late / early", "t"]
        let cells = rows.map { row in
            [
                row.check, "\(row.samples)", decimal(row.comparison.early.mean, 1),
                decimal(row.comparison.late.mean, 1), decimal(row.comparison.ratio, 4),
                decimal(row.comparison.statistic, 1),
            ]
        }
        return ([head, ["---"] + Array(repeating: "--:", count: 5)] + cells)
            .map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }
}
