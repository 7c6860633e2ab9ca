// Presence: what users say of themselves, and what is asked about them.

import EventModel

extension Operations {
    /// Asks presence, which answers with a ``PresenceAnswer``.
    ///
    /// - Parameter userID: Whom it is about; `nil`: the caller.
    static func presence(
        _ operation: PresenceRequest.Operation, of userID: String? = nil, for caller: some Caller
    ) -> OperationOutcome {
        let request = request(operation, of: userID, for: caller, origin: caller.origin)
        return caller.engine.askPresence(request) ? .later : .refused(.overloaded)
    }

    /// Tells presence something that nobody waits for.
    static func tellPresence(_ operation: PresenceRequest.Operation, for caller: some Caller) {
        // When too much waits the next beat makes up for this one.
        _ = caller.engine.askPresence(request(operation, of: nil, for: caller, origin: nil))
    }

    /// Of the channels where a user is, those that are the caller's business: all, for who can only
    /// ask for themselves.
    static func visible(_ channels: [String], to caller: some Caller) -> [String] {
        guard !caller.credential.namesUser else { return channels }
        let hidden = Need(places: caller.lacking(.having(.presence, on: channels)))
        return without(hidden.channels, of: channels)
    }

    /// Names but for those that are hidden.
    static func without(_ hidden: [String], of names: [String]) -> [String] {
        let hidden = Set(hidden.map { ExactText($0) })
        return names.filter { !hidden.contains(ExactText($0)) }
    }

    private static func request(
        _ operation: PresenceRequest.Operation, of userID: String?, for caller: some Caller,
        origin: Origin?
    ) -> PresenceRequest {
        PresenceRequest(
            member: Presence.Member(
                userID: userID ?? caller.author.userID, keyset: caller.keyset.subscribeKey),
            operation: operation, origin: origin,
            source: PresenceSource(
                reactor: caller.origin.reactor, connection: caller.origin.session))
    }
}

extension ProtocolError {
    /// What a client hears of a refusal of presence.
    ///
    /// - Parameter account: Of the client's tenant.
    init(_ refusal: Presence.Refusal, of account: Account) {
        self =
            switch refusal {
            case .quotaExceeded: ProtocolError(account.refuse(.memberships))
            case .tooManyChannels:
                .tooManyChannels(Limits.presenceChannelsPerUserMax, per: "user")
            case .stateTooLong:
                .invalidField("state", "an object of at most \(Limits.presenceStateBytesMax) bytes")
            case .tooManyMemberships, .tooMuchState, .tooManyAnnouncements: .overloaded
            }
    }
}
