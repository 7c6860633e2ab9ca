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
        /// Whether the open transaction has an event in the channel.
        var isTouched = false
        /// Whether the store has another digest.
        var isChanged = false
    }

    private let secret: DigestSecret
    private var entries: [Entry] = []
    private var indices: [Channel: Int] = [:]
    private var touched: [Int] = []

    init(secret: DigestSecret) {
        self.secret = secret
    }

    /// A channel has an event that leaves its actions as they are.
    mutating func touch(_ channel: Channel, of store: any Store) throws(StoreError) {
        touch(try index(of: channel, store))
    }

    mutating func insert(
        _ action: MessageAction, in channel: Channel, of store: any Store
    ) throws(StoreError) {
        let index = try index(of: channel, store)
        entries[index].digest.insert(action, key: entries[index].key)
        entries[index].isChanged = true
        touch(index)
    }

    mutating func remove(
        _ action: MessageAction, in channel: Channel, of store: any Store
    ) throws(StoreError) {
        let index = try index(of: channel, store)
        entries[index].digest.remove(action, key: entries[index].key)
        entries[index].isChanged = true
        touch(index)
    }

    /// Deletes messages from the store, and what the actions on them had added.
    ///
    /// - Returns: Whether there was anything to delete.
    mutating func delete(
        _ range: MessageRange, at timetoken: Timetoken, in channel: Channel, of store: any Store
    ) throws(StoreError) -> Bool {
        let index = try index(of: channel, store)
        let key = entries[index].key
        var digest = entries[index].digest
        let isDone = try store.deleteMessages(
            after: range.after, through: range.through, at: timetoken, in: channel,
            eachAction: { digest.remove($0, key: key) })
        guard isDone else { return false }
        if digest != entries[index].digest {
            entries[index].digest = digest
            entries[index].isChanged = true
        }
        touch(index)
        return true
    }

    /// Writes what changed.
    ///
    /// - Returns: The state of every channel that was touched.
    mutating func write(to store: any Store) throws(StoreError) -> [Channel: Digest] {
        var digests: [Channel: Digest] = [:]
        digests.reserveCapacity(touched.count)
        for index in touched {
            let (channel, digest) = (entries[index].channel, entries[index].digest)
            if entries[index].isChanged { try store.setDigest(digest, of: channel) }
            digests[channel] = digest
            entries[index].isTouched = false
            entries[index].isChanged = false
        }
        touched.removeAll(keepingCapacity: true)
        if entries.count > Limits.digestsInMemoryMax { forget() }
        return digests
    }

    /// Forgets everything, so that it is read again.
    mutating func forget() {
        entries = []
        indices = [:]
        touched = []
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

    private mutating func touch(_ index: Int) {
        guard !entries[index].isTouched else { return }
        entries[index].isTouched = true
        touched.append(index)
    }
}
