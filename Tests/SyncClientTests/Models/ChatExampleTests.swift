// The chat in a terminal of examples/swift-chat, played against a model.

import Foundation
import SyncClient
import SyncModels
import Testing

@MainActor @Suite("The chat in a terminal", .timeLimit(.minutes(10)))
struct ChatExampleTests {
    @Test("what is typed crosses, and what others do is written")
    func chats() async throws {
        let daemon = try await Daemon()
        let client = SyncClient(
            try SyncClient.Configuration(url: daemon.url, userID: "bob", deviceID: "phone"))
        let model = ChannelModel<Note>(client, "room", isPresent: true)
        try await model.start()
        try await client.connect()

        let keyboard = Pipe()
        let chat = try ChildProcess(
            Products.path(of: "swiftchat"), [daemon.url, "ada", "room"], input: keyboard)
        func type(_ line: String) throws {
            try keyboard.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        }
        func written(_ line: String) async throws {
            try await eventually("\(line) is written") { chat.lines.contains(line) }
        }

        try await written("here: ada, bob")
        try type("hello there")
        try await eventually("it crosses") { model.items.first?.payload?.text == "hello there" }
        try await model.toggle("👍", on: model.items[0])
        try await written("ada: hello there  👍 1")
        try type("/react 👍")
        try await eventually("the reaction crosses") { model.items[0].bubbles.first?.count == 2 }
        try await written("ada: hello there  👍 2*")
        try type("")
        try await eventually("it is seen that ada types") { model.typing == ["ada"] }
        try type("/react")
        try await eventually("what is wrong is said") {
            chat.lines.contains { $0.hasPrefix("! This cannot be a reaction") }
        }
        try type("/edit hello again")
        try await eventually("it is edited") { model.items[0].isEdited }
        try type("/quit")
        #expect(try await chat.ended() == 0)
        try await eventually("ada is gone") { model.present == ["bob"] }
        await model.stop()
        await client.close()
    }

    @Test("without arguments it says how it is used")
    func usage() async throws {
        let chat = try ChildProcess(Products.path(of: "swiftchat"), [])
        #expect(try await chat.ended() == 64)
    }
}
