// `syncdaemon backup` and `salvage`: the data as one file; and what all copying needs.

import Basis
import EventModel
import Glibc
import Synchronization

/// Why there is no copy.
enum CopyError: Error, CustomStringConvertible {
    case memoryStore
    case serverStore
    case noData(directory: String)
    case served(directory: String)
    case oneMoment(path: String)
    case store(StoreError)
    case file(DatabaseFileError)

    var description: String {
        switch self {
        case .memoryStore: "[store] kind is memory: there is nothing on a disk to copy."
        case .serverStore:
            "[store] kind is postgres: back the database up as PostgreSQL does (pg_dump of the"
                + " schema, or pg_basebackup), and [store] directory with it, where files are."
        case .noData(let directory):
            "There is no syncdaemon.db in \(directory). Name the daemon's directory with"
                + " --data-dir."
        case .served(let directory):
            "A daemon runs on \(directory). Stop it first: systemctl stop syncdaemon.socket"
                + " syncdaemon.service (or Ctrl-C, where no systemd runs it)."
        case .oneMoment(let path):
            "\(path) is no directory, and so no archive: a backup has one moment. Leave --at out,"
                + " or name the directory that [archive] directory names."
        case .store(let error): error.description
        case .file(let error): error.description
        }
    }
}

/// The commands; each says on standard output what it did.
enum Copying {
    /// - Returns: The exit code.
    static func backUp(_ configuration: Configuration, to target: String) -> Int32 {
        report {
            () throws(CopyError) in
            let source = try path(in: configuration)
            guard try isThere(source) else {
                throw .noData(directory: configuration.directory)
            }
            do throws(DatabaseFileError) {
                let summary = try PartialFile.filling(target) { part throws(DatabaseFileError) in
                    try copy(source, isShared: true, to: part)
                }
                let files =
                    summary.files == 0
                    ? ""
                    : " The contents of \(summary.files) files are not in it: copy"
                        + " \(configuration.directory)/files now, too."
                return "\(target) holds \(summary), \(megabytes(FileSystem.size(target))).\(files)"
            } catch {
                throw .file(error)
            }
        }
    }

    private static func isThere(_ path: String) throws(CopyError) -> Bool {
        do throws(DatabaseFileError) {
            return try FileSystem.isThere(path)
        } catch {
            throw .file(error)
        }
    }

    /// - Returns: The exit code.
    static func salvage(_ configuration: Configuration, to target: String) -> Int32 {
        report {
            () throws(CopyError) in
            let source = try path(in: configuration)
            let directory = configuration.directory
            guard try isThere(source) else { throw .file(.absent(path: source)) }
            // What a daemon writes from now on would not be saved.
            let lock = try lock(directory)
            let saved: String
            do throws(DatabaseFileError) {
                try FileSystem.entrust(directory + "/lock", toOwnerOf: directory)
                saved = try PartialFile.filling(target) { part throws(DatabaseFileError) in
                    try filling(part, to: FileSystem.size(source)) {
                        () throws(DatabaseFileError) in
                        // That it is ours, and of this release or an earlier one.
                        try DatabaseFile(path: source, isShared: true).checkTables()
                        let lost = try save(source, in: part)
                        let copied = try DatabaseFile(path: part, isShared: false)
                        try copied.check()
                        try FileSystem.sync(part)
                        return "\(target) holds \(try copied.summary()). \(describe(lost))"
                    }
                }
            } catch {
                throw .file(error)
            }
            _ = consume lock
            return
                "\(saved) To put it in place: syncdaemon restore --data-dir \(directory) \(target)"
        }
    }

    private static func save(
        _ source: String, in part: String
    ) throws(DatabaseFileError) -> [LostRows] {
        var generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
        do throws(StoreError) {
            return try Salvage(from: source, to: part, using: &generator).run()
        } catch {
            if case .full = error { throw .noRoom(path: part) }
            throw .failed(path: source, reason: "\(error)")
        }
    }

    private static func describe(_ lost: [LostRows]) -> String {
        guard !lost.isEmpty else { return "Nothing is lost that the file still knew of." }
        let tables = lost.map { rows in
            let least = !rows.isLeast ? "" : rows.count == 0 ? "more than " : "at least "
            return "\(least)\(rows.count) rows of the table \(rows.table)"
        }
        return "Lost: \(tables.joined(separator: ", "))."
    }

    /// Takes the directory as a daemon does.
    static func lock(_ directory: String) throws(CopyError) -> FileDescriptor {
        do throws(StoreError) {
            try makeDirectories(directory)
            return try lockFile(directory + "/lock")
        } catch {
            if case .inUse = error { throw .served(directory: directory) }
            throw .store(error)
        }
    }

    /// Copies to a file that gets its real name only when it is whole, sound and on the disk.
    static func copy(
        _ source: String, isShared: Bool, to part: String
    ) throws(DatabaseFileError) -> DatabaseSummary {
        try filling(part, to: FileSystem.size(source)) { () throws(DatabaseFileError) in
            try DatabaseFile.copy(source, isShared: isShared, to: part)
        }
    }

    /// Runs `body`, which fills a file; nothing is left of that when it fails, or somebody ends the
    /// command.
    static func filling<Value>(
        _ part: String, to total: Int64, _ body: () throws(DatabaseFileError) -> Value
    ) throws(DatabaseFileError) -> Value {
        // Neither the file nor what is beside it while it grows is for others to read.
        umask(0o077)
        do throws(DatabaseFileError) {
            return try interruptibly(cleaning: { PartialFile.remove(part) }) {
                () throws(DatabaseFileError) in
                try showingGrowth(of: part, to: total, body)
            }
        } catch {
            PartialFile.remove(part)
            throw error
        }
    }

    static func path(in configuration: Configuration) throws(CopyError) -> String {
        switch configuration.storeKind {
        case .sqlite: return SQLStore.path(in: configuration.directory)
        case .postgres: throw .serverStore
        case .memory: throw .memoryStore
        }
    }

    static func report(_ body: () throws(CopyError) -> String) -> Int32 {
        do throws(CopyError) {
            print(try body())
            return 0
        } catch {
            complain("syncdaemon: \(error)")
            return 1
        }
    }
}

extension DatabaseSummary: CustomStringConvertible {
    var description: String {
        "\(channels) channels, \(messages) messages and \(actions) reactions,"
            + (last == .zero ? " never written to" : " up to \(last.dateText)")
    }
}

private func megabytes(_ bytes: Int64) -> String {
    let tenths = (bytes * 10 + 1_048_575) / 1_048_576
    return "\(tenths / 10).\(tenths % 10) MiB"
}

private final class Flag: Sendable {
    let isSet = Atomic(false)
}

/// Shows a person at a terminal how a file grows while `body` runs.
///
/// - Parameter total: What it comes to at most; 0: nobody knows.
private func showingGrowth<Value>(
    of path: String, to total: Int64, _ body: () throws(DatabaseFileError) -> Value
) throws(DatabaseFileError) -> Value {
    guard isatty(STDERR_FILENO) == 1 else { return try body() }
    let isOver = Flag()
    let thread = OSThread(name: "progress") {
        while !isOver.isSet.load(ordering: .relaxed) {
            let most = total > 0 ? " of at most \(megabytes(total))" : ""
            let line = "\r\(megabytes(FileSystem.size(path)))\(most) "
            _ = unsafe write(STDERR_FILENO, line, line.utf8.count)
            var pause = Clock.span(nanoseconds: 200_000_000)
            unsafe nanosleep(&pause, nil)
        }
        _ = unsafe write(STDERR_FILENO, "\n", 1)
    }
    let result = Result { () throws(DatabaseFileError) in try body() }
    isOver.isSet.store(true, ordering: .relaxed)
    thread.join()
    return try result.get()
}
