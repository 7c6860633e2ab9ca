// Finds how two sets differ from the differences of their coded symbols, by peeling.
//
// A symbol of one item gives that item away; taken out of all its other symbols it leaves more of
// one item. Every item is in symbol 0, so the end is reached when that is empty.
//
// Input may be hostile. Each symbol gives at most one item away, so the work is bounded by
// O(n log n) for n symbols, and what contradicts itself is reported, never guessed.

/// Reads the difference of a remote and a local set, one pair of symbols after the other.
public struct RatelessDecoder: Sendable {
    /// Items of the remote set that the local one lacks, and the other way round.
    ///
    /// Complete and trustworthy when ``isDecoded``; partial before. The caller still compares the
    /// channel's ``Digest`` after applying them: that is what makes a repair certain.
    public private(set) var onlyRemote: [RepairItem] = []
    public private(set) var onlyLocal: [RepairItem] = []
    /// Whether the difference is known completely.
    public private(set) var isDecoded = false

    private let key: DigestKey
    private let symbolsMax: Int
    private var failure: RepairError?
    /// What the symbols hold beside the items found so far.
    private var rest: [CodedSymbol] = []
    /// Which symbols gave an item away.
    private var isSpent: [Bool] = []
    /// The found items, each at its next symbol that has not come yet.
    private var found: [Found] = []
    /// The found items by that symbol: the first of a list that `Found.next` continues.
    private var waiting: [Int: Int] = [:]
    private var estimate = DifferenceEstimate()

    private struct Found {
        let item: RepairItem
        let sign: Int64
        var mapping: SymbolMapping
        var next: Int?
    }

    /// Takes at most `symbolsMax` symbols, up to ``RatelessEncoder/indexMax``.
    public init(key: DigestKey, symbolsMax: Int) {
        precondition(symbolsMax <= RatelessEncoder.indexMax, "symbol indices are in 0 ..< 2^24")
        self.key = key
        self.symbolsMax = symbolsMax
    }

    /// How many pairs of symbols were taken.
    public var symbolCount: Int { rest.count }

    /// How many symbols will do in all if the estimate is right.
    public var expectedSymbolCount: Int {
        guard !isDecoded else { return symbolCount }
        return atLeastSomeMore(estimate.differences)
    }

    /// How many symbols will nearly always do in all: what to ask for next, in one go.
    ///
    /// For as many differences as the estimate leaves possible in 999 of 1,000 cases: a device
    /// sends some symbols in vain rather than ask once more.
    public var likelySymbolCount: Int {
        guard !isDecoded else { return symbolCount }
        return atLeastSomeMore(estimate.differencesAtMost)
    }

    /// At least a quarter more than were taken, so that asking ends; at most `symbolsMax`.
    private func atLeastSomeMore(_ differences: Double) -> Int {
        let count = Int(min(differences, Double(symbolsMax)))
        let more = max(
            RatelessDecoder.symbolCount(differences: count), symbolCount + symbolCount / 4 + 8)
        return min(more, symbolsMax)
    }

    /// How many symbols decode a number of differences in 99 of 100 cases.
    ///
    /// A fit to `make bench-diff`, for 1 to 10,000 differences.
    public static func symbolCount(differences: Int) -> Int {
        let count = Double(differences)
        return Int(1.36 * count + 2.6 * count.squareRoot() + 11)
    }

    /// Takes the two sets' symbols at the next index, ``symbolCount``.
    ///
    /// - Throws: After a throw the decoder stays failed: a snapshot is the way on.
    public mutating func add(remote: CodedSymbol, local: CodedSymbol) throws(RepairError) {
        if let failure { throw failure }
        do throws(RepairError) {
            guard symbolCount < symbolsMax else { throw .tooManySymbols }
            try take(remote - local)
        } catch {
            failure = error
            isDecoded = false
            throw error
        }
    }

    private mutating func take(_ difference: CodedSymbol) throws(RepairError) {
        let index = rest.count
        estimate.add(difference.count, at: index)
        rest.append(difference)
        isSpent.append(false)
        subtractFound(at: index)
        if isDecoded {
            guard rest[index] == .empty else { throw .inconsistent }
            return
        }
        try peel(from: index)
        if rest[0] == .empty { try finish() }
    }

    /// Takes the items found so far out of a symbol that has just come.
    private mutating func subtractFound(at index: Int) {
        var position = waiting.removeValue(forKey: index)
        while let current = position {
            position = found[current].next
            rest[index].add(found[current].item, sign: -found[current].sign)
            found[current].mapping.advance()
            wait(current)
        }
    }

    private mutating func wait(_ position: Int) {
        let index = found[position].mapping.index
        // An item that no further symbol can hold waits for nothing.
        guard index < symbolsMax else { return }
        found[position].next = waiting.updateValue(position, forKey: index)
    }

    private mutating func peel(from start: Int) throws(RepairError) {
        var candidates = [start]
        while let index = candidates.popLast() {
            guard let item = rest[index].onlyItem(at: index, key: key) else { continue }
            // What gave its item away stays empty, unless an earlier item was none.
            guard !isSpent[index] else { throw .inconsistent }
            isSpent[index] = true
            let sign = rest[index].count
            if sign > 0 { onlyRemote.append(item) } else { onlyLocal.append(item) }
            var mapping = item.mapping
            while mapping.index < rest.count {
                rest[mapping.index].add(item, sign: -sign)
                if mapping.index != index { candidates.append(mapping.index) }
                mapping.advance()
            }
            found.append(Found(item: item, sign: sign, mapping: mapping, next: nil))
            wait(found.count - 1)
        }
    }

    /// Checks what a true difference fulfils.
    private mutating func finish() throws(RepairError) {
        guard rest.allSatisfy({ $0 == .empty }), Set(found.map(\.item)).count == found.count
        else { throw .inconsistent }
        isDecoded = true
    }
}
