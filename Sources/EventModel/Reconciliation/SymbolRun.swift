// Coded symbols on the wire: about 17.5 bytes each, 23 characters in JSON.
//
// One symbol after the other, little-endian, without anything between them:
//
//     timetokens 8 | tags 4 | checksums 4 | count less its expectation, signed varint, mostly 1-2
//
// The expectation of the count in symbol i is n ρ(i), of which only the deviation is worth sending;
// both sides compute ⌊2n / (i + 2)⌋ from n, the set's size, and i. (The paper's section 6 has the
// idea.) What tells i and n goes beside the bytes.

/// Consecutive coded symbols of one set.
public struct SymbolRun: Hashable, Sendable {
    /// The index of the first symbol.
    public var first: Int
    /// How many items the whole set has.
    public var itemCount: Int64
    public var symbols: [CodedSymbol]

    public init(first: Int, itemCount: Int64, symbols: [CodedSymbol]) {
        self.first = first
        self.itemCount = itemCount
        self.symbols = symbols
    }

    /// The bytes of all symbols.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(symbols.count * 18)
        for (offset, symbol) in symbols.enumerated() {
            bytes.appendWord(symbol.timetokens)
            bytes.appendWord(symbol.tags)
            bytes.appendWord(symbol.checksums)
            bytes.appendSigned(symbol.count &- expectedCount(at: first + offset))
        }
        return bytes
    }

    /// The bytes in base64, for JSON.
    public var text: String { Base64.text(bytes) }

    /// Reads ``bytes``.
    ///
    /// More than `symbolsMax` symbols are malformed.
    public init(first: Int, itemCount: Int64, bytes: [UInt8], symbolsMax: Int) throws(RepairError) {
        guard first >= 0, first <= RatelessEncoder.indexMax, itemCount >= 0 else {
            throw .malformed
        }
        self.init(first: first, itemCount: itemCount, symbols: [])
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            guard symbols.count < symbolsMax else { throw .malformed }
            var symbol = CodedSymbol.empty
            symbol.timetokens = try reader.word()
            symbol.tags = try reader.word()
            symbol.checksums = try reader.word()
            symbol.count = try reader.signed() &+ expectedCount(at: first + symbols.count)
            symbols.append(symbol)
        }
    }

    /// Reads ``text``.
    public init(
        first: Int, itemCount: Int64, text: some StringProtocol, symbolsMax: Int
    ) throws(RepairError) {
        guard let bytes = Base64.bytes(text) else { throw .malformed }
        try self.init(first: first, itemCount: itemCount, bytes: bytes, symbolsMax: symbolsMax)
    }

    private func expectedCount(at index: Int) -> Int64 {
        itemCount &* 2 / (Int64(index) + 2)
    }
}

extension RatelessEncoder {
    /// The symbols at some of the encoder's indices, ready to send.
    public func run(_ indices: Range<Int>) -> SymbolRun {
        let start = indices.lowerBound - range.lowerBound
        return SymbolRun(
            first: indices.lowerBound, itemCount: total.count,
            symbols: Array(symbols[start..<start + indices.count]))
    }
}
