// What can go wrong with a store, and what the operator does about it.

/// What the operator does about a database server.
enum ServerAdvice: String {
    case reach = "Check [store] url, and that the server runs and lets this user in."
    case replace =
        "Use a server of version 14 or later, and a database whose encoding is UTF8."
    case standby = "Bring the standby back, and see what synchronous_standby_names says."
    case primary = "Name all servers in the URL, with target_session_attrs=read-write."
    case ended =
        "Its session was ended: by another daemon in reserve, which serves now, or by an operator."
    case rights =
        "The role needs CREATE on the database, or a schema that is its own ([store] schema)."
    case leave = "That one serves; this one can go into reserve (docs/OPERATIONS.md, PostgreSQL)."
}

/// Why something could not be kept or read; always an operator's problem, never a client's.
enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    case cannotOpen(path: String, reason: String)
    case inUse(path: String)
    /// - `known`: What this release reads of such a database.
    case newerSchema(path: String, version: Int64, known: Int64)
    /// No release wrote it.
    case olderSchema(path: String, version: Int64)
    case isLink(path: String)
    /// The disk is full, and the file has yet to be made or brought up to date.
    case noRoom(path: String, free: Int?)
    /// The disk is full; the transaction left no trace and the store works on.
    case full
    /// Something cannot be read, or is not what was written; the transaction left no trace, and
    /// the store works on.
    case damaged(path: String, reason: String)
    /// The same, and it may be readable in a moment.
    case unreadable(path: String, reason: String)
    /// The files at the path are others than those that were opened, or gone: for good.
    case lost(path: String)
    /// A database server cannot be used, or is gone. What was being committed may or may not be
    /// there.
    case server(name: String, reason: String, advice: ServerAdvice = .reach)
    /// A database server does not take a row as it is; the transaction left no trace.
    case unstorable(name: String, reason: String)
    /// The disk or the file failed. What was being committed may or may not be there.
    case broken(code: Int32, reason: String)

    var description: String {
        switch self {
        case .cannotOpen(let path, let reason):
            "Cannot open \(path): \(reason). Check that the directory exists and is writable "
                + "(--data-dir chooses another)."
        case .inUse(let path):
            "\(path) is in use by another daemon. Stop that one, or choose another --data-dir (of a"
                + " database server: --store-schema)."
        case .newerSchema(let path, let version, let known):
            "\(path) was written by a newer release (schema \(version), and this one knows up to "
                + "\(known)). Install that release."
        case .olderSchema(let path, let version):
            "\(path) was written by a build from before the first release with PostgreSQL (schema "
                + "\(version)). Copy it to a directory with that build (syncdaemon store copy), "
                + "start this one there once, and copy it back."
        case .noRoom(let path, let free):
            "The disk of \(path) is full\(free.map { " (\($0) bytes free)" } ?? ""), and the file "
                + "has yet to be made or brought up to date. Free some space, and start again."
        case .isLink(let path):
            "\(path) is a symbolic link, which is not followed. Put the file itself there, or name"
                + " its directory with --data-dir."
        case .full:
            "The disk is full. Free some space: until then writes are refused, and nothing is lost."
        case .damaged(let path, let reason):
            "\(path) is damaged or cannot be read: \(reason). Check the disk, and restore a backup"
                + " (docs/OPERATIONS.md, \"When the file is damaged\")."
        case .unreadable(let path, let reason):
            "\(path) cannot be read at the moment: \(reason). Check the disk."
        case .lost(let path):
            "The files in \(path) were removed or replaced while the daemon ran. Put them right, "
                + "and restart the daemon."
        case .server(let name, let reason, let advice):
            "\(name.prefix(1).uppercased() + name.dropFirst()) cannot be used: \(reason). "
                + advice.rawValue
        case .unstorable(let name, let reason):
            "A write cannot be stored in \(name): \(reason)."
        case .broken(let code, let reason):
            "The store failed: \(reason)\(code == 0 ? "" : " (SQLite \(code))"). Check who owns the"
                + " data and may write to it (as root, \"syncdaemon config check\" says), and the"
                + " disk."
        }
    }
}
