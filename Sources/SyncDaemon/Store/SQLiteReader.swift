// Queries on a connection of their own: each call sees one committed state, and waits for no
// writer.

import EventModel
import SQLite

/// A reader of the embedded store, for one thread at a time.
///
/// (``StoreReader``).
final class SQLiteReader: StoreReader {
    // Statements first: they must go before the connection.
    let statements: SQLiteReadStatements
    private let connection: StoreConnection

    init(path: String) throws(StoreError) {
        connection = try StoreConnection(path: path)
        try connection.execute("PRAGMA query_only=1")
        try connection.execute("PRAGMA mmap_size=0")
        statements = try SQLiteReadStatements(connection)
    }

    func onProgress(_ body: @escaping () -> Void) {
        connection.onProgress(every: Self.stepsBetweenReports, body)
    }

    /// Steps of SQLite's machine: a few milliseconds, unless they wait for a disk.
    private static let stepsBetweenReports: Int32 = 100_000

    // MARK: Changes

    func changes(in channel: Channel, from start: ChangeStart) throws(StoreError) -> ChangePage {
        try statements.begin.run()
        defer { endTransaction() }
        let last = try last()
        let (id, digest) = try state(of: channel)
        guard let id else {
            return ChangePage(envelopes: [], through: last, isComplete: true, digest: digest)
        }
        let limit = Limits.catchUpEventsMax
        let lists = [
            try messages(in: channel, id, after: start.messages, before: .end, limit: limit),
            try actions(in: channel, id, from: start, before: .end, limit: limit),
            try deletions(in: channel, id, after: start.messages, limit: limit),
        ]
        var page = merge(lists, last: last)
        if page.isComplete { page.digest = digest }
        return page
    }

    func digest(
        of channel: Channel
    ) throws(StoreError) -> (digest: Digest, cursor: Timetoken) {
        try statements.begin.run()
        defer { endTransaction() }
        let cursor = try last()
        return (try state(of: channel).digest, cursor)
    }

    func withSnapshot<Result>(
        of channel: Channel, _ body: (any ChannelSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try statements.begin.run()
        defer { endTransaction() }
        let cursor = try last()
        let (id, digest) = try state(of: channel)
        return try body(SQLiteSnapshot(reader: self, id: id, cursor: cursor, digest: digest))
    }

    func backlog(
        _ interests: [Interest], after cursor: Timetoken, limit: Int
    ) throws(StoreError) -> Backlog? {
        try statements.begin.run()
        defer { endTransaction() }
        var merged = BacklogMerge(limit: limit, last: try last())
        guard let channels = try channels(of: interests) else { return nil }
        for (channel, id) in channels {
            let end = Timetoken(rawValue: merged.through.rawValue + 1)
            let lists = [
                try messages(in: channel, id, after: cursor, before: end, limit: limit),
                try actions(
                    in: channel, id, from: ChangeStart(after: cursor), before: end, limit: limit),
            ]
            merged.add(merge(lists, last: merged.through))
        }
        return merged.backlog
    }

    private func messages(
        in channel: Channel, _ id: Int64, after cursor: Timetoken, before end: Timetoken,
        limit: Int
    ) throws(StoreError) -> ChangeList {
        var budget = PageBudget()
        var envelopes: [Envelope] = []
        try statements.messagesForward.query(
            .integer(id), .timetoken(cursor), .timetoken(end), .integer(Int64(limit))
        ) { row in
            let stored = storedMessage(row)
            envelopes.append(stored.envelope(in: channel))
            return budget.spend(stored.size)
        }
        let isCut = budget.isSpent || envelopes.count == limit
        return ChangeList(envelopes: envelopes, cutAt: isCut ? envelopes.last?.timetoken : nil)
    }

    private func actions(
        in channel: Channel, _ id: Int64, from start: ChangeStart, before end: Timetoken,
        limit: Int
    ) throws(StoreError) -> ChangeList {
        var budget = PageBudget()
        var list = ChangeList()
        var examined = 0
        let first = min(start.actions, start.tombstones)
        try statements.actionsForward.query(
            .integer(id), .timetoken(first), .timetoken(end), .integer(-1)
        ) { row in
            let changed = row.timetoken(0)
            let isLive = isLive(row)
            examined += 1
            var isFull = examined >= Limits.actionsExaminedMax
            if changed > (isLive ? start.actions : start.tombstones) {
                let action = action(row)
                list.envelopes.append(
                    Envelope(
                        channel: channel, timetoken: changed, uuid: action.key.uuid,
                        event: isLive ? .actionAdded(action) : .actionRemoved(action)))
                let mayGoOn = budget.spend(action.size) && list.envelopes.count < limit
                isFull = isFull || !mayGoOn
            }
            if isFull { list.cutAt = changed }
            return !isFull
        }
        return list
    }

    private func deletions(
        in channel: Channel, _ id: Int64, after cursor: Timetoken, limit: Int
    ) throws(StoreError) -> ChangeList {
        var envelopes: [Envelope] = []
        try statements.deletions.query(
            .integer(id), .timetoken(cursor), .integer(Int64(limit))
        ) { row in
            envelopes.append(
                .deletion(
                    after: row.timetoken(1), through: row.timetoken(2), at: row.timetoken(0),
                    in: channel))
            return true
        }
        return ChangeList(
            envelopes: envelopes, cutAt: envelopes.count == limit ? envelopes.last?.timetoken : nil)
    }

    // MARK: History

    func history(_ query: HistoryQuery, in channel: Channel) throws(StoreError) -> HistoryPage {
        try statements.begin.run()
        defer { endTransaction() }
        guard let id = try id(of: channel) else { return HistoryPage(messages: [], next: nil) }
        // One more than asked for tells whether there is a next page.
        let limit = SQLiteValue.integer(Int64(query.limit + 1))
        let after = SQLiteValue.timetoken(query.after ?? .zero)
        let before = SQLiteValue.timetoken(query.before ?? .end)
        var messages: [StoredMessage] = []
        var bytes = 0
        let take: (borrowing SQLiteRow) -> Bool = { row in
            let message = self.storedMessage(row)
            messages.append(message)
            bytes += message.size
            return bytes <= query.bytesMax || messages.count == 1
        }
        if query.goesForward {
            try statements.messagesForward.query(.integer(id), after, before, limit, body: take)
        } else {
            try statements.messagesBackward.query(.integer(id), after, before, limit, body: take)
        }
        if query.includesActions { try addActions(to: &messages, in: id, bytesMax: query.bytesMax) }
        let hasMore = cut(&messages, to: query.limit, bytesMax: query.bytesMax, size: \.size)
        let next = hasMore ? messages.last?.timetoken : nil
        if !query.goesForward { messages.reverse() }
        return HistoryPage(messages: messages, next: next)
    }

    func messageCounts(
        _ positions: [(channel: Channel, after: Timetoken)]
    ) throws(StoreError) -> [Int] {
        try statements.begin.run()
        defer { endTransaction() }
        var counts: [Int] = []
        for (channel, after) in positions {
            var count: Int64?
            if let id = try id(of: channel) {
                count = try statements.countMessages.first([
                    .integer(id), .timetoken(after), .integer(Int64(Limits.messageCountMax)),
                ]) { $0.integer(0) }
            }
            counts.append(Int(count ?? 0))
        }
        return counts
    }

    // MARK: Names

    func channels(
        inKeyset keyset: String, withPrefix prefix: String, limit: Int
    ) throws(StoreError) -> [String] {
        try rows(inKeyset: keyset, withPrefix: prefix, limit: limit).map(\.channel.name)
    }

    /// The channels that exist, each once; `nil` when they are too many.
    private func channels(
        of interests: [Interest]
    ) throws(StoreError) -> [(channel: Channel, id: Int64)]? {
        let limit = Limits.backlogChannelsMax
        var seen: Set<Channel> = []
        var channels: [(channel: Channel, id: Int64)] = []
        for interest in interests {
            var found: [(channel: Channel, id: Int64)] = []
            switch interest {
            case .channel(let channel):
                if let id = try id(of: channel) { found = [(channel, id)] }
            case .prefix(let prefix, let keyset):
                found = try rows(inKeyset: keyset, withPrefix: prefix, limit: limit + 1)
            }
            channels += found.filter { seen.insert($0.channel).inserted }
            guard channels.count <= limit else { return nil }
        }
        return channels
    }

    private func rows(
        inKeyset keyset: String, withPrefix prefix: String, limit: Int
    ) throws(StoreError) -> [(channel: Channel, id: Int64)] {
        var found: [(channel: Channel, id: Int64)] = []
        try statements.channelsFrom.query(
            .text(keyset), .text(prefix), .integer(Int64(limit))
        ) { row in
            let name = row.text(1)
            guard name.utf8.starts(with: prefix.utf8) else { return false }
            found.append((Channel(name, keyset: keyset), row.integer(0)))
            return true
        }
        return found
    }

    func id(of channel: Channel) throws(StoreError) -> Int64? {
        try statements.findChannel.first([.text(channel.keyset), .text(channel.name)]) {
            $0.integer(0)
        }
    }

    /// A channel's row and digest; no row when nothing was ever in it.
    private func state(of channel: Channel) throws(StoreError) -> (id: Int64?, digest: Digest) {
        let found = try statements.findState.first([.text(channel.keyset), .text(channel.name)]) {
            (id: Optional($0.integer(0)), digest: Digest($0, from: 1))
        }
        return found ?? (nil, .empty)
    }

    private func last() throws(StoreError) -> Timetoken {
        try statements.clock.first { $0.timetoken(0) } ?? .zero
    }

    func endTransaction() {
        // Ending a read cannot fail in a way that matters: the next `begin` would say so.
        _ = try? statements.end.run()
    }

    private func storedMessage(_ row: borrowing SQLiteRow) -> StoredMessage {
        StoredMessage(
            timetoken: row.timetoken(0), uuid: row.text(1),
            message: Message(
                payload: row.text(2), meta: row.optionalText(3), type: row.optionalText(4)))
    }

    func isLive(_ row: borrowing SQLiteRow) -> Bool { row.integer(6) == 1 }

    func action(_ row: borrowing SQLiteRow) -> MessageAction {
        MessageAction(
            key: MessageAction.Key(
                messageTimetoken: row.timetoken(1), type: row.text(2), value: row.text(3),
                uuid: row.text(4)),
            actionTimetoken: row.timetoken(5))
    }
}

extension Digest {
    /// Reads three columns: the count and both lanes.
    init(_ row: borrowing SQLiteRow, from column: Int32) {
        self.init(
            count: row.integer(column),
            words: (
                UInt64(bitPattern: row.integer(column + 1)),
                UInt64(bitPattern: row.integer(column + 2))
            ))
    }
}

extension Timetoken {
    /// After every timetoken that a store can hold.
    static let end = Timetoken(rawValue: UInt64(Int64.max))
}
