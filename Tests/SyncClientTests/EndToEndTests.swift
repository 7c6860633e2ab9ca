// Two devices and the tool against the real daemon, restarts included.

import EventModel
import Foundation
import SyncClient
import Testing

@Suite("End to end", .timeLimit(.minutes(10)))
struct EndToEndTests {
    private func device(
        _ user: String, _ device: String, of daemon: Daemon
    ) async throws -> SyncClient {
        var configuration = try SyncClient.Configuration(
            url: daemon.url, userID: user, deviceID: device)
        configuration.backoff = Backoff(base: .milliseconds(5), cap: .milliseconds(100))
        let client = SyncClient(configuration)
        try await client.connect()
        return client
    }

    /// Waits until what a device has of a channel has what `isThere` looks for.
    private func cache(
        of channel: String, on client: SyncClient, _ what: String,
        _ isThere: (DeviceCache) -> Bool
    ) async throws -> DeviceCache {
        try await eventually(what) {
            let cache = try await client.channel(channel).base.cache
            return isThere(cache) ? cache : nil
        }
    }

    @Test("a device knows what reactions there are, and shows one where there is one")
    func rules() async throws {
        let daemon = try await Daemon(
            configuration: """
                [namespace one]
                channels = room
                reaction_mode = unique
                reaction_aliases = love=❤️
                """)
        let phone = try await device("ada", "phone", of: daemon)
        let laptop = try await device("ada", "laptop", of: daemon)
        let (room, same) = try await (phone.channel("room"), laptop.channel("room"))
        let message = try await phone.publish(Message(payload: "1"), to: "room")
        for channel in [room, same] {
            try await eventually("the rules are there, and the message") {
                let isThere = await !channel.items.isEmpty
                return await channel.rules.mode == .unique && isThere
            }
        }
        func values(_ channel: SyncedChannel) async -> [String] {
            await channel.items.flatMap { $0.reactions.map(\.value) }
        }
        try await room.react("👍", to: message)
        try await eventually("the first") { await values(same) == ["👍"] }
        try await same.react("love", to: message)
        #expect(await values(same) == ["❤️"])
        try await eventually("the second alone") { await values(room) == ["❤️"] }
        try await eventually("both are equal") {
            let base = await room.base.digest
            return await same.base.digest == base
        }
        await phone.close()
        await laptop.close()
    }

    @Test("a reaction made on one device shows up on the others, and goes away again")
    func reaction() async throws {
        let daemon = try await Daemon()
        let phone = try await device("ada", "phone", of: daemon)
        let laptop = try await device("ada", "laptop", of: daemon)
        let tablet = try await device("bob", "tablet", of: daemon)
        for client in [phone, laptop, tablet] { _ = try await client.channel("room") }

        let message = try await phone.publish(Message(payload: #"{"text":"hi"}"#), to: "room")
        let (action, applied) = try await tablet.addAction("👍", to: message, in: "room")
        #expect(applied == .added)
        #expect(try await tablet.addAction("👍", to: message, in: "room").applied == .already)

        for client in [phone, laptop, tablet] {
            let cache = try await cache(of: "room", on: client, "the reaction is there") {
                !$0.actions.isEmpty
            }
            #expect(cache.messages[message]?.message.payload == #"{"text":"hi"}"#)
            #expect(cache.actions == [action.key: action.actionTimetoken])
            #expect(cache.reactions(to: message, for: "bob").map(\.isMine) == [true])
        }
        let removal = try await tablet.removeAction(
            "👍", from: message, in: "room", actionTimetoken: action.actionTimetoken)
        #expect(removal == .removed)
        for client in [phone, laptop, tablet] {
            _ = try await cache(of: "room", on: client, "the reaction is gone") {
                $0.actions.isEmpty
            }
            await client.close()
        }
    }

    @Test(
        "a restart in the middle loses nothing and doubles nothing",
        arguments: [SIGTERM, SIGKILL])
    func restart(signal: Int32) async throws {
        let daemon = try await Daemon()
        let writer = try await device("ada", "phone", of: daemon)
        let reader = try await device("bob", "tablet", of: daemon)
        let events = await reader.events()
        try await reader.follow("room", after: .zero)
        _ = try await writer.channel("room")

        let writing = Task {
            var timetokens: [Timetoken] = []
            for number in 0..<300 {
                timetokens.append(
                    try await writer.publish(Message(payload: "\(number)"), to: "room"))
            }
            return timetokens
        }
        for count in [50, 150] {
            _ = try await cache(of: "room", on: writer, "\(count) are there") {
                $0.messages.count >= count
            }
            try await daemon.restart(with: signal)
        }
        let written = try await writing.value
        let taken = await take(from: events) { $0.positions.count >= written.count }

        #expect(taken.positions == written.map(\.rawValue))
        let last = try #require(written.last)
        #expect(await reader.position(of: "room") == last)
        let cache = try await cache(of: "room", on: writer, "the last is there") {
            $0.messages[last] != nil
        }
        let numbers = cache.messages.sorted { $0.key < $1.key }.map(\.value.message.payload)
        #expect(numbers == (0..<300).map { "\($0)" })
        for client in [reader, writer] { await client.close() }
    }

    @Test("pages, filters and refusals")
    func queries() async throws {
        let daemon = try await Daemon()
        let client = try await device("ada", "phone", of: daemon)
        var messages: [Timetoken] = []
        for number in 0..<5 {
            messages.append(try await client.publish(Message(payload: "\(number)"), to: "room"))
        }
        for value in ["👍", "❤️"] {
            try await client.addAction(value, to: messages[0], in: "room")
        }

        let newest = try await client.history(HistoryQuery(channel: "room", limit: 2))
        let next = try await client.history(
            HistoryQuery(channel: "room", before: newest.next, limit: 100, includesActions: true))
        let hearts = try await client.actions(ActionsQuery(channel: "room", values: ["❤️"]))

        #expect(newest.messages.map(\.timetoken) == Array(messages[3...]))
        #expect(next.messages.map(\.timetoken) == Array(messages[..<3]))
        #expect(next.messages.first?.actions.map(\.key.value) == ["👍", "❤️"])
        #expect(next.next == nil)
        #expect(hearts.actions.map(\.key.value) == ["❤️"])
        let error = await #expect(throws: SyncClientError.self) {
            _ = try await client.history(
                HistoryQuery(channel: "room", limit: Limits.historyPageMax + 1))
        }
        guard case .refused(let refusal) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.code == "invalid_field")
        try await client.ping()
        await client.close()
    }

    @Test("messages are deleted for everybody, one or a range")
    func deletes() async throws {
        let daemon = try await Daemon()
        let client = try await device("ada", "phone", of: daemon)
        let reader = try await device("bob", "tablet", of: daemon)
        _ = try await reader.channel("room")
        var messages: [Timetoken] = []
        for number in 0..<4 {
            messages.append(try await client.publish(Message(payload: "\(number)"), to: "room"))
        }
        try await client.addAction("👍", to: messages[1], in: "room")
        let place = try await client.deleteMessages(
            in: "room", after: messages[0], through: messages[2])
        #expect(place > messages[3])
        let cache = try await cache(of: "room", on: reader, "they are gone") {
            $0.messages.count == 2 && $0.cursor >= place
        }
        #expect(cache.messages.keys.sorted() == [messages[0], messages[3]])
        #expect(cache.actions.isEmpty)
        await client.close()
        await reader.close()
    }

    @Test("a moderator removes what others said, and they may say it again")
    func moderates() async throws {
        let daemon = try await Daemon()
        let moderator = try await device("mod", "phone", of: daemon)
        let reader = try await device("bob", "tablet", of: daemon)
        _ = try await reader.channel("room")
        let message = try await moderator.publish(Message(payload: "1"), to: "room")
        for value in ["👍", "❤️"] {
            try await moderator.addAction(value, to: message, in: "room")
            try await reader.addAction(value, to: message, in: "room")
        }
        #expect(
            try await moderator.removeActions(
                Clearing(messageTimetoken: message, userID: "bob"), in: "room") == 2)
        #expect(try await moderator.removeActions(Clearing(userID: "bob"), in: "room") == 0)
        let cache = try await cache(of: "room", on: reader, "bob's are gone") {
            $0.actions.count == 2 && $0.actions.keys.allSatisfy { $0.uuid == "mod" }
        }
        #expect(Set(cache.actions.keys.map(\.value)) == ["👍", "❤️"])
        #expect(
            try await moderator.removeActions(
                Clearing(type: "reaction", value: "👍"), in: "room") == 1)
        try await reader.addAction("👍", to: message, in: "room")
        _ = try await self.cache(of: "room", on: reader, "he said it again") {
            $0.actions.keys.map { "\($0.value) \($0.uuid)" }.sorted() == ["❤️ mod", "👍 bob"]
        }
        let error = await #expect(throws: SyncClientError.self) {
            try await moderator.removeActions(Clearing(type: "reaction"), in: "room")
        }
        guard case .refused(let refusal) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.code == "missing_field")
        await moderator.close()
        await reader.close()
    }

    @Test("a person toggles, looks at the last message, and deletes")
    func togglesAndDeletes() async throws {
        let daemon = try await Daemon()
        func tool(_ arguments: String...) async throws -> (
            status: Int32, output: [String], errors: [String]
        ) {
            let tool = try ChildProcess(
                Products.path(of: "syncctl"), arguments,
                environment: ["SYNCCTL_URL": daemon.url, "USER": "ada"])
            return (try await tool.ended(), tool.lines, tool.errors)
        }
        let first = try #require(try await tool("publish", "room", "one").output.first)
        let second = try #require(try await tool("publish", "room", "two").output.first)

        #expect(
            try await tool("react", "toggle", "room", "last", "❤").output
                == ["❤️ added to \(second)"])
        let standing = try await tool("actions", "room", "--message", "last", "--by", "ada")
        #expect(standing.output.count == 1)
        #expect(standing.output.first?.hasSuffix("ada: ❤️ on \(second)") == true)
        #expect(
            try await tool("react", "toggle", "room", "last", "❤️").output
                == ["❤️ removed from \(second)"])
        let none = try await tool("actions", "room", "--message", "last", "--user", "bob")
        #expect(none.output.isEmpty)
        #expect(none.errors == ["syncctl: room has no actions like that."])
        #expect(
            try await tool("history", "room", "--before", "last").output
                == ["\(first)  ada: one"])

        #expect(try await tool("delete", "room", "last").output == ["deleted \(second)"])
        let gone = try await tool("delete", "room", second, "--json")
        #expect(gone.status == 1)
        #expect(gone.output.isEmpty)
        #expect(gone.errors.count == 1)
        #expect(gone.errors.first?.hasPrefix(#"{"error":{"code":"no_message","message":"#) == true)
        _ = try await tool("publish", "room", "three")
        #expect(try await tool("delete", "room", first, "last").output.count == 1)
        #expect(
            try await tool("history", "room").errors
                == ["syncctl: room has no messages there."])
    }

    @Test("the walk of two terminals")
    func twoTerminals() async throws {
        let daemon = try await Daemon()
        func tool(_ user: String, _ arguments: String...) throws -> ChildProcess {
            try ChildProcess(
                Products.path(of: "syncctl"), arguments,
                environment: ["SYNCCTL_URL": daemon.url, "USER": user])
        }
        let follower = try tool("bob", "subscribe", "room", "--since", "0", "--count", "3")

        let published = try tool("ada", "publish", "room", "hello")
        #expect(try await published.ended() == 0)
        let timetoken = try #require(published.lines.first)
        try await eventually("the message is shown") { follower.lines.count == 1 }
        let added = try tool("ada", "react", "add", "room", "last", "👍")
        #expect(try await added.ended() == 0)
        try await eventually("the reaction is shown") { follower.lines.count == 2 }
        let removed = try tool("ada", "react", "remove", "room", timetoken, "👍")
        #expect(try await removed.ended() == 0)
        let history = try tool("eve", "history", "room", "--json")
        #expect(try await history.ended() == 0)

        #expect(try await follower.ended() == 0)
        try #require(follower.lines.count == 3)
        #expect(follower.lines[0] == "\(timetoken)  ada: hello")
        #expect(follower.lines[1].hasSuffix("  ada added 👍 to \"hello\" \(timetoken)  👍 1"))
        #expect(follower.lines[2].hasSuffix("  ada removed 👍 from \"hello\" \(timetoken)"))
        #expect(
            history.lines == [#"{"timetoken":"\#(timetoken)","uuid":"ada","payload":"hello"}"#])
    }
}
