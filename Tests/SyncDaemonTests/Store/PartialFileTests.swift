// What a command makes where others may put something in its way.

import Basis
import Foundation
import Glibc
import Testing

@testable import SyncDaemon

@Suite("Files that others may touch")
struct PartialFileTests {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    private func path(_ name: String) -> String { "\(scratch.path)/\(name)" }

    private func text(_ name: String) -> String? {
        (try? Data(contentsOf: URL(fileURLWithPath: path(name)))).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }

    enum Planted: CaseIterable {
        case forAll, otherName, pipe, symbolicLink
    }

    @Test("what another one prepared gets nothing of a copy", arguments: Planted.allCases)
    func planted(_ planted: Planted) throws {
        try write("theirs", to: "victim")
        let part = path("copy.part")
        switch planted {
        case .forAll:
            try write("", to: "copy.part")
            #expect(unsafe chmod(part, 0o666) == 0)
        case .otherName: try FileSystem.link(path("victim"), to: part)
        case .pipe: #expect(unsafe mkfifo(part, 0o600) == 0)
        case .symbolicLink: #expect(unsafe symlink(path("victim"), part) == 0)
        }
        // Who holds it open reads what is written into it.
        let watching = unsafe open(part, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let watcher = FileDescriptor(owning: watching)
        try PartialFile.filling(path("copy")) { part throws(DatabaseFileError) in
            let file = try BinaryFile.changing(part)
            try file.write(Array("ours".utf8), at: 0)
        }
        #expect(text("copy") == "ours")
        #expect(text("victim") == "theirs")
        #expect(DataDirectory.mode(of: path("copy")) == 0o600)
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(
            unsafe pread(watcher.rawValue, &bytes, 4, 0) <= 0
                || bytes.starts(with: Array("thei".utf8)))
    }

    @Test("what is put in its place meanwhile does not get its name")
    func replaced() throws {
        try write("theirs", to: "other")
        #expect(throws: DatabaseFileError.self) {
            try PartialFile.filling(path("copy")) { part throws(DatabaseFileError) in
                try FileSystem.rename(path("other"), to: part)
            }
        }
        #expect(!FileSystem.exists(path("copy")))
    }

    @Test("no link, and no file of another name, gets another owner", .enabled(if: geteuid() == 0))
    func owner() throws {
        let directory = path("data")
        try FileSystem.makeDirectory(directory)
        #expect(unsafe chown(directory, 65534, 65534) == 0)
        try write("theirs", to: "victim")
        #expect(unsafe chmod(path("victim"), 0o644) == 0)
        let (link, name) = (directory + "/link", directory + "/name")
        #expect(unsafe symlink(path("victim"), link) == 0)
        try FileSystem.link(path("victim"), to: name)
        for file in [link, name] {
            #expect(throws: DatabaseFileError.self) {
                try FileSystem.entrust(file, toOwnerOf: directory)
            }
        }
        #expect(DataDirectory.owner(of: path("victim"))?.user == 0)
        #expect(DataDirectory.mode(of: path("victim")) == 0o644)
        try write("ours", to: "data/own")
        try FileSystem.entrust(directory + "/own", toOwnerOf: directory)
        #expect(DataDirectory.owner(of: directory + "/own")?.user == 65534)
        #expect(DataDirectory.mode(of: directory + "/own") == 0o600)
    }

    @Test("root's SQLite follows no link in a database's place", .enabled(if: geteuid() == 0))
    func database() throws {
        let store = try SQLStore(directory: path("store"))
        let source = SQLStore.path(in: path("store"))
        try write("", to: "victim")
        #expect(unsafe symlink(path("victim"), path("link")) == 0)
        #expect(throws: DatabaseFileError.self) {
            try DatabaseFile.copyPages(source, to: path("link"))
        }
        #expect(text("victim")?.isEmpty == true)
        // One in the way to the directory is the operator's.
        #expect(unsafe symlink(scratch.path, path("here")) == 0)
        _ = try DatabaseFile.copyPages(source, to: path("here/copied"))
        #expect(try DatabaseFile.verify(path("here/copied")).messages == 0)
        _ = store
    }
}
