// Owns OpenSSL's settings of one reactor's TLS: which versions, which ciphers, which certificate.

import COpenSSL
import Glibc

/// What new TLS sessions are made of; those that are open keep what they need of it.
///
/// - Source: RFC 9325 (what TLS may still be used), RFC 7301 (ALPN).
@safe struct TLSContext: ~Copyable {
    let chain: TLSChain
    private let context: OpaquePointer

    /// Ephemeral keys and authenticated encryption only.
    ///
    /// TLS 1.3 has nothing else.
    private static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"

    /// - Parameters:
    ///   - certificates: In PEM, the server's first.
    ///   - key: In PEM, without a password.
    init(certificates: String, key: String) throws(TLSIdentityError) {
        let (context, chain) = unsafe try loaded(certificates, key)
        unsafe self.context = context
        self.chain = chain
        let isSet =
            unsafe sync_tls_set_versions(context) == 1
            && SSL_CTX_set_cipher_list(context, Self.ciphers) == 1
            && SSL_CTX_set_num_tickets(context, 0) == 1
        precondition(isSet, "OpenSSL knows neither TLS 1.2 nor its ciphers: \(lastError()).")
        unsafe SSL_CTX_set_options(context, sync_tls_options)
        unsafe sync_tls_release_buffers(context)
        unsafe sync_tls_keep_no_sessions(context)
        unsafe SSL_CTX_set_alpn_select_cb(context, selectProtocol, nil)
    }

    deinit {
        unsafe SSL_CTX_free(context)
    }

    /// A session that has said nothing yet; the caller frees it with SSL_free(3).
    func makeSession() -> OpaquePointer? { unsafe SSL_new(context) }
}

/// What the certificates of a chain say of themselves.
struct TLSChain: Hashable, Sendable {
    /// When the first of them ends, in seconds since 1970.
    fileprivate(set) var expiry = Int.max
    /// When the last of them begins, likewise.
    fileprivate(set) var start = Int.min
    /// Whether the server's may be one.
    fileprivate(set) var isForServers = true
}

/// Settings that hold a chain and its key, and what the chain says of itself.
///
/// The caller owns them.
private func loaded(
    _ certificates: String, _ key: String
) throws(TLSIdentityError) -> (OpaquePointer, TLSChain) {
    // What is left in the thread's queue of errors would be taken for one of its sockets.
    defer { ERR_clear_error() }
    guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
        throw .refused(reason: lastError())
    }
    do throws(TLSIdentityError) {
        let chain = unsafe try useCertificates(certificates, in: context)
        unsafe try useKey(key, in: context)
        return unsafe (context, chain)
    } catch {
        unsafe SSL_CTX_free(context)
        throw error
    }
}

/// Takes `http/1.1` of what a client offers, and refuses who offers only others.
private func selectProtocol(
    _: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ count: UInt32,
    _: UnsafeMutableRawPointer?
) -> CInt {
    let ours: StaticString = "http/1.1"
    let offers = unsafe UnsafeBufferPointer(start: offered, count: Int(count))
    var start = 0
    while start < offers.count {
        let end = unsafe start + 1 + Int(offers[start])
        guard end <= offers.count else { break }
        if end - start - 1 == ours.utf8CodeUnitCount,
            unsafe offers[(start + 1)..<end].elementsEqual(
                UnsafeBufferPointer(start: ours.utf8Start, count: ours.utf8CodeUnitCount))
        {
            unsafe selected?.pointee = ours.utf8Start
            unsafe length?.pointee = UInt8(ours.utf8CodeUnitCount)
            return SSL_TLSEXT_ERR_OK
        }
        start = end
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}

private func useCertificates(
    _ text: String, in context: OpaquePointer
) throws(TLSIdentityError) -> TLSChain {
    let input = TextInput(text)
    var chain = TLSChain()
    var count = 0
    while let certificate = unsafe PEM_read_bio_X509(input.bio, nil, noPassword, nil) {
        count += 1
        guard let end = unsafe seconds(of: X509_get0_notAfter(certificate)),
            let start = unsafe seconds(of: X509_get0_notBefore(certificate))
        else {
            unsafe X509_free(certificate)
            throw .badCertificate(number: count)
        }
        chain.expiry = min(chain.expiry, end)
        chain.start = max(chain.start, start)
        if count == 1 {
            // One that says nothing of it may be anybody's: all bits are set.
            let usage = unsafe X509_get_extended_key_usage(certificate)
            chain.isForServers = usage & UInt32(XKU_SSL_SERVER | XKU_ANYEKU) != 0
            // It takes a reference of its own.
            let status = unsafe SSL_CTX_use_certificate(context, certificate)
            unsafe X509_free(certificate)
            guard status == 1 else { throw .refused(reason: lastError()) }
        } else if unsafe sync_tls_add_chain_certificate(context, certificate) != 1 {
            unsafe X509_free(certificate)
            throw .refused(reason: lastError())
        }
    }
    guard sync_error_reason(ERR_peek_last_error()) == sync_pem_no_start_line else {
        throw .badCertificate(number: count + 1)
    }
    ERR_clear_error()
    guard count > 0 else { throw .noCertificate }
    return chain
}

private func useKey(_ text: String, in context: OpaquePointer) throws(TLSIdentityError) {
    let input = TextInput(text)
    guard let key = unsafe PEM_read_bio_PrivateKey(input.bio, nil, noPassword, nil) else {
        throw .badKey
    }
    defer { unsafe EVP_PKEY_free(key) }
    guard unsafe SSL_CTX_use_PrivateKey(context, key) == 1,
        unsafe SSL_CTX_check_private_key(context) == 1
    else { throw .keyOfAnother }
}

/// Instead of OpenSSL's own, which asks at the terminal.
private func noPassword(
    _: UnsafeMutablePointer<CChar>?, _: CInt, _: CInt, _: UnsafeMutableRawPointer?
) -> CInt { -1 }

private func seconds(of time: UnsafePointer<ASN1_TIME>?) -> Int? {
    var parts = unsafe tm()
    guard let time = unsafe time, unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    return unsafe timegm(&parts)
}

/// What OpenSSL noted last on this thread, in its words.
func lastError() -> String {
    var text = [CChar](repeating: 0, count: 256)
    let error = ERR_peek_last_error()
    guard error != 0 else { return "it does not say why" }
    guard let reason = unsafe ERR_reason_error_string(error) else {
        unsafe ERR_error_string_n(error, &text, text.count)
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    return unsafe String(cString: reason)
}

/// Lends a text to OpenSSL as a file.
@safe private struct TextInput: ~Copyable {
    let bio: OpaquePointer

    init(_ text: String) {
        let bytes = Array(text.utf8)
        guard let bio = unsafe BIO_new(BIO_s_mem()) else {
            preconditionFailure("A certificate could not be read: out of memory.")
        }
        unsafe self.bio = bio
        _ = unsafe BIO_write(bio, bytes, Int32(bytes.count))
    }

    deinit {
        unsafe BIO_free(bio)
    }
}
