// `syncctl cache` on files that hold a part of a channel, and by segment, against the real daemon.

import EventModel
import Foundation
import SyncClient
import Testing

@testable import syncctl

@Suite("Caches, by segment and part", .timeLimit(.minutes(10)))
struct CacheToolTests {
    private let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tool-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appending(path: "cache").path()
    }

    /// A file of a channel with so many messages, some with a reaction; a window is of these alone,
    /// with others before it.
    private func fill(_ count: Int, of daemon: Daemon, window: ChannelWindow?) async throws {
        let configuration = try SyncClient.Configuration(
            url: daemon.url, userID: "ada", deviceID: "phone")
        let client = try SyncClient.open(cache: path, configuration: configuration)
        try await client.connect()
        if window != nil {
            _ = try await client.publishUntilCut(to: "room") { "\"older \($0)\"" }
        }
        for number in 1...count {
            let message = try await client.publish(Message(payload: "\(number)"), to: "room")
            if number % 4 == 0 { _ = try await client.addAction("👍", to: message, in: "room") }
        }
        let room = try await client.channel("room", window: window)
        try await eventually("the file is equal") { await room.isVerified }
        await client.close()
    }

    private func tool(
        _ verb: String, of daemon: Daemon, file: String? = nil
    ) async throws -> (status: Int32, output: [String], errors: [String]) {
        let tool = try ChildProcess(
            Products.path(of: "syncctl"),
            ["cache", verb, "--cache", file ?? path, "--url", daemon.url],
            environment: ["USER": "nobody"])
        let status = try await tool.ended()
        return (status, tool.lines, tool.errors)
    }

    /// Spoils the file.
    private func change(
        _ body: (ChannelBase, inout ChannelHeader) throws -> [RowChange]
    ) throws {
        let store = try SQLiteDeviceStore(path: path)
        let base = try store.base(of: "room")
        var header = base.header
        let rows = try body(base, &header)
        try store.commit([.channel("room", header, rows)])
    }

    private func drop(_ message: Timetoken, of base: ChannelBase) throws -> RowChange {
        .messageDropped(message, try #require(base.cache.messages[message]))
    }

    /// Mends the file, and says that it is equal then.
    private func repair(of daemon: Daemon) async throws {
        let repaired = try await tool("repair", of: daemon)
        #expect(repaired.status == 0, "\(repaired.errors)")
        #expect(repaired.output.first?.hasPrefix("room: repaired") == true, "\(repaired.output)")
        let after = try await tool("verify", of: daemon)
        #expect(after.status == 0, "\(after.output) \(after.errors)")
    }

    @Test("a whole channel's rows are told by the segments that they are in")
    func segments() async throws {
        let daemon = try await Daemon()
        try await fill(300, of: daemon, window: nil)
        var expected: [CacheFinding.Segment] = []
        try change { base, _ in
            let messages = base.cache.messages.keys.sorted()
            let rows = try [3, 290].map { try drop(messages[$0], of: base) }
            expected = .init(of: rows, cutBefore: messages)
            return rows
        }
        let found = try await tool("verify", of: daemon)
        #expect(found.status == 1)
        let count = expected.count == 1 ? "1 segment" : "\(expected.count) segments"
        #expect(
            found.output.first?.hasPrefix(
                "room: different, 2 rows in \(count) (300 messages, 75 actions") == true,
            "\(found.output)")
        for segment in expected {
            #expect(
                found.output.contains { $0.hasPrefix("  messages after \(segment.messages.after)") }
            )
        }
        try await repair(of: daemon)
    }

    @Test("a part is compared as a part, and a row that it lacks is found and fetched")
    func part() async throws {
        let daemon = try await Daemon()
        try await fill(150, of: daemon, window: .last(20))
        let before = try await tool("verify", of: daemon)
        #expect(before.status == 0, "\(before.output) \(before.errors)")
        #expect(before.output.first?.contains(", after ") == true, "\(before.output)")

        try change { base, _ in
            let message = try #require(base.cache.messages.keys.max())
            return [try drop(message, of: base)]
        }
        let found = try await tool("verify", of: daemon)
        #expect(found.status == 1)
        #expect(found.output.first?.hasPrefix("room: different, 1 row in 1 segment") == true)
        #expect(found.output.count { $0.contains("missing") && $0.hasSuffix("ada: 150") } == 1)
        try await repair(of: daemon)
    }

    /// Found by an operator: it was called equal.
    @Test("a part of which all rows are lost is found, and begun anew")
    func lostPart() async throws {
        let daemon = try await Daemon()
        try await fill(150, of: daemon, window: .last(20))
        var newest = Timetoken.zero
        try change { base, _ in
            newest = try #require(base.cache.messages.keys.max())
            let actions = base.cache.actions.keys.compactMap(base.cache.action)
            return try base.cache.messages.keys.map { try drop($0, of: base) }
                + actions.map { .actionDropped($0) }
        }
        let found = try await tool("verify", of: daemon)
        #expect(found.status == 1, "\(found.output)")
        #expect(found.output.first?.hasPrefix("room: different, ") == true, "\(found.output)")
        #expect(
            found.output.contains { $0.contains("missing  \(newest)  ada: 150") },
            "\(found.output)")
        try await repair(of: daemon)
        #expect(try SQLiteDeviceStore(path: path).base(of: "room").cache.messages.count >= 20)
    }

    @Test("to look at a file changes nothing of it, and leaves nothing beside it")
    func untouched() async throws {
        let daemon = try await Daemon()
        try await fill(3, of: daemon, window: nil)
        // Without its log, which was emptied when the client was closed.
        let folder = URL(filePath: path).deletingLastPathComponent().appending(path: "copy")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let copy = folder.appending(path: "cache").path()
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let before = try Data(contentsOf: URL(filePath: copy))

        let found = try await tool("verify", of: daemon, file: copy)

        #expect(found.status == 0, "\(found.output) \(found.errors)")
        #expect(try Data(contentsOf: URL(filePath: copy)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["cache"])
    }

    @Test("of several channels the one that differs is told, however soon it is mended")
    func several() async throws {
        let daemon = try await Daemon()
        try await fill(100, of: daemon, window: nil)
        let client = try SyncClient.open(
            cache: path,
            configuration: SyncClient.Configuration(
                url: daemon.url, userID: "ada", deviceID: "phone"))
        try await client.connect()
        for name in ["den", "hall"] {
            for number in 1...3 {
                _ = try await client.publish(Message(payload: "\(number)"), to: name)
            }
            let channel = try await client.channel(name)
            try await eventually("the file is equal") { await channel.isVerified }
        }
        await client.close()
        let store = try SQLiteDeviceStore(path: path)
        let den = try store.base(of: "den")
        let message = try #require(den.cache.messages.keys.min())
        try store.commit([.channel("den", den.header, [drop(message, of: den)])])

        for _ in 0..<6 {
            let found = try await tool("verify", of: daemon)
            #expect(found.status == 1, "\(found.output)")
            #expect(found.output.contains { $0.hasPrefix("den: different, 1 row") })
        }
    }

    /// Found by an operator: it got tables, and another version.
    @Test(
        "a file that is none of ours stays as it is, byte for byte",
        arguments: ["verify", "repair"])
    func foreign(verb: String) async throws {
        let daemon = try await Daemon()
        let other = try ChildProcess(
            "/usr/bin/env",
            [
                "python3", "-c",
                "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript("
                    + "'CREATE TABLE message (a); PRAGMA user_version = 5')", path,
            ], environment: ["PATH": "/usr/bin:/bin"])
        #expect(try await other.ended() == 0)
        let before = try Data(contentsOf: URL(filePath: path))

        let result = try await tool(verb, of: daemon)

        #expect(result.status == 1)
        #expect(result.errors.contains { $0.contains(path) }, "\(result.errors)")
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        let folder = URL(filePath: path).deletingLastPathComponent().path()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["cache"])
    }

    @Test("what is before a part is compared apart: a sum does not see on which side a row is")
    func rest() async throws {
        let daemon = try await Daemon()
        try await fill(150, of: daemon, window: .last(20))
        // The rest is another than the file says.
        try change { base, header in
            header.rest = ChannelRest(after: base.rest.after, digest: .empty)
            return []
        }
        let wrong = try await tool("verify", of: daemon)
        #expect(wrong.status == 1)
        #expect(wrong.output.dropFirst() == ["  what is before those that the file has"])
        try await repair(of: daemon)

        // A row of the part is counted before it: both together are right.
        try change { base, header in
            let key = try #require(base.key)
            let action = try #require(base.cache.actions.keys.compactMap(base.cache.action).first)
            var digest = try #require(base.rest.digest)
            digest.insert(action, key: key)
            header.rest = ChannelRest(
                after: base.rest.after, digest: digest, cursor: base.rest.cursor,
                whole: base.rest.whole)
            return [.actionDropped(action)]
        }
        let misfiled = try await tool("verify", of: daemon)
        #expect(misfiled.status == 1)
        #expect(misfiled.output.contains("  what is before those that the file has"))
        #expect(misfiled.output.count { $0.contains("missing") } == 1, "\(misfiled.output)")
        try await repair(of: daemon)

        // Nothing is before everything.
        try change { base, header in
            header.rest = ChannelRest(after: .zero, digest: base.rest.digest)
            return []
        }
        let contradicted = try await tool("verify", of: daemon)
        #expect(contradicted.status == 1, "\(contradicted.output)")
        try await repair(of: daemon)
    }
}
