// Taps that count, wished by a process without a connection.

import EventModel
import Foundation
import SyncClient
import Testing

@Suite("Taps without a connection", .timeLimit(.minutes(10)))
struct TapTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "taps-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func open(_ user: String, _ device: String, of daemon: Daemon) throws -> SyncClient {
        var configuration = try SyncClient.Configuration(
            url: daemon.url, userID: user, deviceID: device)
        configuration.backoff = Backoff(base: .milliseconds(5), cap: .milliseconds(100))
        return try SyncClient.open(
            cache: folder.appending(path: device).path(), configuration: configuration)
    }

    @Test(
        "taps count without a connection, at the first use and in a process after it",
        arguments: [("multiple", "👏"), ("total", "total")])
    func taps(mode: String, value: String) async throws {
        let daemon = try await Daemon(
            configuration: "[namespace room]\nchannels = room\nreaction_mode = \(mode)\n")
        let other = try open("bob", "tablet", of: daemon)
        try await other.connect()
        let message = try await other.publish(Message(payload: "1"), to: "room")
        let query = ActionsQuery(channel: "room", messageTimetoken: message)
        for (process, writes) in [(1, 5), (2, 1)] {
            let client = try open("ada", "phone", of: daemon)
            let room = try await client.channel("room")
            for _ in 0..<5 { try await room.react(value, to: message) }
            #expect(await client.unsentWrites.count == writes)
            if process == 2 {
                #expect(await room.rules.mode.rawValue == mode)
                #expect(await room.items.first?.reactions.map(\.ownScore) == [10])
                // As what was sent before a crash, it is taken as it was wished.
                try await room.unreact(value, from: message)
                for _ in 0..<(mode == "total" ? 1 : 10) {
                    try await room.react(value, to: message)
                }
            }
            await client.start()
            try await eventually("all is sent") { await client.unsentWrites.isEmpty }
            #expect(try await other.actions(query).actions.map(\.score) == [5 * process])
            #expect(await room.items.first?.reactions.map(\.ownScore) == [5 * process])
            await client.close()
        }
        await other.close()
    }
}
