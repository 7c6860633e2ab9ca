// What a store does for a moderator: a part of the seam to the ledger.

import EventModel

/// The part of ``Store`` that removes actions by what they have in common.
protocol ClearingStore {
    /// Calls `body` with the actions that stand and that a clearing covers, in the order of their
    /// keys.
    ///
    /// - Parameters:
    ///   - start: The first key that is looked at, or the next one after it.
    ///   - limit: Rows that may be looked at; becomes how many are left.
    /// - Returns: Where to go on; `nil` at the end.
    /// - Complexity: Those that are meant, and what else is said of the messages: not who says it.
    func scanActions(
        coveredBy clearing: Clearing, from start: MessageAction.Key, of channel: Channel,
        limit: inout Int, body: (MessageAction) -> Void
    ) throws(StoreError) -> MessageAction.Key?

    /// Removes all actions that a clearing covers, and leaves it in their place, which readers'
    /// ``StoreReader/changes(in:from:)`` reports as they do tombstones. Those it leaves alone.
    ///
    /// - Parameter actions: What stands of those, at least one.
    func clear(
        _ actions: [MessageAction], coveredBy clearing: Clearing, at timetoken: Timetoken,
        in channel: Channel
    ) throws(StoreError)

    /// The same in no time: the rows are hidden from every other call and from readers, until
    /// ``Store/removeHiddenRows(limit:)`` has removed them. ``Store/hasRows(in:of:)`` may still
    /// count them.
    func hideActions(
        coveredBy clearing: Clearing, at timetoken: Timetoken, of channel: Channel
    ) throws(StoreError)
}

extension MessageAction.Key {
    /// Before every key that a clearing covers, or the first one.
    static func first(of clearing: Clearing) -> MessageAction.Key {
        .before(clearing.messageTimetoken ?? .zero)
    }
}

extension Envelope {
    /// A clearing; who asked for it is not kept.
    static func clearing(
        _ clearing: Clearing, at timetoken: Timetoken, in channel: Channel, gone: Digest? = nil
    ) -> Envelope {
        Envelope(
            channel: channel, timetoken: timetoken, uuid: "", event: .actionsCleared(clearing),
            gone: gone)
    }
}
