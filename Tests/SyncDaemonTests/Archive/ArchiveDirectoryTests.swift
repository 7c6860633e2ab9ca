// The directory of an archive: whose it is, the order in it, and what goes as it gets old.

import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("Archive's directory")
struct ArchiveDirectoryTests {
    private let world: ArchivedStore

    init() throws {
        world = try ArchivedStore()
    }

    @Test("an archive belongs to one store, in a directory of its own")
    func owner() throws {
        let writer = try world.shelf.writer()
        #expect(try world.shelf.writer() == writer)
        try world.archive.claim(world.store.epoch, by: writer)
        #expect(throws: DatabaseFileError.self) { try world.archive.claim("two", by: "another") }
        // An import makes another store of it, in the same place.
        try world.archive.claim("two", by: writer)
        try world.archive.claim(world.store.epoch, by: writer)
        // A copy of the same store, which has a history of its own from now on.
        #expect(throws: DatabaseFileError.self) {
            try world.archive.claim(world.store.epoch, by: "another")
        }
        let other = try ScratchDirectory()
        try Data().write(to: URL(fileURLWithPath: other.path + "/notes"))
        #expect(throws: DatabaseFileError.self) {
            try ArchiveDirectory(path: other.path).claim("one", by: writer)
        }
    }

    @Test("a data directory that was copied is another one, with another name")
    func copied() throws {
        let writer = try world.shelf.writer()
        let target = world.scratch("other")
        try FileManager.default.createDirectory(
            atPath: target, withIntermediateDirectories: false)
        try FileManager.default.copyItem(
            atPath: world.shelf.directory, toPath: target + "/archive")
        let copy = ArchiveShelf(beside: target + "/syncdaemon.db")
        #expect(try ArchiveShelf.writer(in: copy.directory) == nil)
        let other = try copy.writer()
        #expect(other != writer)
        #expect(try copy.writer() == other)
        #expect(try world.shelf.writer() == writer)
    }

    @Test("a run of which the data directory knows nothing is another daemon's")
    func strangeRun() throws {
        let writer = try world.shelf.writer()
        let epoch = world.store.epoch
        #expect(try world.shelf.runs() == [])
        for run in ["1", "2", "3"] {
            let runs = try world.shelf.note(begun: run)
            try world.archive.claim(epoch, by: writer, after: runs)
        }
        #expect(try world.shelf.runs() == ["2", "3"])
        // One that began while the daemon was killed between the two files.
        try world.archive.claim(epoch, by: writer, after: ["3", "4"])
        for runs in [["2", "3"], ["5"], []] {
            #expect(throws: DatabaseFileError.self) {
                try world.archive.claim(epoch, by: writer, after: runs)
            }
        }
        try world.archive.claim(epoch, by: writer, after: ["4"])
        // What is imported has another epoch, and the same runs.
        try world.archive.claim("two", by: writer, after: ["4", "5"])
        try world.archive.claim("two", by: writer, after: ["5"])
    }

    @Test("whether a file was taken is not known while the archive is away")
    func away() throws {
        try world.begin()
        try world.publish(at: 100)
        try world.deliver()
        let run = try #require(try world.archive.runs().last)
        let path = try #require(run.names.last).path
        #expect(world.archive.isUntaken(path) == true)
        #expect(world.archive.noteTaken(path))
        #expect(world.archive.isUntaken(path) == false)
        #expect(world.archive.isUntaken("\(run.name)/none") == false)
        let away = world.archive.path + "-away"
        try FileSystem.rename(world.archive.path, to: away)
        #expect(world.archive.isUntaken(path) == nil)
        try FileSystem.rename(away, to: world.archive.path)
        #expect(world.archive.isUntaken(path) == false)
    }

    @Test("who was broken off while it took a directory takes it afterwards")
    func brokenOff() throws {
        let other = try ScratchDirectory()
        let part = other.path + "/\(ArchiveDirectory.owner)\(ArchiveShelf.partEnding)"
        try Data("on".utf8).write(to: URL(fileURLWithPath: part))
        let archive = ArchiveDirectory(path: other.path)
        try archive.claim("one", by: "ada")
        #expect(try FileSystem.names(in: other.path) == [ArchiveDirectory.owner])
        try archive.claim("one", by: "ada")
        #expect(throws: DatabaseFileError.self) { try archive.claim("one", by: "bob") }
    }

    @Test("pieces are in the order of their numbers, however many digits these have")
    func manyDigits() throws {
        let run = try world.archive.directory(of: "run1")
        let numbers = [100_000_000, 99_999_999, 100_000_001]
        for (moment, number) in numbers.enumerated() {
            let name = ArchiveName(
                run: "run1", .piece(number), through: tick(UInt64(moment)))
            try Data().write(to: URL(fileURLWithPath: "\(run)/\(name.file)"))
        }
        let pieces = try #require(try world.archive.runs().last).pieces
        #expect(pieces.map(\.kind) == numbers.sorted().map(ArchiveName.Kind.piece))
    }

    @Test("what only older moments need is forgotten, and the rest can be restored")
    func forgetting() throws {
        try world.begin()
        try world.makeBase()
        for number in 1...9 as ClosedRange<UInt64> {
            try world.publish(at: number * 100)
            world.log.finish()
            if number % 3 == 0 { try world.makeBase() }
        }
        try world.deliver()
        let before = try #require(try world.archive.runs().last)
        #expect(
            try world.archive.forget(before: tick(650)) == ForgottenFiles(count: 8, untaken: 8))
        let after = try #require(try world.archive.runs().last)
        #expect(after.bases.map(\.through) == [tick(600), tick(900)])
        #expect(before.pieces.count - after.pieces.count == 6)
        #expect(try world.restored(tick(600)) == [100, 200, 300, 400, 500, 600])
        #expect(try world.restored(tick(700)).last == 700)
        #expect(throws: DatabaseFileError.self) { try world.restored(tick(500)) }
    }

    @Test("of a run that is over everything is forgotten, and what no command took is counted")
    func forgettingRuns() throws {
        try world.begin()
        try world.makeBase()
        try world.publish(at: 100)
        world.log.finish()
        world.log.end()
        try world.deliver()
        let old = try #require(try world.archive.runs().last)
        try #require(old.end != nil)
        try world.startAnew()
        try world.publish(at: 200)
        try world.makeBase()
        try world.deliver()
        for name in old.bases { #expect(world.archive.noteTaken(name.path)) }
        // Until the next one begins nothing was written: it is what was there.
        #expect(try world.archive.forget(before: tick(150)) == ForgottenFiles())
        #expect(try world.restored(tick(150)) == [100])
        #expect(
            try world.archive.forget(before: tick(250)) == ForgottenFiles(count: 4, untaken: 3))
        #expect(try world.archive.runs().map(\.name) != [])
        #expect(!FileSystem.exists(world.path(of: old)))
    }
}
