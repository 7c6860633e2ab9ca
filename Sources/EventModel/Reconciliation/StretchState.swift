// What the rows of a stretch come to in short: two of these tell the one row in which they differ.
//
// Where one side has a row more, the sums differ by that row: by its timetoken, by which an index
// finds it, and by its hash, which proves that it is the only one. So nobody has to read the
// stretch. docs/RECONCILIATION.md has what it costs.

/// A stretch's rows: how many, the sum of the halves of their hashes that come first, and that of
/// their own timetokens, both modulo 2^64.
public struct StretchState: Hashable, Sendable {
    public var count: Int64
    /// ``Digest``'s first lane.
    public var lane: UInt64
    public var timetokens: UInt64

    public static let empty = StretchState(count: 0, lane: 0, timetokens: 0)

    public init(count: Int64, lane: UInt64, timetokens: UInt64) {
        self.count = count
        self.lane = lane
        self.timetokens = timetokens
    }

    package init(_ digest: Digest, timetokens: UInt64) {
        self.init(count: digest.count, lane: digest.words.0, timetokens: timetokens)
    }

    /// - Parameter timetoken: The row's own: an action's is not its message's.
    public mutating func insert(_ row: RowHash, at timetoken: Timetoken) {
        count &+= 1
        lane &+= row.hash.first
        timetokens &+= timetoken.rawValue
    }

    /// What this has more than another.
    public func less(_ other: StretchState) -> StretchState {
        StretchState(
            count: count &- other.count, lane: lane &- other.lane,
            timetokens: timetokens &- other.timetokens)
    }

    /// The one row that it may be of; `nil` when it is not of one.
    public var onlyRow: WantedRow? {
        guard count == 1, timetokens > 0, timetokens <= Timetoken.end.rawValue else { return nil }
        return WantedRow(
            timetoken: Timetoken(rawValue: timetokens), tag: UInt32(truncatingIfNeeded: lane))
    }
}

/// A row that a device lacks, as sums name it.
public struct WantedRow: Hashable, Sendable {
    public let timetoken: Timetoken
    /// The low 32 bits of the row's hash: what else may stand under the timetoken is not it.
    public let tag: UInt32

    public init(timetoken: Timetoken, tag: UInt32) {
        self.timetoken = timetoken
        self.tag = tag
    }
}

/// Wanted rows on the wire, ascending: `varint: timetoken less the previous one | tag 4`.
public enum PackedWants {
    public static func text(_ rows: [WantedRow]) -> String {
        var bytes: [UInt8] = []
        var previous: UInt64 = 0
        for row in rows {
            precondition(row.timetoken.rawValue > previous, "rows that do not ascend")
            bytes.appendVarint(row.timetoken.rawValue - previous)
            bytes.appendWord(row.tag)
            previous = row.timetoken.rawValue
        }
        return Base64.text(bytes)
    }

    /// More than `rowsMax` are malformed.
    public static func rows(
        text: some StringProtocol, rowsMax: Int
    ) throws(RepairError) -> [WantedRow] {
        guard let bytes = Base64.bytes(text) else { throw .malformed }
        var reader = ByteReader(bytes)
        var rows: [WantedRow] = []
        while !reader.isAtEnd {
            guard rows.count < rowsMax else { throw .malformed }
            let timetoken = try reader.timetoken(behind: rows.last?.timetoken ?? .zero)
            rows.append(WantedRow(timetoken: timetoken, tag: try reader.word()))
        }
        return rows
    }
}

/// States on the wire: `timetokens 8 | lane 8`, little-endian, and the count, signed.
public enum PackedStates {
    public static func text(_ states: [StretchState]) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(states.count * 18)
        for state in states {
            bytes.appendWord(state.timetokens)
            bytes.appendWord(state.lane)
            bytes.appendSigned(state.count)
        }
        return Base64.text(bytes)
    }

    /// - Parameter count: More or fewer are malformed.
    public static func states(
        text: some StringProtocol, count: Int
    ) throws(RepairError) -> [StretchState] {
        guard let bytes = Base64.bytes(text) else { throw .malformed }
        var reader = ByteReader(bytes)
        var states: [StretchState] = []
        while !reader.isAtEnd {
            guard states.count < count else { throw .malformed }
            let (timetokens, lane): (UInt64, UInt64) = (try reader.word(), try reader.word())
            states.append(
                StretchState(count: try reader.signed(), lane: lane, timetokens: timetokens))
        }
        guard states.count == count else { throw .malformed }
        return states
    }
}
