// actions with live, and endLive: a page, and from then on what happens to its rows.

import EventModel

extension Operations {
    static func liveActions(
        _ query: ActionsQuery, _ wish: LiveWish, for caller: SessionCaller
    ) -> OperationOutcome {
        let (live, session) = (caller.hub.live, caller.session)
        switch wish {
        case .begin:
            let own = session.live?.all.count ?? 0
            guard own < Limits.liveQueriesPerSessionMax else {
                return .refused(.tooManyLiveQueries)
            }
            let followed = session.subscriptions.count + own
            if let error = caller.refusal(following: 1, besides: followed) {
                return .refused(error)
            }
            let filter = query.named(under: caller.settings(of: query.channel).reactions)
            let id = live.begin(
                query, filter: filter, in: caller.channel(query.channel), for: session,
                command: caller.id)
            return caller.ask(.liveActions(filter, id), about: query.channel)
        case .extend(let id):
            guard let open = session.live?.all[id] else { return .refused(.noLiveQuery) }
            guard open.isNext(query) else {
                return .refused(
                    .invalidField("after", "\"next\" of the newest page, in the same query"))
            }
            open.page = LiveQuery.Page(command: caller.id)
            var filter = open.filter
            (filter.after, filter.limit) = (query.after, query.limit)
            return caller.ask(.liveActions(filter, id), about: query.channel)
        }
    }

    /// Also of one that has ended meanwhile: then nothing is to be done.
    static func endLive(_ id: LiveID, for caller: SessionCaller) -> OperationOutcome {
        caller.hub.live.end(id, of: caller.session)
        return .done(.liveEnded(id))
    }
}
