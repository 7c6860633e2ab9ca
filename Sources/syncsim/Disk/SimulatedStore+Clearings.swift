// What a moderator's wishes do to rows, passed on and noted.

import EventModel

@testable import SyncDaemon

extension SimulatedStore {
    func scanActions(
        coveredBy clearing: Clearing, from start: MessageAction.Key, of channel: Channel,
        limit: inout Int, body: (MessageAction) -> Void
    ) throws(StoreError) -> MessageAction.Key? {
        try platter.scanActions(
            coveredBy: clearing, from: start, of: channel, limit: &limit, body: body)
    }

    func clear(
        _ actions: [MessageAction], coveredBy clearing: Clearing, at timetoken: Timetoken,
        in channel: Channel
    ) throws(StoreError) {
        try call()
        try platter.clear(actions, coveredBy: clearing, at: timetoken, in: channel)
        operations.append(.clear(channel, clearing, at: timetoken))
    }

    func hideActions(
        coveredBy clearing: Clearing, at timetoken: Timetoken, of channel: Channel
    ) throws(StoreError) {
        try call()
        try platter.hideActions(coveredBy: clearing, at: timetoken, of: channel)
        operations.append(.clear(channel, clearing, at: timetoken))
    }

    /// All that stands of what a clearing covers.
    func standing(
        coveredBy clearing: Clearing, in channel: Channel
    ) throws(StoreError) -> [MessageAction] {
        var found: [MessageAction] = []
        var next: MessageAction.Key? = .first(of: clearing)
        while let start = next {
            var limit = 1000
            next = try platter.scanActions(
                coveredBy: clearing, from: start, of: channel, limit: &limit
            ) { found.append($0) }
        }
        return found
    }
}
