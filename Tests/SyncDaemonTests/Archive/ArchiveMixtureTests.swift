// A copy that lies in a run which is not its own is found, and nothing is made of both.

import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("Archive: copies of other runs")
struct ArchiveMixtureTests {
    private let world: ArchivedStore

    init() throws {
        world = try ArchivedStore()
    }

    @Test(
        "a copy that is of another run is none of this one, alone or beside its own",
        arguments: [true, false])
    func otherRunsCopy(isAlone: Bool) throws {
        try world.live(from: [100, 200])
        let runs = try world.archive.runs()
        for (from, to) in [(0, 1), (1, 0)] {
            let (base, own) = (runs[from].bases[0], runs[to].bases[0])
            let place = "\(world.path(of: runs[to]))/\(base.file)"
            try FileManager.default.copyItem(
                atPath: "\(world.archive.path)/\(base.path)", toPath: place)
            let kept = "\(world.archive.path)/kept"
            let ownPath = "\(world.archive.path)/\(own.path)"
            if isAlone { try FileSystem.rename(ownPath, to: kept) }
            let found = DatabaseFileError.damagedPiece(
                path: place, reason: "it is a copy of another time than its run")
            #expect(throws: found) { try world.verify() }
            // The second run's own is there where the first one lacks its own.
            if isAlone, to == 1 {
                #expect(throws: found) { try world.restored(tick(220)) }
            } else {
                #expect(try world.restored(tick(220)).count == 6)
            }
            FileSystem.remove(place)
            if isAlone { try FileSystem.rename(kept, to: ownPath) }
        }
        try world.verify()
        #expect(try world.restored(.end).count == 6)
    }

    /// Found by a correctness engineer: what such a run leads to nothing says.
    @Test("a copy of a later life is none of a run that was killed")
    func laterLifesCopy() throws {
        try world.begin()
        try world.makeBase()
        try world.publish(at: 100)
        try world.deliver()
        try world.startAnew()
        try world.publish(at: 200)
        try world.makeBase()
        try world.deliver()
        let runs = try world.archive.runs()
        try #require(runs.count == 2 && runs[0].end == nil)
        let base = runs[1].bases[0]
        let place = "\(world.path(of: runs[0]))/\(base.file)"
        try FileManager.default.copyItem(
            atPath: "\(world.archive.path)/\(base.path)", toPath: place)
        #expect(
            throws: DatabaseFileError.damagedPiece(
                path: place, reason: "it is a copy of another time than its run")
        ) { try world.verify() }
        FileSystem.remove(place)
        try world.verify()
    }

    @Test("a copy of a state that the log never came through is none of its run")
    func otherStatesCopy() throws {
        try world.live(from: [100])
        let other = try ArchivedStore()
        try other.begin()
        try other.publish(at: 100)
        try other.publish(at: 115)
        try other.makeBase()
        let run = try #require(try world.archive.runs().last)
        let base = try #require(try other.archive.runs().last?.bases.first)
        let source = "\(other.archive.path)/\(base.path)"
        for next in 0...1 {
            let sum = try BinaryFile.reading(source).forEachPart()
            let name = ArchiveName(
                run: run.name, ofBytes: sum, next: next, through: base.through)
            let place = "\(world.archive.path)/\(name.path)"
            try FileManager.default.copyItem(atPath: source, toPath: place)
            let error = #expect(throws: DatabaseFileError.self) {
                try world.restored(.end, from: name, of: run)
            }
            #expect("\(String(describing: error))".contains("does not go on from the copy of"))
            FileSystem.remove(place)
        }
        try world.verify()
    }
}
