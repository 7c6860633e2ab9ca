// Owns one libwebsockets context and the table of its connections.
//
// Rules from libwebsockets 4.1.6 that shape it: only the reactor's thread calls lws; the context
// has no listener and no loop of its own (the acceptor hands sockets in, the loop is the
// reactor's); and connections are named by slot numbers in lws's opaque pointer, so a late callback
// finds nothing at worst.

import Basis
import CLinux
import CWebsockets
import EventModel

/// WebSocket and HTTP on the connections that a reactor was handed.
@safe final class WebSocketTransport: Transport {
    unowned let sessions: any SessionDelegate
    unowned let requests: any RequestDelegate
    /// Looked at for each request.
    var settings: TransportSettings {
        didSet { if settings.tls != oldValue.tls { takeIdentity() } }
    }
    /// Of those who come through `[tls] listen`; made with the first certificate.
    var tls: TLSEngine?
    var handshakes = Handshakes()
    let counters: Counters
    let reactor: Int
    let admission: Admission
    let unsent: UnsentPool
    /// What peers have begun to send, as far as it is kept, and how much that may be.
    var unfinishedBytes = 0
    let unfinishedBytesMax: Int
    /// What those did not take who are gone: it is given back in the turns to come.
    var leftBehind = Queue<UnsentBytes>()
    let context: OpaquePointer
    private let loop: EventLoop
    let log: Log?
    private let vhost: OpaquePointer
    private var connections: [Connection?] = []
    /// By slot: when each connection must have moved on, in milliseconds; 0 for never.
    private var deadlines: [UInt64] = []
    /// The end of the last turn, in milliseconds.
    private(set) var now: UInt64
    let milliseconds: () -> UInt64
    private let seconds: () -> Int
    private var nextSweep: UInt64 = 0
    /// Sessions that had filled the read buffer in this turn.
    var busy: [SessionID] = []
    private var freeSlots: [UInt32] = []
    private var nextGeneration: UInt32 = 0

    /// - Parameters:
    ///   - loop: The reactor's; it must outlive `self`.
    ///   - sessions: Called on the thread that runs `loop`; it must outlive `self`.
    ///   - requests: Likewise.
    ///   - unfinishedBytesMax: Bytes of requests and messages whose end has not come.
    ///   - milliseconds: Reads a clock that never steps back.
    ///   - seconds: Reads the wall clock, in seconds since 1970.
    init(
        on loop: EventLoop, of reactor: Int, sessions: any SessionDelegate,
        requests: any RequestDelegate, settings: TransportSettings, admission: Admission,
        unsent: UnsentPool = UnsentPool(), unfinishedBytesMax: Int = Limits.unfinishedBytesMax,
        milliseconds: @escaping () -> UInt64,
        seconds: @escaping () -> Int = { Clock.wallTime().seconds },
        counters: Counters = Counters(), log: Log? = nil
    ) throws(TransportError) {
        self.log = log
        self.counters = counters
        (self.milliseconds, self.seconds) = (milliseconds, seconds)
        now = milliseconds()
        self.sessions = sessions
        self.requests = requests
        self.settings = settings
        self.reactor = reactor
        self.loop = loop
        self.admission = admission
        self.unsent = unsent
        self.unfinishedBytesMax = unfinishedBytesMax
        guard let context = unsafe makeContext(on: loop) else { throw .cannotCreateContext }
        guard let vhost = unsafe makeVhost(in: context) else { throw .cannotCreateContext }
        unsafe self.context = context
        unsafe self.vhost = vhost
        unsafe lwsContextUser(context).pointee = Unmanaged.passUnretained(self).toOpaque()
        takeIdentity()
    }

    deinit {
        preconditionFailure("A transport lives as long as the process: see EventLoop.")
    }

    /// Takes over a connected socket, which speaks HTTP until it asks for a WebSocket.
    func adopt(_ socket: consuming AcceptedSocket) {
        let (address, entrance, isProxied) = (socket.address, socket.entrance, socket.isProxied)
        let descriptor = socket.release()
        let slot = makeSlot(for: address, at: entrance, descriptor)
        if let connection = connection(at: slot) {
            if isProxied { connection.proxyHeader = [] }
            if entrance == .secure { connection.secure = TLSConnection() }
            setDeadline(
                of: connection,
                in: isProxied ? Limits.proxyHeaderSeconds : firstSeconds(of: connection))
            log?.debug(
                "Connection opened.",
                ["connection": "\(reactor)-\(connection.id)", "peer": connection.peerText])
        }
        var description = unsafe lws_adopt_desc_t()
        unsafe description.fd.sockfd = descriptor
        unsafe description.opaque = UnsafeMutableRawPointer(bitPattern: UInt(slot) + 1)
        unsafe description.vh = vhost
        unsafe description.type = LWS_ADOPT_SOCKET
        // When it fails, lws has closed the socket and called WSI_DESTROY, if it got as far as a
        // wsi.
        if unsafe lws_adopt_descriptor_vhost_via_info(&description) == nil { release(slot) }
    }

    // MARK: Events

    /// - Returns: Whether the connection goes on.
    func received(_ bytes: inout MutableSpan<UInt8>, on connection: Connection) -> Bool {
        if connection.isBare { return receivedPlain(&bytes, on: connection) }
        if connection.proxyHeader != nil { return readProxyHeader(bytes.span, on: connection) }
        return receivedSealed(bytes.span, on: connection)
    }

    /// Takes HTTP or frames, likewise.
    func receivedPlain(_ bytes: inout MutableSpan<UInt8>, on connection: Connection) -> Bool {
        defer { countUnfinished(of: connection) }
        guard !connection.isSession else { return readFrames(&bytes, of: connection) }
        readRequests(bytes.span, of: connection)
        return true
    }

    /// The socket takes bytes again; lws says so at other times, too.
    func canWrite(_ connection: Connection) {
        guard sendRest(of: connection) else { return }
        if connection.isSession { sessionCanWrite(connection) } else { goOn(with: connection) }
    }

    /// lws is about to close the socket.
    func didClose(_ connection: Connection) {
        connection.socket = -1
        leaveUnsent(of: connection)
        forgetUnfinished(of: connection)
        if connection.secure != nil {
            handshakes.end(connection.id)
            connection.secure = nil
        }
        connection.http = nil
        forgetRequests(of: connection)
        guard connection.isSession else { return }
        connection.isSession = false
        sessions.sessionDidClose(connection.id)
    }

    // MARK: Deadlines

    /// Gives back what was left behind, and ends the connections whose time is over.
    ///
    /// Not lws's own timeouts, which are one sorted list: an entry that goes to its end costs time
    /// in proportion to the connections.
    func endTurn(at milliseconds: UInt64) {
        now = milliseconds
        giveBackLeftBehind()
        guard now >= nextSweep else { return }
        // Often enough that those who are due in one second are not pinged in one turn.
        nextSweep = now + 100
        for slot in deadlines.indices where deadlines[slot] != 0 && deadlines[slot] <= now {
            deadlines[slot] = 0
            guard let connection = connections[slot], !isAlive(connection) else { continue }
            connection.ends(
                because: connection.proxyHeader != nil
                    ? "no PROXY header came in time"
                    : connection.pace != nil
                        ? "its file moved on too slowly"
                        : connection.secure?.isEstablished == false
                            ? "its TLS handshake took too long" : "its time was over")
            kill(connection)
        }
    }

    /// Whether a connection whose deadline is over goes on.
    private func isAlive(_ connection: Connection) -> Bool {
        if let pace = connection.pace {
            guard let next = pace.step(at: now) else { return false }
            setDeadline(of: connection, at: next)
            return true
        }
        if connection.http?.isWaiting == true {
            stopAwaitingAnswer(connection)
            return true
        }
        return connection.isSession && connection.closeFrame == nil && listen(to: connection)
    }

    /// - Parameter seconds: `nil` for as long as it takes.
    func setDeadline(of connection: Connection, in seconds: Int?) {
        deadlines[Int(connection.id.slot)] = seconds.map(deadline(in:)) ?? 0
    }

    func setDeadline(of connection: Connection, at milliseconds: UInt64) {
        deadlines[Int(connection.id.slot)] = milliseconds
    }

    /// Closes a connection as soon as lws is not in the middle of something.
    func kill(_ connection: Connection) {
        setTimeout(of: connection, LWS_TO_KILL_ASYNC)
    }

    /// Sets lws's own timer for a connection.
    ///
    /// lws tells libuv of its next timer after an event only: without one it would be late by as
    /// long as nothing else happens.
    private func setTimeout(of connection: Connection, _ seconds: Int32) {
        unsafe lws_set_timeout(connection.wsi, PENDING_TIMEOUT_USER_OK, seconds)
        unsafe lws_cancel_service(context)
    }

    private func deadline(in seconds: Int) -> UInt64 {
        milliseconds() + UInt64(seconds) * 1000
    }

    // MARK: Transport

    func write(_ frames: Span<UInt8>, to session: SessionID) -> Bool {
        guard let connection = connection(session), connection.closeFrame == nil else {
            return true
        }
        return put(frames, on: connection)
    }

    func close(_ session: SessionID, _ reason: CloseReason) {
        guard let connection = connection(session), connection.closeFrame == nil else { return }
        note(reason, of: connection)
        close(connection, with: reason.frame, isLast: false)
    }

    func peer(of connection: SessionID) -> PeerAddress? {
        self.connection(at: connection.slot).flatMap {
            $0.id == connection && $0.entrance != .local ? $0.address : nil
        }
    }

    func connections(
        from slot: UInt32, atMost count: Int
    ) -> (found: [ConnectionFacts], next: UInt32?) {
        let end = min(Int(slot) + count, connections.count)
        let found = connections[min(Int(slot), end)..<end].compactMap(\.self).filter {
            $0.entrance.isForClients
        }.map { connection in
            ConnectionFacts(
                id: connection.id, address: connection.address,
                isSecure: connection.entrance == .secure, opened: connection.opened,
                unsentBytes: connection.unsent.count)
        }
        return (found, end < connections.count ? UInt32(end) : nil)
    }

    func hangUp(_ id: SessionID) {
        guard let connection = connection(at: id.slot), connection.id == id else { return }
        connection.ends(because: "an operator ended it")
        kill(connection)
    }

    var hasUnsentResponses: Bool {
        connections.contains { $0?.http?.isWriting ?? false }
    }

    // MARK: The table

    var allConnections: some Sequence<Connection> { connections.lazy.compactMap(\.self) }

    func connection(at slot: UInt32) -> Connection? {
        Int(slot) < connections.count ? connections[Int(slot)] : nil
    }

    /// Forgets a connection that lws has destroyed.
    func release(_ slot: UInt32) {
        guard let connection = connection(at: slot) else { return }
        connections[Int(slot)] = nil
        deadlines[Int(slot)] = 0
        freeSlots.append(slot)
        admission.release(
            connection.isCounted ? connection.address : nil, from: reactor,
            at: connection.entrance)
        log?.debug(
            "Connection closed.",
            [
                "connection": "\(reactor)-\(connection.id)", "peer": connection.peerText,
                "reason": connection.endReason ?? "the peer ended it",
            ])
    }

    private func connection(_ session: SessionID) -> Connection? {
        guard let connection = connection(at: session.slot), connection.id == session,
            connection.isSession
        else { return nil }
        return connection
    }

    private func makeSlot(
        for address: PeerAddress, at entrance: Entrance, _ socket: Int32
    ) -> UInt32 {
        let slot = freeSlots.popLast() ?? UInt32(connections.count)
        if Int(slot) == connections.count { connections.append(nil) }
        if deadlines.count < connections.count { deadlines.append(0) }
        nextGeneration &+= 1
        connections[Int(slot)] = Connection(
            id: SessionID(slot: slot, generation: nextGeneration), address: address,
            entrance: entrance, socket: socket, opened: seconds())
        return slot
    }
}

/// Where a context keeps the pointer back to its transport.
///
/// The transport exists only after the context; so the context holds a cell, filled at the end of
/// `init`.
private func lwsContextUser(
    _ context: OpaquePointer
) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    guard let user = unsafe lws_context_user(context) else {
        preconditionFailure("The context was made without a cell for its transport.")
    }
    return unsafe user.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
}

/// The transport that a connection belongs to, once there is one.
func transport(of wsi: OpaquePointer) -> WebSocketTransport? {
    guard let context = unsafe lws_get_context(wsi),
        let user = unsafe lwsContextUser(context).pointee
    else { return nil }
    return unsafe Unmanaged<WebSocketTransport>.fromOpaque(user).takeUnretainedValue()
}
