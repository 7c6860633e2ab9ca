// The calls of a store that fails about what moderators remove.

import EventModel

@testable import SyncDaemon

extension FaultyStore {
    func scanActions(
        coveredBy clearing: Clearing, from start: MessageAction.Key, of channel: Channel,
        limit: inout Int, body: (MessageAction) -> Void
    ) throws(StoreError) -> MessageAction.Key? {
        base.scanActions(
            coveredBy: clearing, from: start, of: channel, limit: &limit, body: body)
    }

    func clear(
        _ actions: [MessageAction], coveredBy clearing: Clearing, at timetoken: Timetoken,
        in channel: Channel
    ) throws(StoreError) {
        try pass(.clear)
        base.clear(actions, coveredBy: clearing, at: timetoken, in: channel)
    }

    func hideActions(
        coveredBy clearing: Clearing, at timetoken: Timetoken, of channel: Channel
    ) throws(StoreError) {
        try pass(.hideActions)
        base.hideActions(coveredBy: clearing, at: timetoken, of: channel)
    }
}
