// How a token of PubNub's kind is written and signed.

import EventModel

/// What a tenant's tokens are signed with.
///
/// It is derived from the tenant's secret key and subscribe key: a token of one tenant is nothing
/// to another, even when both have one secret, and whoever learns this key cannot sign requests.
struct AccessTokenKey: Hashable, Sendable {
    private let bytes: [UInt8]

    init(secretKey: String, subscribeKey: String) {
        bytes = Signing.key(
            from: Array(secretKey.utf8),
            for: Array("syncdaemon access token v3".utf8) + [0] + Array(subscribeKey.utf8))
    }

    func signature(of signed: [UInt8]) -> [UInt8] { Signing.code(of: signed, key: bytes) }
}

extension AccessToken {
    static let version: UInt64 = 2
    /// What stands before the 32 bytes of the signature: the key `sig`, and a byte string's head.
    ///
    /// Signed is all that stands before this.
    static let signatureHead: [UInt8] = [0x43, 0x73, 0x69, 0x67, 0x58, 0x20]

    /// The token as its bearer shows it: base64url with padding.
    ///
    /// - Throws: What is wrong with its time, its patterns or its size; then it would be refused.
    func text(signedWith key: AccessTokenKey) throws(GrantError) -> String {
        guard (1...Limits.tokenMinutesMax).contains(Int(minutes)) else { throw .minutes }
        _ = try permissions()
        let signed = unsigned()
        let bytes = signed + Self.signatureHead + key.signature(of: signed)
        let text = Base64URL.text(bytes, isPadded: true)
        guard text.utf8.count <= Limits.tokenBytesMax else { throw .tooLarge }
        return text
    }

    /// The CBOR up to the key `sig`.
    private func unsigned() -> [UInt8] {
        var writer = CBORWriter()
        writer.map(user == nil ? 7 : 8)
        writer.key("v")
        writer.unsigned(Self.version)
        writer.key("t")
        writer.unsigned(UInt64(max(0, issued)))
        writer.key("ttl")
        writer.unsigned(UInt64(minutes))
        writer.key("res")
        writer.scopes(resources)
        writer.key("pat")
        writer.scopes(patterns)
        writer.key("meta")
        writer.map(meta.count)
        for (name, value) in meta.sorted(by: { Self.comes($0.key, before: $1.key) }) {
            writer.text(name.string)
            writer.meta(value)
        }
        if let user {
            writer.key("uuid")
            writer.text(user.string)
        }
        return writer.bytes
    }

    /// The canonical order of names: shorter ones first, then by bytes.
    ///
    /// - Source: RFC 7049, section 3.9.
    fileprivate static func comes(_ one: ExactText, before other: ExactText) -> Bool {
        let (left, right) = (one.string.utf8.count, other.string.utf8.count)
        return left == right ? one < other : left < right
    }
}

extension CBORWriter {
    /// All five maps, also when nothing is in them: SDKs do without none.
    fileprivate mutating func scopes(_ scopes: AccessScopes) {
        map(AccessScopes.keys.count)
        for (key, path) in AccessScopes.keys {
            self.key(key)
            let names = scopes[keyPath: path]
            map(names.count)
            for (name, bits) in names.sorted(by: { AccessToken.comes($0.key, before: $1.key) }) {
                text(name.string)
                unsigned(UInt64(bits))
            }
        }
    }

    fileprivate mutating func meta(_ value: AccessToken.MetaValue) {
        switch value {
        case .text(let text): self.text(text)
        case .integer(let value): integer(value)
        case .number(let value): number(value)
        case .flag(let value): flag(value)
        case .null: null()
        }
    }
}
