// A transport without sockets, and what a device would read from it.

import EventModel
import JSON
import Testing

@testable import SyncDaemon

/// Keeps what was written to each session; sockets fill up and close as the test says.
final class FakeTransport: Transport {
    var settings = TransportSettings()
    /// The writes of each session, as the hub made them.
    private(set) var writes: [SessionID: [[UInt8]]] = [:]
    private(set) var closed: [SessionID: CloseCode] = [:]
    /// The responses to connections whose request waited.
    private(set) var responses: [SessionID: HTTPResponse] = [:]
    /// Sessions whose next write fills their socket.
    var full: Set<SessionID> = []
    /// Sessions that were told that their socket is full, and not yet that it takes bytes again.
    private(set) var blocked: Set<SessionID> = []
    private var taken: [SessionID: Int] = [:]

    func adopt(_ socket: consuming AcceptedSocket) {}

    func readOn() {}

    func write(_ frames: Span<UInt8>, to session: SessionID) -> Bool {
        #expect(!blocked.contains(session), "a write to a socket that is full")
        #expect(closed[session] == nil, "a write after the close")
        var bytes: [UInt8] = []
        for index in frames.indices { bytes.append(frames[index]) }
        writes[session, default: []].append(bytes)
        guard full.contains(session) else { return true }
        blocked.insert(session)
        return false
    }

    func close(_ session: SessionID, _ reason: CloseReason) {
        #expect(closed[session] == nil, "closed twice")
        #expect(!reason.text.isEmpty)
        #expect(reason.fits, "No test has names that are too long: \(reason.text)")
        closed[session] = reason.code
    }

    /// Who is connected, in the order of their places.
    var connected: [ConnectionFacts] = []
    private(set) var hungUp: Set<SessionID> = []

    func connections(
        from slot: UInt32, atMost count: Int
    ) -> (found: [ConnectionFacts], next: UInt32?) {
        let end = slot + UInt32(count)
        let found = connected.filter { (slot..<end).contains($0.id.slot) }
        return (found, connected.contains { $0.id.slot >= end } ? end : nil)
    }

    func hangUp(_ connection: SessionID) { hungUp.insert(connection) }

    func shed() {}

    /// Whose body is not read on.
    private(set) var held: Set<SessionID> = []

    func hold(_ connection: SessionID, _ isHeld: Bool) {
        if isHeld { held.insert(connection) } else { held.remove(connection) }
    }

    /// Whose answer may take minutes, though it seemed to come soon.
    private(set) var long: Set<SessionID> = []

    func mayTakeLong(_ connection: SessionID) { long.insert(connection) }

    func peer(of connection: SessionID) -> PeerAddress? { nil }

    var hasUnsentResponses: Bool { false }

    func respond(_ response: HTTPResponse, to connection: SessionID) {
        #expect(responses[connection] == nil, "a second response")
        responses[connection] = response
    }

    /// The response to a connection, which may ask again.
    func takeResponse(of connection: SessionID) -> HTTPResponse? {
        responses.removeValue(forKey: connection)
    }

    /// Makes room in a session's socket; says whether the hub waits to hear of it.
    func makeRoom(_ session: SessionID) -> Bool {
        full.remove(session)
        return blocked.remove(session) != nil
    }

    /// What was written since the last call, frame by frame.
    func takeTexts(of session: SessionID) throws -> [String] {
        let all = writes[session, default: []]
        let new = all[taken[session, default: 0]...].joined()
        taken[session] = all.count
        return try payloads(Array(new)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What was written since the last call, as a device understands it.
    func takeFrames(of session: SessionID) throws -> [ServerText] {
        let all = writes[session, default: []]
        let new = all[taken[session, default: 0]...].joined()
        taken[session] = all.count
        return try payloads(Array(new)).map(ServerText.init)
    }

    /// The batches among what was written since the last call.
    func takeBatches(of session: SessionID) throws -> [Batch] {
        try takeFrames(of: session).compactMap {
            if case .push(let batch) = $0 { batch } else { nil }
        }
    }

    /// The payloads of unmasked, final text frames.
    private func payloads(_ bytes: [UInt8]) throws -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        var index = 0
        while index < bytes.count {
            try #require(bytes[index] == 0x81)
            var count = Int(bytes[index + 1])
            index += 2
            let more = count == 126 ? 2 : count == 127 ? 8 : 0
            if more > 0 { count = bytes[index..<index + more].reduce(0) { $0 << 8 | Int($1) } }
            index += more
            try #require(index + count <= bytes.count, "a frame ends early")
            payloads.append(Array(bytes[index..<index + count]))
            index += count
        }
        return payloads
    }
}

/// One text from the daemon.
enum ServerText {
    struct Reply {
        var id: CommandID?
        /// The code of an error.
        var code: String?
    }

    case push(Batch)
    case reply(Reply)
    /// Channels of a group or wildcard.
    case follows

    init(_ text: [UInt8]) throws {
        let json = try JSONValue(parsing: text.span.bytes)
        if json.has("t") {
            self = .push(try Self.batch(json))
            return
        }
        if json.has("follows") {
            self = .follows
            return
        }
        var reply = Reply(id: try json.optionalInteger("id"))
        reply.code = try json.member("error")?.string("code")
        self = .reply(reply)
    }

    private static func timetoken(_ json: borrowing JSONValue, _ name: String) throws -> Timetoken {
        let text = try json.string(name)
        return try #require(Timetoken(text))
    }

    private static func batch(_ json: borrowing JSONValue) throws -> Batch {
        let channel = Channel(try json.string("c"))
        let events = try json.array("m")
        var envelopes: [Envelope] = []
        for index in 0..<events.count {
            envelopes.append(try envelope(events.element(at: index)))
        }
        return Batch(
            channel: channel, cursor: try timetoken(try json.object("t"), "t"),
            envelopes: envelopes, state: try state(json, "s"), window: try window(json))
    }

    private static func window(_ json: borrowing JSONValue) throws -> BatchWindow? {
        guard json.member("window") != nil else { return nil }
        let window = try json.object("window")
        return BatchWindow(
            after: try timetoken(window, "after"), rest: try state(window, "rest"))
    }

    private static func state(_ json: borrowing JSONValue, _ name: String) throws -> Digest? {
        guard json.member(name) != nil else { return nil }
        let state = try json.object(name)
        let (text, count) = (try state.string("d"), try state.integer("n"))
        let digest: Digest = try #require(Digest(text, count: count))
        return digest
    }

    private static func envelope(_ event: borrowing JSONValue) throws -> Envelope {
        Envelope(
            channel: Channel(try event.string("c"), keyset: try event.string("k")),
            timetoken: try timetoken(try event.object("p"), "t"),
            uuid: try event.string("i"), event: try self.event(event),
            isStored: try event.integer("f") == 0)
    }

    private static func event(_ json: borrowing JSONValue) throws -> Event {
        let kind = try json.optionalInteger("e")
        guard kind == 3 else {
            let message = Message(
                payload: json.member("d")?.compactText ?? "null",
                meta: json.member("u")?.compactText, type: try json.optionalString("cmt"))
            return kind == 1 ? .signal(message) : .message(message)
        }
        let payload = try json.object("d")
        let data = try payload.object("data")
        if try payload.string("event") == "cleared" {
            let message = try data.optionalString("messageTimetoken").flatMap { Timetoken($0) }
            return .actionsCleared(
                Clearing(
                    messageTimetoken: message, type: try data.optionalString("type"),
                    value: try data.optionalString("value"),
                    userID: try data.optionalString("uuid")))
        }
        let key = MessageAction.Key(
            messageTimetoken: try timetoken(data, "messageTimetoken"),
            type: try data.string("type"), value: try data.string("value"),
            uuid: try json.string("i"))
        let action = MessageAction(
            key: key, actionTimetoken: try timetoken(data, "actionTimetoken"))
        return try payload.string("event") == "added"
            ? .actionAdded(action) : .actionRemoved(action)
    }
}
