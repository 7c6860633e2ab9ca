// Contents of files go along, each whole, once and checked; what nobody has is said.

import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("Export and import of files")
struct FileTransferTests {
    private let room = Channel("a")
    private let source: TransferBench
    private let target: TransferBench

    init() throws {
        (source, target) = (try TransferBench(), try TransferBench())
    }

    /// Has the source keep files with these contents, and nothing else.
    private func keep(_ contents: [String], in channel: Channel = Channel("a")) throws {
        let store = try source.open()
        defer { source.close() }
        try store.begin()
        for (number, content) in contents.enumerated() {
            try store.add(source.file(number, in: channel, Array(content.utf8)))
        }
        try store.commit(through: tick(9))
    }

    private func names(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    private func sizes(in channel: Channel = Channel("a")) throws -> [Int] {
        defer { target.close() }
        return try target.open().makeReader().files(in: channel, after: .zero, limit: 9).files
            .map(\.size)
    }

    @Test("files whose contents are nowhere are left out, and come with the next import")
    func leftOut() throws {
        try keep(["one", "three"])
        let lines = try source.export()

        let first = try target.take(lines)
        #expect(first.outcome.leftOut == 2 && first.outcome.written == 0)
        #expect(try sizes() == [])
        let second = try target.take(lines, from: source)
        #expect(second.outcome.leftOut == 0 && second.outcome.written == 2)
        #expect(try sizes() == [3, 5])
        let third = try target.take(lines, from: source)
        #expect(third.outcome.already == 2)
        #expect(FileManager.default.contentsEqual(atPath: target.files, andPath: source.files))
    }

    @Test("contents that somebody copied into the data directory are taken")
    func copiedBefore() throws {
        try keep(["one"])
        let lines = try source.export(copiesFiles: false)
        #expect(!FileManager.default.fileExists(atPath: source.exportedFiles))
        try FileManager.default.copyItem(atPath: source.files, toPath: target.files)

        #expect(try target.take(lines).outcome.written == 1)
        #expect(try sizes() == [3])
    }

    @Test("contents that are not those exported are an error, and leave nothing")
    func altered() throws {
        try keep(["one"])
        let lines = try source.export()
        let path = try "\(source.exportedFiles)/\(names(source.exportedFiles)[0])"
        for text in ["two", "three"] {
            try Data(text.utf8).write(to: URL(filePath: path))
            let error = #expect(throws: TransferError.self) {
                try target.take(lines, from: source)
            }
            #expect(error?.code == "files")
            #expect(try names(target.files) == [])
            #expect(try sizes() == [])
        }
    }

    @Test("a copy that was broken off goes on, and what has another size is no copy")
    func brokenOff() throws {
        try keep(["one", "three"])
        let lines = try source.export()
        let ids = try names(source.files)
        try FileManager.default.createDirectory(
            atPath: target.files, withIntermediateDirectories: false)
        for name in [ids[0] + ".part", ids[1]] {
            try Data("half".utf8).write(to: URL(filePath: "\(target.files)/\(name)"))
        }

        try target.take(lines, from: source)

        #expect(FileManager.default.contentsEqual(atPath: target.files, andPath: source.files))
        #expect(try source.export().dropFirst() == lines.dropFirst())
    }

    @Test("a file that is gone when its contents are to be copied is left out of the export")
    func removedMeanwhile() throws {
        try keep(["one", "three"])
        let gone = try names(source.files)[0]
        try FileManager.default.removeItem(atPath: "\(source.files)/\(gone)")

        let lines = try source.export()

        #expect(!lines.contains { $0.contains(gone) })
        #expect(try target.take(lines, from: source).counts.files == 1)
    }

    @Test("one id names one file, and one moment of a channel too")
    func contradictions() throws {
        try keep(["one"])
        let lines = try source.export(StoreSelection(keyset: "default"))
        try target.take(lines, from: source)

        let error = #expect(throws: TransferError.self) {
            try target.take(lines, from: source, into: "other")
        }
        #expect(error?.code == "contradiction")
        #expect(error?.message.contains(#"channel "a" of "other""#) == true)
        let kept = try target.take(lines, from: source, into: "other", keeps: true)
        #expect(kept.outcome.kept == 1 && kept.outcome.written == 0)
        let renamed = lines.map {
            $0.replacing("00000000-0000-4000", with: "00000000-0000-4001")
        }
        let taken = try target.take(renamed, from: source, keeps: true)
        #expect(taken.outcome.kept == 1 && taken.outcome.written == 0)
        #expect(try names(target.files).count == 1)
    }

    @Test("of one channel its files go along, also where it has nothing else; devices do not")
    func oneChannel() throws {
        try source.live(seed: 2)

        let lines = try source.export(
            StoreSelection(keyset: "default", channels: ["only files"]))

        #expect(lines.count == 3)
        #expect(lines[1].hasPrefix(#"{"file":"#))
        try target.take(lines, from: source)
        #expect(try sizes(in: Channel("only files")) == [70_001])
        #expect(throws: TransferError.self) {
            try source.export(StoreSelection(keyset: "k", channels: ["only files"]))
        }
    }

    @Test(
        "lines that name no file or device that there can be are refused",
        arguments: [
            #"{"file":"../../etc/passwd","keyset":"k","channel":"a","name":"n","size":1,"#
                + #""user":"u","created":"1"}"#,
            #"{"file":"00000000-0000-4000-8000-000000000001","keyset":"k","channel":"a","#
                + #""name":"../n","size":1,"user":"u","created":"1"}"#,
            #"{"file":"00000000-0000-4000-8000-000000000001","keyset":"k","channel":"a","#
                + #""name":"n","size":-1,"user":"u","created":"1"}"#,
            #"{"device":"a b","keyset":"k","gateway":"fcm","channel":"a"}"#,
            #"{"device":"","keyset":"k","gateway":"fcm","channel":"a"}"#,
            #"{"device":"a","keyset":"k","gateway":"telex","channel":"a"}"#,
        ])
    func refused(line: String) {
        #expect(throws: LineFault.self) { try TransferRecord(Array(line.utf8)) }
    }
}
