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
    /// Whether there is anything that is over.
    case old(OldRows)
}

/// Before when rows of each kind are over.
struct OldRows: Sendable, Hashable {
    /// On the retention clock: messages, revoked tokens, grants.
    var age: Timetoken
    /// In Unix seconds: the last two.
    var seconds: Int64
    var mutations: Timetoken
    /// And deletions, and clearings.
    var tombstones: Timetoken

    enum Kind: Sendable, Hashable, CaseIterable {
        case messages
        case mutations
        case tombstones
        case clearings
        case deletions
        case revoked
        case keyGrants
    }
}
