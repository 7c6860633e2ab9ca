// What a person sees of one message, and how a list of them changes.

/// One line of a channel's message list: a message of the base, or one that is on its way.
public struct ListItem: Hashable, Sendable, Identifiable {
    /// Names an item, and stays the same as long as the item is in a list that is observed.
    ///
    /// A message that was written on this device keeps the name that it had on its way, so that
    /// its row stays where it is when the server accepts it.
    public enum ID: Hashable, Sendable {
        case message(Timetoken)
        /// By its mutation id.
        case written(String)
    }

    /// The people who reacted with one value.
    public struct Reaction: Hashable, Sendable {
        /// For example `reaction`.
        public var type: String
        /// For example `👍`.
        public var value: String
        /// The user's own wish included.
        public var count: Int
        /// What they count for together, the user's own wish included; the ``count`` where nobody
        /// gave a score.
        public var score: Int
        /// What the user's own counts for; 0: the user is not among them.
        public var ownScore: Int
        /// Whether the user is among them, or wishes to be.
        public var isMine: Bool
        /// Whether the server has not said yet what became of the user's wish.
        public var isPending: Bool
        /// When the first and the last of those that stand were added; `nil` while only the user's
        /// wish is there.
        public var first: Timetoken?
        public var last: Timetoken?
        /// The newest of them, newest first; ``Limits/reactionAuthorsMax`` at most.
        public var authors: [String] = []
        /// Whether there are more than the ``authors``.
        public var isClipped: Bool { count > authors.count }
    }

    public var id: ID
    /// Where the message stands; `nil` while it is on its way.
    public var timetoken: Timetoken?
    public var uuid: String
    /// As its author's newest version has it.
    public var message: Message
    /// Whether the server has not accepted the message yet.
    public var isPending: Bool
    /// In the order in which they first appeared; pending ones last.
    public var reactions: [Reaction]
    /// Whether there is anything to show below the message; other types of actions do not count.
    public var hasReactions: Bool { reactions.contains { $0.type == ReactionRules.type } }
    /// How often its author gave it another text; `SyncClient.actions` reads them all.
    public var versions = 0
    /// Whether its author gave it another text.
    public var isEdited: Bool { versions > 0 }
    /// Whether its author said that it is as good as deleted: an action of the type `deleted`.
    public var isDeleted = false
    /// The message in whose thread this one is a reply.
    public var parent: Timetoken? { message.parent }
    /// Replies in its thread that the device has.
    public var threadCount = 0
    /// The outbox entry that the item comes from, until it is settled.
    var mutation: String?
}

extension ListItem {
    /// The item under the name that it has in a list that is made anew.
    package var asMadeAnew: ListItem {
        var item = self
        if let timetoken { item.id = .message(timetoken) }
        return item
    }

    /// By what a person sees: whether the outbox still holds the message makes no difference.
    public static func == (left: Self, right: Self) -> Bool {
        left.id == right.id && left.timetoken == right.timetoken && left.uuid == right.uuid
            && left.message == right.message && left.isPending == right.isPending
            && left.reactions == right.reactions && left.versions == right.versions
            && left.isDeleted == right.isDeleted && left.threadCount == right.threadCount
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(timetoken)
        hasher.combine(isPending)
        hasher.combine(reactions)
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
