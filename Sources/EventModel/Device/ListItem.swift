// What a person sees of one message, and how a list of them changes.

/// One line of a channel's message list: a message of the base, or one that is on its way.
public struct ListItem: Hashable, Sendable, Identifiable {
    /// Names an item as long as it is in the list.
    ///
    /// A message that is on its way gets its final name with a ``ListChange/update(_:at:)``.
    public enum ID: Hashable, Sendable {
        case message(Timetoken)
        /// By its mutation id.
        case pending(String)
    }

    /// The people who reacted with one value.
    public struct Reaction: Hashable, Sendable {
        /// For example `reaction`.
        public var type: String
        /// For example `👍`.
        public var value: String
        /// The user's own wish included.
        public var count: Int
        /// Whether the user is among them, or wishes to be.
        public var isMine: Bool
        /// Whether the server has not said yet what became of the user's wish.
        public var isPending: Bool
    }

    public var id: ID
    public var uuid: String
    public var message: Message
    /// Whether the server has not accepted the message yet.
    public var isPending: Bool
    /// In the order in which they first appeared; pending ones last.
    public var reactions: [Reaction]
    /// The outbox entry that the item comes from, until it is settled.
    var mutation: String?

    public var timetoken: Timetoken? {
        if case .message(let timetoken) = id { timetoken } else { nil }
    }
}

/// One change of a list; changes are made one after the other, each to what the last one left.
public enum ListChange: Hashable, Sendable {
    case insert(ListItem, at: Int)
    case update(ListItem, at: Int)
    /// The item leaves `from`, and then stands at `to`.
    case move(from: Int, to: Int)
    case remove(at: Int)
}

extension [ListItem] {
    /// Makes a change: what an application does with its own copy of the list.
    public mutating func apply(_ change: ListChange) {
        switch change {
        case .insert(let item, let index): insert(item, at: index)
        case .update(let item, let index): self[index] = item
        case .move(let start, let end): insert(remove(at: start), at: end)
        case .remove(let index): remove(at: index)
        }
    }
}
