// Devices that hold a part of a channel, against the real daemon.

import EventModel
import Foundation
import SyncClient
import Testing

@Suite("Windows", .timeLimit(.minutes(10)))
struct WindowTests {
    private func device(
        _ name: String, of daemon: Daemon, cache: URL? = nil
    ) async throws -> SyncClient {
        var configuration = try SyncClient.Configuration(
            url: daemon.url, userID: "ada", deviceID: name)
        configuration.backoff = Backoff(base: .milliseconds(5), cap: .milliseconds(100))
        let client =
            try cache.map {
                try SyncClient.open(cache: $0.path(), configuration: configuration)
            } ?? SyncClient(configuration)
        try await client.connect()
        return client
    }

    /// A channel with so many messages, each with a reaction.
    private func fill(_ count: Int, by client: SyncClient) async throws -> [Timetoken] {
        var messages: [Timetoken] = []
        for number in 1...count {
            let message = try await client.publish(Message(payload: "\(number)"), to: "room")
            _ = try await client.addAction("👍", to: message, in: "room")
            messages.append(message)
        }
        return messages
    }

    private func texts(_ channel: SyncedChannel) async -> [String] {
        await channel.items.map { $0.message.payload }
    }

    private func eventuallyVerified(_ channel: SyncedChannel, _ what: String) async throws {
        try await eventually(what) { await channel.isVerified }
    }

    @Test("it opens with the newest messages, and scrolls back to the first one")
    func scroll() async throws {
        let daemon = try await Daemon()
        let writer = try await device("desk", of: daemon)
        _ = try await fill(300, by: writer)
        let phone = try await device("phone", of: daemon)
        let room = try await phone.channel("room", window: .last(10))
        try await eventuallyVerified(room, "the newest messages")

        // Whole segments come, and not the channel. Where they begin is by chance.
        let count = await room.items.count
        #expect(10...250 ~= count)
        #expect(await room.hasOlder)
        #expect(await room.items.allSatisfy { $0.reactions.map(\.value) == ["👍"] })
        var pages = 0
        while try await room.loadOlder(10) == .more { pages += 1 }
        #expect(pages >= 1)
        #expect(await texts(room) == (1...300).map(String.init))
        #expect(await room.items.allSatisfy { $0.reactions.map(\.value) == ["👍"] })
        try await eventuallyVerified(room, "all of it")
        #expect(await room.hasOlder == false)
        #expect(try await room.loadOlder() == .beginning)
    }

    @Test("what happens before the window, in it and after it keeps it equal")
    func goesOn() async throws {
        let daemon = try await Daemon()
        let writer = try await device("desk", of: daemon)
        let messages = try await fill(200, by: writer)
        let (phone, tablet) = try await (
            device("phone", of: daemon), device("tablet", of: daemon)
        )
        let room = try await phone.channel("room", window: .last(5, keeping: 80))
        let same = try await tablet.channel("room", window: .last(100))
        let whole = try await writer.channel("room")
        for channel in [room, same, whole] { try await eventuallyVerified(channel, "begun") }

        for number in 0..<120 {
            _ = try await writer.publish(Message(payload: "\"new \(number)\""), to: "room")
            _ = try await writer.addAction("🎉", to: messages[number], in: "room")
        }
        _ = try await writer.deleteMessages(
            in: "room", after: messages[20], through: messages[190])
        let last = try await writer.publish(Message(payload: "\"last\""), to: "room")
        for channel in [room, same, whole] {
            try await eventually("the last one") { await channel.items.last?.timetoken == last }
            try await eventuallyVerified(channel, "equal")
        }
        let all = await whole.items
        for channel in [room, same] {
            let items = await channel.items
            #expect(items == all.suffix(items.count))
        }
        // The oldest went.
        #expect(await room.items.count <= 80 + 16)
        #expect(try await room.loadOlder() == .full)
        let (base, wholeBase) = await (room.base, whole.base)
        #expect(base.state == wholeBase.digest)
    }

    @Test("a device that comes back is equal again, and shows what it had until then")
    func comesBack() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "window-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let cache = folder.appending(path: "cache")
        let daemon = try await Daemon()
        let writer = try await device("desk", of: daemon)
        let messages = try await fill(150, by: writer)
        var phone = try await device("phone", of: daemon, cache: cache)
        var room = try await phone.channel("room", window: .last(10))
        try await eventuallyVerified(room, "begun")
        let held = await room.items
        await phone.close()

        _ = try await writer.addAction("🎉", to: messages[149], in: "room")
        _ = try await writer.addAction("🎉", to: messages[1], in: "room")
        phone = try SyncClient.open(
            cache: cache.path(),
            configuration: SyncClient.Configuration(
                url: daemon.url, userID: "ada", deviceID: "phone"))
        room = try await phone.channel("room", window: .last(10))
        #expect(await room.items == held)
        try await phone.connect()
        try await eventuallyVerified(room, "equal again")
        #expect(await room.items.last?.reactions.map(\.value) == ["👍", "🎉"])
        #expect(await room.items.count == held.count)
        try await phone.channel("room").verify()
        try await eventuallyVerified(room, "compared apart")
    }

    @Test("offline in the middle of a page: it comes after the next connection")
    func offline() async throws {
        let daemon = try await Daemon()
        let writer = try await device("desk", of: daemon)
        // Two pages seldom have them all: once in a thousand times.
        _ = try await fill(300, by: writer)
        let phone = try await device("phone", of: daemon)
        let room = try await phone.channel("room", window: .last(10))
        try await eventuallyVerified(room, "begun")
        let count = await room.items.count

        let older = Task { try await room.loadOlder(10) }
        await phone.disconnect()
        _ = try await writer.publish(Message(payload: "\"meanwhile\""), to: "room")
        try await phone.connect()
        let outcome = try await older.value
        #expect(outcome != .full)
        // Where segments begin is by chance: there may be less than ten messages before the window.
        let expected = outcome == .beginning ? 301 : count + 11
        try await eventually("both, of \(count) and \(outcome)") {
            let items = await room.items
            return items.count >= expected && items.last?.message.payload == "\"meanwhile\""
        }
        try await eventuallyVerified(room, "equal")
        // Nobody waits for ever; where all is there, nobody waits at all.
        guard outcome == .more else { return }
        await phone.disconnect()
        let never = Task { try await room.loadOlder(10) }
        try await Task.sleep(for: .milliseconds(50))
        await room.leave()
        await #expect(throws: SyncClientError.followedOtherwise("room")) { try await never.value }
    }

    @Test("a message before the window can be looked at, with what is around it")
    func jump() async throws {
        let daemon = try await Daemon()
        let writer = try await device("desk", of: daemon)
        let messages = try await fill(150, by: writer)
        let phone = try await device("phone", of: daemon)
        let room = try await phone.channel("room", window: .last(5))
        try await eventuallyVerified(room, "begun")
        let held = await room.items

        let page = try await room.jump(to: messages[40], around: 10)
        #expect(page.items.map(\.timetoken) == messages[36...45].map { $0 })
        #expect(page.items.allSatisfy { $0.reactions.map(\.value) == ["👍"] })
        #expect(page.hasOlder && page.hasNewer)
        let before = try await room.page(before: messages[3], 10)
        #expect(before.items.map(\.timetoken) == messages[0..<3].map { $0 })
        #expect(!before.hasOlder)
        let after = try await room.page(after: messages[147], 10)
        #expect(after.items.map(\.timetoken) == messages[148...].map { $0 })
        #expect(!after.hasNewer)
        let first = try await room.page(after: .zero, 2)
        #expect((first.hasOlder, first.hasNewer) == (false, true))
        let last = try await room.page(before: .end, 2)
        #expect((last.hasOlder, last.hasNewer) == (true, false))
        #expect(await room.items == held)
        // Nothing is before the list any more; by chance nothing ever was.
        if held.count < messages.count {
            try await writer.deleteMessages(in: "room", through: messages[149 - held.count])
        }
        try await eventually("the rest is gone") { await !room.hasOlder }
        #expect(await room.items == held)
    }

    @Test("a cache of everything becomes a window, and a window becomes everything")
    func otherWishes() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "window-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let cache = folder.appending(path: "cache")
        let daemon = try await Daemon()
        let writer = try await device("desk", of: daemon)
        _ = try await fill(150, by: writer)
        for (window, count) in [
            (nil, 150...150), (ChannelWindow.last(5, keeping: 20), 5...36), (nil, 150...150),
        ] {
            let phone = try await device("phone", of: daemon, cache: cache)
            let room = try await phone.channel("room", window: window)
            try await eventuallyVerified(room, "equal with \(String(describing: window))")
            let items = await room.items
            #expect(count ~= items.count)
            #expect(items.last?.message.payload == "150")
            await phone.close()
        }
    }
}
