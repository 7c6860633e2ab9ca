// Pings to sessions that are silent, and the end of those that stay so.

extension WebSocketTransport {
    /// A connection became a session.
    func didOpen(_ connection: Connection) {
        forgetRequests(of: connection)
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
        guard connection.owesPing, connection.unsent.isEmpty else { return }
        connection.owesPing = false
        put(ControlFrame.ping([UInt8(ascii: "?")]).span, on: connection)
    }
}
