// Who is where, as sessions say and ask it: what presence hears of them, and in which turn.

import EventModel
import Testing

@testable import SyncDaemon

/// A reactor's core before a presence that the test answers for.
private final class PresenceDoor {
    private final class Told {
        var requests: [PresenceRequest] = []
        var takes = true
    }

    let core: ReactorCore
    let transport = FakeTransport()
    private let mailbox = Mailbox<ReactorMessage>(capacity: 100)
    private let told = Told()
    private var count: UInt32 = 0
    /// Milliseconds.
    private var now: UInt64 = 0

    init() {
        let told = told
        let engine = StandInEngine(onAskPresence: { request in
            if told.takes { told.requests.append(request) }
            return told.takes
        })
        core = ReactorCore(
            engine: engine,
            settings: ReactorSettings(keysets: Keysets([Keyset(subscribeKey: "sub")])),
            mailbox: mailbox, counters: Counters())
        core.attach(transport, at: 0)
    }

    var takes: Bool {
        get { told.takes }
        set { told.takes = newValue }
    }

    /// What presence was told since the last call.
    func takeTold() -> [PresenceRequest] {
        defer { told.requests = [] }
        return told.requests
    }

    /// The same as short texts.
    func takeTexts() -> [String] { takeTold().map(\.text) }

    func turn(after milliseconds: UInt64 = 1) {
        now += milliseconds
        core.turn(at: now)
    }

    func session(_ user: String = "ada") throws -> SessionID {
        count += 1
        let session = SessionID(slot: 0, generation: count)
        core.native.sessionDidOpen(session, query: ["userId": user, "deviceId": "d"])
        turn()
        _ = try transport.takeFrames(of: session)
        return session
    }

    /// The codes of the replies to a command.
    @discardableResult
    func send(_ op: String, _ members: String, _ session: SessionID) throws -> [String?] {
        let bytes = Array(#"{"id":1,"op":"\#(op)",\#(members)}"#.utf8)
        unsafe core.native.session(session, didReceive: bytes.span.bytes)
        turn()
        return try transport.takeFrames(of: session).compactMap { frame in
            if case .reply(let reply) = frame { .some(reply.code) } else { nil }
        }
    }

    /// The texts that a session gets for what presence says to its last request.
    func answer(_ reply: PresenceReply, _ session: SessionID) throws -> [String] {
        let last = told.requests.popLast()
        let request = try #require(last)
        let origin = try #require(request.origin)
        let before = transport.writes[session, default: []].count
        let answer = PresenceAnswer(origin: origin, request: request, reply: reply)
        #expect(mailbox.post(.presence(answer)))
        turn()
        _ = try transport.takeFrames(of: session)
        return transport.writes[session, default: []][before...].map { bytes in
            let head = bytes[1] == 127 ? 10 : bytes[1] == 126 ? 4 : 2
            return String(decoding: bytes.dropFirst(head), as: UTF8.self)
        }
    }

    var followed: Set<String> {
        Set(core.hub.sessions.values.flatMap { $0.subscriptions.keys.map(\.name) })
    }
}

extension PresenceRequest {
    /// For example `ada enters room`.
    fileprivate var text: String {
        let (verb, channels) =
            switch operation {
            case .enter(let channels, let states):
                ("enters", channels.map { $0 + (states[ExactText($0)] ?? "") })
            case .exit(let channels, let isCut): (isCut ? "is cut from" : "leaves", channels)
            default: ("asks", [])
            }
        return "\(member.userID) \(verb) \(channels.sorted().joined(separator: " "))"
    }
}

@Suite("Presence on the WebSocket")
struct NativePresenceTests {
    private let door = PresenceDoor()

    private func channels(_ entries: String...) -> String {
        #""channels":[\#(entries.joined(separator: ","))]"#
    }

    @Test("a channel is entered when it is followed with presence, and left with it")
    func follows() throws {
        let session = try door.session()
        #expect(
            try door.send(
                "subscribe",
                channels(
                    #"{"name":"room","presence":true,"state":{"a": 1}}"#, #"{"name":"den"}"#),
                session) == [nil])
        #expect(door.takeTexts() == [#"ada enters room{"a":1}"#])
        #expect(door.followed == ["room", "room-pnpres", "den"])

        #expect(try door.send("unsubscribe", #""channels":["room","den"]"#, session) == [nil])
        #expect(door.takeTexts() == ["ada leaves room"])
        #expect(door.followed == [])
        #expect(try door.send("unsubscribe", #""channels":["room"]"#, session) == [nil])
        #expect(door.takeTexts() == [])
    }

    @Test("to follow again is no second join, and without presence it is a leave")
    func again() throws {
        let session = try door.session()
        let present = channels(#"{"name":"room","presence":true}"#)
        #expect(try door.send("subscribe", present, session) == [nil])
        #expect(try door.send("subscribe", present, session) == [nil])
        #expect(door.takeTexts() == ["ada enters room", "ada enters room"])

        #expect(try door.send("subscribe", channels(#"{"name":"room"}"#), session) == [nil])
        #expect(door.takeTexts() == ["ada leaves room"])
        #expect(door.followed == ["room"])
    }

    @Test("a channel that is named twice is entered if one entry asks for it", arguments: [0, 1])
    func twice(first: Int) throws {
        let session = try door.session()
        let entries = [#"{"name":"room","presence":true}"#, #"{"name":"room"}"#]
        #expect(
            try door.send("subscribe", channels(entries[first], entries[1 - first]), session)
                == [nil])
        #expect(door.takeTexts() == ["ada enters room"])
        #expect(door.followed == ["room", "room-pnpres"])
        core.hub.checkInvariants()
    }

    @Test("what is wrong with an entry is said, and nothing becomes of it")
    func mistakes() throws {
        let session = try door.session()
        let long = String(repeating: "x", count: 4096)
        let rows = [
            #"{"name":"room","presence":1}"#, #"{"name":"room","state":{}}"#,
            #"{"name":"room","presence":true,"state":[]}"#,
            #"{"name":"room","presence":true,"state":{"a":"\#(long)"}}"#,
            #"{"name":"room-pnpres","presence":true}"#,
        ]
        for row in rows {
            #expect(try door.send("subscribe", channels(row), session) == ["invalid_field"])
        }
        for members in [#""limit":1001"#, #""limit":-1"#, #""offset":"1""#, #""states":1"#] {
            #expect(
                try door.send("hereNow", #""channel":"room",\#(members)"#, session)
                    == ["invalid_field"])
        }
        #expect(try door.send("setState", #""channel":"room""#, session) == ["missing_field"])
        #expect(
            try door.send("setState", #""channel":"room","state":"x""#, session)
                == ["invalid_field"])
        #expect(try door.send("hereNow", #""channel":"room.*""#, session) == ["invalid_channel"])
        #expect(door.takeTexts() == [])
        #expect(door.followed == [])
    }

    @Test("when presence takes nothing, nothing is followed")
    func overloaded() throws {
        let session = try door.session()
        door.takes = false
        #expect(
            try door.send("subscribe", channels(#"{"name":"room","presence":true}"#), session)
                == ["overloaded"])
        #expect(door.followed == [])
        #expect(try door.send("hereNow", #""channel":"room""#, session) == ["overloaded"])
    }

    @Test("a departure of which presence cannot hear now is told later, and first")
    func untold() throws {
        let session = try door.session()
        let present = channels(#"{"name":"room","presence":true}"#)
        #expect(try door.send("subscribe", present, session) == [nil])
        door.takes = false
        #expect(try door.send("unsubscribe", #""channels":["room"]"#, session) == [nil])
        #expect(try door.send("subscribe", present, session) == ["overloaded"])
        door.takes = true
        door.turn()
        #expect(door.takeTexts() == ["ada enters room", "ada leaves room"])
        #expect(try door.send("subscribe", present, session) == [nil])
        #expect(door.takeTexts() == ["ada enters room"])
    }

    private var core: ReactorCore { door.core }

    @Test("of sessions that are gone presence hears in parts, each channel once")
    func parts() throws {
        var sessions: [SessionID] = []
        for user in 0..<3 {
            let session = try door.session("u\(user)")
            sessions.append(session)
            for part in 0..<5 {
                let entries = (0..<300).map { #"{"name":"c\#(part * 300 + $0)","presence":true}"# }
                try door.send(
                    "subscribe", #""channels":[\#(entries.joined(separator: ","))]"#, session)
                for _ in 0..<20 { door.turn(after: 1000) }
            }
        }
        #expect(door.followed.count == 3000)
        _ = door.takeTold()

        for session in sessions { core.native.sessionDidClose(session) }
        var turns = 0
        var gone: [String: [String]] = [:]
        while core.hub.attendance.hasLeavers {
            door.turn()
            turns += 1
            var count = 0
            for request in door.takeTold() {
                guard case .exit(let channels, true) = request.operation else { continue }
                count += channels.count
                gone[request.member.userID, default: []] += channels
            }
            #expect(count <= Limits.endedPerTurnMax)
            try #require(turns < 20)
        }
        #expect(turns >= 3 * 1500 / Limits.endedPerTurnMax)
        #expect(gone.count == 3)
        #expect(gone.values.allSatisfy { $0.count == 1500 && Set($0).count == 1500 })
        door.turn(after: 1000)
        core.hub.checkInvariants()
    }

    @Test("a session that the daemon closes is cut, too")
    func closed() throws {
        let session = try door.session()
        try door.send("subscribe", channels(#"{"name":"room","presence":true}"#), session)
        _ = door.takeTold()
        core.drain(until: 1000)
        door.turn()
        core.native.sessionDidClose(session)
        door.turn()
        #expect(door.takeTexts() == ["ada is cut from room"])
    }

    @Test("a page of users has what fits, and says where the next one begins")
    func pages() throws {
        let session = try door.session()
        func page(_ members: String, _ found: [Occupant], of count: Int) throws -> [String] {
            #expect(try door.send("hereNow", #""channel":"room"\#(members)"#, session) == [])
            return try door.answer(
                .occupancy([Occupancy(channel: "room", count: count, users: found)]), session)
        }
        let ada = Occupant(userID: "ada", state: #"{"a":1}"#), bob = Occupant(userID: "bob")
        #expect(
            try page(#","states":true,"limit":2"#, [ada, bob], of: 3) == [
                #"{"id":1,"ok":{"occupancy":3,"users":[{"userId":"ada","state":{"a":1}},"#
                    + #"{"userId":"bob"}],"next":2}}"#
            ])
        #expect(
            try page(#","limit":2,"offset":2"#, [bob], of: 3) == [
                #"{"id":1,"ok":{"occupancy":3,"users":[{"userId":"bob"}]}}"#
            ])
        #expect(
            try page(#","limit":0"#, [], of: 3) == [#"{"id":1,"ok":{"occupancy":3,"users":[]}}"#])
        let long = Occupant(
            userID: "u", state: #"{"a":"\#(String(repeating: "x", count: 4000))"}"#)
        let cut = try page(
            #","states":true,"offset":5"#, Array(repeating: long, count: 1000), of: 1005)
        let text = try #require(cut.first)
        #expect(text.utf8.count < Limits.presencePageBytesMax + 8000)
        #expect(text.contains(#""next":22}"#), "\(text.suffix(30))")
    }

    @Test("states, and where a user is")
    func questions() throws {
        let session = try door.session()
        try door.send("setState", #""channel":"room","state":{ "a" : 1 }"#, session)
        #expect(try door.answer(.done, session) == [#"{"id":1,"ok":{"state":{"a":1}}}"#])
        try door.send("getState", #""channel":"room","userId":"bob""#, session)
        #expect(
            try door.answer(.states([("room", nil)]), session) == [#"{"id":1,"ok":{"state":{}}}"#])
        try door.send("whereNow", #""userId":"bob""#, session)
        #expect(door.takeTold().map(\.member.userID) == ["bob"])
        try door.send("whereNow", #""x":1"#, session)
        #expect(
            try door.answer(.channels(["a", "b"]), session)
                == [#"{"id":1,"ok":{"channels":["a","b"]}}"#])
    }

    @Test(
        "what presence refuses has its code, and who follows hears of it later",
        arguments: [
            (.quotaExceeded, "quota_exceeded"), (.tooManyChannels, "too_many_channels"),
            (.stateTooLong, "invalid_field"), (.tooManyMemberships, "overloaded"),
            (.tooMuchState, "overloaded"), (.tooManyAnnouncements, "overloaded"),
        ] as [(Presence.Refusal, String)])
    func refusals(refusal: Presence.Refusal, code: String) throws {
        let session = try door.session()
        try door.send("setState", #""channel":"room","state":{}"#, session)
        let reply = try #require(try door.answer(.refused(refusal), session).first)
        #expect(reply.contains(#""code":"\#(code)""#))

        let present = channels(#"{"name":"room","presence":true}"#)
        #expect(try door.send("subscribe", present, session) == [nil])
        let frame = try #require(try door.answer(.refused(refusal), session).first)
        #expect(frame.hasPrefix(#"{"absent":{"channels":["room"],"error":{"status":"#))
        #expect(frame.contains(#""code":"\#(code)""#))
        #expect(door.followed == ["room", "room-pnpres"])
        #expect(core.hub.sessions[session]?.commandsInFlight == 0)
    }

    @Test("an answer for a session that is gone is for nobody")
    func late() throws {
        let session = try door.session()
        try door.send("hereNow", #""channel":"room""#, session)
        core.native.sessionDidClose(session)
        #expect(try door.answer(.occupancy([Occupancy(channel: "room", count: 0)]), session) == [])
    }
}
