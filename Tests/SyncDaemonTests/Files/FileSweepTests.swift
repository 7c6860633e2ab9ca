// What a start does with contents of which the database does not know.

import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("Contents that nobody knows")
struct FileSweepTests {
    private let scratch: ScratchDirectory
    private let path: String
    private let one: FileID
    private let two: FileID
    private let now: Int64 = 2_000_000_000

    init() throws {
        scratch = try ScratchDirectory()
        path = scratch.path + "/files"
        _ = try FileDirectory(path)
        one = try #require(FileID("01234567-89ab-4cde-8f01-23456789abcd"))
        two = try #require(FileID("11111111-1111-4111-8111-111111111111"))
    }

    private func put(_ name: String, _ text: String = "abc") throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    }

    private func sweep(
        at seconds: Int64, knows: (FileID) throws(StoreError) -> Bool
    ) throws -> FileSweep { try FileDirectory(path).sweep(at: seconds, knows: knows) }

    private var names: [String] { list(path) }
    private var aside: [String] { list(path + "/unknown") }

    private func list(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    @Test("they are put aside, and what was not made here stays")
    func putAside() throws {
        for name in [one.text, two.text, "README", "x.part"] { try put(name) }
        let known = one

        let found = try sweep(at: now) { $0 == known }

        #expect(found.kept == .init(files: 1, bytes: 3))
        #expect(found.putAside == .init(files: 1, bytes: 3) && found.aside == found.putAside)
        #expect(names == [one.text, "README", "unknown", "x.part"] && aside == [two.text])
        let mode = try FileManager.default.attributesOfItem(atPath: path + "/unknown")
        #expect(mode[.posixPermissions] as? Int == 0o700)
    }

    @Test("where all are known there is no such place")
    func none() throws {
        try put(one.text)
        let found = try sweep(at: now) { _ in true }
        #expect(found.aside.files == 0 && names == [one.text])
    }

    @Test("the right database brings them back, with what is in them")
    func back() throws {
        try put(one.text, "one")
        _ = try sweep(at: now) { _ in false }
        #expect(names == ["unknown"])

        let found = try sweep(at: now + 100) { _ in true }

        #expect(found.broughtBack == .init(files: 1, bytes: 3) && found.aside.files == 0)
        #expect(names == [one.text, "unknown"] && aside == [])
        let text = try String(contentsOfFile: "\(path)/\(one.text)", encoding: .utf8)
        #expect(text == "one")
    }

    @Test("after thirty days a start removes them, by when they were put there")
    func forgotten() throws {
        // What was put there long before, by another clock.
        try put(one.text)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 0)],
            ofItemAtPath: "\(path)/\(one.text)")
        for after in [0, Limits.unknownFileSeconds] {
            let found = try sweep(at: now + after) { _ in false }
            #expect(found.forgotten.files == 0 && aside == [one.text])
        }

        let found = try sweep(at: now + Limits.unknownFileSeconds + 1) { _ in false }

        #expect(found.forgotten == .init(files: 1, bytes: 3) && aside == [])
    }

    @Test("nothing is moved when one question has no answer")
    func damaged() throws {
        for name in [one.text, two.text] { try put(name) }
        var asked = 0
        let damage = StoreError.damaged(path: "", reason: "")
        #expect(throws: damage) {
            _ = try sweep(at: now) { _ throws(StoreError) in
                asked += 1
                if asked == 2 { throw damage }
                return false
            }
        }
        #expect(asked == 2 && names == [one.text, two.text])
        #expect(try FileDirectory(path).survey() == .init(files: 2, bytes: 6))
    }

    @Test("nobody's place is taken: not aside, and not on the way back")
    func places() throws {
        try put(one.text, "old")
        _ = try sweep(at: now) { _ in false }
        try put(one.text, "newer")

        let found = try sweep(at: now) { _ in false }
        #expect(found.stuck == .init(files: 1, bytes: 5) && found.putAside.files == 0)
        let again = try sweep(at: now) { _ in true }
        #expect(again.kept == .init(files: 1, bytes: 5) && again.broughtBack.files == 0)
        let text = try String(contentsOfFile: "\(path)/\(one.text)", encoding: .utf8)
        #expect(text == "newer")
    }

    @Test("what a crash left with two names gets back to one")
    func crash() throws {
        try put(one.text)
        _ = try sweep(at: now) { _ in false }
        try FileManager.default.linkItem(
            atPath: "\(path)/unknown/\(one.text)", toPath: "\(path)/\(one.text)"
        )

        let found = try sweep(at: now) { _ in false }

        #expect(found.stuck.files == 0 && names == ["unknown"] && aside == [one.text])
    }

    @Test("a link in the place of the directory is not followed")
    func link() throws {
        try put(one.text)
        try FileManager.default.createSymbolicLink(
            atPath: path + "/unknown", withDestinationPath: scratch.path)

        let found = try sweep(at: now) { _ in false }

        #expect(found.stuck.files == 1 && names == [one.text, "unknown"])
    }

    @Test("what is not whole goes")
    func parts() throws {
        for name in ["\(one.text).part", "x.part"] { try put(name) }
        try FileDirectory(path).discardParts()
        #expect(names == ["x.part"])
    }
}
