// What a user has not read, on two devices, against the real daemon and against scripts.

import EventModel
import Foundation
import SyncClient
import Testing

@Suite("Unread messages", .timeLimit(.minutes(10)))
struct UnreadTests {
    private func client(
        _ device: String, of daemon: Daemon, user: String = "ada", cache: URL? = nil
    ) throws -> SyncClient {
        var configuration = try SyncClient.Configuration(
            url: daemon.url, userID: user, deviceID: device)
        configuration.backoff = Backoff(base: .milliseconds(5), cap: .milliseconds(100))
        return try cache.map {
            try SyncClient.open(cache: $0.path(), configuration: configuration)
        } ?? SyncClient(configuration)
    }

    private func say(_ count: Int, by client: SyncClient) async throws -> [Timetoken] {
        var messages: [Timetoken] = []
        for number in 1...count {
            messages.append(try await client.publish(Message(payload: "\(number)"), to: "room"))
        }
        return messages
    }

    private func eventually(_ unread: Unread, in channel: SyncedChannel) async throws {
        try await SyncClientTests.eventually("\(unread)") { await channel.unread == unread }
    }

    @Test("what is read on one device is read on the other, and new messages count on both")
    func twoDevices() async throws {
        let daemon = try await Daemon()
        let bob = try client("desk", of: daemon, user: "bob")
        let (phone, tablet) = (try client("phone", of: daemon), try client("tablet", of: daemon))
        for client in [bob, phone, tablet] { try await client.connect() }
        var messages = try await say(5, by: bob)
        let room = try await phone.channel("room", countsUnread: true)
        let same = try await tablet.channel("room", window: .last(50), countsUnread: true)
        for channel in [room, same] { try await eventually(Unread(count: 5), in: channel) }

        try await room.markRead(through: messages[2])
        #expect(await room.unread == Unread(count: 2, through: messages[2]))
        try await eventually(Unread(count: 2, through: messages[2]), in: same)
        messages += try await say(2, by: bob)
        // One's own are no news, and what is gone is none either.
        _ = try await say(1, by: phone)
        _ = try await bob.deleteMessages(in: "room", after: messages[3], through: messages[4])
        for channel in [room, same] {
            try await eventually(Unread(count: 3, through: messages[2]), in: channel)
        }
        let asked = try await tablet.unread(of: ["den", "room"])
        #expect(asked.map(\.count) == [0, 3])
        #expect(asked.map(\.through) == [nil, messages[2]])

        // Never back, and the last of several goes out.
        try await same.markRead(through: messages[1])
        for message in messages { try await same.markRead(through: message) }
        try await eventually(Unread(count: 0, through: messages[6]), in: room)
        #expect(try await bob.channel("room").unread == nil)
        for client in [bob, phone, tablet] { await client.close() }
    }

    @Test("a wish without a connection is kept, and the daemon hears of it from a later process")
    func offline() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "unread-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let cache = folder.appending(path: "cache")
        let daemon = try await Daemon()
        let bob = try client("desk", of: daemon, user: "bob")
        try await bob.connect()
        let messages = try await say(3, by: bob)
        var phone = try client("phone", of: daemon, cache: cache)
        try await phone.connect()
        var room = try await phone.channel("room", countsUnread: true)
        try await eventually(Unread(count: 3), in: room)
        await phone.disconnect()
        try await room.markRead()
        #expect(await room.unread == Unread(count: 0, through: messages[2]))
        await phone.close()

        let tablet = try client("tablet", of: daemon)
        try await tablet.connect()
        let same = try await tablet.channel("room", countsUnread: true)
        try await same.markRead(through: messages[0])
        try await eventually(Unread(count: 2, through: messages[0]), in: same)
        phone = try client("phone", of: daemon, cache: cache)
        room = try await phone.channel("room", countsUnread: true)
        #expect(await room.unread == Unread(count: 0, through: messages[2]))
        try await phone.connect()
        for channel in [room, same] {
            try await eventually(Unread(count: 0, through: messages[2]), in: channel)
        }
        // The daemon stops and comes back: it has it on its disk.
        try await daemon.restart(with: SIGKILL)
        let next = try await say(1, by: bob)
        try await eventually(Unread(count: 1, through: messages[2]), in: same)
        try await room.markRead(through: next[0])
        try await eventually(Unread(count: 0, through: next[0]), in: same)
        for client in [bob, phone, tablet] { await client.close() }
    }

    @Test("a stream tells what is unread now, and each time when it is something else")
    func updates() async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), subscribed("current", at: 100), expect("unread"),
                ok(#"{"channels":[{"name":"room","through":"100","count":0}]}"#), push(101),
                expect("ping"), ok(#"{"time":"1"}"#),
                #"{"send":{"read":[{"name":"room","through":"101"}]}}"#))
        let client = try SyncClient(of: server)
        let room = try await client.channel("room", countsUnread: true)
        var updates = await room.unreadUpdates.makeAsyncIterator()
        #expect(await updates.next() == .some(nil))
        try await client.connect()
        try await eventually(
            Unread(count: 1, through: Timetoken(rawValue: 100)), in: room)
        // Who is slow gets the newest alone.
        #expect(
            await updates.next() == Unread(count: 1, through: Timetoken(rawValue: 100)))
        try await client.ping()
        #expect(
            await updates.next() == Unread(count: 0, through: Timetoken(rawValue: 101)))
        try await server.expect([["hello", "subscribe", "unread", "ping"]])
        await room.leave()
        #expect(await updates.next() == nil)
        await client.close()
    }

    @Test(
        "a daemon that does not know the question, or refuses it, leaves it open and nothing else",
        arguments: [(400, "unknown_op"), (403, "forbidden")])
    func refused(status: Int, code: String) async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), subscribed("current", at: 100), expect("unread"),
                refusal(status, code), push(101), expect("markRead"), refusal(status, code),
                expect("ping"), ok(#"{"time":"1"}"#)))
        let client = try SyncClient(of: server)
        let room = try await client.channel("room", countsUnread: true)
        try await client.connect()
        try await SyncClientTests.eventually("the message") { await room.items.count == 1 }
        #expect(await room.unread == nil)
        try await room.markRead()
        try await client.ping()
        #expect(await room.unread == nil)
        try await server.expect([["hello", "subscribe", "unread", "markRead", "ping"]])
        await client.close()
    }

    @Test("without the option nothing is asked, and many channels are asked for in parts")
    func parts() async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), subscribed("current", at: 100), expect("unread"),
                ok(#"{"channels":[{"name":"a","count":1000,"more":true}]}"#), expect("unread"),
                ok(#"{"channels":[{"name":"b","through":"5","count":0}]}"#)))
        let client = try SyncClient(of: server)
        let room = try await client.channel("room")
        try await client.connect()
        let unread = try await client.unread(of: (0..<150).map { "channel\($0)" })
        #expect(
            unread == [
                UnreadMessages(channel: "a", through: nil, count: 1000, hasMore: true),
                UnreadMessages(
                    channel: "b", through: Timetoken(rawValue: 5), count: 0, hasMore: false),
            ])
        #expect(await room.unread == nil)
        let sizes = server.commands.filter { $0.operation == "unread" }
            .map { $0.members["channels"]?.split(separator: ",").count }
        #expect(sizes == [100, 50])
        #expect(try await client.unread(of: []).isEmpty)
        await #expect(throws: SyncClientError.self) { try await client.unread(of: ["a,b"]) }
        await client.close()
        await #expect(throws: SyncClientError.self) { try await room.markRead() }
    }
}
