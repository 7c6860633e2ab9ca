// The seam between the client and what carries its messages.
//
// It pulls, so that a client that is slow to take messages slows the sender down instead of filling
// the memory. On Linux libwebsockets carries them, on Apple's platforms URLSession.

/// Why a connection ended, or did not come about.
public struct WebSocketClosure: Error, Hashable, Sendable {
    /// From the other side's close frame; `nil` when there was none.
    public let code: UInt16?
    /// For people.
    public let reason: String
    /// What is known of why, beyond the words.
    public let cause: Cause

    /// Why a connection did not come about.
    public enum Cause: Hashable, Sendable {
        case other
        /// The host's name has no address.
        case unknownHost
        /// Something answers that does not speak WebSocket there.
        case notWebSocket
        /// It looks as if one side spoke TLS and the other one did not.
        case otherScheme
        /// The other side did not prove who it is.
        case untrusted
    }

    public init(code: UInt16? = nil, reason: String, cause: Cause = .other) {
        self.code = code
        self.reason = reason
        self.cause = cause
    }
}

/// An open connection that carries text messages.
public protocol WebSocketConnection: Sendable {
    /// Queues a message; after the end of the connection it goes nowhere.
    func send(_ text: [UInt8])

    /// Waits for the next message, which is valid UTF-8.
    ///
    /// One task at a time. Messages that came before the end are still handed out.
    ///
    /// - Throws: How the connection ended, at every call after that.
    func receive() async throws(WebSocketClosure) -> [UInt8]

    /// Ends the connection; callable often, from anywhere.
    func close(code: UInt16)
}

/// Makes connections.
public protocol WebSocketTransport: Sendable {
    /// Connects and shakes hands, or gives up after a time of its own (15 seconds or less).
    ///
    /// Cancelling the task ends the attempt.
    func connect(
        to address: WebSocketAddress, subprotocol: String
    ) async throws(WebSocketClosure) -> any WebSocketConnection
}
