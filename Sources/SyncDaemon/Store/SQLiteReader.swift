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
    private let path: String
    /// What the rows of a query are not; see ``checkRows()``.
    private var damage: StoreError?
    /// What large deletions took away, as the open transaction has it.
    private var hidden = HiddenRanges()

    init(path: String, vfs: String? = nil) throws(StoreError) {
        self.path = path
        connection = try StoreConnection(path: path, vfs: vfs)
        try connection.execute("PRAGMA query_only=1")
        try connection.execute("PRAGMA mmap_size=0")
        statements = try SQLiteReadStatements(connection)
    }

    func onProgress(_ body: @escaping () -> Void) {
        connection.onProgress(every: Self.stepsBetweenReports, body)
    }

    /// Steps of SQLite's machine: a few milliseconds, unless they wait for a disk.
    private static let stepsBetweenReports: Int32 = 100_000

    /// Begins to read one committed state.
    func beginTransaction() throws(StoreError) {
        try statements.begin.run()
        do throws(StoreError) {
            hidden = try HiddenRanges(statements.findHidden)
        } catch {
            endTransaction()
            throw error
        }
    }

    // MARK: Changes

    func changes(in channel: Channel, from start: ChangeStart) throws(StoreError) -> ChangePage {
        try beginTransaction()
        defer { endTransaction() }
        let last = try last()
        let (id, digest) = try state(of: channel)
        guard let id else {
            return ChangePage(
                envelopes: [], through: last, isComplete: true, digest: digest, asOf: last)
        }
        let limit = Limits.catchUpEventsMax
        let lists = [
            try messages(in: channel, id, after: start.messages, before: .end, limit: limit),
            try actions(in: channel, id, from: start, before: .end, limit: limit),
            try deletions(in: channel, id, after: start.deletions, limit: limit),
        ]
        var page = merge(lists, last: last)
        if page.isComplete { page.digest = digest }
        page.isTooOld = try isTooOld(start)
        return page
    }

    /// Whether deletions were forgotten that a page from here should hold.
    private func isTooOld(_ start: ChangeStart) throws(StoreError) -> Bool {
        guard start.deletions > .zero else { return false }
        let floor = try statements.deletionFloor.first { $0.timetoken(0) } ?? .zero
        return start.deletions < floor
    }

    func digest(
        of channel: Channel
    ) throws(StoreError) -> (digest: Digest, cursor: Timetoken) {
        try beginTransaction()
        defer { endTransaction() }
        let cursor = try last()
        return (try state(of: channel).digest, cursor)
    }

    func withSnapshot<Result>(
        of channel: Channel, _ body: (any ChannelSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try beginTransaction()
        defer { endTransaction() }
        let cursor = try last()
        let (id, digest) = try state(of: channel)
        return try body(SQLiteSnapshot(reader: self, id: id, cursor: cursor, digest: digest))
    }

    func backlog(
        _ interests: [Interest], after cursor: Timetoken, limit: Int
    ) throws(StoreError) -> Backlog? {
        try beginTransaction()
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
        try forEachMessage(in: id, after: cursor, before: end, forward: true, limit: limit) {
            stored in
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
            if changed > (isLive ? start.actions : start.tombstones), !isHidden(row, in: id) {
                let action = action(row, in: id)
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
        try checkRows()
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
        try beginTransaction()
        defer { endTransaction() }
        guard let id = try id(of: channel) else { return HistoryPage(messages: [], next: nil) }
        var messages: [StoredMessage] = []
        var bytes = 0
        // One more than asked for tells whether there is a next page.
        try forEachMessage(
            in: id, after: query.after ?? .zero, before: query.before ?? .end,
            forward: query.goesForward, limit: query.limit + 1
        ) { message in
            messages.append(message)
            bytes += message.size
            return bytes <= query.bytesMax || messages.count == 1
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
        try beginTransaction()
        defer { endTransaction() }
        var counts: [Int] = []
        for (channel, after) in positions {
            if let id = try id(of: channel) {
                counts.append(try count(in: id, after: after))
            } else {
                counts.append(0)
            }
        }
        return counts
    }

    private func count(in id: Int64, after cursor: Timetoken) throws(StoreError) -> Int {
        var count: Int64 = 0
        for part in hidden.visible(MessageRange(after: cursor, through: .end), in: id) {
            count +=
                try statements.countMessages.first([
                    .integer(id), .timetoken(part.after), .timetoken(part.through),
                    .integer(Int64(Limits.messageCountMax) - count),
                ]) { $0.integer(0) } ?? 0
        }
        return Int(count)
    }

    /// Calls `body` with up to `limit` messages between two positions, until it answers `false`.
    private func forEachMessage(
        in id: Int64, after start: Timetoken, before end: Timetoken, forward: Bool, limit: Int,
        body: (StoredMessage) -> Bool
    ) throws(StoreError) {
        let through = Timetoken(rawValue: end.rawValue - min(1, end.rawValue))
        let parts = hidden.visible(MessageRange(after: start, through: through), in: id)
        var left = limit
        var isWanted = true
        for part in forward ? parts : parts.reversed() where left > 0 && isWanted {
            let take: (borrowing SQLiteRow) -> Bool = { row in
                left -= 1
                isWanted = body(self.storedMessage(row, in: id))
                return isWanted
            }
            let (after, through) = (
                SQLiteValue.timetoken(part.after), SQLiteValue.timetoken(part.through)
            )
            let limit = SQLiteValue.integer(Int64(left))
            if forward {
                try statements.messagesForward.query(
                    .integer(id), after, through, limit, body: take)
            } else {
                try statements.messagesBackward.query(
                    .integer(id), after, through, limit, body: take)
            }
        }
        try checkRows()
    }

    // MARK: Names

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
        let path = path
        return try ClockRow.read(statements.clock) { .damaged(path: path, reason: $0) }.lastCommit
    }

    func endTransaction() {
        // Ending a read cannot fail in a way that matters: the next `begin` would say so.
        _ = try? statements.end.run()
    }

    // MARK: Rows

    /// Throws when one of the rows that were read since the last call is not what was written.
    func checkRows() throws(StoreError) {
        guard let damage else { return }
        self.damage = nil
        throw damage
    }

    private func storedMessage(_ row: borrowing SQLiteRow, in channel: Int64) -> StoredMessage {
        let message = Message(
            payload: row.text(2), meta: row.optionalText(3), type: row.optionalText(4))
        let (timetoken, uuid) = (row.timetoken(0), row.text(1))
        if let sum = row.optionalInteger(6),
            sum
                != RowSum.message(
                    message, at: timetoken, in: channel, by: uuid, expires: row.optionalTimetoken(5)
                )
        {
            damage = .wrongSum(ofMessage: timetoken, in: path)
        }
        return StoredMessage(timetoken: timetoken, uuid: uuid, message: message)
    }

    func isLive(_ row: borrowing SQLiteRow) -> Bool {
        guard let live = row.optionalInteger(6) else {
            damage = .damaged(
                path: path, reason: "an action on message \(row.timetoken(1)) is missing")
            return false
        }
        return live == 1
    }

    /// Whether a large deletion took an action away whose row is still there.
    func isHidden(_ row: borrowing SQLiteRow, in channel: Int64) -> Bool {
        !hidden.isEmpty
            && hidden.holdAction(on: row.timetoken(1), addedAt: row.timetoken(5), in: channel)
    }

    /// Actions on a message up to this moment are hidden.
    func hiddenEnd(ofActionsOn message: Timetoken, in channel: Int64) -> Timetoken {
        hidden.end(ofActionsOn: message, in: channel)
    }

    func action(_ row: borrowing SQLiteRow, in channel: Int64) -> MessageAction {
        let key = MessageAction.Key(
            messageTimetoken: row.timetoken(1), type: row.text(2), value: row.text(3),
            uuid: row.text(4))
        let (changed, added, stands) = (row.timetoken(0), row.timetoken(5), isLive(row))
        let isSound = row.hasSum(
            7, of: key, added: added, removed: stands ? nil : changed, in: channel)
        // One that stands has not changed since it was added.
        if !isSound || (stands && changed != added) { damage = .wrongSum(of: key, in: path) }
        return MessageAction(key: key, actionTimetoken: added)
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
