// Following a channel by its summaries, against the real daemon.

import EventModel
import SyncClient
import Testing

@Suite("Following by summaries", .timeLimit(.minutes(10)))
struct SummaryFollowTests {
    private func client(_ daemon: Daemon, _ user: String) throws -> SyncClient {
        SyncClient(
            try SyncClient.Configuration(url: daemon.url, userID: user, deviceID: "phone"))
    }

    /// Takes events until a message comes to so much, and says which events there were besides.
    private func counts(
        _ message: Timetoken, _ expected: [String: Int], in events: AsyncStream<SyncEvent>
    ) async -> [Envelope] {
        var announced: [Envelope] = []
        for await event in events {
            if case .announced(_, let envelopes) = event { announced += envelopes }
            guard case .summarized("room", let summaries) = event,
                let summary = summaries.last(where: { $0.messageTimetoken == message })
            else { continue }
            let counts = Dictionary(
                uniqueKeysWithValues: summary.groups.map { ($0.value, $0.count) })
            if counts == expected { break }
        }
        return announced
    }

    @Test("messages come as events, reactions as what they come to, also what was missed")
    func follows() async throws {
        let daemon = try await Daemon()
        let (ada, bob) = (try client(daemon, "ada"), try client(daemon, "bob"))
        let events = await ada.events()
        for each in [ada, bob] { try await each.connect() }
        try await ada.follow("room", after: .zero, actions: .summary)
        let message = try await bob.publish(Message(payload: "1"), to: "room")
        let room = try await bob.channel("room")
        try await room.react("👍", to: message)
        try await room.react("🎉", to: message)
        let announced = await counts(message, ["👍": 1, "🎉": 1], in: events)
        #expect(announced.map(\.timetoken) == [message])
        #expect(announced.allSatisfy { if case .message = $0.event { true } else { false } })

        await ada.disconnect()
        try await room.unreact("🎉", from: message)
        while await !bob.unsentWrites.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        try await ada.connect()
        _ = await counts(message, ["👍": 1], in: events)
        await ada.close()
        await bob.close()
    }

    @Test("summaries that are more than a reply may hold come in several, and all of them")
    func pages() async throws {
        let daemon = try await Daemon()
        let ada = try client(daemon, "ada")
        try await ada.connect()
        var messages: [Timetoken] = []
        for _ in 0..<12 {
            let message = try await ada.publish(Message(payload: "1"), to: "room")
            messages.append(message)
            let text = String(repeating: "x", count: 30_000)
            try await ada.editMessage(message, payload: "\"\(text)\"", in: "room")
        }
        let found = try await ada.summaries(of: messages.map { .init($0) }, in: "room")
        #expect(found.map(\.messageTimetoken) == messages)
        let known = found.map { SummariesQuery.Message($0.messageTimetoken, state: $0.state) }
        #expect(try await ada.summaries(of: known, in: "room") == [])
        await ada.close()
    }

    @Test(
        "a channel is followed in one way at a time, and a wish that needs the list says so",
        arguments: [ActionsDetail.rows, .summary, .none])
    func otherwise(actions: ActionsDetail) async throws {
        // What a client knows of a channel does not need a daemon.
        let client = SyncClient(
            try SyncClient.Configuration(
                url: "ws://127.0.0.1:1", userID: "ada", deviceID: "phone"))
        let message = Timetoken(rawValue: 5)
        let room = try await client.channel("room")
        for other in [ActionsDetail.rows, .summary, .none] {
            await #expect(throws: SyncClientError.followedOtherwise("room")) {
                try await client.follow("room", actions: other)
            }
        }
        #expect(try await room.toggle("👍", on: message))
        await room.leave()
        try await client.follow("room", actions: actions)
        try await client.follow("room", actions: actions)
        for other in [ActionsDetail.rows, .summary, .none] where other != actions {
            await #expect(throws: SyncClientError.followedOtherwise("room")) {
                try await client.follow("room", actions: other)
            }
        }
        await #expect(throws: SyncClientError.followedOtherwise("room")) {
            try await client.channel("room")
        }
        await #expect(throws: SyncClientError.followedOtherwise("room")) {
            try await room.toggle("👍", on: message)
        }
        await #expect(throws: SyncClientError.followedOtherwise("room")) {
            try await room.unreact("👍", from: message)
        }
        // That one is to be there can be wished of any message.
        try await room.react("🎉", to: message)
        #expect(await client.unsentWrites.count == 2)
        #expect(await client.position(of: "room") == .zero)
        await client.unfollow("room")
        #expect(await client.position(of: "room") == nil)
        await #expect(throws: SyncClientError.followedOtherwise("room")) {
            try await room.toggle("👍", on: message)
        }
        #expect(try await client.channel("room").toggle("👍", on: message) == false)
        await client.close()
    }
}
