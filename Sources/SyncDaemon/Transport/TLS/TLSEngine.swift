// What the TLS sessions of one reactor have in common.

/// The certificate of new sessions, and the memory through which all of them read and write.
final class TLSEngine {
    private var context: TLSContext
    private var identity: TLSIdentity
    private let wires = TLSWires()
    /// A record, what TLS puts around it included.
    private var ciphertext = [UInt8](repeating: 0, count: recordBytes + 1024)
    /// Lent out while plaintext is read from it.
    var plaintext = [UInt8](repeating: 0, count: recordBytes)

    /// Bytes of plaintext in one record at most.
    ///
    /// - Source: RFC 8446, section 5.1.
    static let recordBytes = 16 * 1024

    init(_ identity: TLSIdentity) throws(TLSIdentityError) {
        self.identity = identity
        context = try TLSContext(certificates: identity.certificates, key: identity.key)
    }

    /// Has new sessions show another certificate; those that are open stay as they are.
    func take(_ identity: TLSIdentity) throws(TLSIdentityError) {
        guard identity != self.identity else { return }
        context = try TLSContext(certificates: identity.certificates, key: identity.key)
        self.identity = identity
    }

    func makeSession() -> TLSSession? { TLSSession(context, on: wires) }

    /// Gives the next call on a session what its peer sent.
    func putInput(_ bytes: Span<UInt8>) { wires.putInput(bytes) }

    /// Lends what the last call on a session wants to send, piece by piece.
    ///
    /// - Returns: Whether there was anything.
    func takeOutput(_ body: (Span<UInt8>) -> Void) -> Bool {
        var hasOutput = false
        while true {
            let count = wires.takeOutput(into: &ciphertext)
            guard count > 0 else { return hasOutput }
            hasOutput = true
            body(ciphertext.span.extracting(..<count))
        }
    }
}
