// Calls of a model return when its rows show what was wished, and return in any case.

import EventModel
import Foundation
import SyncClient
import Testing

@testable import SyncModels

@MainActor @Suite("Wishes that are seen", .timeLimit(.minutes(10)))
struct SeenWishTests {
    /// One that nothing connects; a daemon is needed where it is to be started.
    private func client(of daemon: Daemon? = nil) throws -> SyncClient {
        SyncClient(
            try SyncClient.Configuration(
                url: daemon?.url ?? "ws://127.0.0.1:9", userID: "ada", deviceID: "phone"))
    }

    @Test("a message is in the rows when its call returns")
    func sends() async throws {
        let client = try client()
        let model = ChannelModel<Note>(client, "room")
        try await model.start()
        var counts: [Int] = []
        for number in 1...200 {
            try await model.send(Note(text: "\(number)"))
            counts.append(model.items.count)
        }
        #expect(counts == Array(1...200))
        #expect(model.items.map(\.payload?.text) == (1...200).map(String.init))

        let sends = (1...300).map { number in
            Task {
                let text = "at once \(number)"
                try await model.send(Note(text: text))
                return model.items.contains { $0.payload?.text == text }
            }
        }
        for send in sends { #expect(try await send.value) }
        await model.stop()
        await client.close()
    }

    @Test("a bubble and another text show when their calls return")
    func changes() async throws {
        let daemon = try await Daemon()
        let client = try client(of: daemon)
        let model = ChannelModel<Note>(client, "room")
        try await model.start()
        try await client.connect()
        try await model.send(Note(text: "hi"))
        try await eventually("it is accepted") { model.items.first?.timetoken != nil }
        await client.disconnect()

        var seen: [Bool] = []
        for round in 0..<20 {
            let isThere = try await model.toggle("👍", on: model.items[0])
            seen.append(model.items[0].bubbles.contains(where: \.isOwn) == isThere)
            let note = Note(text: "\(round)")
            try await model.edit(model.items[0], to: note)
            seen.append(model.items[0].payload == note)
        }
        #expect(seen == Array(repeating: true, count: 40))
        await model.stop()
        await client.close()
    }

    @Test("a call returns that is refused, or whose task is cancelled, or whose model is stopped")
    func ends() async throws {
        let client = try client()
        // Followed before: the list does not end with the model.
        _ = try await client.channel("room")
        let model = ChannelModel<Note>(client, "room")
        try await model.start()
        await #expect(throws: SyncClientError.self) {
            try await model.send(Note(text: String(repeating: "x", count: 40_000)))
        }
        #expect(model.items.isEmpty)

        let cancelled = Task { try await model.send(Note(text: "0")) }
        cancelled.cancel()
        try await cancelled.value
        #expect(model.items.count == 1)

        let sends = (1...100).map { number in
            Task { try await model.send(Note(text: "\(number)")) }
        }
        try await sends[0].value
        await model.stop()
        // Those that had not begun are told.
        for send in sends { _ = await send.result }
        await #expect(throws: SyncClientError.notStarted("room")) {
            try await model.send(Note(text: "too late"))
        }
        await client.close()
    }

    @Test("of a row that is on its way nothing can be said yet")
    func pending() async throws {
        let client = try client()
        let model = ChannelModel<Note>(client, "room")
        try await model.start()
        try await model.send(Note(text: "hi"))
        let row = try #require(model.items.last)
        let error = SyncClientError.pendingMessage
        await #expect(throws: error) { try await model.edit(row, to: Note(text: "ho")) }
        await #expect(throws: error) { try await model.toggle("👍", on: row) }
        await #expect(throws: error) { try await model.delete(row) }
        await #expect(throws: error) { try await model.send(Note(text: "ho"), inReplyTo: row) }
        #expect(
            "\(error)" == "The message is still on its way. "
                + "Try again when the daemon has accepted it.")
        await model.stop()
        await client.close()
    }

    @Test("a wait for older messages ends with its task, and another one goes on")
    func older() async throws {
        let daemon = try await Daemon()
        let client = try client(of: daemon)
        let model = ChannelModel<Note>(client, "room")
        try await model.start()
        let (first, second) = (
            Task { try await model.loadOlder() }, Task { try await model.loadOlder() }
        )
        try await eventually("both wait") { model.olderCalls == 2 }
        first.cancel()
        try await eventually("one waits") { model.olderCalls == 1 }
        #expect(model.isLoadingOlder)
        await #expect(throws: SyncClientError.cancelled) { try await first.value }
        let early = Task { try await model.loadOlder() }
        early.cancel()
        await #expect(throws: SyncClientError.cancelled) { try await early.value }

        await client.start()
        #expect(try await second.value == .beginning)
        #expect(!model.isLoadingOlder)
        await model.stop()
        await client.close()
    }
}
