// What the transport knows of one socket, whatever it speaks.

import CWebsockets
import EventModel

/// One socket: an HTTP connection, or a WebSocket session.
@safe final class Connection {
    let id: SessionID
    /// Valid from the first callback to `WSI_DESTROY`.
    var wsi: OpaquePointer?
    /// lws owns it, and closes it after ``WebSocketTransport/didClose(_:)``.
    var socket: Int32
    /// Its peer's, or the client's that a proxy names.
    var address: PeerAddress
    /// Whether it is one of those that its address has.
    var isCounted: Bool { proxyHeader == nil }
    let entrance: Entrance
    /// That for the log: a socket at a path has no address.
    var peerText: String { entrance == .local ? "admin_socket" : "\(address)" }
    /// When it was accepted, in seconds since 1970.
    let opened: Int
    /// Why the daemon ends it, for the log; the first reason is the one.
    private(set) var endReason: String?
    /// What the socket has not taken yet.
    var unsent = UnsentBytes()
    /// When the socket last took something of that, or it came up, in milliseconds.
    var lastTook: UInt64 = 0

    /// Bytes of what its peer has begun to send and not ended.
    var unfinishedBytes = 0
    /// Since when there are some, in milliseconds.
    var unfinishedSince: UInt64 = 0

    // MARK: Below HTTP and frames

    /// What came of the header that says for whom a proxy connects; `nil` when none is awaited.
    var proxyHeader: [UInt8]?
    /// Of a connection with TLS.
    var secure: TLSConnection?
    /// Whether its bytes are HTTP or frames as they come.
    var isBare: Bool { proxyHeader == nil && secure == nil }

    // MARK: Of a session

    /// Whether it was upgraded and the delegate knows of it.
    var isSession = false
    var frames = FrameParser()
    var pongs = Pongs()
    var silence: Silence?
    /// A ping is due for which the socket had no room.
    var owesPing = false
    /// Whether it filled the read buffer, and was not read on from since.
    var isBusy = false
    /// What it is being closed with.
    var closeFrame: [UInt8]?
    /// The close frame was written.
    var hasSentClose = false
    /// Nothing that its peer sends is of interest: it has said its last, or broke a rule.
    var isDeaf = false

    // MARK: Of an HTTP connection

    var http: HTTPConnection?
    /// Whether the delegate was told of a request.
    var hasAsked = false
    /// Whether the delegate is being told of a request.
    var isInDelegate = false
    var isReadingPaused = false
    /// Whether whoever takes the body of a request has as much as it can hold.
    var isHeld = false
    /// Whether the answer under way comes soon, so that the peer's end is not looked for before.
    var isAnsweredSoon = false
    /// Of a file that is on its way, in or out.
    var pace: BodyPace?
    /// Seconds in which the peer must take the response under way.
    var responseSeconds = Limits.hangupSeconds

    /// Says why the daemon ends it.
    func ends(because reason: @autoclosure () -> String) {
        if endReason == nil { endReason = reason() }
    }

    init(
        id: SessionID, address: PeerAddress, entrance: Entrance, socket: Int32, opened: Int
    ) {
        self.opened = opened
        self.id = id
        self.address = address
        self.entrance = entrance
        self.socket = socket
        http = HTTPConnection()
        unsafe wsi = nil
    }
}
