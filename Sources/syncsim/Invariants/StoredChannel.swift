// What a store holds of a channel, read as the daemon reads it.

import EventModel

@testable import SyncDaemon

/// A channel's rows as of one moment.
struct StoredChannel {
    private(set) var messages: [Timetoken: DeviceCache.Entry] = [:]
    private(set) var actions: [MessageAction.Key: ActionMark] = [:]
    private(set) var digest = Digest.empty
    /// The newest first.
    private(set) var segments: [Segment] = []

    init(_ channel: Channel, from reader: any StoreReader) throws(StoreError) {
        var after: Timetoken? = .zero
        while let start = after {
            let page = try reader.history(
                HistoryQuery(channel: channel.name, after: start), in: channel)
            for stored in page.messages {
                messages[stored.timetoken] = DeviceCache.Entry(
                    uuid: stored.uuid, message: stored.message)
            }
            after = page.next
        }
        (digest, actions, segments) = try reader.withSnapshot(of: channel) {
            snapshot throws(StoreError) -> (Digest, [MessageAction.Key: ActionMark], [Segment]) in
            var actions: [MessageAction.Key: ActionMark] = [:]
            try snapshot.forEachKey(behind: nil) { key, action in
                actions[key] = action.map { ActionMark($0) }
                return true
            }
            var segments: [Segment] = []
            try snapshot.forEachSegment(before: .end) {
                segments.append($0)
                return true
            }
            return (snapshot.digest, actions, segments)
        }
    }
}
