// The fingerprint of the rows that stand in a channel.

/// How many rows there are, and the sum of their hashes.
///
/// Sets with equal digests under one ``DigestKey`` are equal, but for a chance of 2^-128 per
/// comparison. The sum does not depend on the order of the rows and takes O(1) to change.
///
/// Digests form a group: ``remove(_:)`` undoes ``insert(_:)`` and the other way round, so a removal
/// may be counted before its add. The set that a digest stands for holds each row once.
public struct Digest: Hashable, Sendable {
    /// The digest of no rows.
    public static let empty = Digest()

    /// Rows inserted less rows removed.
    public private(set) var count: Int64
    /// Each lane adds one half of every hash, modulo 2^64.
    private var lanes: (UInt64, UInt64)

    public init() {
        count = 0
        lanes = (0, 0)
    }

    /// Reads what ``text`` wrote: 32 lower-case digits; anything else is `nil`.
    public init?(_ text: some StringProtocol, count: Int64) {
        guard let lanes = Hexadecimal.words(text) else { return nil }
        self.lanes = lanes
        self.count = count
    }

    /// Reads what a store kept of ``count`` and ``words``.
    package init(count: Int64, words: (UInt64, UInt64)) {
        self.count = count
        lanes = words
    }

    /// Both lanes, for a store.
    package var words: (UInt64, UInt64) { lanes }

    /// Both lanes as numbers, 16 lower-case hexadecimal digits each; the count is not in it.
    public var text: String {
        Hexadecimal.text(lanes.0) + Hexadecimal.text(lanes.1)
    }

    public mutating func insert(_ row: RowHash) {
        count &+= 1
        lanes.0 &+= row.hash.first
        lanes.1 &+= row.hash.second
    }

    public mutating func remove(_ row: RowHash) {
        count &-= 1
        lanes.0 &-= row.hash.first
        lanes.1 &-= row.hash.second
    }

    /// Adds all rows that another digest under the same key is of.
    package mutating func insert(_ rows: Digest) {
        count &+= rows.count
        lanes.0 &+= rows.lanes.0
        lanes.1 &+= rows.lanes.1
    }

    /// Takes out all rows that another digest under the same key is of.
    package mutating func remove(_ rows: Digest) {
        count &-= rows.count
        lanes.0 &-= rows.lanes.0
        lanes.1 &-= rows.lanes.1
    }

    public mutating func insert(_ action: MessageAction, key: DigestKey) {
        insert(RowHash(action, key: key))
    }

    public mutating func remove(_ action: MessageAction, key: DigestKey) {
        remove(RowHash(action, key: key))
    }

    public mutating func insert(_ message: MessageRow, key: DigestKey) {
        insert(RowHash(message, key: key))
    }

    public mutating func remove(_ message: MessageRow, key: DigestKey) {
        remove(RowHash(message, key: key))
    }

    public static func == (left: Digest, right: Digest) -> Bool {
        left.count == right.count && left.lanes == right.lanes
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(lanes.0)
        hasher.combine(lanes.1)
    }
}
