// The seam between sockets and everything above. A new transport is one new file that calls these.

/// Receives what WebSockets of a reactor bring, in order, on that reactor's thread.
protocol SessionDelegate: AnyObject {
    /// - Parameter query: The members of the URL's query, decoded.
    func sessionDidOpen(_ session: SessionID, query: [String: String])
    /// - Parameter message: One whole text message; valid UTF-8. Valid only during the call.
    func session(_ session: SessionID, didReceive message: RawSpan)
    /// The socket takes bytes again after ``Transport/write(_:to:)`` said that it was blocked.
    func sessionCanWrite(_ session: SessionID)
    func sessionDidClose(_ session: SessionID)
}

/// Receives the HTTP requests of a reactor's connections, likewise.
protocol RequestDelegate: AnyObject {
    /// A peer asks; it waits until ``Transport/respond(_:to:)``, however long that takes.
    ///
    /// - Returns: Whether it may take minutes. Then a peer that ends its half counts as gone; else
    ///   it is taken for one that has said all and waits for its answer.
    @discardableResult
    func connection(_ connection: SessionID, didRequest request: HTTPRequest) -> Bool
    /// More has come of the body of a request that comes in parts: see ``HTTPRequest/bodyLength``.
    func connection(_ connection: SessionID, didReceive part: [UInt8], isLast: Bool)
    /// A peer has taken all that was sent of a response that goes on.
    func connectionDidTake(_ connection: SessionID)
    /// What to say of a request that is not read to its end; the connection closes after it.
    func response(to refusal: HTTPRefusal) -> HTTPResponse
    /// A request, or the beginning of a WebSocket, was refused before anybody else heard of it.
    func didRefuse(
        _ refusal: PagePolicy.Refusal, to asker: Provenance, from connection: SessionID)
    /// A peer is gone that has asked something, or it speaks WebSocket now; an answer that it
    /// waited for goes nowhere.
    func connectionDidClose(_ connection: SessionID)
}

/// What a transport needs to know.
struct TransportSettings: Hashable, Sendable {
    /// Of those who come through `listen`.
    var main = PagePolicy()
    /// Of those who come through `[tls] listen`.
    var secure = PagePolicy()
    /// What these are shown; `nil` without such a listener.
    var tls: TLSIdentity?
    /// Of those who come through `admin_listen`.
    var admin = PagePolicy()
    /// Of those who come through `admin_socket`.
    var local = PagePolicy(isLoopback: true)

    func policy(at entrance: Entrance) -> PagePolicy {
        switch entrance {
        case .main: main
        case .secure: secure
        case .admin: admin
        case .local: local
        }
    }
}

/// What the transport knows of a client's connection, for operators.
struct ConnectionFacts: Sendable, Hashable {
    let id: SessionID
    let address: PeerAddress
    let isSecure: Bool
    /// When it was accepted, in seconds since 1970: by the clock of then, so that it stays.
    let opened: Int
    /// Bytes that its socket has not taken yet.
    let unsentBytes: Int
}

/// What the layers above may do with connections.
protocol Transport: AnyObject {
    /// Looked at for each request.
    var settings: TransportSettings { get set }

    /// Takes over a connected socket.
    func adopt(_ socket: consuming AcceptedSocket)

    /// Tells the delegate what a turn of the loop has left behind in sockets.
    func readOn()

    /// Sends bytes that are WebSocket frames already, without copying them.
    ///
    /// - Returns: `false` when the socket is full: the transport keeps what it did not take, and
    ///   the caller
    ///   sends nothing more before ``SessionDelegate/sessionCanWrite(_:)``.
    func write(_ frames: Span<UInt8>, to session: SessionID) -> Bool

    /// Closes a connection with a close frame; the delegate hears `sessionDidClose` later.
    func close(_ session: SessionID, _ reason: CloseReason)

    /// Answers the request that a connection waits with; nothing happens when it is gone.
    ///
    /// Also from within ``RequestDelegate/connection(_:didRequest:)``. The delegate is not called
    /// before this returns.
    func respond(_ response: HTTPResponse, to connection: SessionID)

    /// Hears that the answer to a request may take minutes, which
    /// ``RequestDelegate/connection(_:didRequest:)`` did not know yet.
    func mayTakeLong(_ connection: SessionID)

    /// Reads no more of a body that comes in parts, or goes on; what was read already still comes.
    func hold(_ connection: SessionID, _ isHeld: Bool)

    /// Who is at the other end; `nil` when nobody is.
    func peer(of connection: SessionID) -> PeerAddress?

    /// What clients' connections there are, in an order that stays the same.
    ///
    /// - Parameters:
    ///   - slot: Where to begin; 0 at first.
    ///   - count: Places that are looked at.
    /// - Returns: `next`: where to go on; `nil` when these are all.
    func connections(
        from slot: UInt32, atMost count: Int
    ) -> (found: [ConnectionFacts], next: UInt32?)

    /// Ends a connection that is no session, whatever it waits for.
    func hangUp(_ connection: SessionID)

    /// Gives up responses that peers take too slowly: the memory is nearly used up.
    func shed()

    /// Whether sockets have not taken all of their responses yet.
    ///
    /// - Complexity: O(connections): for a daemon that stops.
    var hasUnsentResponses: Bool { get }
}
