// Owns one TLS session: ciphertext in, plaintext out, and the other way. No sockets.

import COpenSSL

/// One peer's keys and the state of its handshake.
///
/// It keeps no bytes between calls but an incomplete record: both directions go through the wires
/// that all sessions of a reactor share. Each call leaves what is to be sent in
/// ``TLSWires/takeOutput(into:)``.
@safe struct TLSSession: ~Copyable {
    enum Step: Hashable {
        /// More bytes are to come from the peer.
        case waits
        /// So many bytes of plaintext, or a handshake that is complete.
        case goesOn(Int)
        /// The peer has said all that it will say.
        case ended
        /// Nothing more can be said; OpenSSL's reason.
        case failed(String)
    }

    private let session: OpaquePointer
    private(set) var isEstablished = false
    private var hasFailed = false

    init?(_ context: borrowing TLSContext, on wires: borrowing TLSWires) {
        guard let session = unsafe context.makeSession() else { return nil }
        unsafe self.session = session
        unsafe wires.lend(to: session)
        unsafe SSL_set_accept_state(session)
    }

    deinit {
        unsafe SSL_free(session)
    }

    /// Goes on with the handshake, with what is in the wires.
    mutating func handshake() -> Step {
        ERR_clear_error()
        let status = unsafe SSL_do_handshake(session)
        isEstablished = status == 1
        return step(status)
    }

    /// Decrypts what is in the wires.
    mutating func read(into buffer: inout [UInt8]) -> Step {
        ERR_clear_error()
        return step(unsafe SSL_read(session, &buffer, Int32(buffer.count)))
    }

    /// Encrypts; whole, because the wires take everything.
    ///
    /// - Returns: Whether it could.
    mutating func write(_ bytes: Span<UInt8>) -> Bool {
        guard isEstablished, !hasFailed else { return false }
        ERR_clear_error()
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe SSL_write(session, buffer.baseAddress, Int32(buffer.count))
        }
        guard case .goesOn(bytes.count) = step(count) else { return false }
        return true
    }

    /// Says that nothing more will be said (close_notify).
    mutating func end() {
        guard isEstablished, !hasFailed else { return }
        ERR_clear_error()
        unsafe SSL_shutdown(session)
    }

    private mutating func step(_ status: CInt) -> Step {
        if status > 0 { return .goesOn(Int(status)) }
        switch unsafe SSL_get_error(session, status) {
        case SSL_ERROR_WANT_READ: return .waits
        case SSL_ERROR_ZERO_RETURN: return .ended
        default:
            hasFailed = true
            return .failed(lastError())
        }
    }
}

/// The two memories through which OpenSSL gets and gives ciphertext; one pair for all sessions of a
/// reactor, so that a session that is idle has none.
@safe struct TLSWires: ~Copyable {
    private let input: OpaquePointer
    private let output: OpaquePointer

    init() {
        guard let input = unsafe BIO_new(BIO_s_mem()), let output = unsafe BIO_new(BIO_s_mem())
        else { preconditionFailure("TLS could not be set up: out of memory.") }
        unsafe self.input = input
        unsafe self.output = output
    }

    deinit {
        unsafe BIO_free(input)
        unsafe BIO_free(output)
    }

    fileprivate func lend(to session: OpaquePointer) {
        // SSL_set_bio(3) takes a reference to each.
        _ = unsafe (BIO_up_ref(input), BIO_up_ref(output))
        unsafe SSL_set_bio(session, input, output)
    }

    /// Puts in what one peer sent; what another one left is gone.
    func putInput(_ bytes: Span<UInt8>) {
        unsafe sync_bio_reset(input)
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe BIO_write(input, buffer.baseAddress, Int32(buffer.count))
        }
        precondition(count == bytes.count, "TLS could not go on: out of memory.")
    }

    /// Takes what is to be sent.
    ///
    /// - Returns: How many bytes there are in the buffer now; 0 when that was all.
    func takeOutput(into buffer: inout [UInt8]) -> Int {
        max(0, Int(unsafe BIO_read(output, &buffer, Int32(buffer.count))))
    }
}
