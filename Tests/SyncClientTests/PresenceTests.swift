// Being in a channel, and asking who is: over real sockets, and against the real daemon.

import EventModel
import SyncClient
import Testing

@Suite("Presence, as a client sees it", .timeLimit(.minutes(10)))
struct PresenceTests {
    private static let join =
        #"{"send":{"t":{"t":"5","r":1},"c":"room-pnpres","m":[{"a":"1","f":1,"p":{"t":"7","r":1},"#
        + #""c":"room-pnpres","d":{"action":"join","uuid":"bob","timestamp":5,"occupancy":2}}]}}"#
    private static let absent =
        #"{"send":{"absent":{"channels":["room"],"error":{"status":429,"#
        + #""code":"quota_exceeded","message":"No."}}}}"#

    @Test("presence is asked for at each connection, and told; a refusal is a problem")
    func follows() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), subscribed("current", at: 5), Self.join, drop),
            connection(greeting(), subscribed("current", at: 5), Self.absent))
        let client = try SyncClient(of: server)
        let events = await client.events()
        try await client.follow("room", isPresent: true)
        try await client.connect()

        let told = await take(from: events) { events in
            events.contains { if case .problem = $0 { true } else { false } }
        }
        let announced = told.compactMap { event -> (String, [Envelope])? in
            if case .announced(let channel, let envelopes) = event {
                (channel, envelopes)
            } else {
                nil
            }
        }
        #expect(announced.map(\.0) == ["room-pnpres"])
        let notice = PresenceNotice(action: .join, userID: "bob", occupancy: 2, seconds: 5)
        #expect(announced.first?.1.map(\.event) == [.presence(notice)])
        let asked = try await server.commands(4).filter { $0.operation == "subscribe" }
        #expect(asked.count == 2)
        #expect(asked.allSatisfy { $0.members["channels"]?.contains(#""presence":true"#) == true })
        await client.close()
    }

    @Test("nobody is in a channel that is the daemon's own")
    func presenceChannel() async throws {
        let server = try await ScriptedServer(connection(greeting()))
        let client = try SyncClient(of: server)
        await #expect(throws: SyncClientError.self) {
            try await client.follow("room-pnpres", isPresent: true)
        }
        await #expect(throws: SyncClientError.self) {
            try await client.hereNow(OccupancyQuery(channel: "a,b"))
        }
        await client.close()
    }

    @Test("two users of a daemon see each other, with their states")
    func endToEnd() async throws {
        let daemon = try await Daemon()
        func client(_ user: String) throws -> SyncClient {
            SyncClient(
                try SyncClient.Configuration(url: daemon.url, userID: user, deviceID: "phone"))
        }
        let (ada, bob) = (try client("ada"), try client("bob"))
        for each in [ada, bob] { try await each.connect() }
        try await ada.follow("room", isPresent: true)
        let room = try await bob.channel("room", isPresent: true)
        func users(_ limit: Int, _ offset: Int = 0) async throws -> OccupancyPage {
            try await ada.hereNow(
                OccupancyQuery(channel: "room", includesStates: true, limit: limit, offset: offset))
        }

        try await eventually("both are there") { try await users(1000).occupancy == 2 }
        #expect(try await bob.setState(#"{ "n": 1 }"#, in: "room") == #"{"n":1}"#)
        #expect(try await ada.state(of: "bob", in: "room") == #"{"n":1}"#)
        #expect(try await ada.state(in: "room") == "{}")
        let page = try await users(1)
        #expect(page == OccupancyPage(occupancy: 2, users: [Occupant(userID: "ada")], next: 1))
        let rest = try await users(1, 1)
        #expect(rest.users == [Occupant(userID: "bob", state: #"{"n":1}"#)])
        #expect(rest.next == nil)
        #expect(try await ada.whereNow("bob") == ["room"])

        await room.leave()
        try await eventually("bob has left") { try await users(1000).occupancy == 1 }
        #expect(try await bob.whereNow() == [])
        for each in [ada, bob] { await each.close() }
    }
}
