// What stands on a stretch of a channel's messages, for any store.

import EventModel

extension ChannelSnapshot {
    func forEachCoveredRow(
        in range: MessageRange, _ body: (CoveredRow) -> Void
    ) throws(StoreError) {
        try forEachWholeRow(in: range, body)
    }

    /// The same, from rows that are looked at as those are that are sent.
    func forEachWholeRow(
        in range: MessageRange, _ body: (CoveredRow) -> Void
    ) throws(StoreError) {
        try forEachMessage(in: range) { body(.message($0.row)) }
        try forEachAction(on: range) { body(.action($0)) }
    }

    /// The messages of a stretch.
    func forEachMessage(
        in range: MessageRange, _ body: (StoredMessage) -> Void
    ) throws(StoreError) {
        try forEachMessage(after: range.after) { message in
            guard message.timetoken <= range.through else { return false }
            body(message)
            return true
        }
    }

    /// What stands on the messages of a stretch.
    func forEachAction(
        on range: MessageRange, _ body: (MessageAction) -> Void
    ) throws(StoreError) {
        try forEachAction(on: range) { action in
            body(action)
            return true
        }
    }

    /// The same, until `body` answers `false`.
    func forEachAction(
        on range: MessageRange, _ body: (MessageAction) -> Bool
    ) throws(StoreError) {
        // What stands at zero goes with the first message.
        let first = range.after == .zero ? nil : range.after.successor(at: 0)
        try forEachKey(behind: first.map(MessageAction.Key.before)) { key, action in
            guard key.messageTimetoken <= range.through else { return false }
            return action.map(body) ?? true
        }
    }
}
