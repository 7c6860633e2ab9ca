// Message actions of an SDK: pages of those that stand.

import EventModel

extension PubNubRouter {
    static func actions(
        _ page: PubNubRequest.ActionsPageRequest, in context: PubNubContext
    ) -> OperationOutcome {
        let query = ActionsQuery(
            channel: page.channel, isDescending: true, after: page.start.map { .time($0) },
            until: page.end?.predecessor, limit: page.limit)
        return Operations.actions(query, for: context)
    }
}
