// Configuration files on the disk: reading them, the installed sample, and the manual.

import Foundation
import Testing

@testable import SyncDaemon

@Suite("Configuration files")
struct ConfigurationFileTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    private func load(_ path: String) throws -> Configuration {
        try Configuration.load(
            arguments: ServeArguments(file: path), environment: ["HOME": "/root"])
    }

    private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "syncdaemon-\(UUID().uuidString).ini")
        try Data(bytes).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        try body(path.path())
    }

    @Test("a file is read, and its variable names it too")
    func reads() throws {
        try withFile(Array("[server]\nreaders = 9\n".utf8)) { path in
            let environment = ["HOME": "/root", "SYNCDAEMON_CONFIG": path]

            let named = try load(path)
            let fromVariable = try Configuration.load(
                arguments: ServeArguments(), environment: environment)

            #expect(named.readers == 9)
            #expect(fromVariable.readers == 9)
        }
    }

    @Test("an absent file is an error, unless a - stands before its path")
    func absent() throws {
        let error = #expect(throws: ConfigurationError.self) { try load("/nowhere/sync.ini") }

        #expect(
            error?.description == """
                /nowhere/sync.ini: the file cannot be read: No such file or directory. Check the \
                path behind --config and who may read it.
                """)
        #expect(try load("-/nowhere/sync.ini").readers == 2)
    }

    @Test("a directory, a file of other bytes and a huge file are refused")
    func unreadable() throws {
        #expect(throws: ConfigurationError.self) { try load("/tmp") }
        try withFile([0x5b, 0xff, 0x5d]) { path in
            #expect(throws: ConfigurationError.notText(path: path)) { try load(path) }
        }
        try withFile([UInt8](repeating: UInt8(ascii: "\n"), count: 1024 * 1024 + 1)) { path in
            #expect(
                throws: ConfigurationError.unreadableFile(
                    path: path, reason: "It is larger than 1 MiB")
            ) { try load(path) }
        }
    }

    @Test("a NUL in a line is refused, and does not end the file early")
    func zeroByte() throws {
        try withFile(Array("[server]\nreaders = 4\0\n".utf8)) { path in
            #expect(throws: ConfigurationError.malformedLine(.file(path: path, line: 2))) {
                try load(path)
            }
        }
    }

    @Test("the installed sample is what the table says")
    func sample() throws {
        let path = Self.root.appending(path: "systemd/syncdaemon.ini")

        #expect(try String(contentsOf: path, encoding: .utf8) == Configuration.sampleText())
    }

    @Test("the sample is valid, and stays so when its keys are uncommented")
    func sampleIsValid() throws {
        // What has no default shows an example, which is none.
        let keys = Configuration.keys.filter { $0.example == nil }.map(\.name)
        let examples = Configuration.keys.compactMap { key in
            key.example.map { "#\(key.name) = \($0)" }
        }
        let uncommented = Configuration.sampleText().split(separator: "\n")
            .map { line in
                let isKey = keys.contains { line.hasPrefix("#\($0) =") && line != "#directory =" }
                let isSet = isKey && !examples.contains(String(line))
                return isSet ? String(line.dropFirst()) : String(line)
            }
            .joined(separator: "\n")

        for text in [Configuration.sampleText(), uncommented] {
            var configuration = try Configuration.resolve(
                arguments: ServeArguments(), environment: [:],
                file: ConfigurationFile(path: "sample", text: text + "\n[store]\ndirectory = /d\n"))
            configuration.sources = [:]
            configuration.directory = ""
            #expect(configuration.adminSocket == "/d/admin.sock")
            configuration.adminSocket = nil
            #expect(configuration == Configuration())
        }
        #expect(uncommented.contains("\nlisten = 127.0.0.1:8080\n"))
    }

    @Test("the manual has a row for every key", arguments: Configuration.keys.map(\.path))
    func manual(path: String) throws {
        let manual = try String(
            contentsOf: Self.root.appending(path: "docs/OPERATIONS.md"), encoding: .utf8)
        let key = try #require(Configuration.keys.first { $0.path == path })

        let rows = manual.split(separator: "\n").filter {
            $0.hasPrefix("| `\(key.title)` | `\(key.flag)` |")
        }

        let standard = key.standard.isEmpty ? "none" : "`\(key.standard)`"
        #expect(rows.count == 1, "docs/OPERATIONS.md: one row for \(key.title)")
        #expect(rows.first?.contains("| \(standard) |") == true)
    }
}
