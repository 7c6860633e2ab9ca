// WebSocket on sockets that have done their handshake: frames in, messages to the delegate.

import CWebsockets
import EventModel

extension WebSocketTransport {
    /// Makes a connection a session; or refuses to, when its page may not open one.
    func upgrade(_ connection: Connection, _ request: UpgradeRequest) {
        if let refusal = refusal(of: request, on: connection) {
            connection.http?.refuse()
            return refuse(.broken(refusal), on: connection)
        }
        var rest = connection.http.take()?.takeRest() ?? []
        resumeReading(connection)
        put(request.acceptance.span, on: connection)
        didOpen(connection)
        sessions.sessionDidOpen(connection.id, query: request.query)
        // RFC 6455 has clients wait for the answer; some do not.
        guard !rest.isEmpty else { return }
        var bytes = rest.mutableSpan
        if !readFrames(&bytes, of: connection) { kill(connection) }
    }

    private func refusal(of request: UpgradeRequest, on connection: Connection) -> HTTPResponse? {
        let policy = settings.policy(at: connection.entrance)
        if let refusal = policy.refusal(of: request.provenance, at: UpgradeRequest.path[...]) {
            connection.ends(because: refusal.reason)
            requests.didRefuse(refusal, to: request.provenance, from: connection.id)
            return refusal.response(at: connection.entrance)
        }
        guard connection.entrance.isForClients else {
            return HTTPResponse.error(
                404, "This address is for operators. Clients connect to that of listen."
            ).inOperatorsShape
        }
        return nil
    }

    /// Takes what a session's peer sent.
    ///
    /// - Returns: Whether the connection goes on.
    func readFrames(_ bytes: inout MutableSpan<UInt8>, of connection: Connection) -> Bool {
        connection.silence?.heard(at: now)
        noteRead(of: bytes.count, on: connection)
        var index = 0
        while let event = connection.frames.next(in: &bytes, from: &index) {
            switch event {
            case .message(let range):
                guard connection.closeFrame == nil else { continue }
                unsafe sessions.session(
                    connection.id, didReceive: bytes.span.extracting(range).bytes)
            case .assembledMessage:
                let message = connection.frames.takeMessage()
                guard connection.closeFrame == nil else { continue }
                unsafe sessions.session(connection.id, didReceive: message.span.bytes)
            case .ping(let payload):
                connection.pongs.answer(payload)
            case .pong:
                continue
            case .close(let code):
                guard !connection.hasSentClose else { return false }
                close(connection, with: ControlFrame.close(code), isLast: true)
            case .refused(let reason):
                // Of one that is being closed for another reason the peer hears that one.
                if connection.closeFrame == nil { note(reason, of: connection) }
                close(connection, with: reason.frame, isLast: true)
            }
        }
        sendPongs(to: connection)
        return true
    }

    /// The socket of a session has taken all that there was.
    func sessionCanWrite(_ connection: Connection) {
        guard connection.closeFrame == nil else { return sendClose(of: connection) }
        sendPongs(to: connection)
        sendPing(to: connection)
        sessions.sessionCanWrite(connection.id)
    }

    /// Answers pings, unless the socket is full: then as soon as it has room.
    private func sendPongs(to connection: Connection) {
        guard connection.unsent.isEmpty, connection.closeFrame == nil,
            let bytes = connection.pongs.take()
        else { return }
        put(bytes.span, on: connection)
    }

    // MARK: Closing

    /// Counts a close that the daemon decided, and has the log tell of it.
    func note(_ reason: CloseReason, of connection: Connection) {
        connection.ends(because: "\(reason.code.rawValue) \(reason.text)")
        counters.closes.add("\(reason.code.rawValue)")
    }

    /// Closes with this frame, unless it is being closed with another one.
    ///
    /// - Parameter isLast: Whether nothing of what the peer sends is of interest any more.
    func close(_ connection: Connection, with frame: [UInt8], isLast: Bool) {
        if isLast { connection.isDeaf = true }
        if connection.closeFrame == nil {
            connection.closeFrame = frame
            // A peer that neither reads nor answers is not waited for.
            setDeadline(of: connection, in: Limits.closeSeconds)
        }
        sendClose(of: connection)
    }

    /// Sends the close frame of a connection that is to be closed, unless the socket is full.
    private func sendClose(of connection: Connection) {
        guard let frame = connection.closeFrame, connection.unsent.isEmpty else { return }
        if !connection.hasSentClose {
            connection.hasSentClose = true
            guard put(frame.span, on: connection) else { return }
        }
        if connection.isDeaf { linger(connection) }
    }
}
