// What every store keeps of read marks: a part of the seam to the ledger.

import EventModel

/// The part of ``Store`` that is about what users have read.
protocol ReadMarkStore {
    /// Up to where a user has read a channel, with what the open transaction made of it; `nil`:
    /// there is no mark.
    func readMark(of user: String, in channel: Channel) throws(StoreError) -> Timetoken?

    /// - Precondition: The channel has a place in the store.
    func setReadMark(
        _ timetoken: Timetoken, of user: String, in channel: Channel
    ) throws(StoreError)
}

/// Up to where a user has read a channel, from a commit on.
struct MovedMark: Hashable, Sendable {
    var channel: Channel
    var userID: String
    var through: Timetoken
}

/// What is counted behind a mark, message by message.
struct UnreadCount {
    private let user: ExactText
    private var examined = 0
    private(set) var count = 0
    private(set) var hasMore = false

    init(for user: String) { self.user = ExactText(user) }

    /// Messages that may still tell something: one more than is counted.
    var limit: Int { Limits.unreadMessagesMax + 1 - examined }

    /// Takes the next message behind the mark.
    mutating func take(by author: String) {
        examined += 1
        hasMore = examined > Limits.unreadMessagesMax
        if !hasMore, ExactText(author) != user { count += 1 }
    }
}
