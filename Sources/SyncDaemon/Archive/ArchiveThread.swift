// The archive's own thread: brings what waits on the shelf to the directory, and makes bases.

import Basis
import EventModel
import Glibc

/// What an operator wants archived.
struct ArchiveSettings: Hashable, Sendable {
    var directory: String
    /// Hours between two copies of the whole database.
    var baseHours: Int
    /// Days of which every moment can be restored.
    var keptDays: Int
    /// What takes each file away; `nil`: nothing does.
    var command: ChildProgram?
}

/// How the archive stands, for the metrics.
struct ArchiveFigures: Hashable, Sendable {
    /// What can be restored.
    var through = Timetoken.zero
    var pieces = 0
    var bases = 0
    var gaps = 0
    var waitingBytes = 0
    /// Files that the command has not taken; 0 without one.
    var untaken = 0
    /// Seconds since it was first given the one that is next.
    var untakenSeconds = 0
    /// Files that went because they were old, and that it had not taken.
    var lost = 0
}

/// Archives on a thread of its own, so that a slow directory lets nobody wait.
final class ArchiveThread: Sendable {
    private let shelf: ArchiveShelf
    private let thread: Locked<OSThread?>
    private let state = Locked(ArchiveFigures())
    private let command: ArchiveCommand?

    /// How the archive stands.
    var figures: ArchiveFigures {
        var figures = state.withLock { $0 }
        figures.untaken = command?.untakenCount ?? 0
        figures.untakenSeconds = command?.oldestSeconds ?? 0
        return figures
    }

    /// - Parameters:
    ///   - database: Which is archived.
    ///   - epoch: The store's.
    ///   - now: The newest time.
    init(
        _ settings: ArchiveSettings, of database: String, epoch: String, from shelf: ArchiveShelf,
        health: Health, log: Log, now: @escaping @Sendable () -> Timetoken
    ) {
        self.shelf = shelf
        thread = Locked(nil)
        command = settings.command.map {
            ArchiveCommand(
                $0, of: ArchiveDirectory(path: settings.directory), health: health, log: log)
        }
        thread.withLock { thread in
            thread = OSThread(name: "archive") { [shelf, state, command] in
                var keeper = ArchiveKeeper(
                    settings, of: database, epoch: epoch, from: shelf, health: health, log: log,
                    command)
                var isOpen = true
                while isOpen {
                    // A closed queue does not wait.
                    isOpen = !shelf.isClosed
                    keeper.round(at: now(), isLast: !isOpen)
                    state.withLock { $0 = keeper.figures }
                    if isOpen { shelf.wait(milliseconds: Limits.archiveRoundMilliseconds) }
                }
            }
        }
    }

    /// Brings away what waits, and ends the thread.
    ///
    /// - Precondition: Nothing more comes to the shelf.
    func stop() {
        shelf.close()
        thread.withLock { $0.take() }?.join()
        command?.stop()
    }
}

/// What the thread does in each round.
private struct ArchiveKeeper {
    let settings: ArchiveSettings
    let database: String
    let epoch: String
    let shelf: ArchiveShelf
    let health: Health
    let log: Log
    private(set) var figures = ArchiveFigures()
    private let archive: ArchiveDirectory
    /// The last base of each run.
    private var lastBase: (name: ArchiveName, at: Timetoken)?
    private var lastForgetting = Timetoken.zero
    /// After a failure.
    private var waitsUntil = Timetoken.zero
    /// Whether what copies have left that were broken off is gone.
    private var isTidy = false
    /// The last two that came to the archive; `nil`: they have not been read.
    private var runs: [String]?

    /// Told of each file that has come.
    private let command: ArchiveCommand?

    private static let ticksPerSecond: UInt64 = 10_000_000

    init(
        _ settings: ArchiveSettings, of database: String, epoch: String, from shelf: ArchiveShelf,
        health: Health, log: Log, _ command: ArchiveCommand?
    ) {
        self.command = command
        (self.settings, self.database, self.epoch) = (settings, database, epoch)
        (self.shelf, self.health, self.log) = (shelf, health, log)
        archive = ArchiveDirectory(path: settings.directory)
    }

    mutating func round(at now: Timetoken, isLast: Bool) {
        tellGap()
        defer { figures.waitingBytes = shelf.bytes }
        guard now >= waitsUntil || isLast else { return }
        do throws(DatabaseFileError) {
            do throws(DatabaseFileError) {
                try claim()
            } catch {
                command?.admit(false)
                throw error
            }
            command?.admit(true)
            try deliver()
            // A copy takes long; what comes later is in the next life's first one.
            if !isLast {
                try makeBase(at: now)
                try forget(at: now)
            }
            if let obstacle = shelf.obstacle {
                report(obstacle)
            } else if health.clear(.archiveFailing) {
                log.notice("The archive goes on.")
            }
        } catch {
            waitsUntil = now.advanced(by: Limits.archiveRetrySeconds * Self.ticksPerSecond)
            report(words(of: error))
        }
    }

    private func report(_ reason: String) {
        let text = "The archive fails: \(reason)"
        if health.report(.archiveFailing, text) { log.error(text) }
    }

    private func words(of error: DatabaseFileError) -> String {
        switch error {
        case .forbidden(let path), .noDirectory(let path):
            "\(path) is not there, or not the daemon's to write to: install -d -m 700 -o USER"
                + " \(settings.directory), and ReadWritePaths= in the unit."
        default: error.description
        }
    }

    /// - Throws: Also when the archive is not there that was begun: a disk is not mounted.
    private mutating func claim() throws(DatabaseFileError) {
        let writer = try shelf.writer()
        let hasBegun = try archive.isBegun(for: shelf)
        if runs == nil { runs = try shelf.runs() }
        try archive.claim(epoch, by: writer, after: runs ?? [])
        if !hasBegun { try shelf.note(begunAt: archive.path) }
        guard !isTidy else { return }
        isTidy = true
        try archive.removeParts()
    }

    /// Says once of each gap that there is one.
    private mutating func tellGap() {
        let gaps = shelf.gaps
        guard gaps > figures.gaps else { return }
        figures.gaps = gaps
        log.error(
            "The archive has a gap; it goes on from a new copy of the database.",
            ["reason": shelf.gap ?? "", "gaps": gaps])
    }

    /// Has the archive say that a run is there, before anything of it is.
    private mutating func begin(_ run: String) throws(DatabaseFileError) {
        guard runs?.last != run else { return }
        runs = try shelf.note(begun: run)
        try claim()
    }

    /// Brings what waits to its place, the oldest first.
    private mutating func deliver() throws(DatabaseFileError) {
        guard FileSystem.isDirectory(shelf.directory) else { return }
        let names = try FileSystem.names(in: shelf.directory)
        var waiting = names.compactMap { ArchiveName(waiting: $0) }
        waiting.sort { ($0.run, $0.through) < ($1.run, $1.through) }
        for name in waiting {
            let file = "\(shelf.directory)/\(name.waiting)"
            try begin(name.run)
            try FileSystem.sync(file)
            let bytes = Int(FileSystem.size(file))
            try archive.take(file, as: name)
            command?.add(name.path)
            FileSystem.remove(file)
            shelf.put(bytes: -bytes)
            if case .piece = name.kind { figures.pieces += 1 }
            figures.through = max(figures.through, name.through)
        }
    }

    private mutating func makeBase(at now: Timetoken) throws(DatabaseFileError) {
        // What is committed from now on is in this piece, or behind it.
        guard let (run, next) = shelf.place else { return }
        // Where it was taken away the run goes on from another one.
        if let lastBase, lastBase.name.run == run,
            FileSystem.exists("\(archive.path)/\(lastBase.name.path)")
        {
            let hours = UInt64(settings.baseHours) * 3600 * Self.ticksPerSecond
            guard now >= lastBase.at.advanced(by: hours) else { return }
        }
        try begin(run)
        let directory = try archive.directory(of: run)
        let part = try PartialFile(of: directory + "/base")
        let summary: DatabaseSummary
        do throws(DatabaseFileError) {
            summary = try DatabaseFile.copyPages(database, to: part.path)
        } catch {
            part.discard()
            throw error
        }
        let sum = try BinaryFile.reading(part.path).forEachPart()
        let name = ArchiveName(run: run, ofBytes: sum, next: next, through: summary.last)
        try part.conclude()
        try FileSystem.rename(directory + "/base", to: "\(archive.path)/\(name.path)")
        try FileSystem.sync(directory)
        command?.add(name.path)
        lastBase = (name, now)
        figures.bases += 1
        figures.through = max(figures.through, summary.last)
        log.notice(
            "The whole database is in the archive.",
            [
                "file": "\(archive.path)/\(name.path)",
                "bytes": FileSystem.size("\(archive.path)/\(name.path)"),
            ])
    }

    private mutating func forget(at now: Timetoken) throws(DatabaseFileError) {
        let hour = 3600 * Self.ticksPerSecond
        guard now >= lastForgetting.advanced(by: hour) else { return }
        lastForgetting = now
        let kept = UInt64(settings.keptDays) * 24 * hour
        guard now.rawValue > kept else { return }
        let gone = try archive.forget(before: Timetoken(rawValue: now.rawValue - kept))
        guard gone.count > 0 else { return }
        log.info("What was archived long ago is removed.", ["files": gone.count])
        guard settings.command != nil, gone.untaken > 0 else { return }
        figures.lost += gone.untaken
        log.error(
            "Files of the archive are gone that [archive] command has not taken in keep_days.",
            ["files": gone.untaken])
    }
}
