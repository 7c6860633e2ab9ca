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
