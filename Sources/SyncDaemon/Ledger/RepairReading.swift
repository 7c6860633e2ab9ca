// Reading a whole channel for repairs in steps, each of the commit that it finds.

import EventModel

/// A channel's set while it is being read.
///
/// Its rows come from several commits, each behind the last one. Then what changed since the first
/// of them is put over it, as for any set that is brought forward, and the digest says whether it
/// is right: it is not when tombstones were forgotten meanwhile, and all is read at once.
struct RepairReading: Sendable {
    private(set) var set: RepairSet
    /// Whether all its rows are of the commit that it began with.
    private(set) var isOfOneCommit = true
    /// The last action that was read; messages come after all actions.
    private var last: MessageAction.Key?
    /// The last message that was read; `nil`: not all actions were.
    private var lastMessage: Timetoken?

    init(_ snapshot: any ChannelSnapshot, key: DigestKey, symbolCount: Int) {
        set = RepairSet(of: snapshot, key: key, symbolCount: symbolCount)
    }

    /// Reads on.
    ///
    /// - Returns: Whether all was read: then call ``finish(with:)``.
    mutating func step(
        _ snapshot: any ChannelSnapshot, while mayGoOn: () -> Bool
    ) throws(StoreError) -> Bool {
        if snapshot.cursor != set.cursor { isOfOneCommit = false }
        var isWhole = true
        if lastMessage == nil {
            try snapshot.forEachKey(behind: last) { key, added in
                set.put(key, added)
                last = key
                isWhole = mayGoOn()
                return isWhole
            }
        }
        guard isWhole else { return false }
        try snapshot.forEachMessage(after: lastMessage ?? .zero) { message in
            set.put(message.row)
            lastMessage = message.timetoken
            isWhole = mayGoOn()
            return isWhole
        }
        return isWhole
    }

    /// Whether a moderator removed actions since it began, which no row tells.
    func isOvertaken(by snapshot: any ChannelSnapshot) throws(StoreError) -> Bool {
        guard !isOfOneCommit else { return false }
        return try !snapshot.clearings(after: set.cursor).isEmpty
    }

    /// Brings the set to a snapshot, the one of the last step.
    ///
    /// - Returns: Whether the digest is of these rows.
    mutating func finish(with snapshot: any ChannelSnapshot) throws(StoreError) -> Bool {
        try set.advance(to: snapshot)
        return set.matches(snapshot)
    }
}
