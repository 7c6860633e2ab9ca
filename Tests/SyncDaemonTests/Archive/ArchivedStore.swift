// A store that is archived, with what it had after each commit.

import EventModel
import Foundation
import Synchronization

@testable import SyncDaemon

final class Ticker: Sendable {
    private let value = Atomic(0)

    var now: UInt64 { UInt64(value.load(ordering: .relaxed)) }

    func add(_ milliseconds: Int) { value.add(milliseconds, ordering: .relaxed) }
}

final class ArchivedStore {
    private let directory: ScratchDirectory
    private let target: ScratchDirectory
    private var held: SQLStore?
    let shelf: ArchiveShelf
    private(set) var log: LogArchive
    private var lives = 1
    let archive: ArchiveDirectory
    let milliseconds = Ticker()
    private(set) var history: [(moment: Timetoken, rows: [UInt64])] = []
    private var rows: [UInt64] = []
    private var last: UInt64 = 0
    private var digest = Digest.empty
    private var restoredCount = 0
    private let room = Channel("room")

    var database: String { SQLStore.path(in: directory.path) }

    var store: SQLStore {
        guard let held else { preconditionFailure("Nobody has it open.") }
        return held
    }

    init(waitingMax: Int = Limits.archiveWaitingBytesMax) throws {
        directory = try ScratchDirectory()
        target = try ScratchDirectory()
        let store = try SQLStore(directory: directory.path)
        held = store
        let database = SQLStore.path(in: directory.path)
        shelf = ArchiveShelf(beside: database, bytesMax: waitingMax)
        var runs = 1
        log = LogArchive(
            of: database, to: shelf, seconds: 10,
            opening: store.runs.last?.startedAfter ?? .zero,
            now: { [milliseconds] in milliseconds.now }
        ) {
            runs += 1
            return "run1\(runs)"
        }
        archive = ArchiveDirectory(path: target.path)
        try archive.claim(store.epoch, by: shelf.writer())
        store.archive = log
    }

    func begin() throws {
        log.note(store.connection.logPages, through: store.last)
    }

    /// Ends a life as a daemon does that is stopped, and begins another one.
    func restart() throws {
        log.finish()
        log.end()
        try deliver()
        try startAnew()
    }

    func scratch(_ name: String) -> String { "\(directory.path)/\(name)" }

    /// Opens and archives the same store as a daemon does that was started anew.
    func startAnew() throws {
        lives += 1
        let life = lives
        store.archive = nil
        held = nil
        held = try .openedAgain(in: directory.path)
        log = LogArchive(
            of: database, to: shelf, seconds: 10,
            opening: store.runs.last?.startedAfter ?? .zero,
            now: { [milliseconds] in milliseconds.now }
        ) { "run2\(life)" }
        store.archive = log
    }

    private func commit(_ moment: UInt64, _ body: (any Store) throws -> Void) throws {
        try store.commit(through: moment, body)
        last = moment
        history.append((tick(moment), rows))
    }

    private func row(_ moment: UInt64) -> MessageRow {
        MessageRow(timetoken: tick(moment), uuid: "ada", type: nil)
    }

    func publish(at moment: UInt64, bytes: Int = 300) throws {
        rows.append(moment)
        digest.insert(row(moment), key: store.secret.key(of: room))
        try commit(moment) {
            try $0.insert(.sized(bytes), at: tick(moment), in: room, by: "ada")
            try $0.setDigest(digest, of: room)
        }
    }

    /// Something that happens to a store.
    func deed(using random: inout some RandomNumberGenerator) throws {
        milliseconds.add(Int.random(in: 0..<3000, using: &random))
        let moment = last + UInt64.random(in: 1..<50, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0 where !rows.isEmpty:
            let end = rows[Int.random(in: 0..<rows.count, using: &random)]
            for gone in rows where gone <= end {
                digest.remove(row(gone), key: store.secret.key(of: room))
            }
            rows.removeAll { $0 <= end }
            try commit(moment) {
                try $0.setDigest(digest, of: room)
                _ = try $0.deleteMessages(
                    after: .zero, through: tick(end), at: tick(moment), in: room)
            }
        case 1: _ = try store.giveSpaceBack()
        case 3: store.passTime()
        case 4: try deliver()
        // Enough for the log to be copied and to begin anew.
        case 5: try publish(at: moment, bytes: 1_500_000)
        default: try publish(at: moment, bytes: Int.random(in: 10..<30_000, using: &random))
        }
    }

    func makeBase() throws {
        guard let (run, next) = shelf.place else { return }
        let part = try archive.directory(of: run) + "/new"
        let summary = try DatabaseFile.copyPages(database, to: part)
        let sum = try BinaryFile.reading(part).forEachPart()
        let name = ArchiveName(run: run, ofBytes: sum, next: next, through: summary.last)
        try FileSystem.rename(part, to: "\(archive.path)/\(name.path)")
    }

    /// Ends the piece, and brings away all that wait.
    func deliver() throws {
        log.finish()
        for file in try FileSystem.names(in: shelf.directory) {
            guard let name = ArchiveName(waiting: file) else { continue }
            let path = "\(shelf.directory)/\(file)"
            let bytes = Int(FileSystem.size(path))
            try archive.take(path, as: name)
            FileSystem.remove(path)
            shelf.put(bytes: -bytes)
        }
    }

    /// Lives, one after the other, and brings all of it to the archive.
    func live(from moments: [UInt64]) throws {
        try begin()
        for moment in moments {
            if moment != moments.first { try restart() }
            try live(from: moment)
        }
        try deliver()
    }

    /// One life's: a copy, then two pieces.
    func live(from moment: UInt64) throws {
        try publish(at: moment)
        try makeBase()
        for number in 1...2 as ClosedRange<UInt64> {
            try publish(at: moment + 10 * number)
            log.finish()
        }
    }

    func path(of run: ArchiveRun) -> String { "\(archive.path)/\(run.name)" }

    /// The timetokens of the messages that were there at a moment.
    func restored(
        _ moment: Timetoken, from base: ArchiveName? = nil, of run: ArchiveRun? = nil
    ) throws -> [UInt64] {
        restoredCount += 1
        let path = "\(directory.path)/restored\(restoredCount).db"
        defer { FileSystem.remove(path) }
        try Data().write(to: URL(fileURLWithPath: path))
        if let base, let run {
            _ = try archive.restore(run, from: base, moment, to: path)
        } else {
            _ = try archive.restore(moment, to: path)
        }
        _ = try DatabaseFile.verify(path)
        let file = try DatabaseFile(path: path, isShared: false)
        var found: [UInt64] = []
        try file.connection.prepare(
            "SELECT timetoken FROM message WHERE NOT \(SQLiteSchema.isHiddenMessage) ORDER BY 1"
        ).query { row in
            found.append(row.timetoken(0).rawValue)
            return true
        }
        return found
    }

    func verify(_ told: (VerifiedRun, DatabaseSummary) -> Void = { _, _ in }) throws {
        let path = "\(directory.path)/verify.db"
        try Data().write(to: URL(fileURLWithPath: path))
        defer { FileSystem.remove(path) }
        var fault: DatabaseFileError?
        try archive.verify(in: path) { _, result in
            switch result {
            case .success((let run, let summary)): told(run, summary)
            case .failure(let error): fault = fault ?? error
            }
        }
        if let fault { throw fault }
    }
}
