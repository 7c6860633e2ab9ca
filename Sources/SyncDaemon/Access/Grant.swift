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

    /// Whether its bearer may have what an operation needs now.
    ///
    /// - Parameter keyset: The subscribe key of the tenant in which it is asked for.
    /// - Throws: `expired`, `wrongUser`, `wrongTenant`, or `notPermitted`: also when the token's
    ///   patterns would cost more than ``Limits/accessStepsMin`` and what the names add to it.
    func check(
        _ need: Need, in keyset: String, for user: String, device: String? = nil, at now: Int64
    ) throws(AccessRefusal) {
        try check(for: user, device: device, at: now)
        guard ExactText(keyset) == tenant else { throw .wrongTenant }
        guard !need.isAboutAll, !need.isSigned else { throw .notPermitted }
        // Nobody acts for another with a token of one's own.
        if let other = need.user { try check(for: other, device: device, at: now) }
        guard lacking(need, in: keyset).isEmpty else { throw .notPermitted }
    }

    /// Where its bearer has not what an operation needs, with the rights that are missing there.
    func lacking(_ need: Need, in keyset: String) -> [Need.Place] {
        // No more for a session's ten thousand channels than for a command's thousand.
        let names = min(need.places.count, Limits.channelsPerCommandMax)
        var steps = Limits.accessStepsMin + names * Limits.accessStepsPerName
        return need.places.compactMap { place in
            let held = held(at: place, in: keyset, within: &steps)
            guard !place.isGranted(by: held) else { return nil }
            let missing = place.isAny ? place.rights : place.rights.subtracting(held)
            return Need.Place(
                kind: place.kind, name: place.name, rights: missing, isAny: place.isAny)
        }
    }

    private func held(
        at place: Need.Place, in keyset: String, within steps: inout Int
    ) -> Rights {
        switch place.kind {
        case .channel:
            permissions.rights(
                on: Channel(place.name, keyset: keyset), wanted: place.rights, within: &steps)
        case .group:
            permissions.rights(
                on: ChannelGroup(place.name, keyset: keyset), wanted: place.rights,
                within: &steps)
        case .user:
            permissions.users.rights(on: place.name, wanted: place.rights, within: &steps)
        }
    }
}
