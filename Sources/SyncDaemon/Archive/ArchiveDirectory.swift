// The directory of an archive: what is in it, and how something comes to it.

import EventModel
import Glibc

/// What was archived without a gap: bases, and the log from the first of them on.
struct ArchiveRun: Hashable, Sendable {
    let name: String
    /// Ascending.
    var bases: [ArchiveName] = []
    /// Ascending, by number.
    var pieces: [ArchiveName] = []
    /// Says where the database stood before the daemon began to write to it.
    var start: ArchiveName?
    /// Says that nothing was written behind it before the daemon stopped.
    var end: ArchiveName?

    /// Whether all is there that was written until the daemon stopped.
    var isEnded: Bool { end.map { $0.through <= through } ?? false }

    /// The newest base of a moment or before.
    func base(at moment: Timetoken) -> ArchiveName? { bases.last { $0.through <= moment } }

    /// The pieces that lead from a base to a moment and beyond, as far as they are there.
    func pieces(from next: Int, to moment: Timetoken) -> ArraySlice<ArchiveName> {
        let rest = pieces.drop { $0.kind.isPiece(before: next) }
        let end = rest.firstIndex { $0.through > moment } ?? rest.endIndex
        return rest[..<min(end + 1, rest.endIndex)]
    }

    /// All that it has.
    var names: [ArchiveName] {
        (bases + pieces + [start, end].compactMap(\.self)).sorted { $0.through < $1.through }
    }

    /// Whether nothing was written behind what this one leads to before another one began.
    func isContinued(by next: ArchiveRun) -> Bool {
        guard isEnded, let end, case .start(let after) = next.start?.kind else { return false }
        return after == end.through
    }

    /// Whether a base can have been made while it was archived.
    func holds(_ base: ArchiveName) -> Bool {
        base.through >= start?.through ?? .zero && base.through <= end?.through ?? .end
    }

    /// Whether a daemon can have archived it, by where its store stood before it wrote to that, and
    /// where it began, as a base says.
    func isOfLife(startedAfter position: Timetoken, began: Timetoken) -> Bool {
        guard let start, case .start(let after) = start.kind else { return true }
        guard began <= start.through else { return false }
        // A run that began amid a daemon's life says where the store stood then.
        return after == start.through ? position <= after : position == after
    }

    /// Where the log stood when a piece began; `nil`: nothing that is there says it.
    func position(before number: Int) -> Timetoken? {
        guard number > 0 else { return start?.through }
        return pieces.last { $0.kind == .piece(number - 1) }?.through
    }

    /// What it leads to.
    var through: Timetoken { max(bases.last?.through ?? .zero, pieces.last?.through ?? .zero) }
}

extension ArchiveName.Kind {
    /// A piece's; 0 of what is none.
    fileprivate var number: Int {
        if case .piece(let number) = self { number } else { 0 }
    }

    fileprivate func isPiece(before next: Int) -> Bool {
        if case .piece(let number) = self { number < next } else { false }
    }
}

extension ArchiveName {
    /// Whether nothing behind this base needs another file of its run.
    fileprivate func outdates(_ other: ArchiveName) -> Bool {
        guard case .base(let next, _) = kind else { return false }
        return switch other.kind {
        case .piece: other.kind.isPiece(before: next)
        case .base: other.through < through
        case .start, .end: false
        }
    }
}

/// Files that went because they were old.
struct ForgottenFiles: Hashable, Sendable {
    var count = 0
    /// Of these: what no command had taken.
    var untaken = 0
}

/// A directory that one store has for itself.
struct ArchiveDirectory: Sendable {
    let path: String

    /// Says in the directory whose it is.
    static let owner = "syncdaemon-archive"

    /// Makes it this store's, unless it is another one's.
    ///
    /// - Parameters:
    ///   - epoch: The store's.
    ///   - writer: The data directory's: two that go on from one store have two histories.
    ///   - runs: The newest ones that it knows of here. Behind any other one somebody has the same
    ///     data, to the name of who writes: both would say that they follow what was before.
    func claim(
        _ epoch: String, by writer: String, after runs: [String] = []
    ) throws(DatabaseFileError) {
        guard try FileSystem.isThere(ownerPath) else {
            // It may have been broken off here before.
            let part = Self.owner + ArchiveShelf.partEnding
            guard try FileSystem.names(in: path).allSatisfy({ $0 == part }) else {
                throw .failed(
                    path: path,
                    reason: "it is not empty, and no archive; name a directory of its own")
            }
            return try note(epoch, writer, run: runs.last)
        }
        let (foundEpoch, foundWriter, foundRun) = try found()
        guard foundWriter == writer else {
            throw .failed(
                path: path,
                reason: foundEpoch == epoch
                    ? "the archive of another copy of this store is there, of another data"
                        + " directory or of one that is lost; name a directory of its own: what is"
                        + " in this one can be restored as before"
                    : "another store's archive is there; name a directory of its own")
        }
        if let foundRun, !runs.contains(foundRun) {
            throw .failed(
                path: path,
                reason: "the run \(foundRun) there is another daemon's, with a copy of this data,"
                    + " or this data is an earlier copy of itself; name a directory of its own:"
                    + " what is in this one can be restored as before")
        }
        // What is imported makes another store of it, in the same place.
        guard foundEpoch != epoch || foundRun != runs.last else { return }
        try note(epoch, writer, run: runs.last ?? foundRun)
    }

    /// Whether it is another data directory's; what is nobody's is anybody's.
    ///
    /// - Parameter directory: The data's.
    func isStrange(to directory: String) throws(DatabaseFileError) -> Bool {
        guard try FileSystem.isThere(ownerPath) else { return false }
        return try found().writer != ArchiveShelf.writer(in: ArchiveShelf.directory(in: directory))
    }

    /// Whether it is the one that a data directory began here.
    ///
    /// - Throws: When that one is away: a disk is not mounted.
    func isBegun(for shelf: ArchiveShelf) throws(DatabaseFileError) -> Bool {
        guard try shelf.hasBegun(at: path) else { return false }
        guard try FileSystem.isThere(ownerPath) else {
            throw .failed(
                path: path,
                reason: "the archive that was begun here is not there. Mount its disk; or remove"
                    + " \(shelf.placeFile) for another one to be begun here")
        }
        return true
    }

    private func found() throws(DatabaseFileError) -> (epoch: String, writer: String, run: String?)
    {
        let bytes = try BinaryFile.reading(ownerPath).read(512, at: 0)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let rest = lines.dropFirst()
        return (lines.first ?? "", rest.first ?? "", rest.dropFirst().first)
    }

    private func note(
        _ epoch: String, _ writer: String, run: String?
    ) throws(DatabaseFileError) {
        let lines = [epoch, writer, run].compactMap(\.self)
        try BinaryFile.replace(ownerPath, with: Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    private var ownerPath: String { "\(path)/\(Self.owner)" }

    /// Whether an archive is there, whosesoever.
    var isThere: Bool { FileSystem.exists(ownerPath) }

    /// Removes what was broken off: no other process writes here.
    func removeParts() throws(DatabaseFileError) {
        for run in try FileSystem.names(in: path) where FileSystem.isDirectory("\(path)/\(run)") {
            for file in try FileSystem.names(in: "\(path)/\(run)")
            where ArchiveName(run: run, file: file) == nil {
                guard [".part", "-wal", "-shm", "-journal"].contains(where: file.hasSuffix) else {
                    continue
                }
                FileSystem.remove("\(path)/\(run)/\(file)")
            }
        }
    }

    /// All runs, in the order in which they began.
    func runs() throws(DatabaseFileError) -> [ArchiveRun] {
        guard try FileSystem.isThere(ownerPath) else { throw .noArchive(path: path) }
        var runs: [ArchiveRun] = []
        for name in try FileSystem.names(in: path) {
            let directory = "\(path)/\(name)"
            guard ArchiveName.isRun(name), FileSystem.isDirectory(directory) else { continue }
            // It may lead to what only root reads.
            guard !DataDirectory.isLink(directory) else {
                throw .failed(path: directory, reason: "it is a link, and no run of this archive")
            }
            var run = ArchiveRun(name: name)
            for file in try FileSystem.names(in: directory) {
                guard let found = ArchiveName(run: name, file: file) else { continue }
                switch found.kind {
                case .base: run.bases.append(found)
                case .piece: run.pieces.append(found)
                case .start: run.start = found
                case .end: run.end = found
                }
            }
            run.bases.sort { $0.through < $1.through }
            run.pieces.sort { ($0.kind.number, $0.file) < ($1.kind.number, $1.file) }
            if !run.names.isEmpty { runs.append(run) }
        }
        return runs
    }

    /// The newest run that came here, as the archive says itself, where nothing of it is there.
    ///
    /// - Parameter runs: All that are.
    func missingRun(of runs: [ArchiveRun]) throws(DatabaseFileError) -> String? {
        guard let run = try found().run, !runs.contains(where: { $0.name == run }) else {
            return nil
        }
        return run
    }

    /// Compresses a file to its place; it has its name only when it is on the disk.
    func take(_ file: String, as name: ArchiveName) throws(DatabaseFileError) {
        let target = "\(try directory(of: name.run))/\(name.file)"
        let part = target + ArchiveShelf.partEnding
        do throws(DatabaseFileError) {
            let source = try BinaryFile.reading(file)
            let copy = try CompressedFile.filling(part)
            _ = try source.forEachPart { bytes, _ throws(DatabaseFileError) in
                try copy.write(bytes)
            }
            try copy.finish()
            try FileSystem.sync(part)
            try FileSystem.rename(part, to: target)
        } catch {
            FileSystem.remove(part)
            throw error
        }
        try FileSystem.sync(FileSystem.directory(of: target))
    }

    /// Where what a run has belongs, which is there.
    func directory(of run: String) throws(DatabaseFileError) -> String {
        let directory = "\(path)/\(run)"
        try FileSystem.makeDirectory(directory)
        return directory
    }

    /// Removes what leads to no moment after `moment`.
    ///
    /// - Returns: What went.
    func forget(before moment: Timetoken) throws(DatabaseFileError) -> ForgottenFiles {
        var forgotten = ForgottenFiles()
        let runs = try runs()
        for (index, run) in runs.enumerated() {
            // Moments behind it are its own, until a later one has a copy.
            let isOver =
                runs[(index + 1)...].contains { $0.base(at: moment) != nil }
                && run.names.allSatisfy { $0.through < moment }
            let base = run.base(at: moment)
            let old = run.names.filter { isOver || base?.outdates($0) ?? false }
            for name in old {
                forgotten.count += 1
                forgotten.untaken += isUntaken(name.path) == true ? 1 : 0
                FileSystem.remove("\(path)/\(name.path)")
            }
            if isOver { _ = unsafe rmdir("\(path)/\(run.name)") }
        }
        return forgotten
    }

    /// Whether it is there and no command has taken it.
    ///
    /// - Parameter path: In the archive.
    /// - Returns: `nil` when nobody can tell now: the archive is away, or may not be looked at.
    func isUntaken(_ path: String) -> Bool? {
        var status = stat()
        let isFound = unsafe stat("\(self.path)/\(path)", &status) == 0
        if isFound { return status.st_mode & 0o200 != 0 }
        // With its disk all of it is away.
        return errno == ENOENT && isThere ? false : nil
    }

    /// Notes that a command has taken it: its owner's mode cannot be written to any more.
    func noteTaken(_ path: String) -> Bool {
        unsafe chmod("\(self.path)/\(path)", 0o400) == 0
    }
}
