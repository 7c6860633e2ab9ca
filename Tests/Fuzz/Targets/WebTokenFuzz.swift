// A JSON Web Token: "HEADER\nCLAIMS", signed here so that the fuzzer gets behind the signature.

import EventModel
import JSON

@testable import SyncDaemon

/// Nothing without a good signature is good; with one, a grant is what the claims say.
enum WebTokenFuzz {
    private static let secret = Array("the secret of the fuzzer, 32 bytes".utf8)
    private static let now: Int64 = 1_700_000_000

    static func check(_ bytes: [UInt8]) throws(Finding) {
        guard let keys = keys else { throw Finding(description: "no key") }
        try expect((try? keys.grant(for: bytes.text, at: now)) == nil, "good: \(bytes.text)")
        let parts = bytes.parts(2)
        guard parts.count == 2 else { return }
        let signed = parts.map { Base64URL.text($0, isPadded: false) }.joined(separator: ".")
        var code = Signing.code(of: Array(signed.utf8), key: secret)
        func token() -> String { signed + "." + Base64URL.text(code, isPadded: false) }
        guard let grant = try? keys.grant(for: token(), at: now) else { return }
        let claims = try? JSONValue(parsing: parts[1])
        try expect(
            claims?.member("sub")?.string.map { ExactText($0) } == grant.user
                && claims?.member("keyset")?.string == "sub" && grant.tenant == ExactText("sub"),
            "\(parts[1].text) is \(grant)")
        try expect(grant.expiry > now && grant.user != nil, "\(grant)")
        var steps = 100_000
        _ = grant.permissions.rights(on: Channel("room-1"), wanted: .write, within: &steps)
        code[Int(bytes[0]) % code.count] ^= 1
        try expect((try? keys.grant(for: token(), at: now)) == nil, "good with a bad signature")
    }

    private static let keys: AccessKeys? = {
        let key = Base64URL.text(secret, isPadded: false)
        var keys = AccessKeys(tenant: "sub")
        keys.webKeys = try? JSONWebKeySet(#"{"keys":[{"kty":"oct","kid":"h","k":"\#(key)"}]}"#)
        return keys.webKeys == nil ? nil : keys
    }()
}
