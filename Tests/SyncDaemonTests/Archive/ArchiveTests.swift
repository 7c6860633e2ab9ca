// What an archive gives back is what the database was, at each commit; or it says that it cannot.

import Basis
import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("Archive")
struct ArchiveTests {
    private let world: ArchivedStore

    init() throws {
        world = try ArchivedStore()
    }

    @Test(
        "every commit behind a base can be restored, from each base before it",
        arguments: [1, 2, 3] as [UInt64])
    func everyCommit(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        try world.begin()
        try world.makeBase()
        for round in 0..<150 {
            try world.deed(using: &random)
            if round == 70 { try world.makeBase() }
        }
        try world.deliver()
        let run = try #require(try world.archive.runs().last)
        try #require(run.bases.count == 2)
        #expect(run.pieces.count > 3)
        for (moment, rows) in world.history where moment >= run.bases[0].through {
            #expect(try world.restored(moment) == rows, "at \(moment)")
        }
        // Also past a base that came later.
        let oldest = run.bases[0]
        for (moment, rows) in world.history.suffix(20) {
            #expect(try world.restored(moment, from: oldest, of: run) == rows, "at \(moment)")
        }
    }

    @Test("between two commits is what the first one left, and nothing of the second")
    func between() throws {
        try world.begin()
        try world.makeBase()
        try world.publish(at: 1000)
        try world.publish(at: 2000)
        try world.deliver()
        #expect(try world.restored(tick(999)) == [])
        #expect(try world.restored(tick(1999)) == [1000])
        #expect(try world.restored(.end) == [1000, 2000])
    }

    @Test("whatever byte of a piece is changed, nothing but what was written comes of it")
    func damage() throws {
        var random = SeededGenerator(seed: 7)
        try world.begin()
        try world.makeBase()
        for _ in 0..<30 { try world.deed(using: &random) }
        try world.deliver()
        let last = try #require(world.history.last)
        let run = try #require(try world.archive.runs().last)
        var refused = 0
        for _ in 0..<60 {
            let piece = try #require(run.pieces.randomElement(using: &random))
            let path = "\(world.archive.path)/\(piece.path)"
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            var changed = whole
            let place = Int.random(in: 0..<whole.count, using: &random)
            if Bool.random(using: &random) {
                changed[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            } else {
                changed = changed.prefix(place)
            }
            try changed.write(to: URL(fileURLWithPath: path))
            do {
                // gzip's own header has bytes that mean nothing.
                #expect(try world.restored(last.moment) == last.rows)
            } catch is DatabaseFileError {
                refused += 1
            }
            try whole.write(to: URL(fileURLWithPath: path))
        }
        #expect(refused > 40)
        #expect(try world.restored(last.moment) == last.rows)
    }

    @Test("a piece that is missing is named, and what is before it can be restored")
    func missing() throws {
        try world.begin()
        try world.makeBase()
        for number in 1...5 as ClosedRange<UInt64> {
            try world.publish(at: number * 100)
            world.log.finish()
        }
        try world.deliver()
        let run = try #require(try world.archive.runs().last)
        FileSystem.remove("\(world.archive.path)/\(run.pieces[2].path)")
        #expect(throws: DatabaseFileError.missingPiece(2, run: world.path(of: run))) {
            try world.restored(.end)
        }
        #expect(try world.restored(tick(200)) == [100, 200])
    }

    @Test("a log that another program copied ends the run, and the next one is whole again")
    func foreignCopy() throws {
        try world.begin()
        try world.publish(at: 100)
        try DatabaseFile(path: world.database, isShared: false).takeLogIn()
        try world.publish(at: 200)
        #expect(world.shelf.gap?.contains("another program") == true)
        #expect(world.shelf.run == nil)
        // Not at once: what made the gap may go on.
        try world.publish(at: 300)
        #expect(world.shelf.run == nil)
        world.milliseconds.add(Int(Limits.archivePauseMilliseconds))
        // Also when nothing more is written.
        world.store.passTime()
        #expect(world.shelf.run != nil)
        try world.makeBase()
        #expect(try world.restored(.end) == [100, 200, 300])
        try world.publish(at: 400)
        try world.publish(at: 500)
        try world.deliver()
        #expect(try world.restored(.end) == [100, 200, 300, 400, 500])
        #expect(try world.restored(tick(400)) == [100, 200, 300, 400])
    }

    @Test("a moment amid a gap is refused, and so is none where the daemon was stopped")
    func gap() throws {
        try world.begin()
        try world.makeBase()
        try world.publish(at: 100)
        try world.deliver()
        // As if it were killed: nobody says that nothing came behind it.
        try world.startAnew()
        try world.publish(at: 200)
        try world.publish(at: 300)
        try world.makeBase()
        try world.publish(at: 400)
        world.log.finish()
        world.log.end()
        try world.deliver()
        try world.startAnew()
        try world.publish(at: 600)
        try world.makeBase()
        try world.deliver()
        #expect(try world.restored(tick(100)) == [100])
        #expect(
            throws: DatabaseFileError.gap(
                ArchiveGap(start: tick(100), end: tick(300)), at: tick(150),
                path: world.archive.path)
        ) { try world.restored(tick(150)) }
        #expect(try world.restored(tick(350)) == [100, 200, 300])
        #expect(try world.restored(tick(500)) == [100, 200, 300, 400])
        #expect(try world.restored(.end) == [100, 200, 300, 400, 600])
    }

    @Test("whatever bit of a base is changed, it is refused")
    func base() throws {
        var random = SeededGenerator(seed: 9)
        try world.begin()
        try world.makeBase()
        try world.publish(at: 100)
        try world.deliver()
        let run = try #require(try world.archive.runs().last)
        let path = "\(world.archive.path)/\(run.bases[0].path)"
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for _ in 0..<40 {
            var changed = whole
            changed[Int.random(in: 0..<whole.count, using: &random)] ^=
                UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            try changed.write(to: URL(fileURLWithPath: path))
            #expect(throws: DatabaseFileError.self) { try world.restored(.end) }
            #expect(throws: DatabaseFileError.self) { try world.verify { _, _ in } }
        }
    }

    @Test("verifying a file looks at every row's checksum")
    func rowSums() throws {
        try world.publish(at: 100)
        let path = world.scratch("copy.db")
        _ = try DatabaseFile.copyPages(world.database, to: path)
        _ = try DatabaseFile.verify(path)
        let file = try DatabaseFile(path: path, isShared: false)
        try file.connection.execute("UPDATE message SET payload = '\"other\"'")
        _ = consume file
        #expect(throws: DatabaseFileError.self) { try DatabaseFile.verify(path) }
    }

    @Test("when no more may wait the run ends, and writes go on")
    func full() throws {
        let world = try ArchivedStore(waitingMax: 100_000)
        try world.begin()
        for number in 1...40 as ClosedRange<UInt64> {
            try world.publish(at: number * 100)
            world.log.finish()
        }
        #expect(world.shelf.gap?.contains("the archive takes none") == true)
        #expect(world.shelf.run == nil)
        #expect(world.shelf.isFull)
        world.milliseconds.add(Int(Limits.archivePauseMilliseconds))
        world.store.passTime()
        #expect(world.shelf.obstacle?.contains("the archive takes none") == true)
        try world.deliver()
        #expect(!world.shelf.isFull)
        try world.publish(at: 5000)
        #expect(world.shelf.run != nil)
        #expect(world.shelf.obstacle == nil)
    }

    @Test("on a full disk all that waits is given up, and the run ends")
    func makesRoom() throws {
        try world.begin()
        try world.publish(at: 100)
        world.log.finish()
        #expect(world.shelf.bytes > 0)
        _ = try world.store.emptyLog()
        #expect(world.shelf.bytes == 0)
        #expect(world.shelf.run == nil)
        let left = try FileSystem.names(in: world.shelf.directory)
        #expect(left.filter { ArchiveName(waiting: $0) != nil } == [])
    }

    @Test("what waits at the end of a life is there in the next one")
    func nextLife() throws {
        try world.begin()
        try world.makeBase()
        try world.publish(at: 100)
        world.log.finish()
        let next = ArchiveShelf(beside: world.database)
        #expect(next.bytes == world.shelf.bytes)
        #expect(next.bytes > 0)
    }

    @Test("a last piece that is missing is noticed where the daemon was stopped")
    func missingLast() throws {
        try world.begin()
        try world.makeBase()
        for number in 1...3 as ClosedRange<UInt64> {
            try world.publish(at: number * 100)
            world.log.finish()
        }
        world.log.end()
        try world.deliver()
        #expect(try world.restored(tick(900)) == [100, 200, 300])
        for (lost, left) in [(2, [100, 200]), (1, [100]), (0, [])] as [(Int, [UInt64])] {
            let run = try #require(try world.archive.runs().last)
            FileSystem.remove("\(world.archive.path)/\(try #require(run.pieces.last).path)")
            let missing = DatabaseFileError.missingPiece(lost, run: world.path(of: run))
            #expect(throws: missing) { try world.restored(.end) }
            #expect(throws: missing) { try world.restored(tick(900)) }
            #expect(throws: missing) { try world.verify { _, _ in } }
            #expect(try !world.archive.reaches(tick(900)))
            #expect(try world.restored(tick(UInt64(lost) * 100)) == left)
        }
    }

    @Test("verifying puts each run together, and finds a base that is damaged")
    func verifying() throws {
        try world.begin()
        try world.makeBase()
        try world.publish(at: 100)
        try world.makeBase()
        try world.publish(at: 200)
        try world.deliver()
        var runs: [VerifiedRun] = []
        try world.verify { run, _ in runs.append(run) }
        #expect(runs.map(\.last) == [tick(200)])
        #expect(runs.map(\.bases) == [2])
        let run = try #require(try world.archive.runs().last)
        let base = run.bases[1]
        let path = "\(world.archive.path)/\(base.path)"
        // A copy that says to be of another moment.
        let other = ArchiveName(run: run.name, base.kind, through: tick(900))
        try FileSystem.rename(path, to: "\(world.archive.path)/\(other.path)")
        #expect(throws: DatabaseFileError.self) { try world.verify { _, _ in } }
        #expect(throws: DatabaseFileError.self) { try world.restored(.end) }
        try FileSystem.rename("\(world.archive.path)/\(other.path)", to: path)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for place in 8200..<8300 { bytes[place] = 0xFF }
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(throws: DatabaseFileError.self) { try world.verify { _, _ in } }
    }

    @Test(
        "names say what a file is, and nothing else is taken for one",
        arguments: [
            "00000012-17960165119545071.log.gz", "123456789-1.log.gz",
            "base-17960165119545071-00000012-00000000000000ff.db",
            "end-17960165119545071.mark", "start-17960165119545071-0.mark",
        ])
    func names(file: String) throws {
        let name = try #require(ArchiveName(run: "r", file: file))
        #expect(name.file == file)
        #expect(ArchiveName(waiting: name.waiting) == name)
        for wrong in [file + ".part", "x" + file, String(file.dropLast()), "-" + file] {
            #expect(ArchiveName(run: "r", file: wrong) == nil, "\(wrong)")
        }
        #expect(ArchiveName(run: "r", file: "000000000000012-1.log.gz") == nil)
    }
}
