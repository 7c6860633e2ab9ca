// Bytes on their way to sockets. Ours, because libwebsockets does not read from a socket of which
// it holds output: a slow reader would not be heard.

import Basis
import CWebsockets
import EventModel
import Glibc

extension WebSocketTransport {
    /// Sends bytes, and keeps what the socket does not take.
    ///
    /// - Returns: Whether it took all; else `canWrite` follows.
    @discardableResult
    func put(_ bytes: Span<UInt8>, on connection: Connection) -> Bool {
        if let secure = connection.secure { return putSealed(bytes, on: connection, secure) }
        return transmit(bytes, on: connection)
    }

    /// Sends bytes as they are to go over the network, likewise.
    @discardableResult
    func transmit(_ bytes: Span<UInt8>, on connection: Connection) -> Bool {
        guard connection.unsent.isEmpty else {
            keep(bytes, for: connection)
            return false
        }
        guard let sent = take(bytes, connection) else { return false }
        guard sent < bytes.count else { return true }
        keep(bytes.extracting(sent...), for: connection)
        unsafe lws_callback_on_writable(connection.wsi)
        return false
    }

    /// Sends on.
    ///
    /// - Returns: Whether the socket has taken all; else `canWrite` follows.
    func sendRest(of connection: Connection) -> Bool {
        guard !connection.unsent.isEmpty else { return true }
        guard let sent = connection.unsent.withNext({ take($0, connection) }) else { return false }
        connection.unsent.removeFirst(sent)
        if sent > 0 { connection.lastTook = milliseconds() }
        unsent.add(-sent)
        guard !connection.unsent.isEmpty else { return true }
        unsafe lws_callback_on_writable(connection.wsi)
        return false
    }

    /// Sends a long text, of which no copy is made when the socket does not take it.
    func transmit(_ bytes: [UInt8], on connection: Connection) {
        guard connection.secure == nil, connection.unsent.isEmpty else {
            put(bytes.span, on: connection)
            return
        }
        guard let sent = take(bytes.span, connection), sent < bytes.count else { return }
        connection.unsent = UnsentBytes(bytes, from: sent)
        connection.lastTook = milliseconds()
        unsent.add(bytes.count - sent)
        unsafe lws_callback_on_writable(connection.wsi)
    }

    private func keep(_ bytes: Span<UInt8>, for connection: Connection) {
        if connection.unsent.isEmpty { connection.lastTook = milliseconds() }
        connection.unsent.append(bytes)
        unsent.add(bytes.count)
    }

    /// Forgets what a connection has not taken that is gone.
    func leaveUnsent(of connection: Connection) {
        guard !connection.unsent.isEmpty else { return }
        leftBehind.append(connection.unsent)
        connection.unsent = UnsentBytes()
    }

    /// Gives back what connections left behind, so much per turn: a hundred that end at once may
    /// leave hundreds of megabytes, each of which takes the kernel a fifth of a millisecond.
    func giveBackLeftBehind() {
        var bytes = 0
        while bytes < Limits.givenBackBytesPerTurnMax, let rest = leftBehind.popFirst() {
            bytes += rest.count
            unsent.add(-rest.count)
        }
        if !leftBehind.isEmpty { unsafe lws_cancel_service(context) }
    }

    /// Makes room for a response where sockets take too little, by cutting off those that have
    /// taken nothing for longest.
    ///
    /// - Returns: Whether there is room now: other reactors may have it all.
    /// - Complexity: O(connections log connections), once for an eighth of all there may be.
    func makeRoom(for count: Int) -> Bool {
        guard !unsent.hasRoom(for: count) else { return true }
        cutSlowest(until: max(0, unsent.max - unsent.max / 8 - count))
        return unsent.hasRoom(for: count)
    }

    /// Cuts off a half of those whose rests are long: the memory is nearly used up.
    func shed() { cutSlowest(until: unsent.bytes / 2) }

    /// Who reads slowly but reads outlasts who does not, however much each was sent; of those who
    /// took nothing for equally long the ones with the longest rests go first.
    private func cutSlowest(until end: Int) {
        guard unsent.bytes > end else { return }
        let now = milliseconds()
        let rests = allConnections.lazy
            .filter { $0.http != nil && $0.unsent.count >= Limits.unsentRestBytesMin }
            .map { (seconds: (now - min(now, $0.lastTook)) / 1000, connection: $0) }
            .sorted {
                ($0.seconds, $0.connection.unsent.count)
                    > ($1.seconds, $1.connection.unsent.count)
            }
        for (_, slowest) in rests {
            guard unsent.bytes > end else { return }
            slowest.ends(because: "it read too slowly, and the memory for responses was used up")
            unsent.add(-slowest.unsent.count)
            slowest.unsent = UnsentBytes()
            kill(slowest)
        }
    }

    /// Ends our half, and gives the peer a moment to read what we sent.
    ///
    /// To close a socket that has unread input makes the kernel send a RST, which destroys what is
    /// on its way.
    func linger(_ connection: Connection) {
        setDeadline(of: connection, in: Limits.closeSeconds)
        if let secure = connection.secure { endSealed(connection, secure) }
        _ = shutdown(connection.socket, Int32(SHUT_WR))
    }

    /// How many bytes the socket takes; `nil` when it has failed, and the connection is over.
    private func take(_ bytes: Span<UInt8>, _ connection: Connection) -> Int? {
        while true {
            let sent = unsafe bytes.withUnsafeBytes { buffer in
                unsafe send(
                    connection.socket, buffer.baseAddress, buffer.count,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if sent >= 0 {
                connection.pace?.moved(sent, at: milliseconds())
                return sent
            }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return 0
            default:
                connection.ends(because: "the socket failed")
                kill(connection)
                return nil
            }
        }
    }
}
