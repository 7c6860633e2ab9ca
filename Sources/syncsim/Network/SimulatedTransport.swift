// What a reactor believes to be its sockets.

import Basis
import EventModel

@testable import SyncDaemon

/// Carries frames to the connections of one reactor, and from them what was sent.
final class SimulatedTransport: Transport {
    /// What the reactor hears of in its next turn.
    enum SocketEvent {
        case open(SessionID)
        case text(SessionID, [UInt8])
        case canWrite(SessionID)
        case closed(SessionID)
        case request(HTTPCall)
        /// Who asked does not wait any longer.
        case hungUp(HTTPCall)
    }

    var settings = TransportSettings()
    private unowned let sessions: any SessionDelegate
    private unowned let requests: any RequestDelegate
    private var events: [SocketEvent] = []
    private var connections: [SessionID: Connection] = [:]
    /// Requests without an answer.
    private var calls: [SessionID: HTTPCall] = [:]
    /// Sessions that were told that their socket is full, and not yet that it takes bytes again.
    private var blocked: Set<SessionID> = []
    private unowned let world: World

    init(_ sessions: any SessionDelegate, _ requests: any RequestDelegate, in world: World) {
        self.sessions = sessions
        self.requests = requests
        self.world = world
    }

    func hold(_ connection: SessionID, _ isHeld: Bool) {
        preconditionFailure("No world has bodies in parts.")
    }

    // MARK: In

    func hear(_ event: SocketEvent) { events.append(event) }

    /// Whether the delegates were told of everything.
    var isIdle: Bool { events.isEmpty }

    func readOn() {
        let events = self.events
        self.events = []
        for event in events { tell(event) }
    }

    private func tell(_ event: SocketEvent) {
        switch event {
        case .open(let id): sessions.sessionDidOpen(id, query: [:])
        case .text(let id, let text): unsafe sessions.session(id, didReceive: text.span.bytes)
        case .canWrite(let id):
            blocked.remove(id)
            sessions.sessionCanWrite(id)
        case .closed(let id):
            connections[id] = nil
            blocked.remove(id)
            sessions.sessionDidClose(id)
        case .request(let call):
            call.begin()
            requests.connection(call.connection, didRequest: spoiled(call.request))
        case .hungUp(let call):
            guard !call.isAnswered else { return }
            calls[call.connection] = nil
            requests.connectionDidClose(call.connection)
        }
    }

    /// What a poll asks for, as somebody takes it who answers some from now on.
    private func spoiled(_ request: HTTPRequest) -> HTTPRequest {
        guard world.bug == .pollFromNow, world.choices.chance(10),
            let start = request.target.firstRange(of: "tt=")
        else { return request }
        var request = request
        let end = request.target[start.upperBound...].firstIndex(of: "&") ?? start.upperBound
        request.target.replaceSubrange(start.upperBound..<end, with: "0")
        return request
    }

    // MARK: The table

    /// Its connections are made, not taken over.
    func adopt(_ socket: consuming AcceptedSocket) {}

    func add(_ connection: Connection) {
        connections[connection.session] = connection
    }

    func add(_ call: HTTPCall) {
        calls[call.connection] = call
    }

    var all: [Connection] {
        connections.values.sorted { $0.session.generation < $1.session.generation }
    }

    /// The process is gone.
    func die() {
        for connection in all { connection.daemonDied() }
        for (_, call) in calls.sorted(by: { $0.key.generation < $1.key.generation }) {
            call.daemonDied()
        }
        calls = [:]
        events = []
    }

    // MARK: Out

    func mayTakeLong(_ connection: SessionID) {}

    func peer(of connection: SessionID) -> PeerAddress? { nil }

    func write(_ frames: Span<UInt8>, to session: SessionID) -> Bool {
        if blocked.contains(session) { world.violation("wire", "a write to a full socket") }
        guard let connection = connections[session] else { return true }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frames.count)
        for index in frames.indices { bytes.append(frames[index]) }
        if connection.write(bytes) { return true }
        blocked.insert(session)
        return false
    }

    func close(_ session: SessionID, _ reason: CloseReason) {
        let code = reason.code.rawValue
        world.tally.count("close \(code)")
        world.trace("closes \(session): \(code) \(reason.text)")
        connections[session]?.closeFromDaemon(reason.frame)
    }

    /// No operator looks.
    func connections(
        from slot: UInt32, atMost count: Int
    ) -> (found: [ConnectionFacts], next: UInt32?) { ([], nil) }

    func hangUp(_ connection: SessionID) {}

    func shed() {}

    var hasUnsentResponses: Bool { false }

    func respond(_ response: HTTPResponse, to connection: SessionID) {
        world.tally.count("http \(response.status)")
        calls.removeValue(forKey: connection)?.answer(response)
    }
}
