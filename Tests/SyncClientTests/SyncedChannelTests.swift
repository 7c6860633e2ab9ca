// Durable channels against the real daemon: offline, restarts, damage.

import EventModel
import Foundation
import SyncClient
import Testing

@Suite("Synced channels, end to end", .timeLimit(.minutes(10)))
struct SyncedChannelTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "devices-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func path(_ device: String) -> String { folder.appending(path: device).path() }

    private func open(_ user: String, _ device: String, of daemon: Daemon) throws -> SyncClient {
        var configuration = try SyncClient.Configuration(
            url: daemon.url, userID: user, deviceID: device)
        configuration.backoff = Backoff(base: .milliseconds(5), cap: .milliseconds(100))
        return try SyncClient.open(cache: path(device), configuration: configuration)
    }

    private func items(
        of channel: SyncedChannel, _ what: String, _ isThere: ([ListItem]) -> Bool
    ) async throws -> [ListItem] {
        try await eventually(what) {
            let items = await channel.items
            return isThere(items) ? items : nil
        }
    }

    @Test("wishes made offline are seen at once, outlive the process, and reach the others once")
    func offline() async throws {
        let daemon = try await Daemon()
        let offline = try open("ada", "phone", of: daemon)
        let room = try await offline.channel("room")
        try await room.publish(Message(payload: #"{"text": "hi"}"#))
        try await room.publish(Message(payload: "2"))
        #expect(await room.items.map(\.isPending) == [true, true])
        await offline.close()

        let again = try open("ada", "phone", of: daemon)
        let later = try await again.channel("room")
        #expect(await later.items.map(\.message.payload) == [#"{"text":"hi"}"#, "2"])
        await again.start()
        let sent = try await items(of: later, "both are accepted") {
            $0.count == 2 && $0.allSatisfy { !$0.isPending }
        }
        let message = try #require(sent.first?.timetoken)
        try await later.react("👍", to: message)
        #expect(await later.items.first?.reactions.map(\.isMine) == [true])

        let other = try open("bob", "tablet", of: daemon)
        let seen = try await other.channel("room")
        await other.start()
        let list = try await items(of: seen, "the reaction is there") {
            $0.first?.reactions.isEmpty == false
        }
        #expect(list.map(\.message.payload) == [#"{"text":"hi"}"#, "2"])
        #expect(list.first?.reactions.map(\.count) == [1])
        try await eventually("the device is proved equal") { await seen.isVerified }
        try await eventually("nothing is left to send") { await again.unsentWrites.isEmpty }
        await again.close()
        await other.close()
    }

    @Test("the changes of a list make the list, through restarts of the daemon")
    func changes() async throws {
        let daemon = try await Daemon()
        let (writer, reader) = (
            try open("ada", "phone", of: daemon), try open("bob", "tablet", of: daemon)
        )
        let (source, room) = (try await writer.channel("room"), try await reader.channel("room"))
        let updates = await room.updates
        await writer.start()
        await reader.start()

        let writing = Task {
            for number in 0..<60 {
                try await source.publish(Message(payload: "\(number)"))
                if number % 20 == 10 { try await daemon.restart(with: SIGKILL) }
                if let message = await source.items.last(where: { !$0.isPending })?.timetoken {
                    try await source.react("👍", to: message)
                    if number % 3 == 0 { try await source.unreact("👍", from: message) }
                }
            }
        }
        var list: [ListItem] = []
        for await update in updates {
            switch update {
            case .all(let items): list = items
            case .changes(let changes): for change in changes { list.apply(change) }
            }
            if list.count == 60 { break }
        }
        try await writing.value
        try await eventually("all is sent") { await writer.unsentWrites.isEmpty }
        try await eventually("both are equal") {
            guard await source.isVerified, await room.isVerified else { return false }
            return await source.base.cache.canonicalBytes == room.base.cache.canonicalBytes
        }

        #expect(list.map(\.message.payload) == (0..<60).map { "\($0)" })
        await writer.close()
        await reader.close()
    }

    /// Runs `cache verify` or `cache repair`.
    private func tool(
        _ verb: String, _ device: String, of daemon: Daemon, _ more: String...
    ) async throws -> (status: Int32, output: [String], errors: [String]) {
        let tool = try ChildProcess(
            Products.path(of: "syncctl"),
            ["cache", verb, "--cache", path(device), "--url", daemon.url] + more,
            environment: ["USER": "nobody"])
        let status = try await tool.ended()
        return (status, tool.lines, tool.errors)
    }

    @Test("a damaged cache is found out, shown and mended, by the tool and by the client")
    func damage() async throws {
        let daemon = try await Daemon()
        let client = try open("ada", "phone", of: daemon)
        let room = try await client.channel("room")
        await client.start()
        try await room.publish(Message(payload: "1"))
        let message = try #require(
            try await items(of: room, "it is accepted") { $0.first?.isPending == false }
                .first?.timetoken)
        for value in ["a", "b", "c", "d"] { try await room.react(value, to: message) }
        try await eventually("all is sent") { await client.unsentWrites.isEmpty }
        try await eventually("it is equal") { await room.isVerified }
        let healthy = await room.base.cache.canonicalBytes
        await client.close()

        let before = try await tool("verify", "phone", of: daemon)
        #expect(before.status == 0, "\(before.errors)")
        #expect(before.output.first?.hasPrefix("room: equal (1 messages, 4 actions") == true)

        try damageRows()
        let verified = try await tool("verify", "phone", of: daemon)
        #expect(verified.status == 1)
        #expect(verified.output.first?.hasPrefix("room: different, 3 rows") == true)
        #expect(verified.output.count { $0.contains("missing") } == 2)
        #expect(verified.output.count { $0.contains("extra") } == 1)
        let repaired = try await tool("repair", "phone", of: daemon, "--json", "room")
        #expect(repaired.status == 0, "\(repaired.errors)")
        #expect(repaired.output.first?.contains(#""equal":false,"repaired":true"#) == true)
        #expect(try await tool("verify", "phone", of: daemon).status == 0)
        #expect(try await tool("verify", "phone", of: daemon, "den").status == 1)

        try damageRows(losingMessages: true)
        let again = try open("ada", "phone", of: daemon)
        let events = await again.events()
        let mended = try await again.channel("room")
        await again.start()
        _ = await take(from: events) { $0.contains(.channelVerified("room")) }
        #expect(await mended.base.cache.canonicalBytes == healthy)
        await again.close()
    }

    /// Loses one action of the file, and gives another a wrong time.
    private func damageRows(losingMessages: Bool = false) throws {
        let store = try SQLiteDeviceStore(path: path("phone"))
        let base = try store.base(of: "room")
        let actions = base.cache.actions.sorted { $0.key < $1.key }
        try #require(actions.count == 4)
        let wrong = MessageAction(
            key: actions[1].key,
            // Its message's: the next number may be that of another action.
            actionTimetoken: actions[1].key.messageTimetoken)
        try store.commit([
            .channel(
                "room", base.header,
                [
                    .actionDropped(
                        MessageAction(key: actions[0].key, actionTimetoken: actions[0].value)),
                    .actionDropped(
                        MessageAction(key: actions[1].key, actionTimetoken: actions[1].value)),
                    .actionPut(wrong),
                ] + (losingMessages ? base.cache.messages.map { .messageDropped($0, $1) } : []))
        ])
    }

    @Test("a store that was replaced takes the cache's place, without an empty list in between")
    func replacedStore() async throws {
        let first = try await Daemon()
        let client = try open("ada", "phone", of: first)
        let room = try await client.channel("room")
        await client.start()
        try await room.publish(Message(payload: #""old""#))
        try await eventually("it is equal") {
            guard await room.items.first?.isPending == false else { return false }
            return await room.isVerified
        }
        await client.close()

        let second = try await Daemon()
        let other = try open("bob", "tablet", of: second)
        let writing = try await other.channel("room")
        await other.start()
        try await writing.publish(Message(payload: #""new""#))
        try await eventually("it is sent") { await other.unsentWrites.isEmpty }
        let again = try open("ada", "phone", of: second)
        let mended = try await again.channel("room")
        #expect(await mended.items.map(\.message.payload) == [#""old""#])
        await again.start()
        _ = try await items(of: mended, "the new store is there") {
            #expect($0.count == 1)
            return $0.map(\.message.payload) == [#""new""#]
        }
        try await eventually("it is equal") { await mended.isVerified }
        await again.close()
        await other.close()
    }

    @Test("what the daemon refuses leaves the list, and somebody is told")
    func refused() async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), expect("subscribe"), refusal(400, "invalid_channel"),
                expect("publish"), refusal(400, "invalid_channel")))
        let client = try SyncClient(of: server)
        let events = await client.events()
        let room = try await client.channel("room")
        await client.start()
        try await room.publish(Message(payload: "1"))

        let taken = await take(from: events) { events in
            events.contains { if case .writeRefused = $0 { true } else { false } }
                && events.contains { if case .channelRefused = $0 { true } else { false } }
        }
        #expect(!taken.isEmpty)
        #expect(await room.items.isEmpty)
        await #expect(throws: SyncClientError.self) {
            try await room.publish(Message(payload: "{"))
        }
        await #expect(throws: SyncClientError.self) {
            try await room.publish(
                Message(payload: "\"" + String(repeating: "x", count: 40_000) + "\""))
        }
        await client.close()
    }

    /// Such a frame has no reply: in the outbox it would be sent for ever.
    @Test("what the daemon could not read does not get into the outbox")
    func unreadable() async throws {
        let daemon = try await Daemon()
        let client = try open("ada", "phone", of: daemon)
        let room = try await client.channel("room")
        await client.start()
        let deepest = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
        await #expect(throws: SyncClientError.self) {
            try await room.publish(Message(payload: "[\(deepest)]"))
        }
        await #expect(throws: SyncClientError.self) {
            try await room.react("\u{0}", to: Timetoken(rawValue: 10))
        }
        #expect(await client.unsentWrites.isEmpty)

        try await room.publish(Message(payload: deepest))
        try await eventually("it is sent") { await client.unsentWrites.isEmpty }
        #expect(await room.items.map(\.message.payload) == [deepest])
        await client.close()
    }

    @Test("what cannot be a reaction is refused at the call, and nothing is sent")
    func noReaction() async throws {
        let daemon = try await Daemon()
        let client = try open("ada", "phone", of: daemon)
        let room = try await client.channel("room")
        try await client.connect()
        for (value, type) in [("", "reaction"), (" ", "reaction"), ("👍", ""), ("x", long)] {
            let wished = await #expect(throws: SyncClientError.self) {
                try await room.react(value, type: type, to: Timetoken(rawValue: 10))
            }
            let asked = await #expect(throws: SyncClientError.self) {
                try await client.addAction(
                    value, type: type, to: Timetoken(rawValue: 10), in: "room")
            }
            #expect([wished?.code, asked?.code] == ["invalid_reaction", "invalid_reaction"])
        }
        await #expect(throws: SyncClientError.invalidReaction(reason: "it is empty")) {
            try await room.unreact("", from: Timetoken(rawValue: 10))
        }
        #expect(await client.unsentWrites.isEmpty)
        #expect(await room.items.isEmpty)
        await client.close()
    }

    @Test("❤ and ❤️ are one reaction, unless one in just that spelling stands")
    func spelling() async throws {
        let daemon = try await Daemon()
        let client = try open("ada", "phone", of: daemon)
        let other = try open("bob", "tablet", of: daemon)
        let room = try await client.channel("room")
        try await client.connect()
        try await other.connect()
        let message = try await other.publish(Message(payload: "1"), to: "room")
        try await other.addAction("☺", to: message, in: "room")
        _ = try await items(of: room, "it is there") { $0.first?.reactions.count == 1 }

        for value in ["❤", "❤\u{FE0F} ", "☺"] { try await room.react(value, to: message) }
        try await eventually("all is sent") { await client.unsentWrites.isEmpty }
        let reactions = try #require(await room.items.first?.reactions)
        #expect(reactions.map { Array($0.value.unicodeScalars) } == [["☺"], ["❤", "\u{FE0F}"]])
        #expect(reactions.map(\.count) == [2, 1])
        try await room.unreact("❤", from: message)
        try await eventually("all is sent") { await client.unsentWrites.isEmpty }
        #expect(await room.items.first?.reactions.count == 1)
        await client.close()
        await other.close()
    }

    private let long = String(repeating: "x", count: Limits.actionTypeBytesMax + 1)

    @Test("no log is left beside the cache file, and while it is used it stays small")
    func log() async throws {
        let daemon = try await Daemon()
        let client = try open("ada", "phone", of: daemon)
        let room = try await client.channel("room")
        try await client.connect()
        let long = String(repeating: "x", count: 20_000)
        func logBytes() throws -> Int {
            let wal = path("phone") + "-wal"
            guard FileManager.default.fileExists(atPath: wal) else { return 0 }
            return try FileManager.default.attributesOfItem(atPath: wal)[.size] as? Int ?? 0
        }
        var largest = 0
        for number in 0..<100 {
            try await room.publish(Message(payload: "\"\(number)\(long)\""))
            largest = max(largest, try logBytes())
        }
        try await eventually("all is sent") { await client.unsentWrites.isEmpty }
        #expect(largest > 0)
        #expect(largest < 2 * 1024 * 1024)

        await client.disconnect()
        #expect(try logBytes() == 0)
        await client.start()
        try await room.publish(Message(payload: "0"))
        try await eventually("all is sent") { await client.unsentWrites.isEmpty }
        await client.close()
        #expect(try logBytes() == 0)
    }

    @Test("a channel that was left goes on from its cache when it is followed again")
    func leaves() async throws {
        let daemon = try await Daemon()
        let client = try open("ada", "phone", of: daemon)
        let room = try await client.channel("room")
        let updates = await room.updates
        try await client.connect()
        try await room.publish(Message(payload: "1"))
        try await eventually("it is there") { await room.isVerified }
        try await eventually("all is sent") { await client.unsentWrites.isEmpty }
        await room.leave()
        for await _ in updates {}
        #expect(await room.items.isEmpty)

        let again = try await client.channel("room")
        #expect(await again.items.map(\.message.payload) == ["1"])
        try await eventually("it is followed") { await again.isVerified }
        await client.close()
    }

    @Test("an outbox has an end; what was not sent can be taken back all the same")
    func fullOutbox() async throws {
        let daemon = try await Daemon()
        let client = try open("ada", "phone", of: daemon)
        let room = try await client.channel("room")
        // Who knows what reactions there are knows that two wishes come to nothing.
        try await client.connect()
        try await eventually("it has heard of the channel") { await room.isVerified }
        await client.disconnect()
        let message = Timetoken(rawValue: 10)
        for number in 1..<Limits.outboxEntriesMax {
            try await room.publish(Message(payload: "\(number)"))
        }
        try await room.react("👍", to: message)

        let full = SyncClientError.outboxFull(max: Limits.outboxEntriesMax)
        await #expect(throws: full) { try await room.publish(Message(payload: "0")) }
        await #expect(throws: full) { try await room.react("🎉", to: message) }
        try await room.unreact("👍", from: message)
        try await room.publish(Message(payload: "0"))
        #expect(await client.unsentWrites.count == Limits.outboxEntriesMax)
        await client.close()
    }
}
