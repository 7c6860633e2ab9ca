// `syncdaemon store copy`: the data of a directory on a server, and back.

import EventModel
import Glibc

/// The command; it says on standard output what it did.
enum StoreCopying {
    /// - Returns: The exit code.
    static func run(_ arguments: StoreCopyArguments) -> Int32 {
        do throws(StoreCopyError) {
            print(try copy(arguments))
            return 0
        } catch {
            complain("syncdaemon: \(error)")
            return 1
        }
    }

    private static func copy(_ arguments: StoreCopyArguments) throws(StoreCopyError) -> String {
        let schema = arguments.schema
        switch arguments.ends {
        case .toServer(let directory, let server):
            // For as long as this command runs, no daemon starts here.
            let lock = try lock(directory)
            // The server forgets what was not committed.
            let copied = try interruptibly(cleaning: {}) { () throws(StoreCopyError) in
                try showingProgress { (progress) throws(StoreCopyError) in
                    try StoreCopy.copy(
                        file: SQLStore.path(in: directory), to: server.text, schema: schema,
                        progress: progress)
                }
            }
            _ = consume lock
            let files =
                copied.files == 0
                ? ""
                : " The contents of its \(copied.files) files stay in \(directory)/files, which"
                    + " [store] directory has to lead to."
            return "The PostgreSQL schema \(schema) holds \(copied).\(files) To serve it, set"
                + " [store] kind = postgres. \(directory)/syncdaemon.db is as it was."
        case .toDirectory(let server, let directory):
            do throws(StoreError) { try makeDirectories(directory) } catch { throw .store(error) }
            let lock = try lock(directory)
            let copied = try copy(server, schema, to: directory)
            _ = consume lock
            return "\(directory)/syncdaemon.db holds \(copied). To serve it, set [store] kind ="
                + " sqlite. The PostgreSQL schema \(schema) is as it was."
        }
    }

    /// Takes a directory as a daemon does.
    private static func lock(_ directory: String) throws(StoreCopyError) -> FileDescriptor {
        do throws(StoreError) {
            return try lockFile(directory + "/lock")
        } catch {
            switch error {
            case .inUse: throw .served(directory)
            case .cannotOpen where !FileSystem.exists(directory): throw .noData(at: directory)
            default: throw .store(error)
            }
        }
    }

    /// Fills a file that gets its real name only when it is whole, sound and on the disk.
    private static func copy(
        _ server: DatabaseServer, _ schema: String, to directory: String
    ) throws(StoreCopyError) -> StoreCopySummary {
        let path = SQLStore.path(in: directory)
        let part = try telling { () throws(DatabaseFileError) in
            try FileSystem.entrust(directory + "/lock", toOwnerOf: directory)
            return try PartialFile(of: path)
        }
        guard !FileSystem.exists(path) else {
            part.discard()
            throw .notEmpty(directory)
        }
        // Neither the file nor what is beside it while it grows is for others to read.
        umask(0o077)
        let summary: StoreCopySummary
        let name = part.path
        do throws(StoreCopyError) {
            summary = try interruptibly(cleaning: { PartialFile.remove(name) }) {
                () throws(StoreCopyError) in
                try showingProgress { (progress) throws(StoreCopyError) in
                    try StoreCopy.copy(
                        from: server.text, schema: schema, to: name, progress: progress)
                }
            }
            try telling { () throws(DatabaseFileError) in
                try FileSystem.entrust(name, toOwnerOf: directory)
            }
        } catch {
            part.discard()
            throw error
        }
        do throws(DatabaseFileError) {
            try part.conclude()
            try FileSystem.sync(directory)
        } catch {
            throw .file(error)
        }
        return summary
    }

    private static func telling<Value: ~Copyable>(
        _ body: () throws(DatabaseFileError) -> Value
    ) throws(StoreCopyError) -> Value {
        do throws(DatabaseFileError) {
            return try body()
        } catch {
            throw .file(error)
        }
    }
}

extension StoreCopySummary: CustomStringConvertible {
    var description: String {
        "\(channels) channels in \(rows) rows, all read back, and each channel's digest computed"
            + " from its rows"
    }
}

/// Shows a person at a terminal how far `body` is.
private func showingProgress<Value>(
    _ body: (@escaping StoreCopy.Progress) throws(StoreCopyError) -> Value
) throws(StoreCopyError) -> Value {
    let isShown = isatty(STDERR_FILENO) == 1
    defer { if isShown { complain("") } }
    return try body { doing, table, rows in
        guard isShown else { return }
        let line = "\r\(doing) \(table): \(rows) rows    "
        _ = unsafe write(STDERR_FILENO, line, line.utf8.count)
    }
}
