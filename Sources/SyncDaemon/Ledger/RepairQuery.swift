// What a device asks to have compared, and which of its segments differ.

import EventModel

/// Coded symbols of a device, from index 0 on, and what they are of.
struct RepairQuery: Sendable {
    enum Subject: Hashable, Sendable {
        /// All rows of the channel.
        case rows
        /// The states of its segments, but for what was added after what the device has heard of.
        case segments(heardOf: Timetoken)
        /// The rows of those that differ.
        case rowsOf(SegmentDifference)
    }

    let symbols: SymbolRun
    var subject = Subject.rows
}

/// Which of a channel's segments are not a device's.
struct SegmentDifference: Sendable, Hashable {
    /// Ascending; each is a segment.
    private(set) var ranges: [MessageRange]
    /// Rows that the device wants besides, ascending.
    private(set) var fetch: [WantedRow] = []
    /// Rows that were added after this are not compared: the device is sent them.
    let heardOf: Timetoken
    /// All else is equal as of here.
    let cursor: Timetoken
    /// The channel's digest as of `cursor`.
    let digest: Digest

    init(
        ranges: [MessageRange], heardOf: Timetoken = .end, cursor: Timetoken, digest: Digest
    ) {
        self.ranges = ranges
        self.heardOf = heardOf
        self.cursor = cursor
        self.digest = digest
    }

    /// Symbols of their rows that will probably do: in some segments more than one row differs.
    var symbolCount: Int {
        let differences = ranges.count + ranges.count / 4
        return min(
            RatelessDecoder.symbolCount(differences: differences), Limits.repairSymbolsMax)
    }

    /// What is left to do for a device that knows what some of the segments lack; `nil` when it
    /// names a segment that there is not.
    func chosen(_ choice: RepairChoice) -> SegmentDifference? {
        guard choice.only.last ?? 0 < max(ranges.count, 1), choice.fetch.count <= ranges.count
        else { return nil }
        var chosen = self
        chosen.ranges = choice.only.map { ranges[$0] }
        chosen.fetch = choice.fetch
        return chosen
    }
}
