// Groups and wildcards as a client has them: against scripts, and against the real daemon.

import EventModel
import SyncClient
import Testing

@Suite("Groups and wildcards, as a client sees them", .timeLimit(.minutes(10)))
struct SelectionTests {
    private func client(_ daemon: Daemon, _ user: String) throws -> SyncClient {
        SyncClient(
            try SyncClient.Configuration(url: daemon.url, userID: user, deviceID: "phone"))
    }

    /// The channels of what is told until there are so many.
    private func selected(_ count: Int, _ events: AsyncStream<SyncEvent>) async -> Set<String> {
        var names: Set<String> = []
        for await event in events {
            if case .selected(_, let channels, let ended) = event {
                names.formUnion(channels)
                names.subtract(ended)
                if names.count == count { break }
            }
        }
        return names
    }

    @Test("a wildcard brings lists of all its channels, also after a reconnect")
    func wildcard() async throws {
        let daemon = try await Daemon()
        let (ada, bob) = (try client(daemon, "ada"), try client(daemon, "bob"))
        let events = await ada.events()
        for each in [ada, bob] { try await each.connect() }
        try await bob.publish(Message(payload: "1"), to: "news.a")
        try await ada.follow(.wildcard("news.*"))
        #expect(await selected(1, events) == ["news.a"])
        try await bob.publish(Message(payload: "2"), to: "news.b")
        #expect(await selected(1, events) == ["news.b"])
        try await settles(ada, ["news.a": ["1"], "news.b": ["2"]])

        await ada.disconnect()
        try await bob.publish(Message(payload: "3"), to: "news.c")
        try await bob.publish(Message(payload: "4"), to: "news.a")
        try await ada.connect()
        try await settles(
            ada, ["news.a": ["1", "4"], "news.b": ["2"], "news.c": ["3"]])
        await ada.unfollow(.wildcard("news.*"))
        await ada.close()
        await bob.close()
    }

    @Test("a group brings its channels with all that is in them, and takes them away")
    func group() async throws {
        let daemon = try await Daemon()
        let (ada, bob) = (try client(daemon, "ada"), try client(daemon, "bob"))
        let events = await ada.events()
        for each in [ada, bob] { try await each.connect() }
        try await bob.publish(Message(payload: "1"), to: "a")
        try await bob.publish(Message(payload: "2"), to: "b")
        try await bob.change(group: "friends", .add(["a"]))
        try await ada.follow(.group("friends"))
        #expect(await selected(1, events) == ["a"])
        try await bob.change(group: "friends", .add(["b"]))
        #expect(try await bob.channels(inGroup: "friends") == ["a", "b"])
        try await settles(ada, ["a": ["1"], "b": ["2"]])
        try await bob.change(group: "friends", .remove(["a"]))
        for await event in events {
            if case .selected(.group("friends"), _, ["a"]) = event { break }
        }
        try await bob.publish(Message(payload: "3"), to: "a")
        try await bob.publish(Message(payload: "4"), to: "b")
        try await settles(ada, ["b": ["2", "4"]])
        await ada.close()
        await bob.close()
    }

    @Test("what two selections have ends with the last of them; what was opened by name, never")
    func twoSelections() async throws {
        let daemon = try await Daemon()
        let (ada, bob) = (try client(daemon, "ada"), try client(daemon, "bob"))
        let events = await ada.events()
        for each in [ada, bob] { try await each.connect() }
        try await bob.publish(Message(payload: "1"), to: "news.a")
        for group in ["one", "two"] {
            try await bob.change(group: group, .add(["a", "b", "news.a"]))
        }
        _ = try await ada.channel("b")
        for group in ["one", "two"] { try await ada.follow(.group(group)) }
        try await ada.follow(.wildcard("news.*"))
        for _ in 0..<3 {
            for await event in events { if case .selected = event { break } }
        }
        for group in ["one", "two"] {
            try await bob.change(group: group, .delete)
            for await event in events {
                if case .selected(.group(group), _, let ended) = event, !ended.isEmpty { break }
            }
            let followed = await Set(ada.followedChannels)
            #expect(
                followed
                    == (group == "one" ? ["a", "b", "news.a"] : ["b", "news.a"]))
        }
        await ada.close()
        await bob.close()
    }

    @Test("what a group lost while nobody was connected ends, too")
    func lostMeanwhile() async throws {
        let daemon = try await Daemon()
        let (ada, bob) = (try client(daemon, "ada"), try client(daemon, "bob"))
        let events = await ada.events()
        for each in [ada, bob] { try await each.connect() }
        try await bob.change(group: "friends", .add(["a", "b"]))
        try await ada.follow(.group("friends"))
        #expect(await selected(2, events) == ["a", "b"])
        await ada.disconnect()
        try await bob.change(group: "friends", .remove(["a"]))
        try await bob.change(group: "friends", .add(["c"]))
        try await ada.connect()
        while await Set(ada.followedChannels) != ["b", "c"] {
            try await Task.sleep(for: .milliseconds(5))
        }
        await ada.close()
        await bob.close()
    }

    @Test("what was brought and then asked for by name stays, with its list, when the group ends")
    func asksByName() async throws {
        let daemon = try await Daemon()
        let (ada, bob) = (try client(daemon, "ada"), try client(daemon, "bob"))
        let events = await ada.events()
        for each in [ada, bob] { try await each.connect() }
        try await bob.change(group: "friends", .add(["a", "b"]))
        try await ada.follow(.group("friends"))
        #expect(await selected(2, events) == ["a", "b"])
        let list = try await ada.channel("a")
        try await bob.change(group: "friends", .remove(["a", "b"]))
        for await event in events {
            if case .selected(_, _, let ended) = event, Set(ended) == ["a", "b"] { break }
        }
        #expect(await ada.followedChannels == ["a"])
        try await bob.publish(Message(payload: "1"), to: "a")
        try await eventually("what is told there is in the list") {
            await list.items.map(\.message.payload) == ["1"]
        }
        await ada.disconnect()
        try await bob.publish(Message(payload: "2"), to: "a")
        try await ada.connect()
        try await settles(ada, ["a": ["1", "2"]])
        await ada.close()
        await bob.close()
    }

    @Test("what was left stays left over reconnects, until it is asked for, or all of it anew")
    func leaves() async throws {
        let daemon = try await Daemon()
        let (ada, bob) = (try client(daemon, "ada"), try client(daemon, "bob"))
        let events = await ada.events()
        for each in [ada, bob] { try await each.connect() }
        for name in ["news.a", "news.b"] { try await bob.publish(Message(payload: "1"), to: name) }
        try await ada.follow(.wildcard("news.*"))
        #expect(await selected(2, events) == ["news.a", "news.b"])
        /// - Returns: What is followed once a reconnect has told what happened meanwhile.
        func reconnected(_ payload: String) async throws -> Set<String> {
            await ada.disconnect()
            for name in ["news.a", "news.b"] {
                try await bob.publish(Message(payload: payload), to: name)
            }
            try await ada.connect()
            try await eventually("it heard of the other channel") {
                try await ada.channel("news.b").items.last?.message.payload == payload
            }
            return await Set(ada.followedChannels)
        }
        try await ada.channel("news.a").leave()
        #expect(try await reconnected("2") == ["news.b"])
        #expect(try await reconnected("3") == ["news.b"])
        try await settles(ada, ["news.a": ["1", "2", "3"]])
        #expect(try await reconnected("4") == ["news.a", "news.b"])
        try await ada.channel("news.a").leave()
        await ada.unfollow(.wildcard("news.*"))
        try await ada.follow(.wildcard("news.*"))
        try await eventually("all of it is followed anew") {
            await Set(ada.followedChannels) == ["news.a", "news.b"]
        }
        await ada.close()
        await bob.close()
    }

    /// Waits until a client's lists say so; the suite's time limit ends it.
    private func settles(_ client: SyncClient, _ lists: [String: [String]]) async throws {
        for (name, payloads) in lists {
            while true {
                let items = try await client.channel(name).items
                if items.map(\.message.payload) == payloads { break }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    @Test("what is refused is told, and not asked again")
    func refused() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), expect("follow"), refusal(403, "forbidden")))
        let client = try SyncClient(of: server)
        let events = await client.events()
        try await client.follow(.group("friends"))
        try await client.connect()
        let told = await take(from: events) { events in
            events.contains { if case .selectionRefused = $0 { true } else { false } }
        }
        guard case .selectionRefused(let selection, let error)? = told.last else { return }
        #expect(selection == .group("friends"))
        #expect(error.code == "forbidden")
        await #expect(throws: SyncClientError.self) { try await client.follow(.wildcard("news")) }
        await client.close()
    }
}
