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
        // Each read may have closed it; what is left after the last waits for the next turn.
        for _ in 0..<(Limits.readBytesPerTurnMax / Self.readBytes) {
            guard takeBusy(session), let wsi = unsafe connection(at: session.slot)?.wsi else {
                return
            }
            var event = pollfd()
            event.fd = unsafe lws_get_socket_fd(wsi)
            event.events = Int16(POLLIN)
            event.revents = Int16(POLLIN)
            guard event.fd >= 0, unsafe lws_service_fd(context, &event) == 0 else { return }
        }
        _ = takeBusy(session)
    }

    /// Whether a session filled its buffer since this was asked last, and may be read on from.
    private func takeBusy(_ session: SessionID) -> Bool {
        guard let connection = connection(at: session.slot), connection.id == session else {
            return false
        }
        let isBusy = connection.bytesRead >= Self.readBytes
        connection.bytesRead = 0
        return isBusy && connection.isSession && !connection.isEnding
            && connection.pendingClose == nil
    }
}
