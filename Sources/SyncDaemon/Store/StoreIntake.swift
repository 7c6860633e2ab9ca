// What a store takes in of another one: rows with the places that they had there.

import EventModel
import SQL

/// The part of writing that only an import does, beside ``SQLStore``; in its transactions.
///
/// It keeps sums and what is counted by tenant true. Digests and segments are the caller's, as they
/// are the ledger's otherwise.
final class StoreIntake {
    // Before the store: they must go first.
    private let statements: SQLIntakeStatements
    let store: SQLStore
    /// What a damaged row was.
    private var damage: StoreError?

    init(_ store: SQLStore) throws(StoreError) {
        self.store = store
        statements = try SQLIntakeStatements(store.connection)
    }

    // MARK: What is there

    /// The message at a timetoken, in whatever channel.
    func message(
        at timetoken: Timetoken
    ) throws(StoreError) -> (record: KeptMessage, channel: Int64)? {
        let found = try statements.message.first([.timetoken(timetoken)]) { row in
            let channel = row.integer(8)
            if !row.isSoundMessage(in: channel) {
                damage = .wrongSum(ofMessage: timetoken, in: store.path)
            }
            return (KeptMessage(row), channel)
        }
        try checkRows()
        return found
    }

    /// The newest message of a channel.
    func newestMessage(of channel: Int64) throws(StoreError) -> Timetoken? {
        try statements.newest.first([.integer(channel)]) { $0.optionalTimetoken(0) } ?? nil
    }

    /// The action under a key, which may have been removed.
    func action(
        under key: MessageAction.Key, in channel: Int64
    ) throws(StoreError) -> KeptAction? {
        let found = try statements.action.first([.integer(channel)] + key.columns) { row in
            let record = KeptAction(row)
            if !record.isSound(row, in: channel) { damage = .wrongSum(of: key, in: store.path) }
            return record
        }
        try checkRows()
        return found
    }

    /// Whether deletions of a channel are remembered.
    func hasDeletions(in channel: Int64) throws(StoreError) -> Bool {
        try statements.anyDeletion.first([.integer(channel)]) { _ in true } ?? false
    }

    /// The newest deletion of a message, or of what a message would be.
    func deletion(of message: Timetoken, in channel: Int64) throws(StoreError) -> Timetoken? {
        try statements.deletionOf.first([.integer(channel), .timetoken(message)]) {
            $0.optionalTimetoken(0)
        } ?? nil
    }

    func deletion(
        at timetoken: Timetoken
    ) throws(StoreError) -> (record: KeptDeletion, channel: Int64)? {
        try statements.deletion.first([.timetoken(timetoken)]) {
            (KeptDeletion($0), $0.integer(3))
        }
    }

    func clearing(
        at timetoken: Timetoken
    ) throws(StoreError) -> (record: KeptClearing, channel: Int64)? {
        try statements.clearing.first([.timetoken(timetoken)]) {
            (KeptClearing($0), $0.integer(5))
        }
    }

    /// Whether what moderators took away in a channel is remembered.
    func hasClearings(in channel: Int64) throws(StoreError) -> Bool {
        try statements.anyClearing.first([.integer(channel)]) { _ in true } ?? false
    }

    /// What moderators took away in a channel, oldest first.
    func forEachClearing(
        in channel: Int64, _ body: (KeptClearing) -> Void
    ) throws(StoreError) {
        try statements.clearings.query(.integer(channel)) { row in
            body(KeptClearing(row))
            return true
        }
    }

    /// Whether a channel has messages in a range.
    func hasMessages(in range: MessageRange, of channel: Int64) throws(StoreError) -> Bool {
        let arguments: [SQLValue] = [
            .integer(channel), .timetoken(range.after), .timetoken(range.through),
        ]
        return try store.statements.large.findMessage.first(arguments) { _ in true } ?? false
    }

    func grant(for subject: KeyGrantSubject) throws(StoreError) -> KeyGrant? {
        try statements.grant.first(subject.columns) {
            KeyGrant(
                subject: subject, bits: UInt8(truncatingIfNeeded: $0.integer(0)),
                expiry: $0.integer(1))
        }
    }

    /// Whether a device hears of a channel.
    func hears(_ device: PushDevice, of channel: String) throws(StoreError) -> Bool {
        try statements.device.first([
            .text(device.keyset), .text(device.token), .text(device.gateway.rawValue),
            .text(device.environment), .text(device.topic), .text(channel),
        ]) { _ in true } ?? false
    }

    /// The file that came to a channel at a moment.
    func file(at created: Timetoken, in channel: Channel) throws(StoreError) -> FileID? {
        try statements.file.first([
            .text(channel.keyset), .text(channel.name), .timetoken(created),
        ]) { FileID($0.text(0)) } ?? nil
    }

    // MARK: What comes

    /// - Precondition: Nothing is under its key.
    func put(removed record: KeptAction, in channel: Int64) throws(StoreError) {
        guard let removed = record.removed else { preconditionFailure("It stands.") }
        let action = record.action
        try statements.putRemoved.run(
            [.integer(channel)] + action.key.columns + [
                .timetoken(action.actionTimetoken), .timetoken(removed),
                .integer(RowSum.action(action, removed: removed, in: channel)),
                .integer(Int64(action.score)),
            ])
    }

    func put(_ record: KeptDeletion, in channel: Int64) throws(StoreError) {
        try store.statements.insertDeletion.run(
            .timetoken(record.timetoken), .integer(channel), .timetoken(record.range.after),
            .timetoken(record.range.through))
    }

    func put(_ record: KeptClearing, in channel: Int64) throws(StoreError) {
        try store.statements.large.clearings.insert.run(
            [.timetoken(record.timetoken), .integer(channel)] + record.clearing.columns)
    }

    // MARK: How far it came

    /// What ``note(_:)`` left, in this transaction or an earlier one.
    func noted() throws(StoreError) -> String? {
        try statements.noted.first { $0.text(0) }
    }

    /// - Parameter text: `nil`: there is no import under way any more.
    func note(_ text: String?) throws(StoreError) {
        guard let text else { return try statements.forgetNote.run() }
        try statements.note.run(.text(text))
    }

    /// Gives the store another name: who has a cursor of it may not know all that is before that.
    func renewEpoch() throws(StoreError) {
        try statements.renewEpoch.run(.text(makeEpoch()))
    }

    private func checkRows() throws(StoreError) {
        guard let damage else { return }
        self.damage = nil
        throw damage
    }
}

/// The statements of ``StoreIntake``, prepared once.
private final class SQLIntakeStatements {
    let message: StoreStatement
    let newest: StoreStatement
    let action: StoreStatement
    let anyDeletion: StoreStatement
    let deletionOf: StoreStatement
    let deletion: StoreStatement
    let clearing: StoreStatement
    let anyClearing: StoreStatement
    let clearings: StoreStatement
    let grant: StoreStatement
    let device: StoreStatement
    let file: StoreStatement
    let putRemoved: StoreStatement
    let noted: StoreStatement
    let note: StoreStatement
    let forgetNote: StoreStatement
    let renewEpoch: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        message = try connection.prepare(
            """
            SELECT timetoken, uuid, payload, meta, type, expires, sum, parent, channel
            FROM message WHERE timetoken = ?
            """)
        newest = try connection.prepare("SELECT max(timetoken) FROM message WHERE channel = ?")
        action = try connection.prepare(
            """
            SELECT \(KeptAction.columns) FROM action
            WHERE channel = ? AND (message, type, value, uuid) = (?, ?, ?, ?)
            """)
        anyDeletion = try connection.prepare("SELECT 1 FROM deletion WHERE channel = ? LIMIT 1")
        deletionOf = try connection.prepare(
            """
            SELECT max(timetoken) FROM deletion INDEXED BY deletion_by_range
            WHERE channel = ?1 AND after < ?2 AND through >= ?2
            """)
        deletion = try connection.prepare(
            "SELECT timetoken, after, through, channel FROM deletion WHERE timetoken = ?")
        clearing = try connection.prepare(
            """
            SELECT timetoken, message, type, value, uuid, channel FROM clearing
            WHERE timetoken = ?
            """
        )
        anyClearing = try connection.prepare("SELECT 1 FROM clearing WHERE channel = ? LIMIT 1")
        clearings = try connection.prepare(
            """
            SELECT timetoken, message, type, value, uuid FROM clearing
            WHERE channel = ? ORDER BY timetoken
            """)
        grant = try connection.prepare(
            "SELECT bits, expiry FROM key_grant WHERE (\(KeyGrantSubject.names)) = (?, ?, ?, ?)")
        device = try connection.prepare(
            """
            SELECT 1 FROM push_device WHERE (keyset, token, gateway, environment, topic, channel)
                = (?, ?, ?, ?, ?, ?)
            """)
        file = try connection.prepare(
            "SELECT id FROM file WHERE (keyset, channel, created) = (?, ?, ?)")
        putRemoved = try connection.prepare(
            "INSERT INTO action VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?)")
        noted = try connection.prepare("SELECT value FROM meta WHERE name = 'import'")
        note = try connection.prepare(
            """
            INSERT INTO meta VALUES ('import', ?)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """)
        forgetNote = try connection.prepare("DELETE FROM meta WHERE name = 'import'")
        renewEpoch = try connection.prepare("UPDATE meta SET value = ? WHERE name = 'epoch'")
    }
}
