// Queries on a connection of their own: each call sees one committed state, and waits for no
// writer.

import EventModel
import SQL

/// A reader of the embedded store, for one thread at a time.
///
/// (``StoreReader``).
final class SQLReader: StoreReader {
    // Statements first: they must go before the connection.
    let statements: SQLReadStatements
    let connection: StoreConnection
    private let path: String
    /// What the rows of a query are not; see ``checkRows()``.
    private var damage: StoreError?
    /// Rows of actions that may still be read for the present page.
    var budget = ActionBudget(isDear: true)
    /// What large deletions and clearings took away, as the open transaction has it.
    private(set) var hidden = HiddenRows()

    /// Where another daemon commits: told what the floors are, before anybody sees what is read.
    private let floors: KnownFloors?
    private let findFloors: StoreStatement
    private(set) var seen = Timetoken.zero

    /// - Parameter floors: Only where another daemon commits.
    init(at place: DatabasePlace, raising floors: KnownFloors? = nil) throws(StoreError) {
        path = place.name
        self.floors = floors
        connection = try place.connect(for: .reader)
        findFloors = try connection.prepare(
            """
            SELECT CAST(value AS bigint) FROM meta
            WHERE name IN ('tombstone_floor', 'deletion_floor') ORDER BY name DESC
            """)
        if connection.dialect == .sqlite {
            try connection.execute("PRAGMA query_only=1")
            try connection.execute("PRAGMA mmap_size=0")
        }
        statements = try SQLReadStatements(connection)
    }

    func onProgress(_ body: @escaping () -> Void) {
        connection.onProgress(every: Self.stepsBetweenReports, body)
    }

    /// Steps of SQLite's machine: a few milliseconds, unless they wait for a disk.
    private static let stepsBetweenReports: Int32 = 100_000

    /// Begins to read one committed state.
    func beginTransaction() throws(StoreError) {
        try connection.revive()
        do throws(StoreError) {
            try begin()
        } catch {
            // A session that has ended since it was last asked something is noticed only now.
            guard connection.isLost else { throw error }
            try connection.revive()
            try begin()
        }
    }

    private func begin() throws(StoreError) {
        try statements.begin.run()
        do throws(StoreError) {
            hidden = try HiddenRows(statements.findHidden, statements.groups.clearings.findHidden)
            try lookAround()
        } catch {
            endTransaction()
            throw error
        }
    }

    /// Notes of which commit the transaction is, where another daemon commits.
    private func lookAround() throws(StoreError) {
        guard let floors else { return }
        seen = max(seen, try last())
        var found: [Timetoken] = []
        try findFloors.query { row in
            found.append(row.timetoken(0))
            return true
        }
        guard found.count == 2 else { return }
        floors.raise(to: StoreFloors(tombstones: found[0], deletions: found[1]))
    }

    func digest(
        of channel: Channel
    ) throws(StoreError) -> (digest: Digest, cursor: Timetoken) {
        try beginTransaction()
        defer { endTransaction() }
        let cursor = try last()
        return (try state(of: channel).digest, cursor)
    }

    func channelNames(
        from name: String, in keyset: String, limit: Int
    ) throws(StoreError) -> [String] {
        var names: [String] = []
        try connection.revive()
        let place: [SQLValue] = [.text(keyset), .text(name), .integer(Int64(limit))]
        try statements.namesFrom.query(place + place + [.integer(Int64(limit))]) { row in
            names.append(row.text(0))
            return true
        }
        return names
    }

    func withSnapshot<Result>(
        of channel: Channel, _ body: (any ChannelSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try beginTransaction()
        defer { endTransaction() }
        let cursor = try last()
        let (id, digest) = try state(of: channel)
        do throws(StoreError) {
            return try body(SQLSnapshot(reader: self, id: id, cursor: cursor, digest: digest))
        } catch {
            // Who compares rows does not know where they are from.
            guard case .damaged(path: "", let reason) = error else { throw error }
            throw .damaged(path: path, reason: reason)
        }
    }

    // MARK: Names

    func id(of channel: Channel) throws(StoreError) -> Int64? {
        try statements.findChannel.first([.text(channel.keyset), .text(channel.name)]) {
            $0.integer(0)
        }
    }

    /// A channel's row and digest; no row when nothing was ever in it.
    func state(of channel: Channel) throws(StoreError) -> (id: Int64?, digest: Digest) {
        let found = try statements.findState.first([.text(channel.keyset), .text(channel.name)]) {
            (id: $0.integer(0), digest: Digest($0, from: 1), after: $0.timetoken(4))
        }
        guard let found else { return (nil, .empty) }
        guard Segment.isWhole(after: found.after) else {
            throw .damaged(path: path, reason: Segment.noTotal)
        }
        return (found.id, found.digest)
    }

    func last() throws(StoreError) -> Timetoken {
        let path = path
        return try ClockRow.read(statements.clock) { .damaged(path: path, reason: $0) }.lastCommit
    }

    func endTransaction() {
        // Ending a read cannot fail in a way that matters: the next `begin` would say so.
        _ = try? statements.end.run(expecting: nil)
    }

    // MARK: Rows

    /// Throws when one of the rows that were read since the last call is not what was written.
    func checkRows() throws(StoreError) {
        guard let damage else { return }
        self.damage = nil
        throw damage
    }

    func storedMessage(_ row: borrowing DatabaseRow, in channel: Int64) -> StoredMessage {
        let message = Message(
            payload: row.text(2), meta: row.optionalText(3), type: row.optionalText(4),
            parent: row.optionalTimetoken(7))
        let (timetoken, uuid) = (row.timetoken(0), row.text(1))
        if !row.isSoundMessage(in: channel) {
            damage = .wrongSum(ofMessage: timetoken, in: path)
        }
        return StoredMessage(timetoken: timetoken, uuid: uuid, message: message)
    }

    func isLive(_ row: borrowing DatabaseRow) -> Bool {
        guard let live = row.optionalInteger(6) else {
            damage = .damaged(
                path: path, reason: "an action on message \(row.timetoken(1)) is missing")
            return false
        }
        return live == 1
    }

    /// Whether an action was taken away whose row is still there.
    func isHidden(_ row: borrowing DatabaseRow, in channel: Int64) -> Bool {
        guard !hidden.isEmpty else { return false }
        let key = MessageAction.Key(
            messageTimetoken: row.timetoken(1), type: row.text(2), value: row.text(3),
            uuid: row.text(4))
        return hidden.holds(
            key, addedAt: row.timetoken(5), stands: isLive(row), in: channel)
    }

    /// Actions on a message up to this moment are hidden.
    func hiddenEnd(ofActionsOn message: Timetoken, in channel: Int64) -> Timetoken {
        hidden.end(ofActionsOn: message, in: channel)
    }

    func action(_ row: borrowing DatabaseRow, in channel: Int64) -> MessageAction {
        let key = MessageAction.Key(
            messageTimetoken: row.timetoken(1), type: row.text(2), value: row.text(3),
            uuid: row.text(4))
        let action = row.action(under: key, added: 5, score: 8)
        let (changed, stands) = (row.timetoken(0), isLive(row))
        let isSound = row.hasSum(7, of: action, removed: stands ? nil : changed, in: channel)
        // One that stands has not changed since it was added.
        if !isSound || (stands && changed != action.actionTimetoken) {
            damage = .wrongSum(of: key, in: path)
        }
        return action
    }
}

extension DatabaseRow {
    /// How many rows something is of: where damage has made it more than any file has room for, as
    /// many as can still be added up.
    func rowCount(_ column: Int32) -> Int64 {
        min(max(integer(column), -Self.rowCountMax), Self.rowCountMax)
    }

    /// Two columns: how many actions there are, and what they count for together.
    func actionTotals(from column: Int32) -> ActionTotals {
        let scoreMax = Int64(Limits.groupScoreMax)
        return ActionTotals(
            count: Int(max(rowCount(column), 0)),
            score: Int(min(max(integer(column + 1), -scoreMax), scoreMax)))
    }

    private static var rowCountMax: Int64 { 1 << 48 }
}

extension Digest {
    /// Reads three columns: the count and both lanes.
    init(_ row: borrowing DatabaseRow, from column: Int32) {
        self.init(
            count: row.rowCount(column),
            words: (
                UInt64(bitPattern: row.integer(column + 1)),
                UInt64(bitPattern: row.integer(column + 2))
            ))
    }
}
