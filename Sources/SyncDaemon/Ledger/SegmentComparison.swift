// The first level of a repair: finds which of a device's segments differ.

import EventModel

/// The states of a channel's segments as of a commit, and as many of their coded symbols as were
/// asked for.
struct SegmentComparison: Sendable {
    private let key: DigestKey
    private let rowsMax: Int64
    private let newsMax: Int
    /// The channel's.
    let digest: Digest
    /// Those that hold anything, ascending.
    private let segments: [Segment]
    private let items: [RepairItem]
    /// Whether the states add up to the channel's: else the file is damaged, and a device that is
    /// brought to the rows is found to differ again.
    let addsUp: Bool
    private var encoder = RatelessEncoder(0..<0)

    /// Enough for a thousand segments that differ: the last of them cost an item seven jumps more.
    private static let symbolsAtFirst = 4096

    /// - Parameters:
    ///   - earlier: The same of an earlier commit: what has not changed since is taken from it.
    ///   - rowsMax: Rows that are read to compare what differs; where there are more, all are,
    ///     which others share.
    ///   - newsMax: Changes that are looked through for what a device cannot have.
    /// - Complexity: O(segments), whatever they hold.
    init(
        _ snapshot: any ChannelSnapshot, from earlier: SegmentComparison? = nil, key: DigestKey,
        rowsMax: Int = Limits.repairSegmentRowsMax, newsMax: Int = Limits.repairNewsMax
    ) throws(StoreError) {
        self.key = key
        self.rowsMax = Int64(rowsMax)
        self.newsMax = newsMax
        digest = snapshot.digest
        var segments: [Segment] = []
        var sum = Digest.empty
        try snapshot.forEachSegment(before: .end) { segment in
            // In a damaged file two may begin at one place.
            if segment.digest.count > 0, segment.after != segments.last?.after {
                segments.append(segment)
            }
            sum.insert(segment.digest)
            return true
        }
        addsUp = sum == digest
        segments.reverse()
        self.segments = segments
        if let earlier {
            (items, encoder) = earlier.moved(to: segments)
        } else {
            items = segments.map { RepairItem(segmentAfter: $0.after, $0.digest, key: key) }
        }
    }

    /// The items of what the segments became, and their symbols: most are what they were.
    private func moved(to segments: [Segment]) -> ([RepairItem], RatelessEncoder) {
        var encoder = encoder
        var items: [RepairItem] = []
        items.reserveCapacity(segments.count)
        var next = 0
        for segment in segments {
            while next < self.segments.count, self.segments[next].after < segment.after {
                encoder.remove(self.items[next])
                next += 1
            }
            let hasStood = next < self.segments.count && self.segments[next].after == segment.after
            if hasStood { next += 1 }
            if hasStood, self.segments[next - 1].digest == segment.digest {
                items.append(self.items[next - 1])
                continue
            }
            if hasStood { encoder.remove(self.items[next - 1]) }
            items.append(RepairItem(segmentAfter: segment.after, segment.digest, key: key))
            encoder.insert(items[items.count - 1])
        }
        for item in self.items[next...] { encoder.remove(item) }
        return (items, encoder)
    }

    /// Bytes in memory, roughly.
    var bytes: Int {
        let perSegment = MemoryLayout<Segment>.stride + MemoryLayout<RepairItem>.stride
        return 4096 + segments.count * perSegment + encoder.range.count * 24
    }

    /// - Parameters:
    ///   - cursor: What the device has heard of. It is sent what was added later, and the rest is
    ///     compared; unless that is too much, for then all is.
    ///   - snapshot: Of rows with the same digest.
    mutating func outcome(
        _ run: SymbolRun, heardOf cursor: Timetoken = .end, as snapshot: any ChannelSnapshot
    ) throws(StoreError) -> RepairOutcome {
        guard run.first == 0, run.symbols.count <= Limits.repairSymbolsMax else { return .whole }
        guard addsUp else { return .snapshot }
        grow(to: run.symbols.count)
        let held = try segments(since: cursor, of: snapshot)
        let (earlier, cursor) = held.map { ($0, cursor) } ?? ([:], .end)
        // Beyond what is accepted, so that its estimate is not cut short there.
        var decoder = RatelessDecoder(key: key, symbolsMax: RatelessEncoder.indexMax)
        do throws(RepairError) {
            for (remote, local) in zip(run.symbols, symbols(of: earlier)) where !decoder.isDecoded {
                try decoder.add(remote: remote, local: local)
            }
        } catch {
            return .whole
        }
        guard decoder.isDecoded else { return needs(decoder) }
        let items = decoder.onlyLocal + decoder.onlyRemote
        guard items.isEmpty else {
            return outcome(of: items, earlier, heardOf: cursor, at: snapshot.cursor)
        }
        var news = RepairRows()
        let isTold = try news.appendNews(since: cursor, of: snapshot, limit: newsMax)
        return isTold ? .repaired(news.channel(at: snapshot.cursor, digest)) : .snapshot
    }

    /// What segments came to before those rows were added that a device cannot have: of each such
    /// segment, by its index.
    ///
    /// - Returns: `nil` when these are too many.
    private func segments(
        since cursor: Timetoken, of snapshot: any ChannelSnapshot
    ) throws(StoreError) -> [Int: Segment]? {
        var earlier: [Int: Segment] = [:]
        let isAll = try snapshot.forEachNews(since: cursor, limit: newsMax) { row in
            let row = row.covered
            let index = segments.index(holding: row.message.predecessor)
            // In a damaged file it may be in none.
            guard index < segments.count else { return true }
            earlier[index, default: segments[index]].remove(row, row.hash(key))
            return true
        }
        return isAll ? earlier : nil
    }

    /// The symbols with some segments as they were earlier.
    private func symbols(of earlier: [Int: Segment]) -> [CodedSymbol] {
        guard !earlier.isEmpty else { return encoder.symbols }
        var encoder = encoder
        for (index, segment) in earlier {
            encoder.remove(items[index])
            guard segment.digest.count > 0 else { continue }
            encoder.insert(RepairItem(segmentAfter: segment.after, segment.digest, key: key))
        }
        return encoder.symbols
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

    /// - Parameters:
    ///   - items: May be made up: only where segments begin is believed of them.
    ///   - earlier: What was compared of segments, where that is not all of them.
    private func outcome(
        of items: [RepairItem], _ earlier: [Int: Segment], heardOf: Timetoken,
        at cursor: Timetoken
    ) -> RepairOutcome {
        // Either side's segment may go on where the other has a cut; its rows are then all the same
        // in what begins here or is named beside it.
        var compared = segments
        for (index, segment) in earlier { compared[index] = segment }
        compared.removeAll { $0.digest.count <= 0 }
        let found = Set(items.map { compared.index(holding: $0.timetoken) }).sorted()
        let states = found.map { $0 < compared.count ? compared[$0].state : .empty }
        let rows = states.reduce(Int64(0)) { $0 + $1.count }
        guard rows <= rowsMax else { return .whole }
        let ranges = found.map {
            MessageRange(after: compared.start(of: $0), through: compared.start(of: $0 + 1))
        }
        return .segments(
            SegmentDifference(ranges: ranges, heardOf: heardOf, cursor: cursor, digest: digest),
            states: states.count <= Limits.repairStatesMax ? states : [])
    }
}

/// Those of a channel that hold anything, ascending: what holds nothing is part of the one before.
extension [Segment] {
    /// Which one the messages just after a position are in.
    fileprivate func index(holding after: Timetoken) -> Int {
        var (low, high) = (1, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].after <= after { low = middle + 1 } else { high = middle }
        }
        return Swift.max(0, low - 1)
    }

    fileprivate func start(of index: Int) -> Timetoken {
        index == 0 ? .zero : index < count ? self[index].after : .end
    }
}
