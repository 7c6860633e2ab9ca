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
        var mapping = item.mapping
        while mapping.index < range.lowerBound { mapping.advance() }
        while mapping.index < range.upperBound {
            symbols[mapping.index - range.lowerBound].add(item, sign: sign)
            mapping.advance()
        }
    }
}
