// Pings to sessions that are silent, and the end of those that stay so.

import CWebsockets

extension WebSocketTransport {
    /// A connection became a session.
    func didOpen(_ connection: Connection) {
        connection.isSession = true
        connection.silence = Silence(at: now, number: connection.id.generation)
        listen(to: connection)
    }

    /// Its deadline is over, which says only that something may be due.
    ///
    /// - Returns: Whether the session goes on.
    @discardableResult
    func listen(to connection: Connection) -> Bool {
        switch connection.silence?.step(at: now) {
        case .wait(let moment): setDeadline(of: connection, at: moment)
        case .ping(let moment):
            setDeadline(of: connection, at: moment)
            connection.owesPing = true
            sendPing(to: connection)
        case .giveUp, nil: return false
        }
        return true
    }

    /// Sends the ping that is due, unless the socket is full: then as soon as it has room.
    func sendPing(to connection: Connection) {
        guard connection.owesPing, unsafe lws_partial_buffered(connection.wsi) == 0 else { return }
        connection.owesPing = false
        // Not empty: lws does not tell of a pong without payload (RFC 6455, section 5.5.3).
        var frame: [UInt8] = [0x89, 1, UInt8(ascii: "?")]
        let count = frame.count
        unsafe frame.withUnsafeMutableBufferPointer { buffer in
            _ = unsafe lws_write(connection.wsi, buffer.baseAddress, count, LWS_WRITE_HTTP)
        }
    }
}
