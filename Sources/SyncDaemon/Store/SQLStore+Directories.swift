// Entries of directories in the embedded store: messages, found by an index of their ids.

import EventModel
import SQL

extension SQLStore {
    func entry(_ id: ExactText, in directory: Channel) throws(StoreError) -> DirectoryEntry? {
        try entries(by: statements.directories.find, id.string, in: directory, limit: 1).first
    }

    func entries(in directory: Channel, limit: Int) throws(StoreError) -> [DirectoryEntry] {
        try entries(by: statements.directories.list, "", in: directory, limit: limit)
    }

    private func entries(
        by statement: borrowing StoreStatement, _ id: String, in directory: Channel, limit: Int
    ) throws(StoreError) -> [DirectoryEntry] {
        guard try hasChannel(directory) else { return [] }
        let channel = try self.id(of: directory)
        var found: [DirectoryEntry] = []
        var damage: StoreError?
        try statement.query(.integer(channel), .text(id), .integer(Int64(limit))) { row in
            guard row.isSoundMessage(in: channel) else {
                damage = .wrongSum(ofMessage: row.timetoken(0), in: path)
                return false
            }
            if let entry = DirectoryEntry(row) { found.append(entry) }
            return true
        }
        if let damage { throw damage }
        return found
    }
}

extension DirectoryEntry {
    /// Of a message's row.
    init?(_ row: borrowing DatabaseRow) {
        self.init(
            StoredMessage(
                timetoken: row.timetoken(0), uuid: row.text(1),
                message: Message(payload: row.text(2), type: row.optionalText(4))))
    }
}

extension SQLiteSchema {
    /// What finds a directory's entry.
    ///
    /// A payload that is damaged must not make its row immovable.
    static let entryID =
        "CASE WHEN json_valid(payload) THEN json_extract(payload, '$.id') END"

    /// - `message_by_entry`: of messages that are entries of directories, and of no others.
    static let entries = """
        CREATE INDEX message_by_entry ON message(channel, \(entryID))
        WHERE type = '\(Directory.messageType)';
        """
}

/// What it takes to find entries.
final class SQLDirectoryStatements {
    let find: StoreStatement
    /// After an id.
    let list: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        let entries = """
            SELECT timetoken, uuid, payload, meta, type, expires, sum, parent FROM message
            INDEXED BY message_by_entry
            WHERE type = '\(Directory.messageType)' AND channel = ?1
            """
        let id = connection.dialect.entryID
        find = try connection.prepare("\(entries) AND \(id) = ?2 LIMIT ?3")
        list = try connection.prepare("\(entries) AND \(id) > ?2 ORDER BY \(id) LIMIT ?3")
    }
}
