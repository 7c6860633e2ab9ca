// Finds how a device's actions differ from the server's.

import EventModel

/// What a reader makes of a device's symbols.
enum RepairOutcome: Sendable, Hashable {
    /// They do not tell yet; so many in all will probably do.
    case needs(Int)
    case repaired(RepairedChannel)
    /// Everything anew is cheaper, or the symbols contradict themselves.
    case snapshot
}

/// What makes a device's actions those of the server.
struct RepairedChannel: Sendable, Hashable {
    /// The state that the device is brought to.
    var cursor: Timetoken
    /// The channel's digest as of `cursor`.
    var digest: Digest
    /// To be inserted, after `drop` was dropped: a damaged row is in both.
    var rows: [MessageAction]
    /// Timetokens of actions that do not stand.
    var drop: [Timetoken]
}

/// What the reader threads share for repairs.
final class RepairCache: Sendable {
    private let secret: DigestSecret

    init(secret: DigestSecret) {
        self.secret = secret
    }

    /// Compares a device's symbols with the channel's.
    func outcome(
        of symbols: SymbolRun, in channel: Channel, from reader: any StoreReader
    ) throws(StoreError) -> RepairOutcome {
        .snapshot
    }
}
