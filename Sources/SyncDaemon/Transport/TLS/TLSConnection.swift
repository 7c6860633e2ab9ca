// What the transport knows of the TLS of one connection.

import EventModel

/// TLS below one connection's HTTP or frames.
///
/// Its session is made when its peer says something, so that who only connects costs no more than
/// without TLS.
final class TLSConnection {
    private var session: TLSSession?
    /// What came of the handshake and waits for the reactor's next turn.
    var waiting: [UInt8] = []
    /// Whether the peer has said all that it will say.
    var hasEnded = false
    private var handshakeBytes = 0
    private var unaskedAnswers = 0

    /// Whether the peer has begun.
    var hasBegun: Bool {
        switch session {
        case .some: true
        case .none: false
        }
    }

    var isEstablished: Bool {
        switch session {
        case .some(let session): session.isEstablished
        case .none: false
        }
    }

    /// Counts what came before the handshake was complete.
    ///
    /// - Returns: Whether that was not too much, the last read aside: a client's first request may
    ///   come with its last words of the handshake.
    func mayHandshake(with count: Int) -> Bool {
        defer { handshakeBytes += count }
        return handshakeBytes <= Limits.handshakeBytesMax
    }

    /// - Returns: `false` when there is no memory for it.
    func begin(_ engine: TLSEngine) -> Bool {
        session = engine.makeSession()
        return hasBegun
    }

    func handshake() -> TLSSession.Step { session?.handshake() ?? .waits }

    func read(into buffer: inout [UInt8]) -> TLSSession.Step {
        session?.read(into: &buffer) ?? .waits
    }

    func write(_ bytes: Span<UInt8>) -> Bool { session?.write(bytes) ?? false }

    func end() { session?.end() }

    /// Notes that TLS itself had something to answer, such as new keys, while the socket was full.
    ///
    /// - Returns: Whether that goes on: a peer that asks and does not read would fill the memory.
    func mayAnswerUnasked() -> Bool {
        unaskedAnswers += 1
        return unaskedAnswers <= Limits.tlsAnswersMax
    }
}
