// What it takes to remove an action: its row, its channel's digest, and who is told.

import EventModel

extension Ledger {
    /// Removes an action that stands, and leaves a tombstone.
    func remove(
        _ action: MessageAction, for write: Write, at timetoken: Timetoken,
        into commit: inout Commit
    ) throws(StoreError) {
        try store.remove(action.key, at: timetoken, in: write.channel)
        try digests.remove(.action(action), in: write.channel, of: store)
        commit.events.append(write.envelope(at: timetoken, .actionRemoved(action)))
    }
}
