// What stands on one message: a part of the seam to the ledger, for the rules of reactions.

import EventModel

/// The part of ``Store`` that the rules of a channel's actions ask.
///
/// All of it sees what the open transaction did.
protocol ActionTally {
    /// Actions of a user that stand on a message.
    ///
    /// - Complexity: O(different types and values on the message): no index has the users.
    func ownActions(
        of user: String, on message: Timetoken, in channel: Channel
    ) throws(StoreError) -> [MessageAction]

    func hasMessage(_ timetoken: Timetoken, in channel: Channel) throws(StoreError) -> Bool

    /// Who wrote a message; `nil` when it is not there.
    func author(
        ofMessage timetoken: Timetoken, in channel: Channel
    ) throws(StoreError) -> String?

    /// The newest of a user's actions of a kind that stand on a message.
    ///
    /// - Complexity: O(log n) in the channel's versions, whatever else stands on the message.
    func newest(
        _ kind: VersionKind, by user: String, on message: Timetoken, in channel: Channel
    ) throws(StoreError) -> MessageAction?

    /// The actions of a type and a value that stand on a message, summed up.
    ///
    /// What is hidden may count until its rows are removed.
    func totals(
        type: String, value: String, on message: Timetoken, in channel: Channel
    ) throws(StoreError) -> ActionTotals

    /// The different types and values that actions on a message have; likewise.
    ///
    /// - Complexity: O(1): whoever fills a message makes nobody's next add cost more.
    func values(on message: Timetoken, in channel: Channel) throws(StoreError) -> ActionValues

    /// How many actions stand on a message; likewise.
    ///
    /// - Complexity: O(different types and values on it).
    func actionCount(on message: Timetoken, in channel: Channel) throws(StoreError) -> Int
}
