// The symbols of a set, kept up to date while the set changes.

/// A run of a set's coded symbols, without the set.
///
/// Costs 24 bytes per symbol, and O(log m) per change to keep the first m symbols, about 2 ln(m)
/// jumps: a hot channel keeps its prefix, and one prefix serves every device that comes.
///
/// A longer run is made by reading the set once more, through an encoder of the next range, and
/// ``append(_:)``. If the set has moved on meanwhile, insert and remove in that encoder what
/// changed, the other way round: symbols are sums, so this is exact.
public struct RatelessEncoder: Hashable, Sendable {
    /// The indices of the symbols that are kept.
    public private(set) var range: Range<Int>
    /// The symbols at `range`.
    public private(set) var symbols: [CodedSymbol]
    /// The sum of the whole set, which is also the symbol at index 0.
    public private(set) var total = CodedSymbol.empty

    /// - Parameter range: Within 0 ..< 2^24.
    public init(_ range: Range<Int>) {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= RatelessEncoder.indexMax,
            "symbol indices are in 0 ..< 2^24")
        self.range = range
        symbols = Array(repeating: .empty, count: range.count)
    }

    /// Above it a mapping's arithmetic would no longer be exact.
    public static let indexMax = 1 << 24

    public mutating func insert(_ item: RepairItem) {
        add(item, sign: 1)
    }

    /// The same for many, in less time.
    ///
    /// Where an item is next depends on where it was, by a division and a square root, so four at a
    /// time wait for theirs together.
    public mutating func insert(_ items: [RepairItem]) {
        for item in items { total.add(item, sign: 1) }
        guard items.count >= 8, !range.isEmpty else {
            for item in items { spread(item, item.mapping, sign: 1) }
            return
        }
        var lanes = (Lane(items[0]), Lane(items[1]), Lane(items[2]), Lane(items[3]))
        var next = 4
        // Each of the lanes may take one more.
        while next + 4 <= items.count {
            step(&lanes.0, items, &next)
            step(&lanes.1, items, &next)
            step(&lanes.2, items, &next)
            step(&lanes.3, items, &next)
        }
        for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
            spread(lane.item, lane.mapping, sign: 1)
        }
        for item in items[next...] { spread(item, item.mapping, sign: 1) }
    }

    private struct Lane {
        var item: RepairItem
        var mapping: SymbolMapping

        @inline(__always)
        init(_ item: RepairItem) {
            self.item = item
            mapping = item.mapping
        }
    }

    /// One index of an item; behind its last one the next item takes its place.
    @inline(__always)
    private mutating func step(_ lane: inout Lane, _ items: [RepairItem], _ next: inout Int) {
        if lane.mapping.index >= range.lowerBound {
            symbols[lane.mapping.index - range.lowerBound].add(lane.item, sign: 1)
        }
        lane.mapping.advance()
        guard lane.mapping.index >= range.upperBound else { return }
        lane = Lane(items[next])
        next += 1
    }

    /// Takes away an item that was inserted.
    public mutating func remove(_ item: RepairItem) {
        add(item, sign: -1)
    }

    /// The symbol at an index of `range`.
    public func symbol(at index: Int) -> CodedSymbol {
        symbols[index - range.lowerBound]
    }

    /// Takes over the symbols that follow.
    ///
    /// - Throws: ``RepairError/differentSets`` when the two encoders did not see the same items.
    public mutating func append(_ next: RatelessEncoder) throws(RepairError) {
        precondition(next.range.lowerBound == range.upperBound, "symbols are appended in order")
        guard next.total == total else { throw .differentSets }
        symbols += next.symbols
        range = range.lowerBound..<next.range.upperBound
    }

    private mutating func add(_ item: RepairItem, sign: Int64) {
        total.add(item, sign: sign)
        spread(item, item.mapping, sign: sign)
    }

    /// Adds an item to the symbols from an index of its on.
    private mutating func spread(_ item: RepairItem, _ mapping: SymbolMapping, sign: Int64) {
        var mapping = mapping
        while mapping.index < range.lowerBound { mapping.advance() }
        while mapping.index < range.upperBound {
            symbols[mapping.index - range.lowerBound].add(item, sign: sign)
            mapping.advance()
        }
    }
}
