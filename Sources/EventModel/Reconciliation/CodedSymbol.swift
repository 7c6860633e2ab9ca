// One cell of a rateless IBLT: the sum of a random part of a set.

/// The sum of the items whose mapping hits one index.
///
/// Symbols form a group, so the difference of two sets' symbols at one index is the symbol of the
/// sets' difference: what both hold cancels.
public struct CodedSymbol: Hashable, Sendable {
    /// The symbol of no items.
    public static let empty = CodedSymbol()

    /// Exclusive or of the items' timetokens, tags and checksums.
    var timetokens: UInt64 = 0
    var tags: UInt32 = 0
    var checksums: UInt32 = 0
    /// Items added less items taken away.
    public internal(set) var count: Int64 = 0

    public static func - (left: CodedSymbol, right: CodedSymbol) -> CodedSymbol {
        CodedSymbol(
            timetokens: left.timetokens ^ right.timetokens, tags: left.tags ^ right.tags,
            checksums: left.checksums ^ right.checksums, count: left.count &- right.count)
    }

    /// Adds an item, or takes it away.
    ///
    /// - Parameter sign: 1 or -1.
    @inline(__always)
    mutating func add(_ item: RepairItem, sign: Int64) {
        timetokens ^= item.timetoken.rawValue
        tags ^= item.tag
        checksums ^= item.checksum
        count &+= sign
    }

    /// The one item that the symbol holds, with the sign of its count; `nil` when it is not one.
    ///
    /// Several items pass for one with a chance of 2^-32 per test, or less: the index has to fit
    /// too.
    func onlyItem(at index: Int, key: DigestKey) -> RepairItem? {
        guard count == 1 || count == -1, timetokens <= UInt64(Int64.max) else { return nil }
        let item = RepairItem(
            timetoken: Timetoken(rawValue: timetokens), tag: tags, key: key)
        guard item.checksum == checksums else { return nil }
        var mapping = item.mapping
        while mapping.index < index { mapping.advance() }
        return mapping.index == index ? item : nil
    }
}
