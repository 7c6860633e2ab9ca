// Every event shape of Tests/Fixtures/events.json: what SyncClient and syncctl make of it.

import EventModel
import Foundation
import Testing

@testable import SyncClient
@testable import syncctl

/// One entry of the fixture.
struct EventShape: Sendable, CustomTestStringConvertible {
    let name: String
    let channel: String
    /// The event or the whole frame, as text.
    let text: String
    /// What is made of it, as JSON with its names in order; `nil`: a problem, or nothing.
    let gives: String?
    let isProblem: Bool

    var testDescription: String { name }

    static let good = read("good")
    static let bad = read("bad")
    static let frames = read("frames")

    private static func read(_ part: String) -> [EventShape] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/events.json")
        guard let data = try? Data(contentsOf: file),
            let all = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let list = all[part] as? [[String: Any]]
        else { return [] }
        return list.map { entry in
            let gives = entry["gives"] as? [String: Any]
            return EventShape(
                name: entry["name"] as? String ?? "", channel: entry["channel"] as? String ?? "",
                text: entry["frame"] as? String ?? sorted(entry["event"] ?? NSNull()),
                gives: gives.map(sorted), isProblem: entry["gives"] as? String == "problem")
        }
    }

    /// The same event as the n-th of a channel.
    func text(at index: Int) -> String {
        text.replacing("17952187953730012", with: "\(Self.start + UInt64(index))")
    }

    static let start: UInt64 = 17_952_187_953_740_000

    /// A push of this event between two others that are good.
    func push(at index: Int) -> String {
        let cursor = Self.start + UInt64(index) + 1
        return """
            {"t":{"t":"\(cursor)","r":1},"c":"\(channel)","m":[\(text(at: index)),\
            \(Self.message(at: index + 1, in: channel))]}
            """
    }

    /// Readable in any channel.
    static func message(at index: Int, in channel: String) -> String {
        let presence = """
            {"f":1,"p":{"t":"\(start + UInt64(index))"},"c":"\(channel)",\
            "d":{"action":"join","uuid":"eve","timestamp":1,"occupancy":1}}
            """
        let message = """
            {"f":0,"i":"eve","p":{"t":"\(start + UInt64(index))"},"c":"\(channel)","d":\(index)}
            """
        return Channel(channel).isPresence ? presence : message
    }
}

private func sorted(_ value: Any) -> String {
    let options: JSONSerialization.WritingOptions = [
        .sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes,
    ]
    let data = try? JSONSerialization.data(withJSONObject: value, options: options)
    return String(decoding: data ?? Data(), as: UTF8.self)
}

private func parsed(_ json: String) -> Any {
    (try? JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed))
        ?? NSNull()
}

/// An event in the words of the fixture.
private func described(_ envelope: Envelope) -> String {
    let user: Any = envelope.uuid.isEmpty ? NSNull() : envelope.uuid
    var parts: [String: Any] = ["timetoken": envelope.timetoken.description]
    func say(_ message: Message, _ kind: String) {
        parts["kind"] = kind
        parts["user"] = user
        parts["stored"] = envelope.isStored
        parts["payload"] = parsed(message.payload)
        if let meta = message.meta { parts["meta"] = parsed(meta) }
        if let type = message.type { parts["messageType"] = type }
        if let parent = message.parent { parts["parent"] = parent.description }
    }
    func say(_ action: MessageAction, _ kind: String) {
        parts["kind"] = kind
        parts["user"] = user
        parts["messageTimetoken"] = action.key.messageTimetoken.description
        parts["type"] = action.key.type
        parts["value"] = action.key.value
        parts["actionTimetoken"] = action.actionTimetoken.description
    }
    switch envelope.event {
    case .message(let message): say(message, "message")
    case .signal(let message): say(message, "signal")
    case .actionAdded(let action): say(action, "actionAdded")
    case .actionRemoved(let action): say(action, "actionRemoved")
    case .messagesDeleted(let start, let end):
        parts["kind"] = "messagesDeleted"
        parts["after"] = start.description
        parts["through"] = end.description
    case .actionsCleared(let clearing):
        parts["kind"] = "actionsCleared"
        if let message = clearing.messageTimetoken {
            parts["messageTimetoken"] = message.description
        }
        if let type = clearing.type { parts["type"] = type }
        if let value = clearing.value { parts["value"] = value }
        if let user = clearing.userID { parts["of"] = user }
    case .directory(let notice):
        parts["kind"] = "directory"
        parts["about"] = notice.id
    case .presence(let notice):
        parts["kind"] = "presence"
        parts["action"] = notice.action.rawValue
        parts["user"] = notice.userID ?? NSNull() as Any
        parts["occupancy"] = notice.occupancy
        parts["timestamp"] = notice.seconds
        if let state = notice.state { parts["state"] = parsed(state) }
        for (name, users) in [
            ("join", notice.joined), ("leave", notice.left), ("timeout", notice.timedOut),
        ] where !users.isEmpty { parts[name] = users }
        if notice.needsRefresh { parts["needsRefresh"] = true }
    }
    return sorted(parts)
}

@Suite("Events of the shared fixture", .timeLimit(.minutes(2)))
struct EventFixtureTests {
    private let decoder = ServerFrameDecoder(keyset: "default")

    @Test("the fixture is there, and has all three parts")
    func isThere() {
        #expect(EventShape.good.count >= 40)
        #expect(EventShape.bad.count >= 100)
        #expect(EventShape.frames.count >= 30)
    }

    @Test(
        "an event is what the fixture says, or one problem",
        arguments: EventShape.good + EventShape.bad)
    func decodes(shape: EventShape) throws {
        let push = """
            {"t":{"t":"17952187953730012","r":1},"c":"\(shape.channel)","m":[\(shape.text)]}
            """
        var problems: [SyncEvent.Problem] = []
        let frame = try decoder.decode(Array(push.utf8), problems: &problems) { _ in nil }

        guard case .push(let batch) = frame else {
            Issue.record("not a push")
            return
        }
        #expect(batch.envelopes.map(described) == (shape.gives.map { [$0] } ?? []))
        #expect(problems.count == (shape.isProblem ? 1 : 0))
        #expect(problems.allSatisfy { $0.channel == shape.channel && !$0.reason.isEmpty })
        #expect(shape.isProblem || shape.gives != nil)
    }

    /// What a channel's own shapes come to when they are pushed one after the other.
    private func run(of shapes: [EventShape], in channel: String) -> [EventShape] {
        shapes.filter { $0.channel == channel }
    }

    private var all: [EventShape] { EventShape.good + EventShape.bad }

    @Test(
        "a session goes on through every shape, and loses only what is none",
        arguments: ["room", "room-pnpres"])
    func session(channel: String) async throws {
        let shapes = run(of: all, in: channel)
        try #require(shapes.count > 20)
        let pushes = shapes.enumerated().map { index, shape in
            "{\"sendText\":\(sorted(shape.push(at: 2 * index)))}"
        }
        let frames = channel == "room" ? EventShape.frames : []
        let noise = frames.map { "{\"sendText\":\(sorted($0.text))}" }
        let begin = """
            \(expect("subscribe")),\
            \(ok(#"{"channels":[{"name":"\#(channel)","mode":"current","cursor":"100"}]}"#))
            """
        let server = try await ScriptedServer(
            connection(
                ([greeting(), begin] + pushes + noise + [
                    expect("ping"), ok(#"{"time":"7"}"#),
                ]).joined(separator: ",")))
        let client = try SyncClient(of: server)
        let events = await client.events()
        try await client.connect()
        try await client.follow(channel)
        #expect(try await client.ping() == Timetoken(rawValue: 7))
        await client.close()

        let taken = await take(from: events) { _ in false }
        let told = taken.flatMap { event -> [Envelope] in
            if case .announced(_, let envelopes) = event { envelopes } else { [] }
        }
        let expected = shapes.count { $0.gives != nil } + shapes.count
        #expect(told.count == expected)
        #expect(told.count { $0.uuid == "eve" || isEve($0) } == shapes.count)
        let problems = shapes.count(where: \.isProblem) + frames.count(where: \.isProblem)
        #expect(await client.problemCount == problems)
        #expect(taken.count { if case .problem = $0 { true } else { false } } == problems)
        try await server.expect([["hello", "subscribe", "ping"]])
    }

    private func isEve(_ envelope: Envelope) -> Bool {
        if case .presence(let notice) = envelope.event { notice.userID == "eve" } else { false }
    }

    @Test("a followed channel tells what is not stored, once, and counts what is no event")
    func device() async throws {
        let shapes = run(of: all, in: "room")
        let pushes = shapes.enumerated().map { index, shape in
            "{\"sendText\":\(sorted(shape.push(at: 2 * index)))}"
        }
        let begin =
            expect("subscribe") + ","
            + ok(#"{"channels":[{"name":"room","mode":"delta","cursor":"0"}]}"#)
        let again = pushes.last ?? ""
        let server = try await ScriptedServer(
            connection(
                ([greeting(), begin] + pushes + [again, expect("ping"), ok(#"{"time":"7"}"#)])
                    .joined(separator: ",")))
        let client = try SyncClient(of: server)
        let events = await client.events()
        _ = try await client.channel("room")
        try await client.connect()
        try await client.ping()
        let problems = await client.problemCount
        await client.close()

        let taken = await take(from: events) { _ in false }
        let announced = taken.flatMap { event -> [Envelope] in
            if case .announced("room", let envelopes) = event { envelopes } else { [] }
        }
        let unstored = shapes.enumerated().filter { $1.text.contains("\"f\":1") && !$1.isProblem }
        #expect(!unstored.isEmpty)
        #expect(
            announced.map(\.timetoken.rawValue)
                == unstored.map { EventShape.start + UInt64(2 * $0.offset) })
        #expect(problems >= shapes.count(where: \.isProblem))
    }

    @Test(
        "syncctl shows every event, and says on standard error what is none",
        arguments: [false, true])
    func tool(writesJSON: Bool) async throws {
        let shapes = run(of: all, in: "room") + run(of: all, in: "room-pnpres")
        let pushes = shapes.enumerated().map { index, shape in
            "{\"sendText\":\(sorted(shape.push(at: 2 * index)))}"
        }
        func begin(_ channel: String) -> String {
            expect("subscribe") + ","
                + ok(#"{"channels":[{"name":"\#(channel)","mode":"current","cursor":"0"}]}"#)
        }
        let server = try await ScriptedServer(
            connection(
                ([greeting(), begin("room"), begin("room-pnpres")] + pushes)
                    .joined(separator: ",")))
        let count = shapes.count + shapes.count { $0.gives != nil }
        let tool = try ChildProcess(
            Products.path(of: "syncctl"),
            ["subscribe", "room", "room-pnpres", "--count", "\(count)"]
                + (writesJSON ? ["--json"] : []),
            environment: ["SYNCCTL_URL": server.url, "USER": "ada"])

        #expect(try await tool.ended() == 0)
        #expect(tool.lines.count == count + (writesJSON ? 1 : 0))
        #expect(tool.errors.count == shapes.count(where: \.isProblem))
        let begin = writesJSON ? #"{"problem":{"channel":"room"# : "syncctl: room"
        #expect(tool.errors.allSatisfy { $0.hasPrefix(begin) })
        if writesJSON {
            let isWhole = tool.lines.allSatisfy { parsed($0) is [String: Any] }
            #expect(isWhole)
        }
    }
}
