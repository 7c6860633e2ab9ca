// The first level of a repair: finds which of a device's segments differ.

import EventModel

/// The states of a channel's segments, as of a snapshot.
struct SegmentComparison {
    private let key: DigestKey
    private let snapshot: any ChannelSnapshot
    private let rowsMax: Int64
    /// Those that hold anything, ascending.
    private var segments: [Segment] = []

    /// - Parameter rowsMax: Rows that are read to compare what differs; where there are more, all
    ///   are, which others share.
    init(
        _ snapshot: any ChannelSnapshot, key: DigestKey,
        rowsMax: Int = Limits.repairSegmentRowsMax
    ) throws(StoreError) {
        self.key = key
        self.snapshot = snapshot
        self.rowsMax = Int64(rowsMax)
        var segments: [Segment] = []
        try snapshot.forEachSegment(before: .end) { segment in
            if segment.digest.count > 0 { segments.append(segment) }
            return true
        }
        self.segments = segments.reversed()
    }

    /// - Complexity: O(segments), whatever they hold.
    func outcome(_ run: SymbolRun) -> RepairOutcome {
        guard run.first == 0, run.symbols.count <= Limits.repairSymbolsMax else { return .whole }
        var encoder = RatelessEncoder(0..<run.symbols.count)
        for segment in segments {
            encoder.insert(RepairItem(segmentAfter: segment.after, segment.digest, key: key))
        }
        // Beyond what is accepted, so that its estimate is not cut short there.
        var decoder = RatelessDecoder(key: key, symbolsMax: RatelessEncoder.indexMax)
        do throws(RepairError) {
            for (remote, local) in zip(run.symbols, encoder.symbols) where !decoder.isDecoded {
                try decoder.add(remote: remote, local: local)
            }
        } catch {
            return .whole
        }
        guard decoder.isDecoded else { return needs(decoder) }
        return outcome(of: decoder.onlyLocal + decoder.onlyRemote)
    }

    private func needs(_ decoder: RatelessDecoder) -> RepairOutcome {
        // A segment that differs is two items, and takes three symbols; a change is more likely to
        // be in a long one, on average in one of twice the mean.
        let (symbols, rows) = (Int64(decoder.expectedSymbolCount), snapshot.digest.count)
        let (reading, isTooMuch) = (symbols / 3).multipliedReportingOverflow(
            by: 2 * rows / Int64(max(1, segments.count)))
        guard !isTooMuch, reading <= rowsMax, decoder.likelySymbolCount <= Limits.repairSymbolsMax
        else { return .whole }
        return .needs(decoder.likelySymbolCount)
    }

    /// - Parameter items: May be made up: only where segments begin is believed of them.
    private func outcome(of items: [RepairItem]) -> RepairOutcome {
        // Either side's segment may go on where the other has a cut; its rows are then all the same
        // in what begins here or is named beside it.
        let found = Set(items.map { index(holding: $0.timetoken) }).sorted()
        let rows = found.reduce(Int64(0)) { sum, index in
            sum + (index < segments.count ? segments[index].digest.count : 0)
        }
        guard rows <= rowsMax else { return .whole }
        var ranges: [MessageRange] = []
        for index in found {
            let range = MessageRange(after: start(of: index), through: start(of: index + 1))
            if let last = ranges.last, last.through == range.after {
                ranges[ranges.count - 1] = MessageRange(after: last.after, through: range.through)
            } else {
                ranges.append(range)
            }
        }
        return .segments(
            SegmentDifference(
                ranges: ranges, count: found.count, cursor: snapshot.cursor, digest: snapshot.digest
            ))
    }

    /// Which segment the messages just after a position are in.
    private func index(holding after: Timetoken) -> Int {
        var (low, high) = (1, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].after <= after { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }

    /// What holds nothing is part of the one before it.
    private func start(of index: Int) -> Timetoken {
        index == 0 ? .zero : index < segments.count ? segments[index].after : .end
    }
}
