// Live lists of a client: pages, pushes, and what becomes of them when the connection breaks.

import EventModel
import Foundation
import SyncClient
import Testing

@Suite("Live lists of actions", .timeLimit(.minutes(10)))
struct LiveActionsTests {
    private let query = ActionsQuery(
        channel: "room", messageTimetoken: Timetoken(rawValue: 5), values: ["👍"], limit: 2)

    private func action(_ time: Int) -> String {
        #"{"messageTimetoken":"5","type":"reaction","value":"👍","uuid":"u\#(time)","#
            + #""actionTimetoken":"\#(time)"}"#
    }

    private func page(_ times: Int..., live: Int = 1, next: Int? = nil) -> String {
        let next = next.map { #","next":"\#($0)""# } ?? ""
        return expect("actions") + ","
            + ok(
                #"{"actions":[\#(times.map(action).joined(separator: ","))]\#(next),"#
                    + #""live":\#(live),"t":"9"}"#)
    }

    private func change(_ kind: String, _ time: Int, live: Int = 1) -> String {
        #"{"send":{"live":\#(live),"changes":[{"\#(kind)":\#(action(time))}]}}"#
    }

    private func times(_ list: LiveActions) async -> [UInt64] {
        await list.actions.map(\.actionTimetoken.rawValue)
    }

    @Test("a list is its pages and what is pushed; after a reconnect what differs comes as changes")
    func reconnects() async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), page(10, 20, next: 20), page(30, next: 30), change("add", 15),
                change("remove", 10), drop),
            // It is asked for as far as it reached: three rows.
            connection(
                greeting(), page(15, 20, next: 20), page(25, live: 1), change("add", 40)))
        let client = try SyncClient(of: server)
        await client.start()
        let list = try await client.liveActions(query)
        let updates = await list.updates
        try await eventually("the first page") { await list.isCurrent }
        await list.loadMore()
        try await eventually("everything") { await times(list) == [15, 20, 25, 40] }

        #expect(await list.isCurrent)
        #expect(await list.hasMore == false)
        var copy: [MessageAction] = []
        for await update in updates {
            switch update {
            case .all(let all):
                #expect(copy.isEmpty)
                copy = all
            case .changes(let changes): for change in changes { copy.apply(change) }
            case .refused(let error): Issue.record("\(error)")
            }
            if copy.last?.actionTimetoken.rawValue == 40 { break }
        }
        #expect(copy == (await list.actions))
        let asked = try await server.commands(6).filter { $0.operation == "actions" }
        #expect(asked.map { $0.members["live"] } == ["true", "1", "true", "1"])
        #expect(asked.map { $0.members["after"] } == [nil, "20", nil, "20"])
        await client.close()
    }

    @Test("a list that the daemon ended is asked for anew; one that it refuses ends")
    func ended() async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), page(10), #"{"send":{"live":1,"ended":"too_slow"}}"#,
                expect("actions"), refusal(503, "overloaded"), page(10, 20, live: 2),
                change("add", 30, live: 2),
                // What cannot be read ends it, too: nobody knows what the list is.
                #"{"send":{"live":2,"changes":[{"add":{}}]}}"#,
                expect("actions"), refusal(403, "forbidden")))
        let client = try SyncClient(of: server)
        await client.start()
        let list = try await client.liveActions(query)
        var seen: [LiveUpdate] = []
        for await update in await list.updates { seen.append(update) }

        guard seen.count == 4, case .all(let first) = seen[0], case .changes = seen[1],
            case .changes = seen[2], case .refused(let error) = seen[3]
        else {
            Issue.record("\(seen)")
            return
        }
        #expect(first.map(\.actionTimetoken.rawValue) == [10])
        #expect(error.code == "forbidden")
        // It is gone, and a stream of it is over at once.
        for await update in await list.updates { Issue.record("\(update)") }
        await client.close()
    }

    @Test("who leaves ends the query at the daemon")
    func leaves() async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), page(10), expect("endLive"), ok(#"{"live":1}"#), expect("ping"),
                ok(#"{"time":"17952187953731000"}"#)))
        let client = try SyncClient(of: server)
        try await client.connect()
        let list = try await client.liveActions(query)
        let updates = await list.updates
        try await eventually("the page") { await list.isCurrent }
        await list.leave()
        var seen: [LiveUpdate] = []
        for await update in updates { seen.append(update) }
        #expect(seen.count == 1)
        #expect(await list.actions.isEmpty)
        try await client.ping()
        try await server.expect([["hello", "actions", "endLive", "ping"]])
        await client.close()
    }

    @Test("a refusal that came before anybody read is told to who reads first")
    func refusedBefore() async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), expect("actions"), refusal(403, "forbidden"), expect("ping"),
                ok(#"{"time":"17952187953731000"}"#)))
        let client = try SyncClient(of: server)
        try await client.connect()
        let list = try await client.liveActions(query)
        // Behind the answer.
        try await client.ping()
        var seen: [LiveUpdate] = []
        for _ in 0..<2 { for await update in await list.updates { seen.append(update) } }
        guard seen.count == 1, case .refused(let error) = seen[0] else {
            Issue.record("\(seen)")
            return
        }
        #expect(error.code == "forbidden")
        await client.close()
    }

    @Test("each call for more brings a page, also without a connection and while one is on its way")
    func loadsMore() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), page(10, 20, next: 20)),
            connection(
                greeting(), page(10, 20, next: 20), page(30, 40, next: 40), page(50, 60, next: 60),
                page(70, 80, next: 80), change("add", 5), page(90, 100, next: 100),
                page(110, 120, next: 120)))
        let client = try SyncClient(of: server)
        try await client.connect()
        let list = try await client.liveActions(query)
        try await eventually("the first page") { await times(list).count == 2 }
        await client.disconnect()
        for _ in 0..<2 { await list.loadMore() }
        #expect(await times(list).count == 2)
        try await client.connect()
        try await eventually("two pages more") { await times(list).count == 6 }
        try await eventually("it is current") { await list.isCurrent }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { await list.loadMore() } }
        }
        try await eventually("three pages more") { await times(list).count == 13 }
        #expect(await list.isCurrent)
        #expect(await list.hasMore)
        let asked = try await server.commands(9).filter { $0.operation == "actions" }
        #expect(asked.count == 7)
        await client.close()
    }

    @Test("a daemon of before has none, and says so by leaving them out")
    func older() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), expect("actions"), ok(#"{"actions":[]}"#)))
        let client = try SyncClient(of: server)
        await client.start()
        let list = try await client.liveActions(query)
        var seen: [LiveUpdate] = []
        for await update in await list.updates { seen.append(update) }
        guard seen.count == 1, case .refused(let error) = seen[0] else {
            Issue.record("\(seen)")
            return
        }
        #expect(error.code == "no_live_queries")
        await client.close()
    }

    @Test("all who reacted with one value, by the real daemon, through its restart")
    func people() async throws {
        let daemon = try await Daemon()
        func client(_ user: String) async throws -> SyncClient {
            var configuration = try SyncClient.Configuration(
                url: daemon.url, userID: user, deviceID: user)
            configuration.backoff = Backoff(base: .milliseconds(5), cap: .milliseconds(100))
            let client = SyncClient(configuration)
            try await client.connect()
            return client
        }
        let clients = [try await client("ada"), try await client("bob"), try await client("eve")]
        let message = try await clients[0].publish(Message(payload: "1"), to: "room")
        let list = try await clients[2].liveActions(
            ActionsQuery(
                channel: "room", messageTimetoken: message, values: ["👍"], order: .score,
                isDescending: true))
        try await clients[0].addAction("👍", score: 2, to: message, in: "room")
        try await clients[1].addAction("👍", score: 7, to: message, in: "room")
        try await clients[1].addAction("🎉", to: message, in: "room")
        func users() async -> [String] { await list.actions.map(\.key.uuid) }
        try await eventually("both") { await users() == ["bob", "ada"] }

        try await daemon.restart(with: SIGTERM)
        try await clients[0].connect()
        try await clients[0].addAction("👍", score: 9, to: message, in: "room")
        try await eventually("the other order") { await users() == ["ada", "bob"] }
        try await clients[0].removeAction("👍", from: message, in: "room")
        try await eventually("one") { await users() == ["bob"] }
        for client in clients { await client.close() }
    }
}
