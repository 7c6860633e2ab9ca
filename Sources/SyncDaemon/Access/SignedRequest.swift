// Requests that a backend signs with the tenant's secret key: who may do that may do anything.

import EventModel

/// What of a PubNub request is signed.
///
/// - Source: PubNub's SDKs; version 2 of all, version 1 of Python's `POST /publish`.
struct SignedRequest: Sendable {
    /// Upper case.
    var method: String
    /// As it stands in the request line, escapes included, without the query.
    var path: String
    /// Decoded, in any order, the signature among them.
    var query: [(name: String, value: String)]
    var body: [UInt8]

    /// - Parameters:
    ///   - publishKey: What the SDK is configured with; empty when with none.
    ///   - now: Unix seconds.
    ///   - skew: How far the request's time may be from that, in seconds.
    /// - Throws: `missing` without a signature or its time, `garbage`, `badSignature`, and
    ///   `expired` or `notYet` for a good one from another time: somebody may have overheard it.
    func check(
        secretKey: String, publishKey: String, subscribeKey: String, at now: Int64,
        skew: Int64 = Int64(Limits.accessSkewSeconds)
    ) throws(AccessRefusal) {
        guard let signature = value("signature"), let time = value("timestamp") else {
            throw .missing
        }
        guard (1...12).contains(time.utf8.count), time.utf8.allSatisfy({ (48...57).contains($0) }),
            let time = Int64(time)
        else { throw .garbage }
        let secret = Array(secretKey.utf8)
        let isSigned = texts(publishKey: publishKey, subscribeKey: subscribeKey).contains {
            Signing.areEqual(
                Array(($0.isFirst ? Self.first : Self.second)($0.text, secret).utf8),
                Array(signature.utf8))
        }
        guard isSigned else { throw .badSignature }
        guard time >= now - skew else { throw .expired }
        guard time <= now + skew else { throw .notYet }
    }

    /// Version 2: `v2.` and base64url without padding.
    private static func second(_ text: [UInt8], _ secret: [UInt8]) -> String {
        "v2." + Base64URL.text(Signing.code(of: text, key: secret), isPadded: false)
    }

    /// Version 1: base64url with padding.
    private static func first(_ text: [UInt8], _ secret: [UInt8]) -> String {
        Base64URL.text(Signing.code(of: text, key: secret), isPadded: true)
    }

    /// What may have been signed.
    ///
    /// To publish by POST, JavaScript signs a GET without a body, and Python signs version 1, which
    /// knows neither method nor body. Nobody else may: a body that is not signed can be exchanged.
    private func texts(
        publishKey: String, subscribeKey: String
    ) -> [(isFirst: Bool, text: [UInt8])] {
        let query = Array(canonicalQuery.utf8)
        func second(_ method: String, _ body: [UInt8]) -> [UInt8] {
            Array("\(method)\n\(publishKey)\n\(path)\n".utf8) + query + [UInt8(ascii: "\n")] + body
        }
        let hasBody = method == "POST" || method == "PATCH"
        let own = (isFirst: false, text: second(method, hasBody ? body : []))
        guard method == "POST", path.utf8.starts(with: "/publish/".utf8) else { return [own] }
        let first = Array("\(subscribeKey)\n\(publishKey)\n\(path)\n".utf8) + query
        return [own, (isFirst: false, text: second("GET", [])), (isFirst: true, text: first)]
    }

    /// Everything but the signature, by name, values encoded in PubNub's own way.
    private var canonicalQuery: String {
        query.filter { $0.name != "signature" }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            .map { "\($0.name)=\(Self.percentEncoded($0.value))" }
            .joined(separator: "&")
    }

    private func value(_ name: String) -> String? {
        // Twice is neither: who reads the first and who reads the last would differ.
        let values = query.filter { $0.name.utf8.elementsEqual(name.utf8) }
        return values.count == 1 ? values[0].value : nil
    }

    /// Leaves only letters, digits, `-`, `_` and `.` as they are.
    private static func percentEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
