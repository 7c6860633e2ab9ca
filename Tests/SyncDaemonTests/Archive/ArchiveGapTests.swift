// What an archive lacks is noticed: no moment is put back as something that never was.

import EventModel
import Foundation
import Glibc
import Testing

@testable import SyncDaemon

@Suite("Archive's gaps")
struct ArchiveGapTests {
    private let world: ArchivedStore

    init() throws {
        world = try ArchivedStore()
    }

    private func remove(_ name: ArchiveName) {
        FileSystem.remove("\(world.archive.path)/\(name.path)")
    }

    private func gap(
        _ start: UInt64, _ end: UInt64?, at moment: UInt64
    ) -> DatabaseFileError {
        .gap(
            ArchiveGap(start: tick(start), end: end.map(tick)), at: tick(moment),
            path: world.archive.path)
    }

    @Test(
        "a piece that is missing behind a copy is named, whichever it is", arguments: [0, 1, 2])
    func piece(lost: Int) throws {
        try world.begin()
        try world.makeBase()
        for number in 1...4 as ClosedRange<UInt64> {
            try world.publish(at: number * 100)
            world.log.finish()
        }
        try world.deliver()
        let run = try #require(try world.archive.runs().last)
        remove(run.pieces[lost])
        let missing = DatabaseFileError.missingPiece(lost, run: world.path(of: run))
        #expect(throws: missing) { try world.restored(.end) }
        #expect(throws: missing) { try world.restored(tick(400)) }
        #expect(throws: missing) { try world.verify() }
        let before = ([100, 200, 300] as [UInt64]).prefix(lost)
        #expect(try world.restored(tick(UInt64(lost) * 100)) == Array(before))
    }

    @Test("what a copy needs is every piece that was not closed when it was made")
    func copy() throws {
        try world.begin()
        try world.publish(at: 100)
        world.log.finish()
        try world.publish(at: 200)
        try world.makeBase()
        try world.publish(at: 300)
        world.log.finish()
        try world.deliver()
        let run = try #require(try world.archive.runs().last)
        #expect(run.bases.map(\.kind.next) == [1])
        remove(run.pieces[0])
        #expect(try world.restored(.end) == [100, 200, 300])
        try world.verify()
        remove(run.pieces[1])
        #expect(try world.restored(tick(200)) == [100, 200])
    }

    @Test(
        "a copy under another number is none, also beside the right one", arguments: [0, 2, 9],
        [true, false])
    func number(next: Int, isBeside: Bool) throws {
        try world.begin()
        try world.publish(at: 100)
        world.log.finish()
        try world.makeBase()
        try world.publish(at: 200)
        world.log.finish()
        try world.publish(at: 300)
        try world.deliver()
        let run = try #require(try world.archive.runs().last)
        let base = try #require(run.bases.first)
        guard case .base(1, let sum) = base.kind else {
            Issue.record("\(base)")
            return
        }
        let other = ArchiveName(run: run.name, .base(next: next, sum: sum), through: base.through)
        let (path, target) = (
            "\(world.archive.path)/\(base.path)", "\(world.archive.path)/\(other.path)"
        )
        try FileManager.default.copyItem(atPath: path, toPath: target)
        if !isBeside { FileSystem.remove(path) }
        #expect(throws: DatabaseFileError.self) { try world.verify() }
        // Whichever of two it takes: what it puts back is right, or nothing is.
        let restored = Result { try world.restored(.end) }
        #expect((try? restored.get()).map { $0 == [100, 200, 300] && isBeside } ?? true)
    }

    @Test("where a run's copy is missing the one before is no answer for its time")
    func runWithoutCopy() throws {
        try world.live(from: [100, 200, 300])
        // Nothing was written between a stop and the next start's first commit.
        #expect(try world.restored(tick(199)) == [100, 110, 120])
        let run = try world.archive.runs()[1]
        for base in run.bases { remove(base) }
        #expect(try world.restored(tick(199)) == [100, 110, 120])
        for moment in [200, 215, 299] as [UInt64] {
            #expect(throws: gap(120, 300, at: moment)) { try world.restored(tick(moment)) }
        }
        #expect(try world.restored(.end).count == 9)
    }

    @Test("a run that is missing is a gap between those around it")
    func missingRun() throws {
        try world.live(from: [100, 200, 300])
        let runs = try world.archive.runs()
        for name in runs[1].names { remove(name) }
        for moment in [121, 215, 299] as [UInt64] {
            #expect(throws: gap(120, 300, at: moment)) { try world.restored(tick(moment)) }
        }
        #expect(try world.restored(tick(120)) == [100, 110, 120])
        // Of the last one there is nothing to tell that it was.
        for name in runs[2].names { remove(name) }
        #expect(try world.restored(.end) == [100, 110, 120])
    }

    @Test("that the newest run is missing is known from the archive itself")
    func missingNewestRun() throws {
        try world.live(from: [100, 200])
        let runs = try world.archive.runs()
        try world.archive.claim(
            world.store.epoch, by: world.shelf.writer(), after: runs.map(\.name))
        #expect(try world.archive.missingRun(of: runs) == nil)
        #expect(try world.archive.reaches(tick(220)))
        for name in runs[1].names { remove(name) }
        #expect(try world.archive.missingRun(of: world.archive.runs()) == runs[1].name)
        #expect(throws: gap(120, nil, at: 215)) { try world.restored(tick(215)) }
        #expect(try world.restored(tick(120)) == [100, 110, 120])
        #expect(try world.restored(.end) == [100, 110, 120])
        #expect(try !world.archive.reaches(.end))
    }

    @Test("behind the last copy of all nothing is put back for a later moment")
    func lastRunWithoutCopy() throws {
        try world.live(from: [100, 200])
        for base in try world.archive.runs()[1].bases { remove(base) }
        #expect(throws: gap(120, nil, at: 215)) { try world.restored(tick(215)) }
        #expect(try !world.archive.reaches(.end))
        // What is newest is said to be short.
        #expect(try world.restored(.end) == [100, 110, 120])
    }

    @Test("where an earlier state was put back what came behind it is newer, wherever it leads")
    func timelines() throws {
        try world.begin()
        try world.live(from: 100)
        try world.publish(at: 900)
        try world.restart()
        try putBack(thenAt: [300])
        #expect(try world.restored(.end) == [100, 300, 400])
        #expect(try world.restored(tick(950)) == [100, 300, 400])
        #expect(try world.restored(tick(350)) == [100, 300])
        #expect(try world.restored(tick(200)) == [100, 110, 120])
    }

    @Test("what was taken back is no answer for what came before the new state's copy")
    func timelineBeforeItsCopy() throws {
        try world.begin()
        try world.live(from: 100)
        try world.publish(at: 900)
        try world.restart()
        try putBack(thenAt: [300, 320, 340])
        for moment in [300, 310, 339] as [UInt64] {
            #expect(throws: gap(300, 340, at: moment)) { try world.restored(tick(moment)) }
        }
        #expect(try world.restored(tick(299)) == [100, 110, 120])
        #expect(try world.restored(tick(340)) == [100, 300, 320, 340])
        #expect(try world.restored(tick(950)) == [100, 300, 320, 340, 400])
    }

    /// As if the state of 100 had been restored, and less time had passed since: a new life, with
    /// its copy behind the last of `moments`.
    private func putBack(thenAt moments: [UInt64]) throws {
        let other = try ArchivedStore()
        try other.publish(at: 100)
        try other.startAnew()
        for moment in moments { try other.publish(at: moment) }
        try other.makeBase()
        try other.publish(at: 400)
        try other.deliver()
        let run = try #require(try other.archive.runs().last)
        try FileManager.default.copyItem(
            atPath: other.path(of: run), toPath: "\(world.archive.path)/run99")
    }

    @Test("a run's name is behind those of all before, whatever the clock says")
    func order() throws {
        let database = world.scratch("other/syncdaemon.db")
        let shelf = ArchiveShelf(beside: database)
        try FileSystem.makeDirectory(FileSystem.directory(of: database))
        _ = try shelf.writer()
        let first = try shelf.moment(at: tick(1000))
        #expect(first == tick(1000))
        let second = try shelf.moment(at: tick(500))
        #expect(second > first)
        let third = try ArchiveShelf(beside: database).moment(at: tick(700))
        #expect(third > second)
        #expect(try shelf.moment(at: tick(5000)) == tick(5000))
        var generator = SystemRandomNumberGenerator()
        let dates = [first, second, third].map {
            ArchiveName.run(at: $0, using: &generator).prefix { $0 != "-" }
        }
        #expect(dates == dates.sorted() && Set(dates).count == 3)
    }

    @Test("the time between a start's first commit and its copy is not known")
    func beforeTheCopy() throws {
        try world.begin()
        try world.live(from: 100)
        try world.restart()
        try world.publish(at: 200)
        try world.publish(at: 210)
        try world.makeBase()
        try world.deliver()
        #expect(try world.restored(tick(199)) == [100, 110, 120])
        #expect(throws: gap(120, 210, at: 205)) { try world.restored(tick(205)) }
        #expect(try world.restored(tick(210)).count == 5)
    }

    @Test("who has the log copied into the database makes no gap")
    func copyLog() throws {
        try world.begin()
        try world.makeBase()
        for number in 1...3 as ClosedRange<UInt64> {
            try world.publish(at: number * 100)
            try world.store.copyLog()
            #expect(world.store.connection.logPages == 0)
        }
        #expect(world.shelf.gap == nil)
        try world.deliver()
        #expect(try world.restored(.end) == [100, 200, 300])
        #expect(try world.restored(tick(200)) == [100, 200])
    }

    @Test("a run that begins on an empty log has all that comes")
    func emptyLog() throws {
        try world.begin()
        try world.publish(at: 100)
        _ = try world.store.emptyLog()
        #expect(world.shelf.run == nil)
        world.milliseconds.add(Int(Limits.archivePauseMilliseconds))
        world.store.passTime()
        try world.makeBase()
        try world.publish(at: 200)
        try world.publish(at: 300)
        try world.deliver()
        #expect(world.shelf.gaps == 1)
        #expect(try world.restored(.end) == [100, 200, 300])
        #expect(try world.restored(tick(200)) == [100, 200])
    }

    @Test("a pipe in the place of a file is refused, and not waited for")
    func pipe() throws {
        try world.begin()
        try world.makeBase()
        try world.publish(at: 100)
        try world.deliver()
        let run = try #require(try world.archive.runs().last)
        for name in [run.pieces[0], run.bases[0]] {
            let path = "\(world.archive.path)/\(name.path)"
            FileSystem.remove(path)
            #expect(unsafe mkfifo(path, 0o600) == 0)
            #expect(throws: DatabaseFileError.failed(path: path, reason: "it is no file")) {
                try world.restored(.end)
            }
        }
    }

    @Test(
        "a name that a terminal would obey is no run's",
        arguments: [
            ("20261130T221644011938Z-1f", true), ("a.old", true), ("..", false), (".x", false),
            ("20261130T221644011938Z-\u{1B}[31m", false), ("x\u{7}", false), ("é", false),
        ])
    func names(name: String, isRun: Bool) {
        #expect(ArchiveName.isRun(name) == isRun)
    }

    @Test("numbers that no piece has are refused before memory is taken for them")
    func numbers() throws {
        let many = Int(Limits.archiveChunkMarksMax) + 1
        let marks = (1...many).map { LogMark(frames: $0, through: tick(UInt64($0))) }
        for (marks, isRefused) in [(marks, true), (Array(marks.dropLast()), false)] {
            let chunk = LogChunk(
                header: Array(repeating: 0, count: LogHeader.byteCount),
                sumBefore: Array(repeating: 0, count: LogFrame.sumBytes), first: 0, count: many,
                marks: marks)
            var left = chunk.bytes[...]
            var most = 0
            let found = Result { () throws(Failure) in
                try LogChunk.read(damaged: Failure.init) { count throws(Failure) in
                    most = max(most, count)
                    defer { left = left.dropFirst(count) }
                    return Array(left.prefix(count))
                }
            }
            switch found {
            case .success(let read): #expect(!isRefused && read == chunk)
            case .failure: #expect(isRefused)
            }
            #expect(!isRefused || most < 1000)
        }
    }

    private struct Failure: Error {
        let reason: String
    }
}

extension ArchiveName.Kind {
    fileprivate var next: Int? {
        if case .base(let next, _) = self { next } else { nil }
    }
}
