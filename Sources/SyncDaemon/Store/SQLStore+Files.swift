// The files of the embedded store: one row for each, without its contents.

import EventModel
import SQL

extension SQLStore {
    func add(_ file: StoredFile) throws(StoreError) {
        try statements.files.add.run(
            .text(file.channel.keyset), .text(file.channel.name), .timetoken(file.created),
            .text(file.id.text), .text(file.name), .integer(Int64(file.size)),
            .text(file.userID))
        noteUse(of: file.channel.keyset, bytes: StoredUse.bytes(of: file))
    }

    func file(_ id: FileID) throws(StoreError) -> StoredFile? {
        try statements.files.find.file(id)
    }

    func remove(_ file: StoredFile) throws(StoreError) {
        try statements.files.remove.run(.text(file.id.text))
        noteUse(of: file.channel.keyset, bytes: -StoredUse.bytes(of: file))
    }
}

extension SQLReader {
    func files(
        in channel: Channel, after position: Timetoken, limit: Int
    ) throws(StoreError) -> FilePage {
        var files: [StoredFile] = []
        try connection.revive()
        try statements.files.page.query(
            .text(channel.keyset), .text(channel.name), .timetoken(position),
            .integer(Int64(limit + 1))
        ) { row in
            // What is no id is damage, and names no file.
            guard let id = FileID(row.text(1)) else { return true }
            files.append(
                StoredFile(
                    channel: channel, id: id, name: row.text(2), size: Int(row.integer(3)),
                    userID: row.text(4), created: row.timetoken(0)))
            return true
        }
        return FilePage(upTo: limit, of: files)
    }

    func file(_ id: FileID) throws(StoreError) -> StoredFile? {
        try connection.revive()
        return try statements.files.find.file(id)
    }
}

extension StoreStatement {
    /// What ``SQLFileStatements/find`` finds.
    fileprivate borrowing func file(_ id: FileID) throws(StoreError) -> StoredFile? {
        try first([.text(id.text)]) { row in
            StoredFile(
                channel: Channel(row.text(1), keyset: row.text(0)), id: id, name: row.text(3),
                size: Int(row.integer(4)), userID: row.text(5), created: row.timetoken(2))
        }
    }
}

extension FilePage {
    /// - Parameter files: With one more than the page may have, if there is one.
    init(upTo limit: Int, of files: [StoredFile]) {
        let page = Array(files.prefix(limit))
        self.init(files: page, next: files.count > limit ? page.last?.created : nil)
    }
}

extension SQLiteSchema {
    /// - `file`: one row for each file, whose contents are in the directory `files` by its id.
    static let files = """
        CREATE TABLE file(
            keyset TEXT NOT NULL, channel TEXT NOT NULL, created INTEGER NOT NULL,
            id TEXT NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL, user TEXT NOT NULL,
            PRIMARY KEY (keyset, channel, created)) WITHOUT ROWID;
        CREATE UNIQUE INDEX file_by_id ON file(id);
        """

    /// Adds to what keysets take up, as ``countUse`` has it, what their files do.
    static let countFiles = """
        UPDATE keyset_use SET bytes = bytes + (
            SELECT CAST(total(100 + f.size + \(bytes("f", ["name", "user"]))) AS INTEGER)
            FROM file AS f WHERE f.keyset = keyset_use.keyset);
        """
}

/// What it takes to keep files.
final class SQLFileStatements {
    fileprivate static let find =
        "SELECT keyset, channel, created, name, size, \"user\" FROM file WHERE id = ?"

    let add: StoreStatement
    let find: StoreStatement
    let remove: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        add = try connection.prepare("INSERT INTO file VALUES (?, ?, ?, ?, ?, ?, ?)")
        find = try connection.prepare(Self.find)
        remove = try connection.prepare("DELETE FROM file WHERE id = ?")
    }
}

/// What it takes to list them.
final class SQLFileReadStatements {
    let page: StoreStatement
    let find: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        page = try connection.prepare(
            """
            SELECT created, id, name, size, "user" FROM file
            WHERE keyset = ? AND channel = ? AND created > ? ORDER BY created LIMIT ?
            """)
        find = try connection.prepare(SQLFileStatements.find)
    }
}
