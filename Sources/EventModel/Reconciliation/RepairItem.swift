// What a repair compares: one small item of fixed width for each row.
//
// An item is 12 bytes, whatever the length of the row's texts:
//
//     timetoken 8 | tag 4
//
// That of an action is its `actionTimetoken`. The ledger issues every timetoken once, so it alone
// names a row of a healthy cache, message or action, and the missing rows are fetched by it. The
// tag, 32 bits of the row's hash, is for a sick one: other content under the same timetoken is
// another item, and shows as one to drop and one to fetch. docs/RECONCILIATION.md compares this
// layout with others.

/// A row as coded symbols see it.
public struct RepairItem: Hashable, Sendable {
    public let timetoken: Timetoken
    /// The low 32 bits of the row's hash.
    public let tag: UInt32
    /// Tells a symbol of this one item from a symbol of several.
    let checksum: UInt32
    /// Decides in which symbols the item is.
    let seed: UInt64

    public init(_ action: MessageAction, key: DigestKey) {
        self.init(RowHash(action, key: key), timetoken: action.actionTimetoken, key: key)
    }

    public init(_ message: MessageRow, key: DigestKey) {
        self.init(RowHash(message, key: key), timetoken: message.timetoken, key: key)
    }

    /// For a row whose hash is there already.
    public init(_ row: RowHash, timetoken: Timetoken, key: DigestKey) {
        self.init(timetoken: timetoken, tag: row.tag, key: key)
    }

    /// Hashes the item itself, so that whoever reads it out of a symbol finds the same.
    init(timetoken: Timetoken, tag: UInt32, key: DigestKey) {
        self.timetoken = timetoken
        self.tag = tag
        let bytes: (UInt64, UInt32) = (timetoken.rawValue.littleEndian, tag.littleEndian)
        let hash = unsafe withUnsafeBytes(of: bytes) { bytes in
            // The tuple has no padding before its end: 8 bytes, then 4.
            unsafe KeyedHash(bytes.assumingMemoryBound(to: UInt8.self), key: key)
        }
        seed = hash.first
        checksum = UInt32(truncatingIfNeeded: hash.second)
    }

    /// The indices of the symbols that hold the item.
    var mapping: SymbolMapping { SymbolMapping(seed: seed) }
}
