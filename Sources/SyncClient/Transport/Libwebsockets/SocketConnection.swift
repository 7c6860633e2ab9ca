// One connection as the tasks of a client see it; the service thread feeds and empties it.

#if os(Linux)

import Basis

/// The half of a connection that any thread may touch.
final class SocketConnection: WebSocketConnection {
    private typealias Opener = CheckedContinuation<Result<Void, WebSocketClosure>, Never>
    private typealias Receiver = CheckedContinuation<Void, Never>

    private enum Phase: Sendable {
        case opening
        case open
        case ended(WebSocketClosure)
    }

    private struct State: Sendable {
        var phase = Phase.opening
        /// Stays when it ends, which may be before anyone has asked.
        var hasOpened = false
        var opener: Opener?
        var receiver: Receiver?
        var received = Queue<[UInt8]>()
        var receivedBytes = 0
        /// The service thread reads nothing more until `receive` has made room.
        var isPaused = false
        var outgoing = Queue<[UInt8]>()
        var closeCode: UInt16?
    }

    /// What the service thread is to do next in its writing turn.
    enum Output {
        case nothing
        case message([UInt8], hasMore: Bool)
        case close(code: UInt16)
    }

    let id: SocketID
    let address: WebSocketAddress
    let subprotocol: String
    let trust: Trust
    private let state = Locked(State())
    /// Asks the service thread for a turn; harmless when the connection is gone.
    private let ask: @Sendable (SocketRequest) -> Void

    init(
        id: SocketID, address: WebSocketAddress, subprotocol: String, trust: Trust,
        ask: @escaping @Sendable (SocketRequest) -> Void
    ) {
        self.id = id
        self.address = address
        self.subprotocol = subprotocol
        self.trust = trust
        self.ask = ask
    }

    // MARK: Called by the client's tasks

    /// Waits for the end of the handshake.
    ///
    /// A connection that has ended since did open: `receive` has what came, and then its end.
    func opened() async throws(WebSocketClosure) {
        let result = await withCheckedContinuation {
            (continuation: Opener) in
            let known: Result<Void, WebSocketClosure>? = state.withLock { state in
                switch state.phase {
                case .opening:
                    state.opener = continuation
                    return nil
                case .ended(let closure) where !state.hasOpened: return .failure(closure)
                case .open, .ended: return .success(())
                }
            }
            if let known { continuation.resume(returning: known) }
        }
        try result.get()
    }

    func send(_ text: [UInt8]) {
        let isFirst = state.withLock { state in
            guard case .open = state.phase, state.closeCode == nil else { return false }
            state.outgoing.append(text)
            return state.outgoing.count == 1
        }
        if isFirst { ask(.write(id)) }
    }

    func receive() async throws(WebSocketClosure) -> [UInt8] {
        await withCheckedContinuation { (receiver: Receiver) in
            let isThere = state.withLock { state in
                if !state.received.isEmpty { return true }
                if case .ended = state.phase { return true }
                precondition(state.receiver == nil, "Only one task at a time may receive.")
                state.receiver = receiver
                return false
            }
            if isThere { receiver.resume() }
        }
        // Not from who woke it: where that came first, ThreadSanitizer sees nothing between the
        // service thread's last write and this task (swift_continuation_await).
        let (result, hasRoomAgain) = state.withLock { Self.take(from: &$0) }
        if hasRoomAgain { ask(.read(id)) }
        return try result.get()
    }

    private static func take(
        from state: inout State
    ) -> (Result<[UInt8], WebSocketClosure>, hasRoomAgain: Bool) {
        guard let message = state.received.popFirst() else {
            guard case .ended(let closure) = state.phase else {
                preconditionFailure("A receiver was woken for nothing.")
            }
            return (.failure(closure), false)
        }
        state.receivedBytes -= message.count
        guard state.isPaused, state.receivedBytes <= ClientLimits.receivedBytesMax / 2 else {
            return (.success(message), false)
        }
        state.isPaused = false
        return (.success(message), true)
    }

    func close(code: UInt16) {
        let isFirst = state.withLock { state in
            guard state.closeCode == nil else { return false }
            state.closeCode = code
            state.outgoing.removeAll()
            return true
        }
        if isFirst { ask(.close(id)) }
    }

    /// Whether so much waits to be received that the socket is not read.
    var isPaused: Bool { state.withLock { $0.isPaused } }

    // MARK: Called by the service thread

    func didOpen() {
        let opener = state.withLock { state in
            state.phase = .open
            state.hasOpened = true
            defer { state.opener = nil }
            return state.opener
        }
        opener?.resume(returning: .success(()))
    }

    /// Takes a message in.
    ///
    /// - Returns: Whether the service thread may go on reading.
    func didReceive(_ message: [UInt8]) -> Bool {
        let (receiver, hasRoom) = state.withLock { state -> (Receiver?, Bool) in
            state.received.append(message)
            state.receivedBytes += message.count
            if state.receivedBytes > ClientLimits.receivedBytesMax { state.isPaused = true }
            defer { state.receiver = nil }
            return (state.receiver, !state.isPaused)
        }
        receiver?.resume()
        return hasRoom
    }

    func nextOutput() -> Output {
        state.withLock { state in
            if let code = state.closeCode { return .close(code: code) }
            guard let message = state.outgoing.popFirst() else { return .nothing }
            return .message(message, hasMore: !state.outgoing.isEmpty)
        }
    }

    func didEnd(_ closure: WebSocketClosure) {
        let (opener, receiver) = state.withLock { state -> (Opener?, Receiver?) in
            if case .ended = state.phase { return (nil, nil) }
            state.phase = .ended(closure)
            state.outgoing.removeAll()
            defer { (state.opener, state.receiver) = (nil, nil) }
            return (state.opener, state.receiver)
        }
        opener?.resume(returning: .failure(closure))
        receiver?.resume()
    }
}

#endif
