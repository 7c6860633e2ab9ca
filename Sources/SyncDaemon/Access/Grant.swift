// What a good token comes to, whichever kind it is: the one value that the gate asks.

import EventModel

/// The name of a token in a list of revoked ones.
///
/// It is a hash of what is signed, not of the signature: a second good signature of the same claims
/// (ECDSA has one that anybody can compute) is no way around a revocation.
struct TokenID: Hashable, Sendable {
    /// SHA-256 as 43 digits of base64url.
    let text: String

    init(of signed: [UInt8]) {
        text = Base64URL.text(Signing.hash(signed), isPadded: false)
    }

    /// Reads what ``text`` says; `nil` for anything else.
    init?(_ text: String) {
        guard Base64URL.bytes(text, isPadded: false)?.count == Signing.hashBytes else { return nil }
        self.text = text
    }
}

/// What somebody may do who showed a token.
///
/// It was good when it was made. It has to be asked again at each operation, because time passes.
struct Grant: Hashable, Sendable {
    let tenant: ExactText
    /// The only user who may use it; `nil` for whoever has it.
    let user: ExactText?
    /// The only device of the user who may use it; `nil` for all.
    let device: ExactText?
    /// Unix seconds; from then on it is good for nothing.
    let expiry: Int64
    let permissions: Permissions
    let id: TokenID

    /// Whether its bearer may act as this user now; for what needs no right, and to end what is
    /// open when its time is over.
    ///
    /// - Parameters:
    ///   - device: `nil` from who does not say, which is refused when the grant names one.
    ///   - now: Unix seconds.
    /// - Throws: `expired` or `wrongUser`.
    func check(for user: String, device: String? = nil, at now: Int64) throws(AccessRefusal) {
        guard now < expiry else { throw .expired }
        if let own = self.user, own != ExactText(user) { throw .wrongUser }
        if let own = self.device, own != device.map(ExactText.init) { throw .wrongUser }
    }

    /// - Throws: `expired`, `wrongUser`, `wrongTenant` for a channel of another tenant, or
    ///   `notPermitted`.
    func check(
        _ rights: Rights, on channel: Channel, for user: String, device: String? = nil,
        at now: Int64
    ) throws(AccessRefusal) {
        try check(for: user, device: device, at: now)
        guard ExactText(channel.keyset) == tenant else { throw .wrongTenant }
        guard permissions.rights(on: channel, wanted: rights).isSuperset(of: rights) else {
            throw .notPermitted
        }
    }

    /// As for a channel.
    func check(
        _ rights: Rights, on group: ChannelGroup, for user: String, device: String? = nil,
        at now: Int64
    ) throws(AccessRefusal) {
        try check(for: user, device: device, at: now)
        guard ExactText(group.keyset) == tenant else { throw .wrongTenant }
        guard permissions.rights(on: group, wanted: rights).isSuperset(of: rights) else {
            throw .notPermitted
        }
    }

    /// The same without a reason.
    func allows(
        _ rights: Rights, on channel: Channel, for user: String, device: String? = nil,
        at now: Int64
    ) -> Bool {
        (try? check(rights, on: channel, for: user, device: device, at: now)) != nil
    }

    /// The same without a reason.
    func allows(
        _ rights: Rights, on group: ChannelGroup, for user: String, device: String? = nil,
        at now: Int64
    ) -> Bool {
        (try? check(rights, on: group, for: user, device: device, at: now)) != nil
    }
}
