// What threads of files do to the disk: whole files or nothing, and nothing of anybody else's.

import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("Files on the disk")
struct FileWorkTests {
    private let scratch: ScratchDirectory
    private let id: FileID
    private let one = Origin(reactor: 0, session: SessionID(slot: 1, generation: 1), command: 1)
    private let two = Origin(reactor: 0, session: SessionID(slot: 2, generation: 1), command: 1)

    init() throws {
        scratch = try ScratchDirectory()
        id = try #require(FileID("01234567-89ab-4cde-8f01-23456789abcd"))
    }

    private var path: String { scratch.path + "/files" }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    private func form() throws -> FormReader {
        try #require(FormReader(contentType: "multipart/form-data; boundary=b"))
    }

    private func body(_ content: String) -> [UInt8] {
        Array(
            ("--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n\(content)\r\n--b--\r\n")
                .utf8)
    }

    private func store(
        _ content: String, with work: inout FileWork, for origin: Origin
    ) throws -> FileAnswer.Result? {
        let begun = work.carryOut(.begin(id, try form(), length: 1), for: origin)
        #expect(begun == nil)
        return work.carryOut(.take(body(content), isLast: true), for: origin)
    }

    @Test("a file has its name when it is whole, and comes back in parts")
    func whole() throws {
        var work = FileWork(in: try FileDirectory(path))
        let content = String(repeating: "0123456789", count: 20_000)
        let form = body(content)
        let begun = work.carryOut(.begin(id, try self.form(), length: 1), for: one)
        #expect(begun == nil)
        let taken = work.carryOut(.take(Array(form[..<1000]), isLast: false), for: one)
        guard case .taken? = taken else {
            Issue.record("\(taken as Any)")
            return
        }
        #expect(names == [id.text + ".part"])
        let stored = work.carryOut(.take(Array(form[1000...]), isLast: true), for: one)
        guard case .stored(size: 200_000)? = stored else {
            Issue.record("\(stored as Any)")
            return
        }
        #expect(names == [id.text])
        let mode = try FileManager.default.attributesOfItem(atPath: "\(path)/\(id.text)")
        #expect(mode[.posixPermissions] as? Int == 0o600)

        var (found, sizes, order): ([UInt8], [Int?], FileOrder) = ([], [], .open(id, size: 200_000))
        while case .part(let bytes, let file, let isLast)? = work.carryOut(order, for: two) {
            #expect(bytes.count <= Limits.fileChunkBytes)
            found += bytes
            sizes.append(file?.size)
            if isLast { break }
            order = .read
        }
        #expect(String(decoding: found, as: UTF8.self) == content)
        #expect(sizes == [200_000, nil, nil, nil])
    }

    @Test("a file takes nobody's place")
    func exists() throws {
        var work = FileWork(in: try FileDirectory(path))
        guard case .stored? = try store("first", with: &work, for: one),
            case .failed(.exists)? = try store("second", with: &work, for: two)
        else {
            Issue.record("another answer")
            return
        }

        #expect(try String(contentsOfFile: "\(path)/\(id.text)", encoding: .utf8) == "first")
        #expect(names == [id.text])
    }

    @Test("who goes leaves nothing, and neither does a form that is none")
    func ends() throws {
        var work = FileWork(in: try FileDirectory(path))
        _ = work.carryOut(.begin(id, try form(), length: 1), for: one)
        _ = work.carryOut(.take(Array(body("x").prefix(20)), isLast: false), for: one)
        let ended = work.carryOut(.end, for: one)
        #expect(ended == nil)
        #expect(names == [])
        _ = work.carryOut(.begin(id, try form(), length: 1), for: one)
        let answer = work.carryOut(.take(Array(body("x").prefix(20)), isLast: true), for: one)
        guard case .badForm(.malformed)? = answer else {
            Issue.record("\(answer as Any)")
            return
        }
        #expect(names == [])
        // What still comes of it is of no interest.
        let late = work.carryOut(.take([1], isLast: true), for: one)
        #expect(late == nil)
    }

    @Test("a file for which there is no room is not begun")
    func reserve() throws {
        var work = FileWork(in: try FileDirectory(path))
        let answer = work.carryOut(.begin(id, try form(), length: 1 << 60), for: one)
        guard case .failed(.full)? = answer else {
            Issue.record("\(answer as Any)")
            return
        }
        #expect(names == [])
    }

    @Test("what is there is counted, and its bytes")
    func counts() throws {
        let figures = FileFigures()
        var work = FileWork(in: try FileDirectory(path), figures: figures)
        _ = try store("12345", with: &work, for: one)
        #expect(figures.stored.value == 1)
        #expect(figures.storedBytes.value == 5)
        _ = try store("again", with: &work, for: two)
        #expect(figures.stored.value == 1)
        _ = work.carryOut(.remove(id), for: one)
        _ = work.carryOut(.remove(id), for: one)
        #expect(figures.stored.value == 0)
        #expect(figures.storedBytes.value == 0)
    }

    @Test("a directory that was replaced takes no files, until it is there again")
    func replaced() throws {
        var work = FileWork(in: try FileDirectory(path))
        let before = work.look()
        #expect(before == nil)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        for isThere in [false, true] {
            if isThere {
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: false)
            }
            guard case .notWritable? = work.look(),
                case .failed(.notWritable)? = work.carryOut(
                    .begin(id, try form(), length: 1), for: one)
            else {
                Issue.record("it went into a directory that is gone")
                return
            }
        }

        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)

        let after = work.look()
        #expect(after == nil)
    }

    @Test("what uploads have announced is as good as written, until they end")
    func announced() throws {
        let room = FileRoom()
        var work = FileWork(in: try FileDirectory(path), room: room)
        let large = Int(1) << 50
        room.expect(large)
        let refused = work.carryOut(.begin(id, try form(), length: 1), for: one)
        guard case .failed(.full)? = refused else {
            Issue.record("\(refused as Any)")
            return
        }
        room.expect(-large)

        _ = work.carryOut(.begin(id, try form(), length: 1000), for: one)
        _ = work.carryOut(.take(Array(body("x")[..<10]), isLast: false), for: one)
        #expect(room.expect(0) == 990)
        _ = work.carryOut(.end, for: one)
        #expect(room.expect(0) == 0)
        _ = try store("whole", with: &work, for: one)
        #expect(room.expect(0) == 0)
    }

    @Test("a part of a file is read as if it were one")
    func ranges() throws {
        var work = FileWork(in: try FileDirectory(path))
        let content = String((0..<200_000).map { Character(String($0 % 10)) })
        _ = try store(content, with: &work, for: one)
        let bytes = Array(content.utf8)
        for (wanted, range) in [
            (ByteRange.from(3, through: 9), 3..<10),
            (.from(100_000, through: nil), 100_000..<200_000),
            (.last(7), 199_993..<200_000), (.from(0, through: 999_999), 0..<200_000),
        ] {
            var (found, order): ([UInt8], FileOrder) = ([], .open(id, wanted, size: 200_000))
            while case .part(let part, let file, let isLast)? = work.carryOut(order, for: two) {
                if let file { #expect(file == OpenedFile(size: 200_000, range: range)) }
                found += part
                if isLast { break }
                order = .read
            }
            #expect(found == Array(bytes[range]))
        }
        guard
            case .outside(size: 200_000)? = work.carryOut(
                .open(id, .from(200_000, through: nil), size: 200_000), for: two),
            case .measured(200_000)? = work.carryOut(.measure(id, size: 200_000), for: two)
        else {
            Issue.record("another answer")
            return
        }
    }

    @Test("what is shorter or longer than it was is not read, until it is as long again")
    func wrongSize() throws {
        var work = FileWork(in: try FileDirectory(path))
        _ = try store(String(repeating: "x", count: 1000), with: &work, for: one)
        let file = try #require(FileHandle(forUpdatingAtPath: "\(path)/\(id.text)"))
        for bytes: UInt64 in [500, 0, 1001] {
            try file.truncate(atOffset: bytes)
            for order in [FileOrder.open(id, .last(1), size: 1000), .measure(id, size: 1000)] {
                guard
                    case .failed(.wrongSize(id, _, let found, 1000))? = work.carryOut(
                        order, for: two), found == Int(bytes)
                else {
                    Issue.record("\(bytes) bytes were read as 1,000")
                    return
                }
            }
            let mended = work.mended(of: [id: 1000])
            #expect(mended.isEmpty)
        }
        try file.truncate(atOffset: 1000)
        let mended = work.mended(of: [id: 1000])
        #expect(mended == [id])
        guard case .part? = work.carryOut(.open(id, size: 1000), for: two) else {
            Issue.record("it is not read again")
            return
        }
        _ = work.carryOut(.remove(id), for: one)
        let removed = work.mended(of: [id: 1000])
        #expect(removed == [id], "who deletes it has mended it, too")
    }

    @Test("what is removed is read no further, and its room is free at once")
    func removedAmidReading() throws {
        var work = FileWork(in: try FileDirectory(path))
        _ = try store(String(repeating: "x", count: 200_000), with: &work, for: one)
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
                let link = "/proc/self/fd/\($0)"
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
                // Tests beside this one open files under the same id elsewhere.
                return target?.hasPrefix(path + "/") ?? false
            }.count
        }
        _ = work.carryOut(.open(id, size: 200_000), for: two)
        #expect(try descriptors() == 1)

        _ = work.carryOut(.remove(id), for: one)

        #expect(try descriptors() == 0)
        guard case .failed(.absent)? = work.carryOut(.read, for: two) else {
            Issue.record("it was read on")
            return
        }
    }

    @Test("links are not followed: not for the directory, and not for a file")
    func links() throws {
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path + "/link", withDestinationPath: scratch.path)
        #expect(throws: FileError.self) { _ = try FileDirectory(scratch.path + "/link") }
        var work = FileWork(in: try FileDirectory(path))
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/\(id.text)", withDestinationPath: "/etc/passwd")
        guard case .failed? = work.carryOut(.open(id, size: 1), for: one) else {
            Issue.record("it was followed")
            return
        }
    }
}
