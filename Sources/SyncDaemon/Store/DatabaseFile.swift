// A database file as a whole: what is in it, whether it is sound, and a copy of it.

import EventModel
import Glibc
import SQL
import SQLite

/// Why a database file could not be read or copied; an operator's problem.
enum DatabaseFileError: Error, Hashable, CustomStringConvertible {
    case absent(path: String)
    case notOurs(path: String, reason: String)
    case newer(path: String, version: Int64)
    case older(path: String, version: Int64)
    case damaged(path: String, reason: String)
    case noArchive(path: String)
    case nothingArchived(at: Timetoken, path: String, first: Timetoken?)
    case gap(ArchiveGap, at: Timetoken, path: String)
    case missingPiece(Int, run: String)
    case noBase(run: String, pieces: Int)
    case damagedPiece(path: String, reason: String)
    case exists(path: String)
    case noFile(path: String)
    case noDirectory(path: String)
    case forbidden(path: String)
    case beingWritten(path: String)
    case noRoom(path: String)
    case failed(path: String, reason: String)

    var description: String {
        switch self {
        case .absent(let path): "\(path): there is no such file. Check the path."
        case .notOurs(let path, let reason):
            "\(path) is no database of syncdaemon: \(reason). Name a file that"
                + " \"syncdaemon backup\" made."
        case .newer(let path, let version):
            "\(path) was written by a newer release (its schema is \(version), this release reads"
                + " up to \(SQLiteSchema.version)). Use that release."
        case .older(let path, let version):
            "\(path) was written by an earlier release (its schema is \(version), and this one is"
                + " needed: \(SQLiteSchema.version)). Start this release's daemon on it once, or on"
                + " a directory into which it is restored."
        case .damaged(let path, let reason):
            "\(path) is damaged: \(reason). Take an older backup, or see docs/OPERATIONS.md,"
                + " \"When the file is damaged\"."
        case .noArchive(let path):
            "\(path) is not a file, and no archive. Name the file that \"syncdaemon backup\" made,"
                + " or the directory that [archive] directory names."
        case .nothingArchived(_, let path, nil):
            "\(path) has no copy of the database yet: nothing can be restored of it."
        case .nothingArchived(let moment, let path, let first?):
            "\(path) has nothing of \(moment.dateText) or before. The first moment that it has is"
                + " \(first.dateText)."
        case .noBase(let run, let pieces):
            "\(run) has \(pieces) pieces and no copy of the database: nothing can be restored of"
                + " it. A daemon that was killed early leaves that, and one whose data was moved"
                + " while this waited; else the copy was removed."
        case .gap(let gap, let moment, let path):
            "\(path) has a gap there: \(gap), and \(moment.dateText) is in it. Name"
                + " \(gap.start)\(gap.end.map { " or \($0)" } ?? "") with --at."
        case .missingPiece(let number, let run):
            "\(run): the piece \(number) is missing. Moments before it can be restored: name one"
                + " with --at."
        case .damagedPiece(let path, let reason):
            "\(path) is damaged: \(reason). Moments before it can be restored: name one with --at."
        case .exists(let path): "\(path) exists already. Name another file, or remove that one."
        case .noFile(let path):
            "\(path) is not a file. Name the file that \"syncdaemon backup\" made."
        case .noDirectory(let path):
            "\(path) cannot be made: there is no such directory. Make it first, or name another"
                + " place."
        case .forbidden(let path):
            "\(path): \(systemMessage(EACCES).lowercased()). Run the command as root, or as the"
                + " daemon's user."
        case .beingWritten(let path):
            "Another command is writing \(path) just now. Wait for it, or name another file."
        case .noRoom(let path):
            "There is no room for \(path). Free some space, or name another place."
        case .failed(let path, let reason): "\(path): \(reason)."
        }
    }
}

/// What is in a database file, counted.
struct DatabaseSummary: Hashable, Sendable {
    var channels: Int64
    /// Without those whose deletion has taken place, though their rows are still there.
    var messages: Int64
    /// Those that stand, likewise.
    var actions: Int64
    /// Whose contents are not in it.
    var files: Int64
    var last: Timetoken
}

/// A database file that no store of this process has open.
struct DatabaseFile: ~Copyable {
    private typealias Connection = DatabaseConnection<DatabaseFileError>

    let path: String
    let version: Int64
    let connection: DatabaseConnection<DatabaseFileError>

    /// Opens a file of this release or of an earlier one.
    ///
    /// - Parameters:
    ///   - isShared: Whether a daemon may use it at the same time.
    ///   - name: The file that errors name; `nil`: this one.
    init(path file: String, isShared: Bool, as name: String? = nil) throws(DatabaseFileError) {
        let path = name ?? file
        var status = stat()
        guard unsafe stat(file, &status) == 0, unsafe access(file, R_OK) == 0 else {
            if errno == ENOENT { throw .absent(path: path) }
            throw FileSystem.failure(path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .noFile(path: path) }
        let opened = Connection.sqlite(
            try SQLiteConnection(
                path: file, .existingFile, checkpoints: isShared ? .byCaller : .automatic
            ) { error in
                if error.isFull { return .noRoom(path: path) }
                if error.isDamage { return .damaged(path: path, reason: error.message) }
                if error.isForeign { return .notOurs(path: path, reason: error.message) }
                return .failed(path: path, reason: error.message)
            })
        let version = try opened.prepare("PRAGMA user_version").first { $0.integer(0) } ?? 0
        let tables = try opened.prepare(
            """
            SELECT count(*) FROM sqlite_schema WHERE type = 'table'
            AND name IN ('meta', 'clock', 'channel', 'message', 'action')
            """
        ).first { $0.integer(0) }
        guard version > 0, tables == 5 else {
            throw .notOurs(path: path, reason: "it has other tables")
        }
        guard version <= SQLiteSchema.version else {
            throw .newer(path: path, version: version)
        }
        self.path = path
        self.version = version
        connection = opened
    }

    /// Reads the whole file.
    ///
    /// - Throws: `damaged` when its pages or indexes contradict each other, or a daemon would not
    ///   start with it.
    func check() throws(DatabaseFileError) {
        try checkLayout()
        let path = path
        let clock = try ClockRow.read(connection, schema: version) {
            .damaged(path: path, reason: $0)
        }
        let end = max(clock.lastCommit, clock.record.ceiling)
        _ = try StoreMeta(connection, schema: version, end: end) {
            .damaged(path: path, reason: $0)
        }
        let finding = try connection.prepare("PRAGMA quick_check(1)").first { $0.text(0) }
        guard finding == "ok" else {
            throw .damaged(path: path, reason: finding ?? "it cannot be checked")
        }
    }

    /// - Throws: `notOurs` when its tables are not those of its release, or something else would
    ///   happen when they are read or written.
    func checkLayout() throws(DatabaseFileError) {
        if let fault = try SchemaLayout(connection).fault(comparedWith: expectedLayout) {
            throw .notOurs(path: path, reason: fault)
        }
    }

    /// As ``checkLayout()``, of a damaged file: its tables need only be tables.
    func checkTables() throws(DatabaseFileError) {
        if let fault = try SchemaLayout(connection).imposture(of: expectedLayout) {
            throw .notOurs(path: path, reason: fault)
        }
    }

    private var expectedLayout: SchemaLayout {
        do throws(StoreError) {
            return try SQLiteSchema.layout(ofVersion: version)
        } catch {
            preconditionFailure("The tables cannot be made in memory: \(error)")
        }
    }

    func summary() throws(DatabaseFileError) -> DatabaseSummary {
        // Files of earlier releases lack these tables.
        let hides = try has("hidden")
        let clears = try has("hidden_clearing")
        let messages = hides ? " WHERE NOT \(SQLiteSchema.isHiddenMessage)" : ""
        let actions =
            (hides ? " AND NOT \(SQLiteSchema.isHiddenAction)" : "")
            + (clears ? " AND NOT \(SQLiteSchema.isHiddenByClearing)" : "")
        return DatabaseSummary(
            channels: try count("SELECT count(*) FROM channel"),
            messages: try count("SELECT count(*) FROM message" + messages),
            actions: try count("SELECT count(*) FROM action WHERE live = 1" + actions),
            files: try has("file") ? count("SELECT count(*) FROM file") : 0,
            last: try connection.prepare("SELECT last FROM clock").first { $0.timetoken(0) }
                ?? .zero)
    }

    /// Where it stood before the daemon that wrote to it last, and where that began; `nil`: it does
    /// not say.
    func life() throws(DatabaseFileError) -> (startedAfter: Timetoken, began: Timetoken)? {
        guard try has("run") else { return nil }
        return try connection.prepare(
            "SELECT started_after, began FROM run ORDER BY number DESC LIMIT 1"
        ).first { ($0.timetoken(0), $0.timetoken(1)) }
    }

    /// Writes its present state to a new or empty file, which is on the disk afterwards; others
    /// may write to this one meanwhile.
    ///
    /// - Parameter name: The file that errors name.
    func copy(to target: String, as name: String) throws(DatabaseFileError) {
        // In words that name the file that is being written, which is where a disk gets full.
        do throws(DatabaseFileError) {
            let target = SQLiteConnection<DatabaseFileError>.plain(target)
            try connection.prepare("VACUUM INTO ?").run(.text(target))
        } catch .noRoom {
            throw .noRoom(path: name)
        } catch .failed(_, let reason) {
            throw .failed(path: name, reason: "\(reason), while \(path) was copied to it")
        }
        try FileSystem.sync(target)
    }

    /// As ``copy(to:as:)``, page for page, so that pages of the log fit on it.
    func copyPages(to target: String, as name: String) throws(DatabaseFileError) {
        do throws(DatabaseFileError) {
            try connection.copyPages(to: target)
        } catch .noRoom {
            throw .noRoom(path: name)
        }
        try FileSystem.sync(target)
    }

    /// Takes the write-ahead log into the file, so that the file alone is the data.
    func takeLogIn() throws(DatabaseFileError) {
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private func has(_ table: String) throws(DatabaseFileError) -> Bool {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(table)'"
        return try count(sql) > 0
    }

    private func count(_ sql: String) throws(DatabaseFileError) -> Int64 {
        try connection.prepare(sql).first { $0.integer(0) } ?? 0
    }
}
