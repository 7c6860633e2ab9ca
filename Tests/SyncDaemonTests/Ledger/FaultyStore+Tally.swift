// The failing store's part about what stands on a message.

import EventModel

@testable import SyncDaemon

extension FaultyStore {
    func ownActions(
        of user: String, on message: Timetoken, in channel: Channel
    ) throws(StoreError) -> [MessageAction] {
        try pass(.tally)
        return base.ownActions(of: user, on: message, in: channel)
    }

    func hasMessage(_ timetoken: Timetoken, in channel: Channel) throws(StoreError) -> Bool {
        try pass(.tally)
        return base.hasMessage(timetoken, in: channel)
    }

    func author(
        ofMessage timetoken: Timetoken, in channel: Channel
    ) throws(StoreError) -> String? {
        try pass(.tally)
        return base.author(ofMessage: timetoken, in: channel)
    }

    func newest(
        _ kind: VersionKind, by user: String, on message: Timetoken, in channel: Channel
    ) throws(StoreError) -> MessageAction? {
        try pass(.tally)
        return base.newest(kind, by: user, on: message, in: channel)
    }

    func totals(
        type: String, value: String, on message: Timetoken, in channel: Channel
    ) throws(StoreError) -> ActionTotals {
        try pass(.tally)
        return base.totals(type: type, value: value, on: message, in: channel)
    }

    func values(on message: Timetoken, in channel: Channel) throws(StoreError) -> ActionValues {
        try pass(.tally)
        return base.values(on: message, in: channel)
    }

    func actionCount(on message: Timetoken, in channel: Channel) throws(StoreError) -> Int {
        try pass(.tally)
        return base.actionCount(on: message, in: channel)
    }
}
