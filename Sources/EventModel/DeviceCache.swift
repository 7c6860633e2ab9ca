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
        case actionsCleared(Clearing)
        /// Already applied (a repeat), or about an action that is not here.
        case ignored
    }

    public private(set) var messages: [Timetoken: Entry] = [:]
    /// The actions that stand on each message; never an empty one.
    ///
    /// An action may arrive before its message, or without it: it waits here under its key.
    public private(set) var actionsByMessage: [Timetoken: MessageActions] = [:]
    /// The replies of each thread by the message that it is about, which may not be here.
    public private(set) var repliesByMessage: [Timetoken: Set<Timetoken>] = [:]
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
        move(to: batch.cursor)
        return changes
    }

    /// Applies one envelope and says what changed.
    @discardableResult
    public mutating func apply(_ envelope: Envelope) -> Change {
        var rows: [RowChange] = []
        return apply(envelope, rows: &rows)
    }

    /// Applies one envelope, and notes each row that came or went.
    mutating func apply(_ envelope: Envelope, rows: inout [RowChange]) -> Change {
        guard envelope.isStored, envelope.timetoken > cursor else { return .ignored }
        cursor = envelope.timetoken

        switch envelope.event {
        case .message(let message):
            put(Entry(uuid: envelope.uuid, message: message), at: envelope.timetoken, rows: &rows)
            return .messageInserted(envelope.timetoken)
        case .actionAdded(let action):
            put(action, rows: &rows)
            return .actionsChanged(of: action.key.messageTimetoken)
        case .actionRemoved(let action):
            guard drop(action.key, rows: &rows) else { return .ignored }
            return .actionsChanged(of: action.key.messageTimetoken)
        case .messagesDeleted(let start, let end):
            delete(after: start, through: end, at: envelope.timetoken, rows: &rows)
            return .messagesDeleted(after: start, through: end)
        case .actionsCleared(let clearing):
            guard clear(clearing, at: envelope.timetoken, rows: &rows) else { return .ignored }
            return .actionsCleared(clearing)
        case .signal, .presence, .directory:
            return .ignored
        }
    }

    /// Everything up to here is reflected now; never moves back.
    mutating func move(to cursor: Timetoken) {
        self.cursor = max(self.cursor, cursor)
    }

    /// Puts a message in the place of the one at its timetoken.
    mutating func put(_ entry: Entry, at timetoken: Timetoken, rows: inout [RowChange]) {
        guard messages[timetoken] != entry else { return }
        drop(messageAt: timetoken, rows: &rows)
        messages[timetoken] = entry
        thread(timetoken, under: entry.message.parent)
        rows.append(.messagePut(timetoken, entry))
    }

    /// Puts an action in the place of the one under its key.
    mutating func put(_ action: MessageAction, rows: inout [RowChange]) {
        let message = action.key.messageTimetoken
        let old = actionsByMessage[message, default: MessageActions()].put(action)
        guard old != action else { return }
        if let old { rows.append(.actionDropped(old)) }
        rows.append(.actionPut(action))
    }

    /// - Returns: Whether there was one.
    @discardableResult
    mutating func drop(_ key: MessageAction.Key, rows: inout [RowChange]) -> Bool {
        let message = key.messageTimetoken
        guard let old = actionsByMessage[message]?.drop(key) else { return false }
        if actionsByMessage[message]?.isEmpty == true { actionsByMessage[message] = nil }
        rows.append(.actionDropped(old))
        return true
    }

    /// Drops the messages of a range, and what was on them at a position.
    ///
    /// An action that is newer than the deletion stays.
    private mutating func delete(
        after start: Timetoken, through end: Timetoken, at position: Timetoken,
        rows: inout [RowChange]
    ) {
        guard start < end else { return }
        for timetoken in messages.keys where timetoken > start && timetoken <= end {
            drop(messageAt: timetoken, rows: &rows)
        }
        for (message, actions) in actionsByMessage where message > start && message <= end {
            actions.forEach(on: message) { action in
                if action.actionTimetoken <= position { drop(action.key, rows: &rows) }
            }
        }
    }

    /// Drops the actions that a clearing covers and that stood at its position.
    ///
    /// One that was added since stands.
    ///
    /// - Returns: Whether there were any.
    /// - Complexity: Those, and the groups of the messages.
    private mutating func clear(
        _ clearing: Clearing, at position: Timetoken, rows: inout [RowChange]
    ) -> Bool {
        let messages = clearing.messageTimetoken.map { [$0] } ?? Array(actionsByMessage.keys)
        let before = rows.count
        for message in messages {
            for action in actionsByMessage[message]?.covered(by: clearing, on: message) ?? []
            where action.actionTimetoken <= position {
                drop(action.key, rows: &rows)
            }
        }
        return rows.count > before
    }

    /// Puts a row that came to where none is.
    mutating func put(_ row: RowChange) {
        var rows: [RowChange] = []
        switch row {
        case .messagePut(let timetoken, let entry): put(entry, at: timetoken, rows: &rows)
        case .actionPut(let action): put(action, rows: &rows)
        case .messageDropped, .actionDropped: break
        }
    }

    /// Drops what is on messages up to a timetoken.
    mutating func drop(through end: Timetoken, rows: inout [RowChange]) {
        for timetoken in messages.keys where timetoken <= end {
            drop(messageAt: timetoken, rows: &rows)
        }
        for (message, actions) in actionsByMessage where message <= end {
            actions.forEach(on: message) { drop($0.key, rows: &rows) }
        }
    }

    /// Goes back to a position beyond which nothing is known: the messages after it are dropped.
    mutating func rewind(to cursor: Timetoken, rows: inout [RowChange]) {
        self.cursor = min(self.cursor, cursor)
        for timetoken in messages.keys where timetoken > cursor {
            drop(messageAt: timetoken, rows: &rows)
        }
    }

    private mutating func thread(_ reply: Timetoken, under parent: Timetoken?) {
        guard let parent else { return }
        repliesByMessage[parent, default: []].insert(reply)
    }

    /// Drops a message, if there is one; what was said of it stays.
    mutating func drop(messageAt timetoken: Timetoken, rows: inout [RowChange]) {
        guard let entry = messages.removeValue(forKey: timetoken) else { return }
        rows.append(.messageDropped(timetoken, entry))
        guard let parent = entry.message.parent else { return }
        repliesByMessage[parent]?.remove(timetoken)
        if repliesByMessage[parent]?.isEmpty == true { repliesByMessage[parent] = nil }
    }
}

extension DeviceCache.Entry {
    /// What a digest covers of it.
    package func row(at timetoken: Timetoken) -> MessageRow {
        MessageRow(timetoken: timetoken, uuid: uuid, type: message.type)
    }
}

/// One row of a device's cache that came or went.
public enum RowChange: Hashable, Sendable {
    case messagePut(Timetoken, DeviceCache.Entry)
    case messageDropped(Timetoken, DeviceCache.Entry)
    /// Under a key that has no other action now.
    case actionPut(MessageAction)
    case actionDropped(MessageAction)

    /// The message that looks different now.
    public var messageTimetoken: Timetoken {
        switch self {
        case .messagePut(let timetoken, _), .messageDropped(let timetoken, _): timetoken
        case .actionPut(let action), .actionDropped(let action): action.key.messageTimetoken
        }
    }
}

extension DeviceCache {
    /// A cache as it was kept.
    ///
    /// Of two actions with one key the newer one stays.
    public init(
        messages: [Timetoken: Entry], actions: some Sequence<MessageAction>, cursor: Timetoken
    ) {
        self.init(cursor: cursor)
        self.messages = messages
        for (timetoken, entry) in messages { thread(timetoken, under: entry.message.parent) }
        for action in actions {
            if let old = actionTimetoken(of: action.key), old > action.actionTimetoken { continue }
            _ = actionsByMessage[action.key.messageTimetoken, default: MessageActions()].put(action)
        }
    }

    /// All actions that stand, each with its `actionTimetoken`.
    ///
    /// - Complexity: O(actions): ``actionTimetoken(of:)`` finds one.
    public var actions: [MessageAction.Key: Timetoken] {
        var actions: [MessageAction.Key: Timetoken] = [:]
        forEachAction { actions[$0.key] = $0.actionTimetoken }
        return actions
    }

    /// The same, each with its score, too.
    package var marks: [MessageAction.Key: ActionMark] {
        var marks: [MessageAction.Key: ActionMark] = [:]
        forEachAction { marks[$0.key] = ActionMark($0) }
        return marks
    }

    /// The action that stands under a key.
    public func action(of key: MessageAction.Key) -> MessageAction? {
        actionsByMessage[key.messageTimetoken]?[key]
    }

    /// Since when one stands under a key.
    public func actionTimetoken(of key: MessageAction.Key) -> Timetoken? {
        action(of: key)?.actionTimetoken
    }

    /// What all rows come to.
    ///
    /// - Complexity: O(rows).
    package func digest(under key: DigestKey) -> Digest {
        var digest = Digest.empty
        forEachAction { digest.insert($0, key: key) }
        for message in messageRows { digest.insert(message, key: key) }
        return digest
    }

    /// What a digest covers of the messages, in no order.
    var messageRows: some Sequence<MessageRow> {
        messages.lazy.map { $1.row(at: $0) }
    }

    /// Calls `body` with each action that stands, in no order.
    func forEachAction(_ body: (MessageAction) -> Void) {
        for (message, actions) in actionsByMessage { actions.forEach(on: message, body) }
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
    /// - Complexity: O(n log n) for the n different values.
    public func reactions(
        to messageTimetoken: Timetoken, type: String = "reaction", for user: String
    ) -> [Reaction] {
        let groups = actionsByMessage[messageTimetoken]?.groups ?? [:]
        return groups.filter { $0.key.type == ExactText(type) }.map { name, group in
            Reaction(
                value: name.value.string, count: group.count,
                isMine: group.mark(of: user) != nil, firstTimetoken: group.first)
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
            if let parent = entry.message.parent { append("reply", parent.description) }
        }
        var standing: [MessageAction] = []
        forEachAction { standing.append($0) }
        for action in standing.sorted(by: { $0.key < $1.key }) {
            let key = action.key
            append(
                "action", key.messageTimetoken.description, key.type, key.value, key.uuid,
                action.actionTimetoken.description, action.score.description)
        }
        return bytes
    }
}
