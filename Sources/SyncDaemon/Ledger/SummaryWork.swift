// Summing messages up for one question, in steps, and what is kept of them for the next one.

import Basis
import EventModel

/// What was read of the messages that were asked about lately, shared by the reader threads.
final class SummaryCache: Sendable {
    struct Place: Hashable, Sendable {
        let channel: Channel
        let message: Timetoken
    }

    private struct State {
        var rows: [Place: SummaryRows] = [:]
        var bytes = 0
    }

    private let secret: DigestSecret
    private let bytesMax: Int
    private let state = Locked(State())

    init(secret: DigestSecret, bytesMax: Int = Limits.summaryCacheBytesMax) {
        self.secret = secret
        self.bytesMax = bytesMax
    }

    func key(of channel: Channel) -> DigestKey { secret.key(of: channel) }

    /// Gives out what is kept of a message; whoever else asks meanwhile reads it anew.
    func take(_ place: Place) -> SummaryRows? {
        state.withLock { state in
            let rows = state.rows.removeValue(forKey: place)
            state.bytes -= rows?.bytes ?? 0
            return rows
        }
    }

    func keep(_ rows: SummaryRows, of place: Place) {
        state.withLock { state in
            let old = state.rows.updateValue(rows, forKey: place)
            state.bytes += rows.bytes - (old?.bytes ?? 0)
            // Whichever: what is asked about often comes back soon.
            while state.bytes > bytesMax, let any = state.rows.first {
                state.rows[any.key] = nil
                state.bytes -= any.value.bytes
            }
        }
    }
}

/// One question, and how far it was read.
struct SummaryWork: Sendable {
    private let query: SummariesQuery
    private let channel: Channel
    private var summaries: [MessageSummary] = []
    private var bytes = 0
    private var next = 0
    /// What is read of the next message.
    private var rows: SummaryRows?
    /// What the cache had, brought to one commit.
    private var kept: [Timetoken: SummaryRows]?

    init(_ query: SummariesQuery, in channel: Channel) {
        self.query = query
        self.channel = channel
    }

    /// Reads on.
    ///
    /// - Returns: The summaries of what differs from what the device has, as far as a page may hold
    ///   them; `nil`: there is more to read.
    mutating func step(
        from reader: any SnapshotSource, _ cache: SummaryCache, while mayGoOn: () -> Bool
    ) throws(StoreError) -> SummariesPage? {
        var work = self
        defer { self = work }
        let isDone = try reader.withSnapshot(of: channel) { snapshot throws(StoreError) in
            try work.step(snapshot, cache, while: mayGoOn)
        }
        guard isDone else { return nil }
        return SummariesPage(
            work.summaries, rest: query.messages[work.next...].map(\.timetoken))
    }

    private mutating func step(
        _ snapshot: any ChannelSnapshot, _ cache: SummaryCache, while mayGoOn: () -> Bool
    ) throws(StoreError) -> Bool {
        if kept == nil { kept = try takeKept(snapshot, cache) }
        while next < query.messages.count {
            let asked = query.messages[next]
            let message = asked.timetoken
            var rows =
                rows ?? kept?.removeValue(forKey: message)
                ?? SummaryRows(from: snapshot.cursor)
            self.rows = nil
            var summary: MessageSummary?
            if rows.isRead, rows.position == snapshot.cursor {
                summary = try self.summary(of: message, rows, snapshot, cache)
            }
            if summary == nil {
                if rows.isRead { rows = SummaryRows(from: snapshot.cursor) }
                guard try rows.read(message, of: snapshot, while: mayGoOn) else {
                    self.rows = rows
                    return false
                }
                guard let changes = try snapshot.changes(after: rows.position) else {
                    // Too much came meanwhile.
                    continue
                }
                if try snapshot.hasLost(actionsOn: message, since: rows.position) { continue }
                rows.apply(changes[message] ?? [], at: snapshot.cursor)
                summary = try self.summary(of: message, rows, snapshot, cache)
            }
            guard let summary else {
                throw .damaged(
                    path: "", reason: "the actions on message \(message) are counted wrongly")
            }
            cache.keep(rows, of: SummaryCache.Place(channel: channel, message: message))
            next += 1
            guard asked.state != summary.state else { continue }
            summaries.append(summary)
            bytes += summary.bytes
            guard bytes < Limits.pageBytesMax else {
                giveBack(to: cache)
                return true
            }
        }
        return true
    }

    /// What was not needed for this page is for the next one.
    private func giveBack(to cache: SummaryCache) {
        for (message, rows) in kept ?? [:] {
            cache.keep(rows, of: SummaryCache.Place(channel: channel, message: message))
        }
    }

    private func summary(
        of message: Timetoken, _ rows: SummaryRows, _ snapshot: any ChannelSnapshot,
        _ cache: SummaryCache
    ) throws(StoreError) -> MessageSummary? {
        let totals = try snapshot.totals(on: message)
        let hasVersions = totals.keys.contains { MessageVersion.isType($0.type.string) }
        let versions =
            hasVersions
            ? try snapshot.versions(of: message, limit: Limits.summaryVersionsMax) : []
        return rows.summary(of: message, totals, versions: versions, key: cache.key(of: channel))
    }

    /// What the cache has of the messages, with what changed since: read once for all of them.
    private func takeKept(
        _ snapshot: any ChannelSnapshot, _ cache: SummaryCache
    ) throws(StoreError) -> [Timetoken: SummaryRows] {
        var kept: [Timetoken: SummaryRows] = [:]
        for message in query.messages {
            let place = SummaryCache.Place(channel: channel, message: message.timetoken)
            if let rows = cache.take(place), rows.position <= snapshot.cursor {
                kept[message.timetoken] = rows
            }
        }
        guard let oldest = kept.values.map(\.position).min(),
            let changes = try snapshot.changes(after: oldest)
        else { return [:] }
        let gone = try snapshot.deletions(after: oldest)
        let cleared = try snapshot.clearings(after: oldest)
        for message in kept.keys {
            if gone.contains(where: { $0.contains(message) })
                || cleared.contains(where: { $0.concerns(message) })
            {
                kept[message] = nil
            } else {
                kept[message]?.apply(changes[message] ?? [], at: snapshot.cursor)
            }
        }
        return kept
    }
}

extension ChannelSnapshot {
    /// Whether actions may be gone that are in no ``changes(after:)``.
    fileprivate func hasLost(
        actionsOn message: Timetoken, since position: Timetoken
    ) throws(StoreError) -> Bool {
        guard position < cursor else { return false }
        if try deletions(after: position).contains(where: { $0.contains(message) }) { return true }
        return try clearings(after: position).contains { $0.concerns(message) }
    }

    /// What became of keys since a commit, by message, in the order of time; `nil`: too much to
    /// look at.
    fileprivate func changes(
        after position: Timetoken
    ) throws(StoreError) -> [Timetoken: [(key: MessageAction.Key, action: MessageAction?)]]? {
        guard position < cursor else { return [:] }
        guard
            let changes = try changes(after: position, limit: Limits.summaryChangesMax)
        else { return nil }
        return Dictionary(grouping: changes.map { (key: $0.key, action: $0.value) }) {
            $0.key.messageTimetoken
        }.mapValues { rows in
            rows.sorted {
                ($0.action?.actionTimetoken ?? .zero) < ($1.action?.actionTimetoken ?? .zero)
            }
        }
    }
}
