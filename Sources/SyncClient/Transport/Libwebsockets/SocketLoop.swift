// Owns the libwebsockets context: opens sockets, and does what other threads ask for.
//
// Two rules of lws shape it: only the service thread may call lws (`lws_cancel_service` excepted),
// and a socket is written only from its WRITEABLE callback, once per callback.

#if os(Linux)

import CWebsockets
import EventModel
import Glibc

/// What the service thread confines to itself.
@safe final class SocketLoop {
    /// One connection as lws knows it.
    @safe struct Socket {
        let connection: SocketConnection
        var handle: OpaquePointer?
        var isOpen = false
        /// The fragments of a message so far.
        var message: [UInt8] = []
        var peerClosure: WebSocketClosure?
        /// Why OpenSSL does not believe the other side's certificate.
        var certificateError: CInt?
    }

    var sockets: [SocketID: Socket] = [:]
    /// One outgoing frame with the room that lws wants in front of it.
    var frame = [UInt8](repeating: 0, count: Int(sync_lws_headroom))
    private var context: OpaquePointer?
    /// One for each trust that was asked for; lws keeps the certificates with them.
    private var vhosts: [Trust: OpaquePointer] = unsafe [:]
    private let protocols: UnsafeMutablePointer<lws_protocols>
    private let keepalive: UnsafeMutablePointer<lws_retry_bo_t>

    /// - Returns: `nil` when lws does not start: no memory, or no descriptors.
    init?() {
        unsafe protocols = .allocate(capacity: 2)  // The second one stays zero: it ends the list.
        unsafe protocols.initialize(repeating: lws_protocols(), count: 2)
        unsafe protocols[0].name = unsafe UnsafeRawPointer(localProtocol.utf8Start)
            .assumingMemoryBound(to: CChar.self)
        unsafe protocols[0].callback = socketCallback
        unsafe protocols[0].rx_buffer_size = ClientLimits.readBytes
        // Not zero: lws would cut each write to the size of the read buffer, and copy the rest.
        unsafe protocols[0].tx_packet_size = ClientLimits.writeBytes

        unsafe keepalive = .allocate(capacity: 1)
        unsafe keepalive.initialize(to: lws_retry_bo_t())
        unsafe keepalive.pointee.secs_since_valid_ping = UInt16(Limits.heartbeatSeconds)
        unsafe keepalive.pointee.secs_since_valid_hangup = UInt16(Limits.hangupSeconds)

        lws_set_log_level(0, nil)
        var info = unsafe sync_lws_info_without_listener()
        unsafe info.options |= sync_lws_option_validate_utf8 | sync_lws_option_tls
        unsafe info.protocols = unsafe UnsafePointer(protocols)
        unsafe info.user = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe info.timeout_secs = UInt32(ClientLimits.handshakeSeconds)
        unsafe info.connect_timeout_secs = UInt32(ClientLimits.handshakeSeconds)
        let created = unsafe withoutProxy(&info) { info in unsafe lws_create_context(info) }
        guard let created = unsafe created else {
            unsafe protocols.deallocate()
            unsafe keepalive.deallocate()
            return nil
        }
        unsafe context = unsafe created
        // lws wants one before it serves at all.
        guard unsafe vhost(.nobody) != nil else {
            unsafe lws_context_destroy(created)
            return nil
        }
    }

    deinit {
        if let context = unsafe context {
            unsafe lws_context_destroy(context)
            unsafe protocols.deallocate()
            unsafe keepalive.deallocate()
        }
    }

    var waker: Waker {
        guard let context = unsafe context else {
            preconditionFailure("A loop that did not start has no waker.")
        }
        return unsafe Waker(context)
    }

    /// Waits for socket events or a wake-up, and handles all that are ready.
    func serviceOnce() {
        _ = unsafe lws_service(context, 0)
    }

    func handle(_ request: SocketRequest) {
        switch request {
        case .open(let connection): open(connection)
        case .write(let id): askToWrite(id)
        case .read(let id):
            guard let handle = unsafe sockets[id]?.handle else { return }
            _ = unsafe lws_rx_flow_control(handle, 1)
        case .close(let id): close(id)
        }
    }

    private func open(_ connection: SocketConnection) {
        let id = connection.id
        if let problem = connection.trust.problem {
            connection.didEnd(WebSocketClosure(reason: problem, cause: .untrusted))
            return
        }
        sockets[id] = unsafe Socket(connection: connection)
        let handle = unsafe connection.address.host.withCString { host in
            unsafe connection.address.path.withCString { path in
                unsafe connection.address.hostAndPort.withCString { header in
                    unsafe connection.subprotocol.withCString { subprotocol in
                        unsafe connect(
                            id, connection, host: host, path: path, header: header,
                            subprotocol: subprotocol)
                    }
                }
            }
        }
        guard let handle = unsafe handle else {
            // lws has freed what it began, and calls nobody back.
            guard sockets.removeValue(forKey: id) != nil else { return }
            let unknown = whyUnknown(connection.address.host)
            connection.didEnd(
                WebSocketClosure(
                    reason: unknown ?? "no route to \(connection.address.hostAndPort)",
                    cause: unknown == nil ? .other : .unknownHost))
            return
        }
        unsafe sockets[id]?.handle = unsafe handle
    }

    /// lws copies all four texts.
    ///
    /// Looking up a name blocks this thread, and so all connections, until the resolver answers.
    private func connect(
        _ id: SocketID, _ connection: SocketConnection, host: UnsafePointer<CChar>,
        path: UnsafePointer<CChar>, header: UnsafePointer<CChar>,
        subprotocol: UnsafePointer<CChar>
    ) -> OpaquePointer? {
        guard let vhost = unsafe vhost(connection.trust) else { return nil }
        var info = unsafe lws_client_connect_info()
        unsafe info.context = unsafe context
        unsafe info.vhost = unsafe vhost
        if connection.address.isSecure {
            unsafe info.ssl_connection = CInt(LCCSCF_USE_SSL.rawValue)
        }
        unsafe info.address = unsafe host
        unsafe info.port = CInt(connection.address.port)
        unsafe info.path = unsafe path
        unsafe info.host = unsafe header
        unsafe info.origin = nil
        unsafe info.protocol = unsafe subprotocol
        unsafe info.local_protocol_name = unsafe UnsafePointer(protocols[0].name)
        unsafe info.opaque_user_data = unsafe UnsafeMutableRawPointer(bitPattern: id.rawValue)
        unsafe info.retry_and_idle_policy = unsafe UnsafePointer(keepalive)
        return unsafe lws_client_connect_via_info(&info)
    }

    /// The vhost of a trust, made when it is first asked for; as the context, it stays.
    ///
    /// - Returns: `nil` when there is no memory for it.
    private func vhost(_ trust: Trust) -> OpaquePointer? {
        if let known = unsafe vhosts[trust] { return unsafe known }
        var info = unsafe sync_lws_info_without_listener()
        unsafe info.options |= sync_lws_option_validate_utf8
        if trust != .nobody { unsafe info.options |= sync_lws_option_tls }
        unsafe info.protocols = unsafe UnsafePointer(protocols)
        unsafe info.timeout_secs = UInt32(ClientLimits.handshakeSeconds)
        unsafe info.connect_timeout_secs = UInt32(ClientLimits.handshakeSeconds)
        // lws keeps both texts for as long as the vhost.
        unsafe info.vhost_name = unsafe UnsafePointer(strdup("sync-client-\(vhosts.count)"))
        if case .authorities(let file) = trust {
            unsafe info.options |= sync_lws_option_no_system_authorities
            unsafe info.client_ssl_ca_filepath = unsafe UnsafePointer(strdup(file))
        }
        let created = unsafe withoutProxy(&info) { info in unsafe lws_create_vhost(context, info) }
        unsafe vhosts[trust] = unsafe created
        return unsafe created
    }

    private func askToWrite(_ id: SocketID) {
        guard let socket = sockets[id], socket.isOpen, let handle = unsafe socket.handle else {
            return
        }
        unsafe lws_callback_on_writable(handle)
    }

    /// Sends a close frame as soon as the socket takes it, or gives an unfinished handshake up.
    private func close(_ id: SocketID) {
        guard let socket = sockets[id], let handle = unsafe socket.handle else { return }
        if socket.isOpen {
            unsafe lws_set_timeout(
                handle, PENDING_TIMEOUT_CLOSE_SEND, CInt(ClientLimits.closeSeconds))
            unsafe lws_callback_on_writable(handle)
        } else {
            unsafe lws_set_timeout(handle, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC)
        }
    }

    /// Forgets a connection and tells whoever waits on it.
    func end(_ id: SocketID, reason: String) {
        guard let socket = sockets.removeValue(forKey: id) else { return }
        socket.connection.didEnd(socket.peerClosure ?? WebSocketClosure(reason: reason))
    }

    /// A connection did not come about.
    ///
    /// - Parameter detail: What lws says about it.
    func fail(_ id: SocketID, detail: String) {
        guard let socket = sockets[id] else { return }
        let (address, trust) = (socket.connection.address, socket.connection.trust)
        if let code = socket.certificateError {
            sockets[id]?.peerClosure = WebSocketClosure(
                reason: trust.refusal(of: address.host, code), cause: .untrusted)
        } else if detail.hasPrefix("HS: ") {
            sockets[id]?.peerClosure = WebSocketClosure(
                reason: "it refuses a WebSocket at \(address.path)", cause: .notWebSocket)
        } else if detail.contains("getaddrinfo"), let unknown = whyUnknown(address.host) {
            sockets[id]?.peerClosure = WebSocketClosure(reason: unknown, cause: .unknownHost)
        }
        if address.isSecure, detail.contains("SSL"), sockets[id]?.peerClosure == nil {
            sockets[id]?.peerClosure = WebSocketClosure(
                reason: "it does not speak TLS there (\(detail))", cause: .otherScheme)
        } else if !address.isSecure, detail == "read failed" {
            // It hung up on an HTTP request: so do services that expect TLS.
            sockets[id]?.peerClosure = WebSocketClosure(
                reason: "it hung up and said nothing", cause: .otherScheme)
        }
        end(id, reason: detail.isEmpty ? "the connection was refused" : detail)
    }
}

/// Asks the resolver once more, for its words.
///
/// - Returns: `nil` when it knows the host.
private func whyUnknown(_ host: String) -> String? {
    var found: UnsafeMutablePointer<addrinfo>?
    let status = unsafe getaddrinfo(host, nil, nil, &found)
    if let found = unsafe found { unsafe freeaddrinfo(found) }
    return status == 0 ? nil : unsafe String(cString: gai_strerror(status))
}

private let localProtocol: StaticString = "sync-client"

/// Lends `info` with an empty proxy address: otherwise lws obeys the variable `http_proxy` and asks
/// that proxy even for loopback.
private func withoutProxy<Result>(
    _ info: inout lws_context_creation_info,
    _ body: (UnsafeMutablePointer<lws_context_creation_info>) -> Result
) -> Result {
    unsafe "".withCString { empty in
        unsafe info.http_proxy_address = unsafe empty
        return unsafe body(&info)
    }
}

#endif
