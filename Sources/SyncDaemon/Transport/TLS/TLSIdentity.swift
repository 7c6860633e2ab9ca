// Who the daemon is to a client of its TLS listener: certificates and their key, checked.

/// A chain of certificates with its key, as text that threads may share.
///
/// Each reactor makes OpenSSL's own objects of it. It is secret: nothing prints it.
struct TLSIdentity: Hashable, Sendable {
    /// In PEM: the server's, then those of the authorities between it and the root.
    let certificates: String
    /// In PEM, without a password.
    let key: String
    /// When the first certificate of the chain ends, in seconds since 1970.
    let expiry: Int
    /// When all of them hold, likewise.
    let start: Int
    /// Whether the first says of itself that it may be a server's (RFC 5280, 4.2.1.12).
    let isForServers: Bool

    /// Whether a client that looks now sees a chain whose time is over.
    func isExpired(at seconds: Int) -> Bool { seconds >= expiry }

    /// Checks that certificates and key can be used, and belong together.
    init(certificates: String, key: String) throws(TLSIdentityError) {
        self.certificates = certificates
        self.key = key
        let context = try TLSContext(certificates: certificates, key: key)
        (expiry, start) = (context.chain.expiry, context.chain.start)
        isForServers = context.chain.isForServers
    }
}
