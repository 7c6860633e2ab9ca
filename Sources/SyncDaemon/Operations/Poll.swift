// poll: waiting for what happens after a cursor.

import EventModel

extension Operations {
    /// What a first poll learns: where the next one begins.
    static func beginPolling(
        _ interests: [PollRequest.Interest], _ groups: [PolledGroup], in hub: Hub,
        for caller: some Caller
    ) -> OperationOutcome {
        hub.polls.expect(in: interests, groups)
        return position(for: caller)
    }

    /// Waits for an event; it is answered once one is there, or after a time.
    ///
    /// - Parameter isOfDaemon: Whether its cursor came from a daemon, not from a clock.
    /// - Returns: Where the client has to begin again, when its cursor is of another store; `nil`
    ///   when it waits.
    static func poll(
        _ request: PollRequest, isOfDaemon: Bool, in hub: Hub, for caller: some Caller
    ) -> Timetoken? {
        var request = request
        let newest = caller.engine.newest
        if request.cursor > newest {
            // This store never handed it out. If it comes from a daemon, then from one whose store
            // was replaced by an older copy, and whatever this one did since may be unknown to the
            // client. Else somebody made it from a clock, and wants what comes.
            let latest = caller.engine.wallTicks() + Limits.clockStepTicksMax
            guard !isOfDaemon, request.cursor.rawValue <= latest else {
                return max(caller.engine.began, Timetoken(rawValue: 1))
            }
            request.cursor = newest
        }
        request.account = caller.accounts.account(of: caller.keyset)
        hub.polls.open(request)
        return nil
    }
}
