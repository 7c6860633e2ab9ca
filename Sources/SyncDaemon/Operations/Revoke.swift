// revoke: a backend takes a token back before its time is over.

import EventModel

extension Operations {
    /// Takes a token back, whatever kind it is; one that was taken back already stays so.
    ///
    /// - Throws: Why it is none of the tenant's, or that its time is over.
    static func revoke(
        _ token: String, by caller: some Caller
    ) throws(AccessRefusal) -> OperationOutcome {
        let keys = AccessKeys(caller.keyset)
        let grant = try keys.grant(for: token, at: caller.engine.seconds)
        let write = Write(
            origin: caller.origin, author: caller.author, channel: caller.channel(""),
            operation: .revoke(RevokedToken(grant)), mutation: nil)
        guard caller.engine.submit(write) else { return .refused(.overloaded) }
        caller.audit.revoked(grant)
        return .later
    }
}
