// Two models on two devices, against the real daemon.

import EventModel
import Foundation
import SyncClient
import SyncModels
import Testing

@MainActor @Suite("Models of two devices", .timeLimit(.minutes(10)))
struct ChannelModelTests {
    private func client(_ user: String, of daemon: Daemon) throws -> SyncClient {
        var configuration = try SyncClient.Configuration(
            url: daemon.url, userID: user, deviceID: "\(user)-phone")
        configuration.backoff = Backoff(base: .milliseconds(5), cap: .milliseconds(100))
        return SyncClient(configuration)
    }

    private typealias Model = ChannelModel<Note>

    /// Two users' models of one channel, both online.
    private func pair(
        of daemon: Daemon, _ channel: String = "room", clock: ModelClock = .system,
        isPresent: Bool = false
    ) async throws -> (ada: Model, bob: Model, clients: [SyncClient]) {
        let clients = [try client("ada", of: daemon), try client("bob", of: daemon)]
        let models = clients.map {
            Model($0, channel, isPresent: isPresent, clock: clock)
        }
        for (client, model) in zip(clients, models) {
            try await model.start()
            try await client.connect()
            try await eventually("the channel is equal") { model.isVerified }
        }
        return (models[0], models[1], clients)
    }

    private func end(_ models: Model..., clients: [SyncClient]) async {
        for model in models { await model.stop() }
        for client in clients { await client.close() }
    }

    @Test("a message and a reaction cross, and a row keeps its id")
    func crosses() async throws {
        let daemon = try await Daemon()
        let (ada, bob, clients) = try await pair(of: daemon)

        try await ada.send(Note(text: "hi"))
        try await eventually("the row is there") { ada.items.count == 1 }
        let id = ada.items[0].id
        try await eventually("it is accepted") { ada.items.first?.isPending == false }
        #expect(ada.items[0].id == id)
        try await eventually("it crosses") { bob.items.first?.payload == Note(text: "hi") }
        #expect(bob.items[0].author == "ada")
        #expect(!bob.items[0].isOwn && ada.items[0].isOwn)

        #expect(try await bob.toggle("👍", on: bob.items[0]))
        try await eventually("the reaction crosses") { ada.items[0].bubbles.first?.count == 1 }
        #expect(ada.items[0].bubbles.map(\.value) == ["👍"])
        #expect(!ada.items[0].bubbles[0].isOwn)
        try await eventually("it is confirmed") {
            bob.items[0].bubbles.first.map { $0.isOwn && !$0.isPending } == true
        }
        #expect(try await bob.toggle("👍", on: bob.items[0]) == false)
        try await eventually("it is gone") { ada.items[0].bubbles.isEmpty }

        try await ada.edit(ada.items[0], to: Note(text: "ho"))
        try await eventually("the other text crosses") {
            bob.items[0].payload == Note(text: "ho") && bob.items[0].isEdited
        }
        #expect(try await ada.delete(ada.items[0]))
        try await eventually("it is deleted") { bob.items.isEmpty && ada.items.isEmpty }
        await end(ada, bob, clients: clients)
    }

    @Test("a toggle without a connection is seen at once, and reaches the other later")
    func offline() async throws {
        let daemon = try await Daemon()
        let (ada, bob, clients) = try await pair(of: daemon)
        try await bob.send(Note(text: "hi"))
        try await eventually("it crosses") { ada.items.first?.timetoken != nil }

        await clients[0].disconnect()
        try await eventually("the model knows") {
            if case .idle = ada.connection { true } else { false }
        }
        #expect(try await ada.toggle("❤", on: ada.items[0]))
        try await eventually("it is seen") { ada.items[0].bubbles.first?.isPending == true }
        #expect(ada.items[0].bubbles.map(\.value) == ["❤️"])
        #expect(bob.items.first?.bubbles.isEmpty == true)

        await clients[0].start()
        try await eventually("it crosses") { bob.items.first?.bubbles.first?.count == 1 }
        try await eventually("it is confirmed") {
            ada.items[0].bubbles.first?.isPending == false
        }
        guard case .online = ada.connection else {
            Issue.record("\(ada.connection)")
            return
        }
        await end(ada, bob, clients: clients)
    }

    @Test("a write that the daemon refuses is a problem, and no bubble where there are to be none")
    func refused() async throws {
        let daemon = try await Daemon(
            configuration: "[namespace quiet]\nchannels = quiet\nreactions = no\n")
        let (ada, bob, clients) = try await pair(of: daemon, "quiet")
        try await eventually("the rules are known") { !ada.rules.isOn }
        try await bob.send(Note(text: "hi"))
        try await eventually("it crosses") { ada.items.first?.timetoken != nil }

        try await ada.toggle("👍", on: ada.items[0])
        let problem = try await eventually("it is refused") { ada.problem }
        #expect(problem.code == "reactions_off")
        guard case .write(let entry) = problem.cause else {
            Issue.record("\(problem)")
            return
        }
        #expect(entry.key?.value == "👍")
        #expect(ada.items[0].bubbles.isEmpty)
        #expect(bob.problem == nil)
        ada.dismissProblem()
        #expect(ada.problem == nil)
        await end(ada, bob, clients: clients)
    }

    @Test("who types is seen, for so long as the convention says, and until the message is there")
    func typing() async throws {
        let daemon = try await Daemon()
        let hand = HandClock()
        let (ada, bob, clients) = try await pair(of: daemon, clock: hand.clock)

        bob.typed()
        try await eventually("ada sees it") { ada.typing == ["bob"] }
        #expect(bob.typing.isEmpty)
        try await eventually("the model waits") { hand.sleepers == 1 }
        hand.advance(by: .seconds(6))
        try await eventually("it is over") { ada.typing.isEmpty }

        bob.typed()
        try await eventually("ada sees it again") { ada.typing == ["bob"] }
        bob.stoppedTyping()
        try await eventually("ada is told") { ada.typing.isEmpty }

        bob.typed()
        try await eventually("ada sees it once more") { ada.typing == ["bob"] }
        try await bob.send(Note(text: "hi"))
        try await eventually("the message ends it") { ada.typing.isEmpty }
        #expect(ada.items.count == 1)
        await end(ada, bob, clients: clients)
    }

    @Test("older messages come when they are asked for, with their reactions")
    func older() async throws {
        let daemon = try await Daemon()
        let writer = try client("eve", of: daemon)
        try await writer.connect()
        let payload: @Sendable (Int) -> String = { #"{"text":"\#($0)"}"# }
        let before = try await writer.publishUntilCut(to: "room", payload)
        let all = (0..<before + 95).map(String.init)
        for number in before..<all.count {
            try await writer.publish(Message(payload: payload(number)), to: "room")
        }
        let reader = try client("ada", of: daemon)
        let model = Model(reader, "room", window: .last(5))
        try await model.start()
        try await reader.connect()
        // Where a page ends is the daemon's to say: it brings five at least.
        try await eventually("the newest are there") { model.items.count >= 5 && model.hasOlder }
        let newest = model.items.map(\.id)
        #expect(newest.count < all.count)

        // One page may have brought all that there is before.
        #expect(try await model.loadOlder(5) != .full)
        #expect(model.items.count > newest.count)
        #expect(model.items.suffix(newest.count).map(\.id) == newest)
        #expect(model.items.map(\.payload?.text) == all.suffix(model.items.count))
        while try await model.loadOlder(50) == .more {}
        #expect(model.items.map(\.payload?.text) == all)
        try await eventually("there is nothing before") { !model.hasOlder }
        #expect(!model.isLoadingOlder)
        await end(model, clients: [reader, writer])
    }

    @Test("what is unread is counted, and read on all devices of the user")
    func unread() async throws {
        let daemon = try await Daemon()
        let (ada, bob, clients) = try await pair(of: daemon)
        for text in ["1", "2", "3"] { try await bob.send(Note(text: text)) }
        try await eventually("three are unread") { ada.unread?.count == 3 }
        let tablet = try client("ada", of: daemon)
        let other = Model(tablet, "room")
        try await other.start()
        try await tablet.connect()
        try await eventually("on the tablet, too") { other.unread?.count == 3 }

        try await ada.markRead(through: ada.items[1])
        try await eventually("one is left") { ada.unread?.count == 1 && other.unread?.count == 1 }
        try await other.markRead()
        try await eventually("none is left") { ada.unread?.count == 0 && other.unread?.count == 0 }
        #expect(bob.unread?.count == 0)
        await end(ada, bob, other, clients: clients + [tablet])
    }

    @Test("who is here is known, and who goes")
    func presence() async throws {
        let daemon = try await Daemon()
        let (ada, bob, clients) = try await pair(of: daemon, isPresent: true)
        try await eventually("both know both") {
            ada.present == ["ada", "bob"] && bob.present == ["ada", "bob"]
        }
        #expect(ada.occupancy == 2)
        await bob.stop()
        #expect(bob.present.isEmpty)
        try await eventually("bob is gone") { ada.present == ["ada"] }
        await clients[0].disconnect()
        try await eventually("nobody is known") { ada.present.isEmpty }
        await clients[0].start()
        try await eventually("ada is back") { ada.present == ["ada"] }
        await end(ada, clients: clients)
    }

    @Test("names and pictures come from the directory, and change with it")
    func people() async throws {
        let daemon = try await Daemon()
        let (ada, bob, clients) = try await pair(of: daemon)
        let people = PeopleModel(clients[0])
        try await people.start()
        #expect(people["bob"].name == "bob")
        try await clients[1].set(
            "bob", [.text("name", "Bob"), .text("profileUrl", "https://example.com/b.png")],
            in: .users)
        try await eventually("the name is there") { people["bob"].name == "Bob" }
        #expect(people["bob"].picture == "https://example.com/b.png")
        #expect(people.all.map(\.id) == ["bob"])
        try await clients[1].set("bob", [.text("name", "Robert")], in: .users)
        try await eventually("it changes") { people["bob"].name == "Robert" }
        try await clients[1].remove("bob", from: .users)
        try await eventually("it is gone") { people.all.isEmpty && people["bob"].name == "bob" }
        await people.stop()
        await end(ada, bob, clients: clients)
    }

    @Test("a model that nobody holds is gone, started or stopped, and its reading with it")
    func lifetimes() async throws {
        let daemon = try await Daemon()
        let client = try client("ada", of: daemon)
        try await client.connect()
        weak var started: Model?
        weak var stopped: Model?
        weak var people: PeopleModel?
        do {
            let model = Model(client, "room", isPresent: true)
            try await model.start()
            try await model.send(Note(text: "hi"))
            try await eventually("it is accepted") { model.items.first?.isPending == false }
            started = model
            let other = Model(client, "den")
            try await other.start()
            try await other.start()
            #expect(await client.followedChannels.contains("den"))
            await other.stop()
            await other.stop()
            #expect(await !client.followedChannels.contains("den"))
            stopped = other
            let directory = PeopleModel(client)
            try await directory.start()
            people = directory
        }
        try await eventually("nothing is left") {
            started == nil && stopped == nil && people == nil
        }
        // Somebody else reads it as before.
        let again = Model(client, "room")
        try await again.start()
        #expect(again.items.first?.payload == Note(text: "hi"))
        await again.stop()
        #expect(await client.followedChannels.contains("room"))
        await client.close()
    }

    @Test("a channel that nobody may follow is a problem, and a name that no channel has an error")
    func channelProblems() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), expect("subscribe"), refusal(403, "forbidden")))
        let client = try SyncClient(of: server)
        let model = Model(client, "room")
        try await model.start()
        await client.start()
        let problem = try await eventually("it is told") { model.problem }
        #expect(problem.cause == .channel)
        #expect(problem.code == "forbidden")
        await model.stop()

        let none = Model(client, "a,b")
        await #expect(throws: SyncClientError.self) { try await none.start() }
        await client.close()
    }
}
