// grant of version 2: a backend says what may be done by who shows an auth key, or by everybody.

import EventModel

extension Operations {
    /// Makes grants that stand in the daemon, or takes them back.
    ///
    /// - Parameters:
    ///   - grants: Of the caller's keyset, each for something else.
    ///   - minutes: How long each stands, for the trail.
    static func grant(
        _ grants: [KeyGrant], minutes: Int, by caller: some Caller
    ) -> OperationOutcome {
        let write = Write(
            origin: caller.origin, author: caller.author, channel: caller.channel(""),
            operation: .grant(grants), mutation: nil)
        guard caller.engine.submit(write) else { return .refused(.overloaded) }
        caller.audit.granted(grants, minutes: minutes)
        return .later
    }
}
