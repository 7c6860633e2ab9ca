// The first level of a repair: finds which of a device's segments differ.

import EventModel

/// The states of a channel's segments as of a commit, and as many of their coded symbols as were
/// asked for.
struct SegmentComparison: Sendable {
    private let key: DigestKey
    private let rowsMax: Int64
    /// The channel's.
    let digest: Digest
    /// Those that hold anything, ascending.
    private let segments: [Segment]
    private let items: [RepairItem]
    private var encoder = RatelessEncoder(0..<0)

    /// Enough for a thousand segments that differ: the last of them cost an item seven jumps more.
    private static let symbolsAtFirst = 4096

    /// - Parameter rowsMax: Rows that are read to compare what differs; where there are more, all
    ///   are, which others share.
    /// - Complexity: O(segments), whatever they hold.
    init(
        _ snapshot: any ChannelSnapshot, key: DigestKey,
        rowsMax: Int = Limits.repairSegmentRowsMax
    ) throws(StoreError) {
        self.key = key
        self.rowsMax = Int64(rowsMax)
        digest = snapshot.digest
        var segments: [Segment] = []
        try snapshot.forEachSegment(before: .end) { segment in
            // In a damaged file two may begin at one place.
            if segment.digest.count > 0, segment.after != segments.last?.after {
                segments.append(segment)
            }
            return true
        }
        segments.reverse()
        self.segments = segments
        items = segments.map { RepairItem(segmentAfter: $0.after, $0.digest, key: key) }
    }

    /// Bytes in memory, roughly.
    var bytes: Int {
        let perSegment = MemoryLayout<Segment>.stride + MemoryLayout<RepairItem>.stride
        return 4096 + segments.count * perSegment + encoder.range.count * 24
    }

    /// - Parameter snapshot: Of rows with the same digest.
    mutating func outcome(
        _ run: SymbolRun, as snapshot: any ChannelSnapshot
    ) -> RepairOutcome {
        guard run.first == 0, run.symbols.count <= Limits.repairSymbolsMax else { return .whole }
        grow(to: run.symbols.count)
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
        return outcome(of: decoder.onlyLocal + decoder.onlyRemote, at: snapshot.cursor)
    }

    /// Makes as many symbols, and more: each item's jumps begin anew every time.
    private mutating func grow(to count: Int) {
        let made = encoder.range.upperBound
        guard made < count else { return }
        var end = SegmentComparison.symbolsAtFirst
        while end < count { end *= 2 }
        var next = RatelessEncoder(made..<end)
        next.insert(items)
        guard made > 0 else {
            encoder = next
            return
        }
        do throws(RepairError) {
            try encoder.append(next)
        } catch {
            preconditionFailure("The symbols of the same segments are of others: \(error)")
        }
    }

    private func needs(_ decoder: RatelessDecoder) -> RepairOutcome {
        // A segment that differs is two items, and takes three symbols; a change is more likely to
        // be in a long one, on average in one of twice the mean.
        let symbols = Int64(decoder.expectedSymbolCount)
        let (reading, isTooMuch) = (symbols / 3).multipliedReportingOverflow(
            by: 2 * digest.count / Int64(max(1, segments.count)))
        guard !isTooMuch, reading <= rowsMax, decoder.likelySymbolCount <= Limits.repairSymbolsMax
        else { return .whole }
        return .needs(decoder.likelySymbolCount)
    }

    /// - Parameter items: May be made up: only where segments begin is believed of them.
    private func outcome(of items: [RepairItem], at cursor: Timetoken) -> RepairOutcome {
        // Either side's segment may go on where the other has a cut; its rows are then all the same
        // in what begins here or is named beside it.
        let found = Set(items.map { index(holding: $0.timetoken) }).sorted()
        let states = found.map { $0 < segments.count ? segments[$0].state : .empty }
        let rows = states.reduce(Int64(0)) { $0 + $1.count }
        guard rows <= rowsMax else { return .whole }
        let ranges = found.map { MessageRange(after: start(of: $0), through: start(of: $0 + 1)) }
        return .segments(
            SegmentDifference(ranges: ranges, cursor: cursor, digest: digest),
            states: states.count <= Limits.repairStatesMax ? states : [])
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
