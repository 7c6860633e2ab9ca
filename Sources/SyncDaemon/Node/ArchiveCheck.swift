// Where the archive is: what of the configuration is about that.

import EventModel
import Glibc

extension Examination {
    /// Looks at what makes an archive.
    mutating func takeArchive() {
        if configuration.archiveCommand != nil, configuration.archiveDirectory == nil {
            warnings.append(
                .saidInVain(
                    configuration.sources["archive.command"] ?? .standard, "[archive] command",
                    what: "there is no archive whose files it could take",
                    instead: "Name its place: [archive] directory = DIR"))
        }
        guard configuration.archiveDirectory != nil, configuration.storeKind != .sqlite else {
            return
        }
        let source = configuration.sources["archive.directory"] ?? .standard
        mistakes.append(.archive(source, .noFile))
    }

    /// Adds what keeps the daemon from archiving here; it would start, and say so.
    mutating func lookAtArchive() {
        guard let path = configuration.archiveDirectory, configuration.storeKind == .sqlite else {
            return
        }
        let source = configuration.sources["archive.directory"] ?? .standard
        if isInData(path) {
            mistakes.append(.archive(source, .inData(path: path)))
        } else if let mistake = mistake(at: path) {
            mistakes.append(.archive(source, mistake))
        } else if let mode = DataDirectory.mode(of: path), mode & 0o077 != 0 {
            warnings.append(.directoryForAll(source, path: path, mode: mode))
        }
        if let program = configuration.archiveCommand,
            let reason = obstacle(toRun: program)
        {
            mistakes.append(
                .archive(
                    configuration.sources["archive.command"] ?? .standard,
                    .program(path: program, reason: reason)))
        }
    }

    private func obstacle(toRun program: String) -> String? {
        guard !FileSystem.isDirectory(program) else { return "it is a directory" }
        if let obstacle = ChildProgram(program, in: [:]).obstacle { return obstacle }
        let owner = DataDirectory.owner(of: configuration.directory)
        guard geteuid() == 0, let owner, owner.user != 0, !owner.canRun(program) else { return nil }
        return "the daemon's user may not run it"
    }

    private func isInData(_ path: String) -> Bool {
        let data = configuration.directory
        return !data.isEmpty && (path == data || path.hasPrefix(data + "/"))
    }

    private func mistake(at path: String) -> ArchiveMistake? {
        do throws(DatabaseFileError) {
            let shelf = ArchiveShelf(beside: SQLStore.path(in: configuration.directory))
            _ = try ArchiveDirectory(path: path).isBegun(for: shelf)
            return try fault(at: path)
        } catch {
            return .other(error)
        }
    }

    private func fault(at path: String) throws(DatabaseFileError) -> ArchiveMistake? {
        guard FileSystem.exists(path) else {
            return .unusable(path: path, reason: "there is no such directory")
        }
        let archive = ArchiveDirectory(path: path)
        let names = (try? FileSystem.names(in: path)) ?? []
        guard names.isEmpty || archive.isThere else {
            return .taken(path: path, reason: "it is not empty, and no archive")
        }
        if let owner = DataDirectory.owner(of: configuration.directory), owner.user != 0,
            let own = DataDirectory.owner(of: path)
        {
            guard own.user == owner.user else {
                return .unusable(path: path, reason: "it is not the daemon's user's")
            }
            guard owner.canFill(path) else {
                return .unusable(path: path, reason: "the daemon's user may not write to it")
            }
        }
        if let obstacle = DataDirectory.obstacle(at: path) {
            return .unusable(path: path, reason: obstacle)
        }
        return try archive.isStrange(to: configuration.directory)
            ? .taken(path: path, reason: "it is the archive of another data directory") : nil
    }
}

/// What is wrong with an archive.
enum ArchiveMistake: Hashable, Sendable, CustomStringConvertible {
    case noFile
    /// Below the data, with which it would be gone.
    case inData(path: String)
    case unusable(path: String, reason: String)
    /// By something else.
    case taken(path: String, reason: String)
    case program(path: String, reason: String)
    case other(DatabaseFileError)

    /// What it is, and what to do.
    var description: String {
        switch self {
        case .noFile:
            "[archive] is for kind = sqlite. Leave it out: a PostgreSQL server archives by itself,"
                + " and what is in memory is gone with the daemon."
        case .inData(let path):
            "[archive] directory \(LogText.quoted(path)) is in the directory of the data, which it"
                + " is to outlive. Name one elsewhere, on another disk."
        case .unusable(let path, let reason):
            "[archive] directory \(LogText.quoted(path)) cannot hold the archive: \(reason). Make"
                + " it for the daemon's user: install -d -m 700 -o USER DIR."
        case .taken(let path, let reason):
            "[archive] directory \(LogText.quoted(path)) cannot hold the archive: \(reason). Name"
                + " a directory of its own."
        case .other(let error): "[archive] directory: \(error)"
        case .program(let path, let reason):
            "[archive] command \(LogText.quoted(path)) cannot be run: \(reason). Name a program by"
                + " its whole path, which the daemon's user may run: chmod 755."
        }
    }
}
