// A reaction below a message, as it is shown.

public import EventModel
import SyncClient

/// One value with which people reacted to a message.
public struct Bubble: Identifiable, Hashable, Sendable {
    /// Stays the same while the bubble is there; by the value's bytes.
    public struct ID: Hashable, Sendable {
        private let value: ExactText

        fileprivate init(_ value: String) { self.value = ExactText(value) }
    }

    /// All that is known of it.
    public let reaction: ListItem.Reaction

    public var id: ID { ID(reaction.value) }
    /// For example `👍`.
    public var value: String { reaction.value }
    /// The user's own wish included.
    public var count: Int { reaction.count }
    /// `99+` for more than 99.
    public var countText: String { reaction.countText() }
    /// Whether the user is among them, or wishes to be.
    public var isOwn: Bool { reaction.isMine }
    /// Whether the daemon has not said yet what became of the user's wish.
    public var isPending: Bool { reaction.isPending }
    /// The newest of those who reacted, newest first.
    public var authors: [String] { reaction.authors }

    /// Those of a message; where there are to be no reactions, none.
    static func bubbles(
        of item: ListItem, in order: ReactionOrder, under rules: ReactionRules
    ) -> [Bubble] {
        guard rules.isOn else { return [] }
        return order.sorted(item.reactions.filter { $0.type == ReactionRules.type })
            .map { Bubble(reaction: $0) }
    }
}
