// Messages of one's own on two devices: edited without a connection, and deleted.

import EventModel
import Foundation
import SyncClient
import Testing

@Suite("Messages of one's own, end to end", .timeLimit(.minutes(10)))
struct EditTests {
    private func open(_ user: String, of daemon: Daemon) throws -> SyncClient {
        let path = FileManager.default.temporaryDirectory.appending(path: "edit-\(UUID())").path()
        var configuration = try SyncClient.Configuration(
            url: daemon.url, userID: user, deviceID: "phone")
        configuration.backoff = Backoff(base: .milliseconds(5), cap: .milliseconds(100))
        return try SyncClient.open(cache: path, configuration: configuration)
    }

    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch SyncClientError.refused(let error) {
            return error.code
        } catch {
            return "\(error)"
        }
    }

    @Test("an edit is seen at once, and by the others, and a deletion by all")
    func edits() async throws {
        let daemon = try await Daemon()
        let (ada, bob) = try (open("ada", of: daemon), open("bob", of: daemon))
        let (room, bobs) = try await (ada.channel("room"), bob.channel("room"))
        await ada.start()
        try await room.publish(Message(payload: #"{"text":"hi"}"#, meta: #"{"a":1}"#))
        let message = try await eventually("it is accepted") { await room.items.first?.timetoken }

        try await room.edit(message, payload: #"{"text": "two"}"#)
        #expect(await room.items.first?.message.payload == #"{"text":"two"}"#)
        #expect(await room.items.first?.isEdited == true)
        try await room.edit(message, payload: "3")
        // Said before: it is the newest again.
        try await room.edit(message, payload: #"{"text":"two"}"#)
        await bob.start()
        try await eventually("the others see it") {
            let item = await bobs.items.first
            return item?.versions == 3 && item?.message.payload == #"{"text":"two"}"#
        }
        #expect(await bobs.items.first?.message.meta == #"{"a":1}"#)
        let page = try await bob.history(HistoryQuery(channel: "room"))
        #expect(page.messages.first?.edited?.payload == #"{"text":"two"}"#)
        #expect(page.messages.first?.message.payload == #"{"text":"hi"}"#)

        // What an SDK says is the bare text.
        try await ada.addAction("so be it", type: "edited", to: message, in: "room")
        try await eventually("the words") {
            await bobs.items.first?.message.payload == #""so be it""#
        }
        try await ada.addAction(".", type: "deleted", to: message, in: "room")
        try await eventually("as good as deleted") { await bobs.items.first?.isDeleted == true }

        #expect(await code { try await bobs.edit(message, payload: "1") } == "not_owner")
        #expect(await code { _ = try await bobs.delete(message) } == "not_owner")
        #expect(await code { try await room.edit(.zero, payload: "1") } == "no_such_message")
        let (_, applied) = try await ada.editMessage(message, payload: "4", in: "room")
        #expect(applied == .added)
        #expect(try await room.delete(message))
        #expect(try await !room.delete(message))
        try await eventually("it is gone") { await bobs.items.isEmpty }
        try await eventually("the device is proved equal") { await bobs.isVerified }
        await ada.close()
        await bob.close()
    }

    @Test("a reply that was written offline outlives the process, and is counted by all")
    func threads() async throws {
        let daemon = try await Daemon()
        let bob = try open("bob", of: daemon)
        let bobs = try await bob.channel("room")
        await bob.start()
        try await bobs.publish(Message(payload: "1"))
        let first = try await eventually("it is accepted") { await bobs.items.first?.timetoken }
        let path = FileManager.default.temporaryDirectory.appending(path: "edit-\(UUID())").path()
        let configuration = try SyncClient.Configuration(
            url: daemon.url, userID: "ada", deviceID: "phone")
        let offline = try SyncClient.open(cache: path, configuration: configuration)
        try await offline.channel("room").publish(Message(payload: "2", parent: first))
        await offline.close()

        let ada = try SyncClient.open(cache: path, configuration: configuration)
        let room = try await ada.channel("room")
        #expect(await room.items.map(\.parent) == [first])
        await ada.start()
        for channel in [room, bobs] {
            try await eventually("the reply is counted") {
                let items = await channel.items
                return items.map(\.threadCount) == [1, 0] && items.map(\.parent) == [nil, first]
                    && items.allSatisfy { !$0.isPending }
            }
        }
        let thread = try await bob.history(HistoryQuery(channel: "room", parent: first))
        #expect(thread.messages.map(\.message) == [Message(payload: "2", parent: first)])
        await ada.close()
        // From the cache alone.
        let again = try SyncClient.open(cache: path, configuration: configuration)
        #expect(try await again.channel("room").items.map(\.threadCount) == [1, 0])
        await again.close()
        #expect(try await bobs.delete(first))
        try await eventually("the reply stands alone") {
            await bobs.items.map(\.parent) == [first]
        }
        await bob.close()
    }
}
