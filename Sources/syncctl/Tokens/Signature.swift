// What is signed with a tenant's secret key: requests, and tokens of PubNub's kind.

import COpenSSL

/// HMAC-SHA256 with what a secret key comes to.
enum Signature {
    private static let byteCount = 32

    static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: byteCount)
        var count: UInt32 = 0
        let result = unsafe HMAC(
            EVP_sha256(), key, Int32(key.count), message, message.count, &output, &count)
        precondition(unsafe result != nil && count == byteCount, "HMAC: out of memory.")
        return output
    }

    /// Whether a token of PubNub's kind was made with a secret key.
    ///
    /// - Parameter token: Its bytes; the last 32 are the signature, after a head of six.
    /// - Source: docs/ACCESS.md.
    static func isGood(_ token: [UInt8], secretKey: String, keyset: String) -> Bool {
        let headCount = 6
        guard token.count > byteCount + headCount else { return false }
        // HKDF (RFC 5869) without salt, for one block.
        let purpose =
            Array("syncdaemon access token v3".utf8) + [0] + Array(keyset.utf8) + [1]
        let seed = code(
            of: Array(secretKey.utf8), key: [UInt8](repeating: 0, count: byteCount))
        let signed = Array(token.dropLast(byteCount + headCount))
        let expected = code(of: signed, key: code(of: purpose, key: seed))
        let shown = Array(token.suffix(byteCount))
        return unsafe CRYPTO_memcmp(expected, shown, byteCount) == 0
    }

    /// A request's target with `timestamp` and `signature`.
    ///
    /// - Parameters:
    ///   - path: As it stands on the request's line.
    ///   - now: Unix seconds.
    /// - Source: PubNub's SDKs, version 2, with no publish key.
    static func target(
        _ method: String, _ path: String, body: String, secretKey: String, at now: Int
    ) -> String {
        let query = "timestamp=\(now)"
        let signed = [method, "", path, query, body].joined(separator: "\n")
        let code = code(of: Array(signed.utf8), key: Array(secretKey.utf8))
        return "\(path)?\(query)&signature=v2.\(URLText.base64(code))"
    }
}
