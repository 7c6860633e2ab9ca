// What a device has from the server of one channel, with the digest that proves it.

/// The rows of one channel, complete up to their cursor, and what they come to.
///
/// Unlike a ``DeviceCache`` that starts anywhere, a base holds everything of its channel that the
/// server had at ``cursor``: so both can compare digests.
public struct ChannelBase: Hashable, Sendable {
    public private(set) var cache: DeviceCache
    /// What the server called its store and run when it accepted ``cursor``.
    public private(set) var epoch: String?
    /// The secret of the channel's digests; `nil` until the server told it.
    public private(set) var key: DigestKey?
    /// What the actions come to, kept with each row in O(1); empty without a key.
    public private(set) var digest = Digest.empty
    /// The newest deletion of messages that was applied.
    ///
    /// A server restored to an earlier state may have messages again that are missing here. In the
    /// middle of what was missed, any may be missing because of a deletion that comes later.
    public private(set) var newestDeletion: Timetoken
    /// No store has it: their names are 16 hexadecimal digits.
    static let noEpoch = "none"
    private static let deletionToCome = Timetoken(rawValue: UInt64(Int64.max))
    /// Where a repair brought the actions to, ahead of the messages; they are not set back to what
    /// an event before it says.
    ///
    /// Only within one subscription: the next one starts at ``cursor`` with all rows.
    private var actionsThrough = Timetoken.zero

    public var cursor: Timetoken { cache.cursor }
    /// Whether the last batch was not the last of what was missed: then the rows are of no single
    /// moment, and mean nothing to a server that was set back.
    var isPartial: Bool { newestDeletion == Self.deletionToCome }
    /// Whether it has no rows at all.
    public var isEmpty: Bool { cache.messages.isEmpty && cache.actionsByMessage.isEmpty }

    /// A base of nothing, to be filled from the channel's beginning.
    public init() {
        self.init(cache: DeviceCache())
    }

    /// A base as it was kept.
    ///
    /// The digest is computed from the rows, O(actions): a file that lost some is found out.
    public init(
        cache: DeviceCache, epoch: String? = nil, key: DigestKey? = nil,
        newestDeletion: Timetoken = .zero
    ) {
        self.cache = cache
        self.epoch = epoch
        self.newestDeletion = newestDeletion
        use(key)
    }

    /// A base as it was kept: rows, and the header that was written with them.
    ///
    /// Where messages are missing it belongs to no store, and a snapshot takes its place.
    public init(
        messages: [Timetoken: DeviceCache.Entry], actions: [MessageAction], _ header: ChannelHeader
    ) {
        let cache = DeviceCache(messages: messages, actions: actions, cursor: header.cursor)
        let isWhole = header.messageCount.map { $0 == messages.count } ?? true
        self.init(
            cache: cache, epoch: isWhole ? header.epoch : Self.noEpoch, key: header.key,
            newestDeletion: isWhole ? header.newestDeletion : Self.deletionToCome)
    }

    /// Takes what the server says about itself; another key costs O(actions).
    mutating func accept(epoch: String, key: DigestKey?) {
        self.epoch = epoch
        actionsThrough = .zero
        if let key, key != self.key { use(key) }
    }

    private mutating func use(_ key: DigestKey?) {
        self.key = key
        digest = .empty
        guard let key else { return }
        var digest = Digest.empty
        cache.forEachAction { digest.insert($0, key: key) }
        self.digest = digest
    }

    /// Applies a batch and moves the cursor to its end.
    ///
    /// - Returns: The rows that came and went, in order.
    mutating func apply(_ batch: Batch) -> [RowChange] {
        var rows: [RowChange] = []
        // A device that comes with nothing is not told what was deleted before.
        let isFirst = cache.cursor == .zero
        for envelope in batch.envelopes {
            let isKnown = envelope.isAboutAction && envelope.timetoken <= actionsThrough
            if !isKnown { _ = cache.apply(envelope, rows: &rows) }
            if case .messagesDeleted = envelope.event, envelope.isStored {
                newestDeletion = max(newestDeletion, envelope.timetoken)
            }
        }
        if batch.state != nil {
            // Whatever came was at or before the batch's end.
            if isPartial || isFirst { newestDeletion = batch.cursor }
        } else if batch.envelopes.contains(where: \.isStored) {
            newestDeletion = Self.deletionToCome
        }
        cache.move(to: batch.cursor)
        count(rows)
        return rows
    }

    /// Makes the actions those of the server as of the difference's cursor.
    mutating func apply(_ difference: RepairDifference) -> [RowChange] {
        var rows: [RowChange] = []
        let dropped = Set(difference.dropped)
        var keys: [MessageAction.Key] = []
        if !dropped.isEmpty {
            cache.forEachAction { if dropped.contains($0.actionTimetoken) { keys.append($0.key) } }
        }
        for key in keys { cache.drop(key, rows: &rows) }
        for action in difference.rows { cache.put(action, rows: &rows) }
        actionsThrough = difference.cursor
        count(rows)
        return rows
    }

    /// Goes back to where the server's own memory ends, and drops the messages after it.
    mutating func rewind(to cursor: Timetoken) -> [RowChange] {
        var rows: [RowChange] = []
        cache.rewind(to: cursor, rows: &rows)
        return rows
    }

    /// Whether another digest of the server's at a position means that the rows differ: when it
    /// stands for the same position.
    func isComparable(at cursor: Timetoken) -> Bool {
        key != nil && cursor >= actionsThrough
    }

    private mutating func count(_ rows: [RowChange]) {
        guard let key else { return }
        for row in rows {
            switch row {
            case .actionPut(let action): digest.insert(action, key: key)
            case .actionDropped(let action): digest.remove(action, key: key)
            case .messagePut, .messageDropped: break
            }
        }
    }

    /// The coded symbols of the actions at some indices: O(actions).
    func symbols(_ range: Range<Int>) -> RatelessEncoder {
        var encoder = RatelessEncoder(range)
        guard let key else { return encoder }
        cache.forEachAction { encoder.insert(RepairItem($0, key: key)) }
        return encoder
    }

    /// The rows that turn another base's into this one's.
    func changes(from old: ChannelBase) -> [RowChange] {
        var rows: [RowChange] = []
        for (timetoken, _) in old.cache.messages where cache.messages[timetoken] == nil {
            rows.append(.messageDropped(timetoken))
        }
        old.cache.forEachAction { action in
            if cache.action(of: action.key) != action {
                rows.append(.actionDropped(action))
            }
        }
        for (timetoken, entry) in cache.messages where old.cache.messages[timetoken] != entry {
            rows.append(.messagePut(timetoken, entry))
        }
        cache.forEachAction { action in
            if old.cache.action(of: action.key) != action {
                rows.append(.actionPut(action))
            }
        }
        return rows
    }
}

extension Envelope {
    fileprivate var isAboutAction: Bool {
        switch event {
        case .actionAdded, .actionRemoved, .actionsCleared: true
        case .message, .messagesDeleted, .signal, .presence: false
        }
    }
}
