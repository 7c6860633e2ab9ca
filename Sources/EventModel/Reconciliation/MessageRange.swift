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

/// Stretches that ascend and do not touch, on the wire.
///
/// Where each begins, and the first timetoken after it, as ``PackedActions`` writes timetokens. The
/// last may have no end.
public enum PackedRanges {
    public static func text(_ ranges: [MessageRange]) -> String {
        var edges: [Timetoken] = []
        for range in ranges {
            edges.append(range.after.successor(at: 0))
            if range.through < .end { edges.append(range.through.successor(at: 0)) }
        }
        return PackedActions.text(edges)
    }

    /// More than `rangesMax` are malformed.
    public static func ranges(
        text: some StringProtocol, rangesMax: Int
    ) throws(RepairError) -> [MessageRange] {
        let edges = try PackedActions.timetokens(text: text, timetokensMax: 2 * rangesMax)
        return stride(from: 0, to: edges.count, by: 2).map { index in
            MessageRange(
                after: Timetoken(rawValue: edges[index].rawValue - 1),
                through: index + 1 < edges.count
                    ? Timetoken(rawValue: edges[index + 1].rawValue - 1) : .end)
        }
    }
}

extension [MessageRange] {
    /// Whether one of them holds what stands on a message.
    ///
    /// No message is at zero; what stands there goes with the first timetoken that may be one.
    ///
    /// - Precondition: They ascend.
    /// - Complexity: O(log n).
    public func contain(_ message: Timetoken) -> Bool {
        let message = Swift.max(message, Timetoken.zero.successor(at: 0))
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].through < message { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low].contains(message)
    }
}
