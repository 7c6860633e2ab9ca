// What a transaction did to the store, as the disk saw it.

import EventModel

@testable import SyncDaemon

/// One write of a transaction, apart from housekeeping.
enum StoredOperation: Hashable, Sendable {
    case insert(Channel, Timetoken, uuid: String, Message, expires: Timetoken?)
    case delete(Channel, after: Timetoken, through: Timetoken, at: Timetoken)
    case add(Channel, MessageAction)
    case remove(Channel, MessageAction.Key, at: Timetoken)
    case remember(Author, String, MutationRecord)
}
