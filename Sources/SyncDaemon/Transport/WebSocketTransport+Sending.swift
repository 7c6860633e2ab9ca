// Bytes on their way to sockets. Ours, because libwebsockets does not read from a socket of which
// it holds output: a slow reader would not be heard.

import CWebsockets
import EventModel
import Glibc

extension WebSocketTransport {
    /// Sends bytes, and keeps what the socket does not take.
    ///
    /// - Returns: Whether it took all; else `canWrite` follows.
    @discardableResult
    func put(_ bytes: Span<UInt8>, on connection: Connection) -> Bool {
        guard connection.unsent.isEmpty else {
            connection.unsent.append(bytes)
            return false
        }
        guard let sent = take(bytes, connection) else { return false }
        guard sent < bytes.count else { return true }
        connection.unsent.append(bytes.extracting(sent...))
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
        guard !connection.unsent.isEmpty else { return true }
        unsafe lws_callback_on_writable(connection.wsi)
        return false
    }

    /// Ends our half, and gives the peer a moment to read what we sent.
    ///
    /// To close a socket that has unread input makes the kernel send a RST, which destroys what is
    /// on its way.
    func linger(_ connection: Connection) {
        setDeadline(of: connection, in: Limits.closeSeconds)
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
            if sent >= 0 { return sent }
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
