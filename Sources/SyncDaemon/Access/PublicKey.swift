// Owns one of OpenSSL's public keys, and asks it whether a signature is good.

import COpenSSL

/// A public key, released exactly once.
///
/// It is made for each check from bytes that threads may share: OpenSSL's own key is not one of
/// those.
@safe struct PublicKey: ~Copyable {
    private let key: OpaquePointer

    /// - Parameter bytes: The 32 bytes of an Ed25519 key.
    init?(ed25519 bytes: [UInt8]) {
        defer { ERR_clear_error() }
        let key = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count)
        guard let key = unsafe key else { return nil }
        unsafe self.key = key
    }

    /// - Parameter info: A SubjectPublicKeyInfo (RFC 5280), in DER.
    /// - Returns: `nil` for anything else, and for a point that is not on its curve.
    init?(_ info: [UInt8]) {
        defer { ERR_clear_error() }
        let key = unsafe info.withUnsafeBufferPointer { info in
            var position = info.baseAddress
            return unsafe d2i_PUBKEY(nil, &position, info.count)
        }
        guard let key = unsafe key else { return nil }
        unsafe self.key = key
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    /// Whether the key's owner signed the message.
    ///
    /// - Parameter isHashed: Signed is its SHA-256; Ed25519 wants the message itself.
    func signed(_ message: [UInt8], _ signature: [UInt8], isHashed: Bool) -> Bool {
        // What is left in the thread's queue of errors would be taken for one of its sockets.
        defer { ERR_clear_error() }
        let check = SignatureCheck()
        return unsafe EVP_DigestVerifyInit(
            check.context, nil, isHashed ? EVP_sha256() : nil, nil, key) == 1
            && EVP_DigestVerify(
                check.context, signature, signature.count, message, message.count) == 1
    }
}

/// Owns the state of one check.
@safe private struct SignatureCheck: ~Copyable {
    let context: OpaquePointer

    init() {
        guard let context = unsafe EVP_MD_CTX_new() else {
            preconditionFailure("A signature could not be checked: out of memory.")
        }
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
    }
}
