// What libcrypto computes with secrets: hashes, keyed hashes and derived keys.

import COpenSSL

/// SHA-256 and what is made of it.
enum Signing {
    static let hashBytes = 32

    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: hashBytes)
        _ = unsafe SHA256(bytes, bytes.count, &output)
        return output
    }

    /// HMAC-SHA256.
    ///
    /// - Source: RFC 2104.
    static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: hashBytes)
        var count: UInt32 = 0
        let result = unsafe HMAC(
            EVP_sha256(), key, Int32(key.count), message, message.count, &output, &count)
        precondition(unsafe result != nil && count == hashBytes, "HMAC: out of memory.")
        return output
    }

    /// HKDF-SHA256 without salt: a key of 32 bytes for one purpose, from which nobody learns the
    /// secret or the keys for other purposes.
    ///
    /// - Source: RFC 5869.
    static func key(from secret: [UInt8], for purpose: [UInt8]) -> [UInt8] {
        KeyDerivation().key(from: secret, for: purpose)
    }

    /// Takes the same time wherever two texts differ.
    static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe CRYPTO_memcmp(one, other, one.count) == 0
    }
}

/// Owns one of OpenSSL's derivations, which is used once.
@safe private struct KeyDerivation: ~Copyable {
    private let context: OpaquePointer

    init() {
        guard let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil) else {
            preconditionFailure("HKDF could not start: out of memory, or not in this libcrypto.")
        }
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(context)
    }

    consuming func key(from secret: [UInt8], for purpose: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: Signing.hashBytes)
        var count = output.count
        let isDone =
            unsafe EVP_PKEY_derive_init(context) == 1
            && EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1
            && EVP_PKEY_CTX_set1_hkdf_key(context, secret, Int32(secret.count)) == 1
            && EVP_PKEY_CTX_add1_hkdf_info(context, purpose, Int32(purpose.count)) == 1
            && EVP_PKEY_derive(context, &output, &count) == 1
        precondition(isDone && count == output.count, "HKDF failed on a secret of some bytes.")
        return output
    }
}
