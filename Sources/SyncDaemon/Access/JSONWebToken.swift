// JSON Web Tokens: their three parts, their signature, and what their claims come to.

import EventModel
import JSON

/// What a tenant wants of the claims, beside a good signature.
struct JSONWebTokenRules: Hashable, Sendable {
    let tenant: String
    /// What `iss` has to be; `nil` takes any, and none.
    var issuer: String?
    /// What `aud` has to be, or to have among others; `nil` takes any, and none.
    var audience: String?
}

/// A token whose parts were read; nothing of it is believed before its signature is.
///
/// - Source: RFC 7515 and RFC 7519, with the advice of RFC 8725.
struct JSONWebToken {
    private let header: JSONValue
    private let payload: [UInt8]
    private let signature: [UInt8]
    /// What is signed: the first two parts as they stand in the token.
    private let signed: [UInt8]

    /// Levels of arrays and objects in header and claims; ours have four.
    private static let depthMax = 8

    /// - Throws: `garbage`: not three parts in strict base64url, a header that is not JSON, or that
    ///   asks for what nobody here understands.
    init(_ text: String) throws(AccessRefusal) {
        guard text.utf8.count <= Limits.tokenBytesMax else { throw .garbage }
        let parts = text.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Base64URL.bytes(Substring(parts[0]), isPadded: false),
            let payload = Base64URL.bytes(Substring(parts[1]), isPadded: false),
            let signature = Base64URL.bytes(Substring(parts[2]), isPadded: false)
        else { throw .garbage }
        self.header = try Self.object(header)
        self.payload = payload
        self.signature = signature
        signed = Array(text.utf8.dropLast(parts[2].count + 1))
        // `crit` lists what has to be understood (RFC 7515, 4.1.11); we understand none of it.
        guard !self.header.has("crit"), !self.header.has("b64") else { throw .garbage }
        if self.header.has("typ") {
            // RFC 8725, 3.11: what is signed for another purpose is no token of ours.
            guard let type = self.header.member("typ")?.string,
                ["jwt", "at+jwt"].contains(type.lowercased())
            else { throw .garbage }
        }
    }

    /// What a good token allows.
    ///
    /// - Parameter now: Unix seconds.
    /// - Throws: `garbage`, `badSignature`, `wrongTenant`, `expired` or `notYet`.
    static func grant(
        for text: String, keys: JSONWebKeySet, rules: JSONWebTokenRules, at now: Int64
    ) throws(AccessRefusal) -> Grant {
        let token = try JSONWebToken(text)
        try token.checkSignature(keys)
        let claims = JSONWebClaims(try object(token.payload))
        try claims.check(rules, at: now)
        return Grant(
            tenant: ExactText(rules.tenant), user: try claims.user(), device: try claims.device(),
            expiry: try claims.expiry(), permissions: try claims.permissions(),
            id: TokenID(of: token.signed))
    }

    /// - Throws: `garbage` for a header without `alg`, `badSignature` for a key that is not in the
    ///   set, another algorithm than the key's, or a signature that is not the key's.
    func checkSignature(_ keys: JSONWebKeySet) throws(AccessRefusal) {
        guard let algorithm = header.member("alg")?.string else { throw .garbage }
        let id = header.member("kid")
        guard id == nil && !header.has("kid") || id?.string != nil else { throw .garbage }
        guard let key = keys.key(id?.string), key.algorithm.rawValue == algorithm,
            key.signed(signed, signature)
        else { throw .badSignature }
    }

    private static func object(_ bytes: [UInt8]) throws(AccessRefusal) -> JSONValue {
        guard let value = try? JSONValue(parsing: bytes, depthMax: depthMax), value.isObject else {
            throw .garbage
        }
        return value
    }
}
