// Message actions of an SDK: pages of those that stand.

import EventModel

extension PubNubRouter {
    static func actions(
        _ page: PubNubRequest.ActionsPageRequest, in context: PubNubContext
    ) -> OperationOutcome {
        var query = ActionsQuery(
            channel: page.channel, after: page.end?.predecessor, limit: page.limit)
        query.before = page.start
        query.fromNewest = true
        return Operations.actions(query, for: context)
    }
}

extension Timetoken {
    /// The position just before: turns an inclusive bound into an exclusive one.
    var predecessor: Timetoken { Timetoken(rawValue: rawValue == 0 ? 0 : rawValue - 1) }
}
