// Reading on from busy sockets, so that a turn sees all that a client sent at once.

import CWebsockets
import EventModel
import Glibc

extension WebSocketTransport {
    /// Bytes that lws reads from a socket at a time; the buffer is one for all connections.
    static let readBytes = serviceBufferBytes - Int(sync_lws_headroom)

    /// Notes what was read from a session; one that filled the buffer has more, probably.
    func noteRead(of count: Int, on connection: Connection) {
        guard count >= Self.readBytes, !connection.isBusy else { return }
        connection.isBusy = true
        busy.append(connection.id)
    }

    /// Reads on from the sockets that were busy in this turn, within a limit for each.
    ///
    /// lws reads once per turn and socket: a burst of commands would take many turns, and come as
    /// many batches.
    func readOn() {
        let sessions = busy
        busy.removeAll(keepingCapacity: true)
        for session in sessions { readOn(session) }
        // What is left after the last read waits for the next turn.
        for session in busy { connection(at: session.slot)?.isBusy = false }
        busy.removeAll(keepingCapacity: true)
        goOnWithHandshakes()
    }

    private func readOn(_ session: SessionID) {
        // Each read may have closed it.
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
    }

    /// Whether a session filled its buffer since this was asked last, and may be read on from.
    private func takeBusy(_ session: SessionID) -> Bool {
        guard let connection = connection(at: session.slot), connection.id == session else {
            return false
        }
        let isBusy = connection.isBusy
        connection.isBusy = false
        return isBusy && connection.isSession && connection.closeFrame == nil
    }
}
