// What the hub believes to be its sockets.

@testable import SyncDaemon

/// Carries frames to the connections of one reactor.
final class SimulatedTransport: Transport {
    private var connections: [SessionID: Connection] = [:]
    /// Requests without an answer.
    private var calls: [SessionID: HTTPCall] = [:]
    /// Sessions that were told that their socket is full, and not yet that it takes bytes again.
    private var blocked: Set<SessionID> = []
    private unowned let world: World

    init(in world: World) {
        self.world = world
    }

    func add(_ connection: Connection) {
        connections[connection.session] = connection
    }

    func add(_ call: HTTPCall) {
        calls[call.connection] = call
    }

    func remove(_ call: HTTPCall) {
        calls[call.connection] = nil
    }

    func remove(_ session: SessionID) {
        connections[session] = nil
        blocked.remove(session)
    }

    func unblock(_ session: SessionID) {
        blocked.remove(session)
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
    }

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

    func close(_ session: SessionID, _ code: CloseCode, _ reason: String) {
        world.tally.count("close \(code.rawValue)")
        connections[session]?.closeFromDaemon(code.frame(reason: reason))
    }

    var hasUnsentResponses: Bool { false }

    func respond(_ response: HTTPResponse, to connection: SessionID) {
        world.tally.count("http \(response.status)")
        calls.removeValue(forKey: connection)?.answer(response)
    }
}
