// What a device asks to have compared, and which of its segments differ.

import EventModel

/// Coded symbols of a device, from index 0 on, and what they are of.
struct RepairQuery: Sendable {
    enum Subject: Hashable, Sendable {
        /// All rows of the channel.
        case rows
        /// The states of its segments.
        case segments
        /// The rows of those that differ.
        case rowsOf(SegmentDifference)
    }

    let symbols: SymbolRun
    var subject = Subject.rows
}

/// Which of a channel's segments are not a device's.
struct SegmentDifference: Sendable, Hashable {
    /// Ascending, and not touching.
    let ranges: [MessageRange]
    /// Segments in them.
    let count: Int
    /// All else is equal as of here.
    let cursor: Timetoken
    /// The channel's digest as of `cursor`.
    let digest: Digest

    /// Symbols of their rows that will probably do: in some segments more than one row differs.
    var symbolCount: Int {
        min(RatelessDecoder.symbolCount(differences: count + count / 4), Limits.repairSymbolsMax)
    }
}
