// In which order an application shows the reactions of a message, and how it writes their count.

public import EventModel

/// An order of a message's reactions.
///
/// All of them are total: where they say nothing, the type and the value decide, byte for byte, so
/// that nothing changes places by itself.
public struct ReactionOrder: Sendable {
    private let key: @Sendable (ListItem.Reaction) -> UInt64
    private let precedes: (@Sendable (ListItem.Reaction, ListItem.Reaction) -> Bool)?

    /// - Parameter key: The smaller comes first.
    public init(by key: @escaping @Sendable (ListItem.Reaction) -> UInt64) {
        self.key = key
        precedes = nil
    }

    /// - Parameter precedes: Whether the one comes before the other one: a strict weak order, as
    ///   `sort(by:)` asks for it.
    public init(
        comparing precedes: @escaping @Sendable (ListItem.Reaction, ListItem.Reaction) -> Bool
    ) {
        key = { _ in 0 }
        self.precedes = precedes
    }

    /// As they first appeared; those on their way last.
    public static let first = ReactionOrder { $0.first?.rawValue ?? .max }
    /// The one that somebody added most recently first; those on their way before all.
    public static let latest = ReactionOrder { UInt64.max - ($0.last?.rawValue ?? .max) }
    /// The one that most people added first.
    public static let count = ReactionOrder { UInt64.max - UInt64($0.count) }
    /// The one that counts for most first.
    public static let score = ReactionOrder { UInt64.max - UInt64(clamping: $0.score) }
    /// By the value alone.
    public static let value = ReactionOrder { _ in 0 }

    /// Those of a list in its order, then the others.
    public static func fixed(_ values: [String]) -> ReactionOrder {
        let places = Dictionary(
            values.enumerated().map { (ExactText($1), UInt64($0)) },
            uniquingKeysWith: { first, _ in first })
        return ReactionOrder { places[ExactText($0.value)] ?? .max }
    }

    /// - Complexity: O(n log n).
    public func sorted(_ reactions: [ListItem.Reaction]) -> [ListItem.Reaction] {
        reactions.map { (key($0), ExactText($0.type), ExactText($0.value), $0) }
            .sorted { left, right in
                if let precedes {
                    if precedes(left.3, right.3) { return true }
                    if precedes(right.3, left.3) { return false }
                }
                return (left.0, left.1, left.2) < (right.0, right.1, right.2)
            }
            .map(\.3)
    }
}

extension ListItem.Reaction {
    /// What people are offered where nobody decided otherwise.
    public static let usualValues = ["👍", "❤️", "😂", "😲", "😢", "🔥"]

    /// The count as it is shown: `99+` for more than `most`.
    public func countText(most: Int = 99) -> String {
        count > most ? "\(most)+" : "\(count)"
    }
}

extension Timetoken {
    /// When it was given, for `Date(timeIntervalSince1970:)`; exact to a microsecond.
    public var unixSeconds: Double { Double(rawValue / 10) / 1_000_000 }
}
