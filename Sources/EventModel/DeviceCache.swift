// The pure reducer: batches in, what a device shows of one channel out. No clock, no I/O, no
// classes.

/// What one device knows of one channel.
///
/// Applying the same batches in order, with any number of repeats, always yields the same cache. It
/// holds rows, never counters: every count is derived, so none can drift.
public struct DeviceCache: Hashable, Sendable {
    /// A message with its author.
    public struct Entry: Hashable, Sendable {
        public let uuid: String
        public let message: Message

        public init(uuid: String, message: Message) {
            self.uuid = uuid
            self.message = message
        }
    }

    /// How an envelope changed the cache.
    public enum Change: Hashable, Sendable {
        case messageInserted(Timetoken)
        case actionsChanged(of: Timetoken)
        case messagesDeleted(after: Timetoken, through: Timetoken)
        /// Already applied (a repeat), or about an action that is not here.
        case ignored
    }

    public private(set) var messages: [Timetoken: Entry] = [:]
    /// The actions that stand, each with its `actionTimetoken`.
    ///
    /// An action may arrive before its message, or without it: it waits here under its key.
    public private(set) var actions: [MessageAction.Key: Timetoken] = [:]
    /// Everything up to and including this position is reflected here.
    public private(set) var cursor: Timetoken

    /// - Parameter cursor: Where the device starts to follow; ``Timetoken/zero`` for the whole
    ///   channel.
    public init(cursor: Timetoken = .zero) {
        self.cursor = cursor
    }

    /// Applies a batch and moves the cursor to its end.
    ///
    /// - Returns: What changed, in order, without the envelopes that changed nothing.
    @discardableResult
    public mutating func apply(_ batch: Batch) -> [Change] {
        let changes = batch.envelopes.map { apply($0) }.filter { $0 != .ignored }
        cursor = max(cursor, batch.cursor)
        return changes
    }

    /// Applies one envelope and says what changed.
    @discardableResult
    public mutating func apply(_ envelope: Envelope) -> Change {
        guard envelope.isStored, envelope.timetoken > cursor else { return .ignored }
        cursor = envelope.timetoken

        switch envelope.event {
        case .message(let message):
            messages[envelope.timetoken] = Entry(uuid: envelope.uuid, message: message)
            return .messageInserted(envelope.timetoken)
        case .actionAdded(let action):
            actions[action.key] = action.actionTimetoken
            return .actionsChanged(of: action.key.messageTimetoken)
        case .actionRemoved(let action):
            guard actions.removeValue(forKey: action.key) != nil else { return .ignored }
            return .actionsChanged(of: action.key.messageTimetoken)
        case .messagesDeleted(let start, let end):
            messages = messages.filter { $0.key <= start || $0.key > end }
            // After a repair the actions may be ahead of the messages: later ones stay.
            actions = actions.filter {
                $0.key.messageTimetoken <= start || $0.key.messageTimetoken > end
                    || $0.value > envelope.timetoken
            }
            return .messagesDeleted(after: start, through: end)
        case .signal, .presence:
            return .ignored
        }
    }
}

extension DeviceCache {
    /// One reaction of a message, as a person sees it.
    public struct Reaction: Hashable, Sendable {
        public let value: String
        public let count: Int
        /// Whether the asking user is among those who reacted.
        public let isMine: Bool
        /// When the first of those that stand was added.
        public let firstTimetoken: Timetoken
    }

    /// The reactions of one message, in the order in which they first appeared.
    ///
    /// - Complexity: O(actions in the cache).
    public func reactions(
        to messageTimetoken: Timetoken, type: String = "reaction", for user: String
    ) -> [Reaction] {
        let (type, user) = (ExactText(type), ExactText(user))
        var groups: [ExactText: (count: Int, isMine: Bool, first: Timetoken)] = [:]
        for (key, timetoken) in actions
        where key.messageTimetoken == messageTimetoken && ExactText(key.type) == type {
            let value = ExactText(key.value)
            let group = groups[value] ?? (0, false, timetoken)
            groups[value] = (
                group.count + 1, group.isMine || ExactText(key.uuid) == user,
                min(group.first, timetoken)
            )
        }
        return groups.map {
            Reaction(
                value: $0.string, count: $1.count, isMine: $1.isMine, firstTimetoken: $1.first)
        }
        .sorted { $0.firstTimetoken < $1.firstTimetoken }
    }

    /// Every row as bytes, in one fixed order: two caches are equal exactly when these are.
    ///
    /// The cursor is left out: two devices with the same rows may have stopped at different events
    /// of other kinds.
    public var canonicalBytes: [UInt8] {
        var bytes: [UInt8] = []
        func append(_ fields: String...) {
            for field in fields {
                bytes += Array("\(field.utf8.count):".utf8)
                bytes += Array(field.utf8)
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        for (timetoken, entry) in messages.sorted(by: { $0.key < $1.key }) {
            append(
                "message", timetoken.description, entry.uuid, entry.message.payload,
                entry.message.meta ?? "null", entry.message.type ?? "")
        }
        for (key, timetoken) in actions.sorted(by: { $0.key < $1.key }) {
            append(
                "action", key.messageTimetoken.description, key.type, key.value, key.uuid,
                timetoken.description)
        }
        return bytes
    }
}
