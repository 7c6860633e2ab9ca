// A stretch of a channel's message timetokens.

/// The messages after a position, up to another one, and what stands on them.
public struct MessageRange: Sendable, Hashable {
    /// Exclusive.
    public let after: Timetoken
    /// Inclusive.
    public let through: Timetoken

    public init(after: Timetoken, through: Timetoken) {
        self.after = after
        self.through = through
    }

    public func contains(_ message: Timetoken) -> Bool { after < message && message <= through }
}

/// Stretches that ascend, on the wire; one may begin where the one before it ends.
///
/// How far each begins behind the end of the one before it (the first: behind zero), and how long
/// it is, as varints. 0 for the last one's length: it has no end.
public enum PackedRanges {
    public static func text(_ ranges: [MessageRange]) -> String {
        var bytes: [UInt8] = []
        var end: UInt64 = 0
        for range in ranges {
            precondition(
                range.after.rawValue >= end && range.through > range.after,
                "stretches that do not ascend")
            bytes.appendVarint(range.after.rawValue - end)
            end = range.through.rawValue
            bytes.appendVarint(range.through < .end ? end - range.after.rawValue : 0)
        }
        return Base64.text(bytes)
    }

    /// More than `rangesMax` are malformed.
    public static func ranges(
        text: some StringProtocol, rangesMax: Int
    ) throws(RepairError) -> [MessageRange] {
        guard let bytes = Base64.bytes(text) else { throw .malformed }
        var reader = ByteReader(bytes)
        var ranges: [MessageRange] = []
        var end = Timetoken.zero
        while !reader.isAtEnd {
            guard ranges.count < rangesMax, end < .end else { throw .malformed }
            let after = try reader.timetoken(behind: end, atLeast: 0)
            let through = try reader.timetoken(behind: after, atLeast: 0)
            // A length of 0 says that it has no end.
            end = through == after ? .end : through
            guard after < end else { throw .malformed }
            ranges.append(MessageRange(after: after, through: end))
        }
        return ranges
    }
}

extension [MessageRange] {
    /// Whether one of them holds what stands on a message.
    ///
    /// - Precondition: They ascend.
    /// - Complexity: O(log n).
    public func contain(_ message: Timetoken) -> Bool { index(holding: message) != nil }

    /// Which of them holds what stands on a message.
    ///
    /// No message is at zero; what stands there goes with the first timetoken that may be one.
    ///
    /// - Precondition: They ascend.
    /// - Complexity: O(log n).
    public func index(holding message: Timetoken) -> Int? {
        let message = Swift.max(message, Timetoken.zero.successor(at: 0))
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].through < message { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low].contains(message) ? low : nil
    }
}
