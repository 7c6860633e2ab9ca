// Everything that a database file says of some channels and tenants, as of one commit, row by row.

import EventModel
import SQL

/// One committed state of a file, which a daemon may go on writing to; for one thread.
///
/// A read transaction is open for as long as it lives: memory stays as it is, and the log grows.
/// What large deletions and clearings hid is left out. A row that is not what was written is an
/// error: what is moved has to be right.
final class StoreDump {
    let path: String
    let epoch: String
    let secret: DigestSecret
    /// The commit that it is of.
    let last: Timetoken
    /// What makes a moment of the retention clock one of the daemon's time.
    let ageOffset: Int64
    private let hidden: HiddenRows
    /// What the rows that were read are not.
    private var damage: DatabaseFileError?
    let file: DatabaseFile

    /// A channel, and what the ledger says that its rows come to.
    struct FoundChannel: Hashable {
        let id: Int64
        let channel: Channel
        let digest: Digest
    }

    private static let channelsPerPage: Int64 = 256

    init(path: String) throws(DatabaseFileError) {
        let file = try DatabaseFile(path: path, isShared: true)
        guard file.version == SQLiteSchema.version else {
            throw .older(path: path, version: file.version)
        }
        try file.connection.execute("PRAGMA query_only=1")
        try file.connection.execute("BEGIN")
        try file.checkLayout()
        let clock = try ClockRow.read(file.connection, schema: file.version) {
            .damaged(path: path, reason: $0)
        }
        let end = max(clock.lastCommit, clock.record.ceiling)
        let meta = try StoreMeta(file.connection, schema: file.version, end: end) {
            .damaged(path: path, reason: $0)
        }
        hidden = try HiddenRows(
            file.connection.prepare("SELECT timetoken, channel, after, through FROM hidden"),
            file.connection.prepare(SQLClearingStatements.hidden))
        self.path = path
        (epoch, secret, last) = (meta.epoch, meta.secret, clock.lastCommit)
        ageOffset = clock.record.ageOffset
        self.file = file
    }

    // MARK: Names

    /// The next channels of a selection behind one, in the order of their bytes.
    ///
    /// - Returns: `next` is where to go on; `nil` at the end.
    func channels(
        of selection: StoreSelection, behind place: Channel?
    ) throws(DatabaseFileError) -> (page: [FoundChannel], next: Channel?) {
        var page: [FoundChannel] = []
        var last = place
        try file.connection.prepare(
            """
            SELECT id, keyset, name, \(Segment.wholeColumns) FROM channel \(Segment.joinWhole)
            WHERE (keyset, name) > (?1, ?2) AND (?3 IS NULL OR keyset = ?3)
            ORDER BY keyset, name LIMIT ?4
            """
        ).query(
            .text(place?.keyset ?? ""), .text(place?.name ?? ""), .optional(selection.keyset),
            .integer(Self.channelsPerPage)
        ) { row in
            guard let name = row.exactText(2), let keyset = row.exactText(1),
                Channel(name, keyset: keyset).isListed(behind: last)
            else {
                return fail("the name of a channel is none, or its index is another")
            }
            let channel = Channel(name, keyset: keyset)
            last = channel
            page.append(
                FoundChannel(id: row.integer(0), channel: channel, digest: Digest(row, from: 3)))
            return true
        }
        try checkRows()
        return (page.filter { selection.includes($0.channel) }, page.last?.channel)
    }

    /// Messages and actions that stand, in all channels.
    func size() throws(DatabaseFileError) -> Int {
        try file.connection.prepare(
            "SELECT total(count) FROM segment WHERE after < \(Segment.wholeAfter)"
        ).first { Int($0.integer(0)) } ?? 0
    }

    // MARK: Rows of a channel

    /// The messages, in their order, until `body` answers `false`.
    func forEachMessage(
        of channel: Int64, _ body: (KeptMessage) -> Bool
    ) throws(DatabaseFileError) {
        let messages = try file.connection.prepare(
            """
            SELECT timetoken, uuid, payload, meta, type, expires, sum, parent FROM message
            WHERE channel = ? ORDER BY timetoken
            """)
        try messages.query(.integer(channel)) { row in
            let timetoken = row.timetoken(0)
            if hidden.end(ofActionsOn: timetoken, in: channel) > .zero { return true }
            guard row.isSoundMessage(in: channel) else {
                return fail("the checksum of message \(timetoken) is wrong")
            }
            return body(KeptMessage(row))
        }
        try checkRows()
    }

    /// The actions by message, type, value and user, until `body` answers `false`.
    ///
    /// - Parameter includesRemoved: Whether those that were removed come, too.
    func forEachAction(
        of channel: Int64, includesRemoved: Bool, _ body: (KeptAction) -> Bool
    ) throws(DatabaseFileError) {
        let actions = try file.connection.prepare(
            """
            SELECT \(KeptAction.columns) FROM action WHERE channel = ?
            ORDER BY message, type, value, uuid
            """)
        try actions.query(.integer(channel)) { row in
            let record = KeptAction(row)
            let (key, added) = (record.action.key, record.action.actionTimetoken)
            let stands = record.removed == nil
            if !stands, !includesRemoved { return true }
            if hidden.holds(key, addedAt: added, stands: stands, in: channel) { return true }
            guard record.isSound(row, in: channel) else {
                return fail(
                    "the checksum of an action on message \(key.messageTimetoken) is wrong")
            }
            return body(record)
        }
        try checkRows()
    }

    func forEachMark(
        of channel: Int64, _ body: (KeptMark) -> Bool
    ) throws(DatabaseFileError) {
        try file.connection.prepare(
            "SELECT user, through FROM read_mark WHERE channel = ? ORDER BY user"
        ).query(.integer(channel)) {
            body(KeptMark(userID: $0.text(0), through: $0.timetoken(1)))
        }
    }

    /// Oldest first.
    func forEachDeletion(
        of channel: Int64, _ body: (KeptDeletion) -> Bool
    ) throws(DatabaseFileError) {
        try file.connection.prepare(
            "SELECT timetoken, after, through FROM deletion WHERE channel = ? ORDER BY timetoken"
        ).query(.integer(channel)) { body(KeptDeletion($0)) }
    }

    /// Oldest first.
    func forEachClearing(
        of channel: Int64, _ body: (KeptClearing) -> Bool
    ) throws(DatabaseFileError) {
        try file.connection.prepare(
            """
            SELECT timetoken, message, type, value, uuid FROM clearing
            WHERE channel = ? ORDER BY timetoken
            """
        ).query(.integer(channel)) { body(KeptClearing($0)) }
    }

    // MARK: What tenants have besides

    /// One channel of a group at a time.
    func forEachGrouping(
        of keyset: String?, _ body: (ChannelGroup, String) -> Bool
    ) throws(DatabaseFileError) {
        try file.connection.prepare(
            """
            SELECT keyset, name, channel FROM channel_group WHERE ?1 IS NULL OR keyset = ?1
            ORDER BY keyset, name, channel
            """
        ).query(.optional(keyset)) {
            body(ChannelGroup($0.text(1), keyset: $0.text(0)), $0.text(2))
        }
    }

    func forEachRevoked(
        of keyset: String?, _ body: (KeptRevocation) -> Bool
    ) throws(DatabaseFileError) {
        try file.connection.prepare(
            """
            SELECT keyset, id, expiry, forgettable FROM revoked_token
            WHERE ?1 IS NULL OR keyset = ?1 ORDER BY keyset, id
            """
        ).query(.optional(keyset)) { row in
            guard let token = RevokedToken(row) else { return fail("a token's id is none") }
            return body(KeptRevocation(token: token, forgettable: row.timetoken(3)))
        }
        try checkRows()
    }

    func forEachGrant(
        of keyset: String?, _ body: (KeptGrant) -> Bool
    ) throws(DatabaseFileError) {
        try file.connection.prepare(
            """
            SELECT \(KeyGrantSubject.names), bits, expiry, forgettable FROM key_grant
            WHERE ?1 IS NULL OR keyset = ?1 ORDER BY \(KeyGrantSubject.names)
            """
        ).query(.optional(keyset)) { row in
            guard let subject = KeyGrantSubject(row), let bits = UInt8(exactly: row.integer(4))
            else {
                return fail("a grant is none")
            }
            let grant = KeyGrant(subject: subject, bits: bits, expiry: row.integer(5))
            return body(KeptGrant(grant: grant, forgettable: row.timetoken(6)))
        }
        try checkRows()
    }

    /// Notes what a row is not, and ends the reading of further ones.
    func fail(_ reason: String) -> Bool {
        damage = .damaged(path: path, reason: reason)
        return false
    }

    func checkRows() throws(DatabaseFileError) {
        if let damage { throw damage }
    }
}

extension StoreSelection {
    func includes(_ channel: Channel) -> Bool {
        if let keyset, ExactText(keyset) != ExactText(channel.keyset) { return false }
        return channels.isEmpty
            || channels.contains { ExactText($0) == ExactText(channel.name) }
    }
}

extension Channel {
    /// Whether it comes after another one, in the order of their bytes: who goes on behind one that
    /// an index has elsewhere would meet it again, and for ever.
    func isListed(behind other: Channel?) -> Bool {
        guard let other else { return true }
        return (ExactText(other.keyset), ExactText(other.name))
            < (ExactText(keyset), ExactText(name))
    }
}

extension ClockRecord {
    /// What makes a moment of the retention clock one of the daemon's time.
    var ageOffset: Int64 { anchor.map { Int64($0.ticks) - Int64($0.age) } ?? 0 }
}

extension KeptMessage {
    /// Reads `timetoken`, `uuid`, `payload`, `meta`, `type`, `expires`, a sum and `parent`.
    init(_ row: borrowing DatabaseRow) {
        self.init(
            timetoken: row.timetoken(0), uuid: row.text(1),
            message: Message(
                payload: row.text(2), meta: row.optionalText(3), type: row.optionalText(4),
                parent: row.optionalTimetoken(7)), expires: row.optionalTimetoken(5))
    }
}

extension KeptAction {
    static let columns = "message, type, value, uuid, added, changed, live, sum, score"

    /// Reads ``columns``.
    init(_ row: borrowing DatabaseRow) {
        let key = MessageAction.Key(
            messageTimetoken: row.timetoken(0), type: row.text(1), value: row.text(2),
            uuid: row.text(3))
        self.init(
            action: row.action(under: key, added: 4, score: 8),
            removed: row.integer(6) == 1 ? nil : row.timetoken(5))
    }

    /// Whether the row that it was read from is what was written.
    func isSound(_ row: borrowing DatabaseRow, in channel: Int64) -> Bool {
        // One that stands has not changed since it was added.
        row.hasSum(7, of: action, removed: removed, in: channel)
            && (removed != nil || row.timetoken(5) == action.actionTimetoken)
    }
}

extension KeptDeletion {
    /// Reads `timetoken`, `after` and `through`.
    init(_ row: borrowing DatabaseRow) {
        self.init(
            timetoken: row.timetoken(0),
            range: MessageRange(after: row.timetoken(1), through: row.timetoken(2)))
    }
}

extension KeptClearing {
    /// Reads `timetoken`, and what a ``Clearing`` says.
    init(_ row: borrowing DatabaseRow) {
        self.init(timetoken: row.timetoken(0), clearing: Clearing(row, from: 1))
    }
}
