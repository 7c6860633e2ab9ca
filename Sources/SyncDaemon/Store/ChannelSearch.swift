// Looking for the channels under a wildcard in which something changed, in steps.
//
// The steps need not see the same commit: who asks is told of what changes meanwhile.

import EventModel

/// A search on its way.
struct ChannelSearch: Sendable {
    let cursor: Timetoken
    /// What is still to be looked through; `nil` once nothing is.
    private(set) var interest: Interest?
    private(set) var found: [Channel] = []
    /// Whether more were found than a session may follow.
    var isTooMany: Bool { found.count > Limits.channelsPerSessionMax }
    var isExhausted: Bool { interest == nil || isTooMany }

    /// - Parameters:
    ///   - wildcard: Of messages, not of presence: nothing of that is stored.
    ///   - cursor: What changed after it is found.
    init(under wildcard: Channel, changedAfter cursor: Timetoken) {
        self.cursor = cursor
        interest = wildcard.storedWildcard
    }

    /// Takes those of a look that changed.
    ///
    /// - Parameter rest: Where to look next; `nil` when these are all.
    mutating func found(_ channels: [Channel], rest: Interest?) {
        found += channels
        interest = rest
    }
}

extension Channel {
    /// What a store can hold of a wildcard; `nil` for what is none, or too deep for anything to
    /// fall under it.
    var storedWildcard: Interest? {
        guard isWildcard, !isPresence else { return nil }
        let levels = name.utf8.count { $0 == UInt8(ascii: ".") }
        guard levels <= Limits.wildcardLevelsMax else { return nil }
        return .prefix(String(name.dropLast()), keyset: keyset)
    }
}
