// history and counts: pages of what a channel holds, and how much came into it.

import EventModel

extension Operations {
    static func history(_ query: HistoryQuery, for caller: some Caller) -> OperationOutcome {
        guard caller.keyset.keepsMessages else { return .refused(.historyDisabled) }
        return caller.ask(.history(query), about: query.channel)
    }

    /// A page of each of several channels.
    ///
    /// - Precondition: There is one at least.
    static func histories(_ queries: [HistoryQuery], for caller: some Caller) -> OperationOutcome {
        guard caller.keyset.keepsMessages else { return .refused(.historyDisabled) }
        return caller.ask(.histories(queries), about: queries[0].channel)
    }

    /// - Precondition: There is one at least.
    static func messageCounts(_ queries: [CountQuery], for caller: some Caller) -> OperationOutcome
    {
        guard caller.keyset.keepsMessages else { return .refused(.historyDisabled) }
        return caller.ask(.messageCounts(queries), about: queries[0].channel)
    }
}
