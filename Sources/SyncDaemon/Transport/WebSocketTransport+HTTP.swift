// HTTP on sockets that libwebsockets only reads and writes for us ("raw" ones).

import CWebsockets
import EventModel
import Glibc

/// Answers one event of a raw socket; a non-zero answer closes it.
func httpCallback(
    _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ perSession: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ count: Int
) -> CInt {
    guard let wsi = unsafe wsi, let (transport, connection) = unsafe subject(of: wsi, reason)
    else { return 0 }

    switch reason {
    case LWS_CALLBACK_RAW_RX:
        let buffer = unsafe UnsafeRawBufferPointer(start: input, count: count)
        let bytes = unsafe buffer.bindMemory(to: UInt8.self)
        transport.received(unsafe bytes.span, on: connection)
    case LWS_CALLBACK_RAW_WRITEABLE:
        transport.canWrite(connection)
    case LWS_CALLBACK_RAW_CLOSE:
        let wasWaiting = connection.http?.isWaiting ?? false
        connection.http = nil
        if wasWaiting { transport.requests.connectionDidClose(connection.id) }
    default:
        break
    }
    return 0
}

extension WebSocketTransport {
    func respond(_ response: HTTPResponse, to id: SessionID) {
        guard let connection = connection(at: id.slot), connection.id == id,
            let bytes = connection.http?.answer(response)
        else { return }
        send(bytes, to: connection)
        // Within the delegate's own call, `take` goes on. Otherwise the loop does: whoever answers
        // is not to be called from here.
        guard !connection.isInDelegate else { return }
        if settle(connection) { unsafe lws_callback_on_writable(connection.wsi) }
        controlReading(connection)
    }

    /// Looks for the peer's end again, though its answer has not come yet.
    func stopAwaitingAnswer(_ connection: Connection) {
        connection.isAnsweredSoon = false
        controlReading(connection)
    }

    fileprivate func received(_ bytes: Span<UInt8>, on connection: Connection) {
        guard let step = connection.http?.receive(bytes) else { return }
        take(step, on: connection)
        controlReading(connection)
    }

    /// The socket takes bytes again, or ``respond(_:to:)`` asked to go on.
    fileprivate func canWrite(_ connection: Connection) {
        guard unsafe lws_partial_buffered(connection.wsi) == 0 else {
            unsafe lws_callback_on_writable(connection.wsi)
            return
        }
        _ = settle(connection)
        if let step = connection.http?.readOn() { take(step, on: connection) }
        controlReading(connection)
    }

    /// Does what the connection's bytes led to.
    ///
    /// A loop, not a recursion: a peer may send hundreds of requests at once.
    private func take(_ first: HTTPConnection.Step, on connection: Connection) {
        var next: HTTPConnection.Step? = first
        while let step = next {
            next = nil
            switch step {
            case .wait(let hasBegun):
                if hasBegun { setDeadline(of: connection, in: Limits.requestSeconds) }
            case .sendContinue:
                send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: connection)
            case .request(let request):
                connection.isInDelegate = true
                let mayTakeLong = requests.connection(connection.id, didRequest: request)
                connection.isInDelegate = false
                connection.isAnsweredSoon = !mayTakeLong
                setDeadline(of: connection, in: mayTakeLong ? nil : Limits.halfClosedSeconds)
                if settle(connection) { next = connection.http?.readOn() }
            case .refuse(let refusal, let isHead):
                let response = requests.response(to: refusal).closing
                send(response.encoded(omitsBody: isHead), to: connection)
                _ = settle(connection)
            case .hangUp:
                connection.ends(because: "a request that cannot be read")
                kill(connection)
            }
        }
    }

    /// Sends bytes; lws keeps what the socket does not take.
    private func send(_ bytes: [UInt8], to connection: Connection) {
        var bytes = bytes
        let count = bytes.count
        let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe lws_write(connection.wsi, buffer.baseAddress, count, LWS_WRITE_HTTP)
        }
        if written < 0 {
            connection.ends(because: "the socket failed")
            return kill(connection)
        }
        connection.responseSeconds =
            Limits.hangupSeconds + count / Limits.slowestBytesPerSecond
    }

    /// Reads from a connection, or pauses while that would do harm.
    ///
    /// lws closes a connection as soon as it reads the end of what the peer sends. A peer that has
    /// said all may end its half and wait: so its end is not read before its answer has left. And
    /// lws does not look at input while it holds output, so that input would keep the loop awake.
    private func controlReading(_ connection: Connection) {
        guard let http = connection.http else { return }
        let pauses =
            unsafe lws_partial_buffered(connection.wsi) != 0 || http.canReadOn
            || (http.isWaiting && connection.isAnsweredSoon)
        guard pauses != connection.isReadingPaused else { return }
        connection.isReadingPaused = pauses
        unsafe lws_rx_flow_control(connection.wsi, pauses ? 0 : 1)
    }

    /// After a response was sent: goes on when the socket has taken all of it.
    ///
    /// - Returns: Whether there are bytes of the next request to read.
    private func settle(_ connection: Connection) -> Bool {
        guard connection.http?.isWriting == true else { return false }
        guard unsafe lws_partial_buffered(connection.wsi) == 0 else {
            setDeadline(of: connection, in: connection.responseSeconds)
            return false
        }
        guard connection.http?.responseHasLeft() == true else {
            linger(connection)
            return false
        }
        let hasMore = connection.http?.hasMore ?? false
        setDeadline(
            of: connection, in: hasMore ? Limits.requestSeconds : Limits.keepAliveSeconds)
        return hasMore
    }

    /// Ends our half, and gives the peer a moment to read what we sent.
    ///
    /// To close a socket that has unread input makes the kernel send a RST, which destroys the
    /// response on its way.
    private func linger(_ connection: Connection) {
        setDeadline(of: connection, in: Limits.closeSeconds)
        unsafe _ = shutdown(lws_get_socket_fd(connection.wsi), Int32(SHUT_WR))
    }
}
