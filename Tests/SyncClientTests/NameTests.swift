// Names that the daemon does not take: a typed error at the call, and nothing is sent.

import EventModel
import SyncClient
import Testing

@Suite("Names", .timeLimit(.minutes(2)))
struct NameTests {
    static let badChannels = [
        "", "a,b", "*", "a.*", "a.*-pnpres", "tab\t", "nul\u{0}", "\u{7F}", "\u{85}",
        String(repeating: "x", count: Limits.channelNameBytesMax + 1),
        String(repeating: "ü", count: Limits.channelNameBytesMax / 2 + 1),
    ]
    private let message = Timetoken(rawValue: 17)

    private func code(_ body: () async throws -> Void) async -> String? {
        await #expect(throws: SyncClientError.self) { try await body() }?.code
    }

    @Test("a channel that cannot be is refused by every call")
    func channels() async throws {
        let server = try await ScriptedServer(connection(greeting()))
        let client = try SyncClient(of: server)
        try await client.connect()
        for name in Self.badChannels {
            let codes = [
                await code { _ = try await client.channel(name) },
                await code { try await client.follow(name) },
                await code { try await client.publish(Message(payload: "1"), to: name) },
                await code { try await client.signal(Message(payload: "1"), to: name) },
                await code { try await client.addAction("👍", to: message, in: name) },
                await code { try await client.removeAction("👍", from: message, in: name) },
                await code { try await client.deleteMessages(in: name, through: message) },
                await code { _ = try await client.history(HistoryQuery(channel: name)) },
                await code { _ = try await client.actions(ActionsQuery(channel: name)) },
            ]
            #expect(codes == Array(repeating: "invalid_channel", count: codes.count), "\(name)")
        }
        #expect(await client.unsentWrites.isEmpty)
        try await server.expect([["hello"]])
        await client.close()
    }

    @Test("nobody writes to presence, and a message's type has 1 to 64 bytes")
    func writes() async throws {
        let server = try await ScriptedServer(connection(greeting()))
        let client = try SyncClient(of: server)
        let presence = try await client.channel("room-pnpres")
        let room = try await client.channel("room")
        #expect(
            await code { try await presence.publish(Message(payload: "1")) } == "invalid_channel")
        #expect(await code { try await presence.react("👍", to: message) } == "invalid_channel")
        for type in ["", String(repeating: "x", count: 65), "a\u{0}"] {
            let bad = Message(payload: "1", type: type)
            #expect(await code { try await room.publish(bad) } == "invalid_message")
            #expect(await code { try await client.publish(bad, to: "room") } == "invalid_message")
        }
        for bad in [
            Message(payload: "\"" + String(repeating: "x", count: 63) + "\""),
            Message(payload: "1", meta: "1"), Message(payload: "1", type: ""),
        ] {
            #expect(await code { try await client.signal(bad, to: "room") } == "invalid_message")
        }
        #expect(await client.unsentWrites.isEmpty)
        try await room.publish(Message(payload: "1", type: String(repeating: "x", count: 64)))
        #expect(await client.unsentWrites.count == 1)
        await client.close()
    }

    @Test("a server that never answers hello is said to answer nothing, and for how long")
    func silence() async throws {
        let server = try await ScriptedServer(connection(expect("hello"), expect("never")))
        let client = try SyncClient(of: server, commandTimeout: .seconds(1))
        let error = await #expect(throws: SyncClientError.self) { try await client.connect() }
        #expect(error?.problem.hasSuffix("nothing was answered within 1 s.") == true)
        await client.close()
    }
}
