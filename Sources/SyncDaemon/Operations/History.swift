// history and counts: pages of what a channel holds, and how much came into it.

import EventModel

extension Operations {
    static func history(_ query: HistoryQuery, for caller: some Caller) -> OperationOutcome {
        guard caller.settings(of: query.channel).keepsMessages else {
            return .refused(.historyDisabled)
        }
        return caller.ask(.history(query), about: query.channel)
    }

    /// What stands before a device's window.
    static func older(_ query: OlderQuery, for caller: SessionCaller) -> OperationOutcome {
        // Pages are large, and wait for who does not read them.
        guard query.last == 0 || caller.accounts.pressure.level != .queues else {
            return .refused(.overloaded)
        }
        // It will hold more than it said when it subscribed.
        if query.last > 0, let subscription = caller.subscription(to: query.channel),
            subscription.window != nil
        {
            subscription.window = .zero
        }
        let counters = caller.hub.counters
        if query.last > 0 { counters.windowPages.add() } else { counters.windowChecks.add() }
        return caller.ask(.older(query), about: query.channel)
    }

    /// A page of each of several channels; none when one of them has no messages stored.
    ///
    /// - Precondition: There is one at least.
    static func histories(_ queries: [HistoryQuery], for caller: some Caller) -> OperationOutcome {
        guard queries.allSatisfy({ caller.settings(of: $0.channel).keepsMessages }) else {
            return .refused(.historyDisabled)
        }
        return caller.ask(.histories(queries), about: queries[0].channel)
    }

    /// - Precondition: There is one at least.
    static func messageCounts(_ queries: [CountQuery], for caller: some Caller) -> OperationOutcome
    {
        guard queries.allSatisfy({ caller.settings(of: $0.channel).keepsMessages }) else {
            return .refused(.historyDisabled)
        }
        return caller.ask(.messageCounts(queries), about: queries[0].channel)
    }
}
