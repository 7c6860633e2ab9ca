// A key that signs JSON Web Tokens, and the one algorithm that it is good for.

import EventModel
import JSON

/// How a JSON Web Token may be signed; the raw value is the word in its header.
///
/// - Source: RFC 7518, section 3.1; RFC 8037, section 3.1.
enum JSONWebAlgorithm: String, Hashable, Sendable, CaseIterable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
}

/// A key with its algorithm: no token can choose another, so that no public key is ever taken for a
/// shared secret.
struct JSONWebKey: Hashable, Sendable {
    /// Names it in a set; `nil` for the only one.
    let id: String?
    let algorithm: JSONWebAlgorithm
    /// A shared secret, the bytes of an Ed25519 key, or a SubjectPublicKeyInfo in DER.
    private let bytes: [UInt8]

    /// `nil` of one with a public half.
    var sharedSecret: [UInt8]? { algorithm == .hs256 ? bytes : nil }

    /// Whether the key's owner signed the message.
    func signed(_ message: [UInt8], _ signature: [UInt8]) -> Bool {
        switch algorithm {
        case .hs256: return Signing.areEqual(Signing.code(of: message, key: bytes), signature)
        case .rs256: return publicKey?.signed(message, signature, isHashed: true) ?? false
        case .edDSA: return publicKey?.signed(message, signature, isHashed: false) ?? false
        case .es256:
            // Two numbers of 32 bytes; OpenSSL wants them in DER (RFC 7518, section 3.4).
            guard signature.count == 64 else { return false }
            let pair = DER.sequence(
                DER.integer(signature.prefix(32)), DER.integer(signature.suffix(32)))
            return publicKey?.signed(message, pair, isHashed: true) ?? false
        }
    }

    /// - Complexity: 70 to 100 µs, but for Ed25519.
    private var publicKey: PublicKey? {
        algorithm == .edDSA ? PublicKey(ed25519: bytes) : PublicKey(bytes)
    }
}

extension JSONWebKey {
    /// Reads a member of a key set.
    ///
    /// - Returns: `nil` for a key of a kind, curve, algorithm or use that has nothing to do with
    ///   our tokens, as the sets of identity providers have them too.
    /// - Source: RFC 7517, section 4; RFC 7518, section 6; RFC 8037, section 2.
    init?(_ value: JSONValue) throws(JSONWebKeyError) {
        do throws(JSONError) {
            id = try value.optionalString("kid")
        } catch {
            throw .malformed("kid")
        }
        guard value.isObject, let kind = value.member("kty")?.string else {
            throw .malformed("kty")
        }
        guard try value.text("use") ?? "sig" == "sig" else { return nil }
        let curve = try value.text("crv")
        switch (kind, curve) {
        case ("oct", _): (algorithm, bytes) = (.hs256, try value.secret())
        case ("RSA", _): (algorithm, bytes) = (.rs256, try value.rsaInfo())
        case ("EC", "P-256"): (algorithm, bytes) = (.es256, try value.p256Info())
        case ("OKP", "Ed25519"): (algorithm, bytes) = (.edDSA, try value.ed25519Key())
        default: return nil
        }
        guard try value.text("alg") ?? algorithm.rawValue == algorithm.rawValue else { return nil }
        guard kind == "oct" || !value.has("d") else { throw .isPrivate }
        if algorithm != .hs256 {
            guard publicKey != nil else { throw .malformed("x, y or n") }
        }
    }
}

extension JSONValue {
    fileprivate func text(_ name: String) throws(JSONWebKeyError) -> String? {
        do throws(JSONError) {
            return try optionalString(name)
        } catch {
            throw .malformed(name)
        }
    }

    private func bytes(_ name: String) throws(JSONWebKeyError) -> [UInt8] {
        guard let text = member(name)?.string,
            let bytes = Base64URL.bytes(text, isPadded: false), !bytes.isEmpty
        else { throw .malformed(name) }
        return bytes
    }

    fileprivate func secret() throws(JSONWebKeyError) -> [UInt8] {
        let secret = try bytes("k")
        guard secret.count >= Limits.sharedKeyBytesMin else { throw .weak }
        return secret
    }

    fileprivate func rsaInfo() throws(JSONWebKeyError) -> [UInt8] {
        let modulus = try bytes("n").drop { $0 == 0 }
        let exponent = try bytes("e").drop { $0 == 0 }
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard bits >= Limits.rsaBitsMin, bits <= Limits.rsaBitsMax else { throw .weak }
        // Odd, more than one, and small enough to be fast.
        guard exponent.count <= 4, let last = exponent.last, last % 2 == 1, exponent != [1] else {
            throw .malformed("e")
        }
        let key = DER.sequence(DER.integer(modulus), DER.integer(exponent))
        return DER.sequence(DER.rsa, DER.bitString(key))
    }

    fileprivate func p256Info() throws(JSONWebKeyError) -> [UInt8] {
        let (x, y) = (try bytes("x"), try bytes("y"))
        guard x.count == 32, y.count == 32 else { throw .malformed("x or y") }
        return DER.sequence(DER.p256, DER.bitString([4] + x + y))
    }

    fileprivate func ed25519Key() throws(JSONWebKeyError) -> [UInt8] {
        let x = try bytes("x")
        guard x.count == 32 else { throw .malformed("x") }
        return x
    }
}
