// Reading on from busy sockets, so that a turn sees all that a client sent at once.

import CWebsockets
import EventModel
import Glibc

extension WebSocketTransport {
    /// Bytes that lws reads from a WebSocket at a time: part of the memory of each connection.
    static let readBytes = 512

    /// Counts what lws read from a connection; one that filled the buffer has more, probably.
    func didReceive(_ count: Int, on connection: Connection) {
        // With a header of up to 8 bytes; a guess too high costs one vain read.
        let before = connection.bytesRead
        connection.bytesRead += count + 8
        if before < Self.readBytes, connection.bytesRead >= Self.readBytes {
            busy.append(connection.id)
        }
    }

    /// Reads on from the sockets that were busy in this turn, within a limit for each.
    ///
    /// lws reads once per turn and socket, and little: a burst of commands would take many turns,
    /// and come as many batches.
    func readOn() {
        let sessions = busy
        for session in sessions { readOn(session) }
        busy.removeAll(keepingCapacity: true)
    }

    private func readOn(_ session: SessionID) {
        for _ in 0..<(Limits.readBytesPerTurnMax / Self.readBytes) {
            // Each read may have closed it.
            guard let connection = connection(at: session.slot), connection.id == session else {
                return
            }
            let isBusy = connection.bytesRead >= Self.readBytes
            connection.bytesRead = 0
            guard isBusy, connection.isSession, !connection.isEnding,
                connection.pendingClose == nil
            else { return }
            var event = pollfd()
            event.fd = unsafe lws_get_socket_fd(connection.wsi)
            event.events = Int16(POLLIN)
            event.revents = Int16(POLLIN)
            guard event.fd >= 0, unsafe lws_service_fd(context, &event) == 0 else { return }
        }
        // The rest waits for the next turn, in which the connection counts as busy anew.
        guard let connection = connection(at: session.slot), connection.id == session else {
            return
        }
        connection.bytesRead = 0
    }
}
