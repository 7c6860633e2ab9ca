// What a device has from the server of one channel, with the digest that proves it.

/// The rows of one channel, complete up to their cursor, and what they come to.
///
/// Unlike a ``DeviceCache`` that starts anywhere, a base holds everything of its channel that the
/// server had at ``cursor``, or everything after some message, and knows what the rest comes to: so
/// both can compare digests.
public struct ChannelBase: Hashable, Sendable {
    public internal(set) var cache: DeviceCache
    /// What the server called its store and run when it accepted ``cursor``.
    public private(set) var epoch: String?
    /// The secret of the channel's digests; `nil` until the server told it.
    public private(set) var key: DigestKey?
    /// What the rows come to, kept with each of them in O(1); empty without a key.
    public private(set) var digest = Digest.empty
    /// Where the rows start, and what stands before.
    public internal(set) var rest = ChannelRest.none
    /// What happened while a page is on its way, deletions with what they took of the rest; `nil`:
    /// none is.
    var seen: [Envelope]?
    /// Where the last page was read that found the channel otherwise than the newest one did.
    ///
    /// Not kept: whoever comes back is told all after the cursor before anything is compared.
    var otherwiseAt = Timetoken.zero
    /// What was kept and is none of its rows: who follows it drops that, or it would be among them
    /// when it is kept next.
    var strays: [RowChange] = []

    public var cursor: Timetoken { cache.cursor }
    /// Whether it has no rows at all.
    public var isEmpty: Bool { cache.messages.isEmpty && cache.actionsByMessage.isEmpty }

    /// A base of nothing, to be filled from the channel's beginning.
    public init() {
        self.init(cache: DeviceCache())
    }

    /// A base as it was kept.
    ///
    /// The digest is computed from the rows, O(rows): a file that lost some is found out.
    public init(cache: DeviceCache, epoch: String? = nil, key: DigestKey? = nil) {
        self.cache = cache
        self.epoch = epoch
        use(key)
    }

    /// A base as it was kept: rows, and the header that was written with them.
    ///
    /// Rows from before its window, which only a damaged file has, are passed over, and dropped
    /// from the file when it is followed.
    public init(
        messages: [Timetoken: DeviceCache.Entry], actions: [MessageAction], _ header: ChannelHeader
    ) {
        let rest = header.rest
        let cache = DeviceCache(
            messages: messages.filter { !rest.contains($0.key) },
            actions: actions.lazy.filter { !rest.contains($0.key.messageTimetoken) },
            cursor: header.cursor)
        self.init(cache: cache, epoch: header.epoch, key: header.key)
        self.rest = rest
        // What is whole, and may be large, has nothing before it.
        guard rest.after > .zero else { return }
        strays = messages.filter { rest.contains($0.key) }.map { .messageDropped($0, $1) }
        strays += actions.lazy.filter { rest.contains($0.key.messageTimetoken) }
            .map { .actionDropped($0) }
    }

    /// Takes what the server says about itself; another key costs O(rows).
    mutating func accept(epoch: String, key: DigestKey?) {
        self.epoch = epoch
        guard let key, key != self.key else { return }
        // What came to something under another key comes to nothing that is known.
        if self.key != nil, rest.after > .zero {
            rest = ChannelRest(after: rest.after, digest: nil)
        }
        use(key)
    }

    private mutating func use(_ key: DigestKey?) {
        self.key = key
        digest = key.map(cache.digest) ?? .empty
    }

    /// Applies a batch and moves the cursor to its end.
    ///
    /// - Returns: The rows that came and went, in order.
    mutating func apply(_ batch: Batch) -> [RowChange] {
        var rows: [RowChange] = []
        if let window = batch.window {
            rows = forget(untoldBy: window, of: batch.cursor)
            // What is summed up does not say what the rest comes to.
            if rest.after > .zero {
                rest = ChannelRest(after: rest.after, digest: nil)
                seen = nil
            }
        }
        for envelope in batch.envelopes { rows += apply(envelope) }
        cache.move(to: batch.cursor)
        if let window = batch.window, window.after == rest.after, let digest = window.rest {
            rest = ChannelRest(after: rest.after, digest: digest, cursor: batch.cursor)
        }
        return rows
    }

    /// Applies one event, to the rows or to what the rest comes to.
    mutating func apply(_ envelope: Envelope) -> [RowChange] {
        guard envelope.isStored, envelope.timetoken > cursor else { return [] }
        var rows: [RowChange] = []
        if rest.contains(envelope) {
            cache.move(to: envelope.timetoken)
        } else {
            _ = cache.apply(envelope, rows: &rows)
        }
        let before = digest
        count(rows)
        guard rest.after > .zero, let key else { return rows }
        var gone = envelope.gone
        gone?.insert(digest)
        gone?.remove(before)
        rest.follow(envelope, gone: gone, key: key)
        seen?.append(envelope.taking(gone))
        return rows
    }

    /// Makes the rows those of the server as of the difference's cursor.
    mutating func apply(_ difference: RepairDifference) -> [RowChange] {
        var rows: [RowChange] = []
        let dropped = Set(difference.dropped)
        var keys: [MessageAction.Key] = []
        if !dropped.isEmpty {
            cache.forEachAction { if dropped.contains($0.actionTimetoken) { keys.append($0.key) } }
        }
        for key in keys { cache.drop(key, rows: &rows) }
        // One that is sent takes the place of what stands there, unless it is the same: what was to
        // go was an action with a message's timetoken.
        let sent = Set(difference.messages.map(\.timetoken))
        for timetoken in difference.dropped where !sent.contains(timetoken) {
            cache.drop(messageAt: timetoken, rows: &rows)
        }
        for message in difference.messages {
            cache.put(
                DeviceCache.Entry(uuid: message.uuid, message: message.message),
                at: message.timetoken, rows: &rows)
        }
        for action in difference.rows { cache.put(action, rows: &rows) }
        cache.move(to: difference.cursor)
        count(rows)
        return rows
    }

    /// Goes back to where the server's own memory ends, and drops the messages after it.
    mutating func rewind(to cursor: Timetoken) -> [RowChange] {
        var rows: [RowChange] = []
        cache.rewind(to: cursor, rows: &rows)
        count(rows)
        return rows
    }

    mutating func count(_ rows: [RowChange]) {
        guard let key else { return }
        for row in rows {
            switch row {
            case .actionPut(let action): digest.insert(action, key: key)
            case .actionDropped(let action): digest.remove(action, key: key)
            case .messagePut(let timetoken, let entry):
                digest.insert(entry.row(at: timetoken), key: key)
            case .messageDropped(let timetoken, let entry):
                digest.remove(entry.row(at: timetoken), key: key)
            }
        }
    }

    /// The coded symbols of the rows at some indices: O(rows).
    func symbols(_ range: Range<Int>) -> RatelessEncoder {
        var encoder = RatelessEncoder(range)
        guard let key else { return encoder }
        cache.forEachAction { encoder.insert(RepairItem($0, key: key)) }
        for message in cache.messageRows { encoder.insert(RepairItem(message, key: key)) }
        return encoder
    }

    /// The coded symbols of the rows on some messages.
    func symbols(_ range: Range<Int>, ofRowsIn stretches: [MessageRange]) -> RatelessEncoder {
        var encoder = RatelessEncoder(range)
        guard let key else { return encoder }
        cache.forEachAction {
            guard stretches.contain($0.key.messageTimetoken) else { return }
            encoder.insert(RepairItem($0, key: key))
        }
        for message in cache.messageRows where stretches.contain(message.timetoken) {
            encoder.insert(RepairItem(message, key: key))
        }
        return encoder
    }

    /// What these rows are too many or too few of in some stretches: O(rows).
    func findings(
        in stretches: [MessageRange], comparedWith states: [StretchState]
    ) -> StretchFindings? {
        guard let key, !states.isEmpty else { return nil }
        var rows: [StretchRow] = []
        cache.forEachAction { action in
            guard let stretch = stretches.index(holding: action.key.messageTimetoken) else {
                return
            }
            rows.append(
                StretchRow(
                    in: stretch, RowHash(action, key: key), at: action.actionTimetoken))
        }
        for message in cache.messageRows {
            guard let stretch = stretches.index(holding: message.timetoken) else { continue }
            rows.append(StretchRow(in: stretch, RowHash(message, key: key), at: message.timetoken))
        }
        return StretchFindings(rows, comparedWith: states)
    }

    /// The coded symbols of the states of segments: O(rows).
    func symbols(_ range: Range<Int>, ofSegmentsOf mean: Int) -> RatelessEncoder {
        var encoder = RatelessEncoder(range)
        guard let key else { return encoder }
        var segments = SegmentStates(cutBefore: cache.messages.keys, ofMessages: mean)
        cache.forEachAction {
            segments.insert(RowHash($0, key: key), on: $0.key.messageTimetoken)
        }
        for message in cache.messageRows {
            segments.insert(RowHash(message, key: key), on: message.timetoken)
        }
        segments.forEach { encoder.insert(RepairItem(segmentAfter: $0, $1, key: key)) }
        return encoder
    }

    /// All rows, as if they just came.
    var rows: [RowChange] {
        var rows = cache.messages.map { RowChange.messagePut($0, $1) }
        cache.forEachAction { rows.append(.actionPut($0)) }
        return rows
    }

    /// The rows that turn another base's into this one's.
    func changes(from old: ChannelBase) -> [RowChange] {
        var rows: [RowChange] = []
        for (timetoken, entry) in old.cache.messages where cache.messages[timetoken] != entry {
            rows.append(.messageDropped(timetoken, entry))
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
