// The digests of the channels that the ledger writes to, as the open transaction has them.

import EventModel

/// Keeps digests in step with the rows that they are of.
///
/// Every change of a row passes here in the transaction of the row, so that a digest in the store
/// is always that of the rows beside it. After a rollback it must be told to forget.
struct ChannelDigests {
    private struct Entry {
        let channel: Channel
        let key: DigestKey
        var digest: Digest
        var segments = ChannelSegments()
        /// Whether the open transaction has an event in the channel.
        var isTouched = false
        /// Whether the store has another digest.
        var isChanged = false
        private var segmentsCounted = 0

        init(channel: Channel, key: DigestKey, digest: Digest) {
            self.channel = channel
            self.key = key
            self.digest = digest
        }

        /// How many segments there are more than when it was asked last.
        mutating func newSegments() -> Int {
            defer { segmentsCounted = segments.count }
            return segments.count - segmentsCounted
        }
    }

    private let secret: DigestSecret
    private let bounds: SegmentBounds
    private var entries: [Entry] = []
    private var indices: [Channel: Int] = [:]
    private var touched: [Int] = []
    /// Of all channels.
    private var segmentsInMemory = 0
    /// What a deletion that is being prepared will take out.
    private(set) var reading: DeletionReading?
    /// Whose digest ``write(to:)`` came to last.
    private(set) var written: Channel?

    /// - Parameter bounds: Where channels are cut into segments.
    init(secret: DigestSecret, segments bounds: SegmentBounds) {
        self.secret = secret
        self.bounds = bounds
    }

    /// - Parameter isNewest: Whether a message is later than all of its channel.
    mutating func insert(
        _ row: CoveredRow, isNewest: Bool = true, in channel: Channel, of store: any Store
    ) throws(StoreError) {
        let index = try index(of: channel, store)
        let key = entries[index].key
        // What is being read of a channel is sorted by its segments.
        if case .message(let message) = row, reading?.channel != channel {
            try entries[index].segments.cut(
                before: message.timetoken, by: bounds, isNewest: isNewest,
                in: channel, of: store, key: key)
        }
        let hash = row.hash(key)
        entries[index].digest.insert(hash)
        let segment = try entries[index].segments.insert(row, hash, in: channel, of: store)
        reading?.added(row, hash, to: segment, of: channel)
        change(index)
    }

    mutating func remove(
        _ row: CoveredRow, in channel: Channel, of store: any Store
    ) throws(StoreError) {
        let index = try index(of: channel, store)
        let hash = row.hash(entries[index].key)
        entries[index].digest.remove(hash)
        let segment = try entries[index].segments.remove(
            row, hash, joinedBy: reading?.channel == channel ? nil : bounds,
            in: channel, of: store)
        reading?.removed(row, hash, from: segment, of: channel)
        change(index)
    }

    /// Deletes messages from the store, and what they and the actions on them had added.
    ///
    /// - Returns: What went; `nil` when there was nothing to delete.
    mutating func delete(
        _ range: MessageRange, at timetoken: Timetoken, in channel: Channel, of store: any Store
    ) throws(StoreError) -> Digest? {
        var rows: [CoveredRow] = []
        let isDone = try store.deleteMessages(
            after: range.after, through: range.through, at: timetoken, in: channel,
            eachRow: { rows.append($0) })
        guard isDone else { return nil }
        let index = try index(of: channel, store)
        var gone = entries[index].digest
        for row in rows { try remove(row, in: channel, of: store) }
        gone.remove(entries[index].digest)
        touch(index)
        return gone
    }

    // MARK: Large deletions

    /// Reads one step more of the rows that a deletion will take away.
    ///
    /// Between two steps the open transaction may change them: that is taken into account.
    ///
    /// - Parameter limit: Rows that are looked at.
    /// - Returns: Whether all of them were read.
    mutating func read(
        _ rows: DeletedRows, in channel: Channel, of store: any Store, limit: Int
    ) throws(StoreError) -> Bool {
        if reading == nil {
            reading = try DeletionReading(
                rows, in: channel, key: secret.key(of: channel), of: store)
        }
        try reading?.advance(in: store, limit: limit)
        return reading?.isComplete ?? true
    }

    /// Hides messages in the store, and takes out what was read of them and the actions on them.
    ///
    /// - Precondition: ``read(_:in:of:limit:)`` has read all of them.
    /// - Returns: What went; `nil` when there was nothing to delete.
    mutating func hide(
        _ range: MessageRange, at timetoken: Timetoken, in channel: Channel, of store: any Store
    ) throws(StoreError) -> Digest? {
        guard let reading, reading.isComplete else { preconditionFailure("not read yet") }
        self.reading = nil
        guard try store.hasRows(in: range, of: channel) else { return nil }
        try store.hideMessages(in: range, at: timetoken, of: channel)
        try take(reading, of: store)
        return reading.digest
    }

    /// Removes actions from the store that a clearing covers, and what they had added.
    ///
    /// - Returns: What went.
    mutating func clear(
        _ actions: [MessageAction], coveredBy clearing: Clearing, at timetoken: Timetoken,
        in channel: Channel, of store: any Store
    ) throws(StoreError) -> Digest {
        try store.clear(actions, coveredBy: clearing, at: timetoken, in: channel)
        let index = try index(of: channel, store)
        var gone = entries[index].digest
        for action in actions { try remove(.action(action), in: channel, of: store) }
        gone.remove(entries[index].digest)
        return gone
    }

    /// Hides what a clearing covers, and takes out what was read of it.
    ///
    /// - Precondition: ``read(_:in:of:limit:)`` has read all of it.
    /// - Returns: What went.
    mutating func hide(
        _ clearing: Clearing, at timetoken: Timetoken, in channel: Channel, of store: any Store
    ) throws(StoreError) -> Digest {
        guard let reading, reading.isComplete else { preconditionFailure("not read yet") }
        self.reading = nil
        guard reading.digest.count > 0 else { return .empty }
        try store.hideActions(coveredBy: clearing, at: timetoken, of: channel)
        try take(reading, of: store)
        return reading.digest
    }

    /// Takes out what was read.
    private mutating func take(
        _ reading: DeletionReading, of store: any Store
    ) throws(StoreError) {
        let index = try index(of: reading.channel, store)
        entries[index].digest.remove(reading.digest)
        for part in reading.parts.values {
            try entries[index].segments.remove(part, in: reading.channel, of: store)
        }
        if let middle = reading.middle {
            try entries[index].segments.removeWhole(
                from: middle.from, before: middle.before, of: reading.channel, in: store)
        }
        if case .messages(let range) = reading.rows {
            try entries[index].segments.join(
                around: range, by: bounds, in: reading.channel, of: store)
        }
        change(index)
    }

    /// The next deletion is another one.
    mutating func endReading() { reading = nil }

    /// Writes what changed.
    ///
    /// - Returns: The state of every channel that was touched.
    mutating func write(to store: any Store) throws(StoreError) -> [Channel: Digest] {
        var digests: [Channel: Digest] = [:]
        digests.reserveCapacity(touched.count)
        for index in touched {
            let (channel, digest) = (entries[index].channel, entries[index].digest)
            if entries[index].isChanged {
                written = channel
                if reading?.channel != channel {
                    try entries[index].segments.split(
                        by: bounds, in: channel, of: store, key: entries[index].key)
                }
                try entries[index].segments.write(digest, to: store, of: channel)
            }
            digests[channel] = digest
            entries[index].isTouched = false
            entries[index].isChanged = false
        }
        segmentsInMemory += touched.reduce(0) { $0 + entries[$1].newSegments() }
        touched.removeAll(keepingCapacity: true)
        if entries.count + segmentsInMemory > Limits.digestsInMemoryMax { forgetDigests() }
        return digests
    }

    /// Forgets what a transaction did that was rolled back; digests are read again.
    ///
    /// - Parameter reading: As it was when the transaction began.
    mutating func rollBack(to reading: DeletionReading?) {
        forgetDigests()
        self.reading = reading
    }

    /// Whether the store has what is here.
    var isWritten: Bool {
        touched.isEmpty
            && entries.allSatisfy { !$0.isTouched && !$0.isChanged && $0.segments.isWritten }
    }

    /// The channels that came last, with their digests and their segments.
    func newest(_ count: Int) -> [(Channel, Digest, ChannelSegments)] {
        entries.suffix(count).map { ($0.channel, $0.digest, $0.segments) }
    }

    /// The digest of a channel, with what the open transaction made of it.
    mutating func digest(
        of channel: Channel, in store: any Store
    ) throws(StoreError) -> Digest {
        let index = try index(of: channel, store)
        return entries[index].digest
    }

    private mutating func forgetDigests() {
        entries = []
        indices = [:]
        touched = []
        segmentsInMemory = 0
    }

    private mutating func index(
        of channel: Channel, _ store: any Store
    ) throws(StoreError) -> Int {
        if let known = indices[channel] { return known }
        let digest = try store.digest(of: channel)
        entries.append(Entry(channel: channel, key: secret.key(of: channel), digest: digest))
        indices[channel] = entries.count - 1
        return entries.count - 1
    }

    private mutating func change(_ index: Int) {
        entries[index].isChanged = true
        touch(index)
    }

    private mutating func touch(_ index: Int) {
        guard !entries[index].isTouched else { return }
        entries[index].isTouched = true
        touched.append(index)
    }
}
