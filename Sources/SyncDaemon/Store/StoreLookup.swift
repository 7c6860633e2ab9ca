// What a batch of writes is going to ask a store, so that one far away can be asked at once.

import EventModel

/// One question of a write's.
enum StoreLookup: Sendable, Hashable {
    /// What a mutation did.
    case mutation(String, by: Author)
    /// What stands under a key.
    case action(MessageAction.Key, in: Channel)
    /// How many of a name stand on a message, and how many names.
    case totals(ActionName, on: Timetoken, in: Channel)
}
