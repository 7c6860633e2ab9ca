// What the transport knows of one socket, whatever it speaks.

import CWebsockets
import EventModel

/// One socket: one that has said nothing yet, an HTTP connection, or a WebSocket session.
@safe final class Connection {
    let id: SessionID
    /// Valid from the first callback to `WSI_DESTROY`.
    var wsi: OpaquePointer?
    /// Whether it was upgraded and the delegate knows of it.
    var isSession = false
    var pendingClose: (code: CloseCode, reason: String)?
    let address: PeerAddress
    /// Why the daemon ends it, for the log; the first reason is the one.
    private(set) var endReason: String?
    var assembler = MessageAssembler()
    /// Bytes in the reads of this turn so far, roughly.
    var bytesRead = 0
    /// Whether lws was told to close it: it reads by itself until the peer has answered.
    var isEnding = false
    /// The close frame of `pendingClose` has been handed to lws.
    var hasSentClose = false

    /// Of a session.
    var silence: Silence?
    /// A ping is due for which the socket had no room.
    var owesPing = false

    /// Until its first bytes say what it speaks.
    var watcher: SocketWatcher?
    /// Of a raw socket, while it is open.
    var http: HTTPConnection?
    /// Whether the delegate is being told of a request.
    var isInDelegate = false
    var isReadingPaused = false
    /// Whether the answer under way comes soon, so that the peer's end is not looked for before.
    var isAnsweredSoon = false
    /// Seconds in which the peer must take the response under way.
    var responseSeconds = Limits.hangupSeconds

    /// Says why the daemon ends it.
    func ends(because reason: @autoclosure () -> String) {
        if endReason == nil { endReason = reason() }
    }

    init(id: SessionID, address: PeerAddress) {
        self.id = id
        self.address = address
        unsafe wsi = nil
    }
}
