// A transport on real sockets and a test's own thread, with a delegate that does as the test says.

import CLinux
import EventModel
import Glibc
import Testing

@testable import SyncDaemon

/// One transport on the test's own thread, and a peer of one of its connections.
final class TransportBench: SessionDelegate, RequestDelegate {
    private(set) var requests: [(connection: SessionID, request: HTTPRequest)] = []
    private(set) var closed: [SessionID] = []
    private(set) var taken: [SessionID] = []
    /// Of bodies that came in parts.
    private(set) var parts: [(bytes: [UInt8], isLast: Bool)] = []
    /// Messages that came through WebSockets.
    private(set) var messageCount = 0
    private(set) var sessions: [(id: SessionID, query: [String: String])] = []
    private(set) var closedSessions: [SessionID] = []
    private(set) var writableCount = 0
    /// Answers at once, from within the delegate's call.
    var answersAtOnce: HTTPResponse?
    /// What the transport is told of each request.
    var mayTakeLong = true
    let loop = EventLoop()
    private(set) var transport: WebSocketTransport?
    private let listener: Listener
    private let admission = Admission(reactors: 1, totalMax: 100, perAddressMax: 100)

    init(seconds: @escaping () -> Int = { Clock.wallTime().seconds }) throws {
        listener = try Listener(host: "127.0.0.1", port: 0)
        let transport = try WebSocketTransport(
            on: loop, of: 0, sessions: self, requests: self, settings: TransportSettings(),
            admission: admission,
            milliseconds: Clock.monotonicMilliseconds, seconds: seconds)
        // Transports are never taken down.
        _ = Unmanaged.passRetained(transport)
        self.transport = transport
    }

    /// Runs the loop until something holds; says whether it came to hold.
    ///
    /// It gives up after 1,000 turns that waited in vain: a turn in which something happens is
    /// over at once.
    func run(until condition: () -> Bool) -> Bool {
        var idleTurns = 0
        while !condition() {
            guard idleTurns < 1000 else { return false }
            let begin = Clock.monotonicMilliseconds()
            loop.runOnce(waitingAtMost: 10)
            if Clock.monotonicMilliseconds() - begin >= 9 { idleTurns += 1 }
        }
        return true
    }

    func connect(at entrance: Entrance = .main) throws -> TransportPeer {
        let port = try #require(UInt16(listener.address.drop { $0 != ":" }.dropFirst()))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let socket = FileDescriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                Glibc.connect(socket.rawValue, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(status == 0)
        var bytes = [UInt8](repeating: 0, count: 16)
        let accepted = sync_accept(listener.descriptor.rawValue, &bytes)
        try #require(accepted >= 0)
        let peer = PeerAddress(high: 0, low: 1)
        try #require(admission.admit(peer, at: entrance) == 0)
        transport?.adopt(
            AcceptedSocket(FileDescriptor(owning: accepted), from: peer, at: entrance))
        return TransportPeer(socket, of: self)
    }

    static let upgrade = """
        GET /v1/sync?userId=ada HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r
        Sec-WebSocket-Protocol: sync.v1.json\r\n\r\n
        """

    /// Connects, and upgrades to a WebSocket.
    func openSession() throws -> TransportPeer {
        let peer = try connect()
        peer.send(Self.upgrade)
        let isOpen = run {
            peer.read()
            return String(decoding: peer.received, as: UTF8.self).contains(" 101 ")
        }
        try #require(isOpen)
        return peer
    }

    /// Connections that the transport holds.
    var connectionCount: Int { admission.total }

    func sessionDidOpen(_ session: SessionID, query: [String: String]) {
        sessions.append((session, query))
    }
    func session(_ session: SessionID, didReceive message: RawSpan) { messageCount += 1 }
    func sessionCanWrite(_ session: SessionID) { writableCount += 1 }
    func sessionDidClose(_ session: SessionID) { closedSessions.append(session) }

    func response(to refusal: HTTPRefusal) -> HTTPResponse { refusal.response }

    func connection(_ connection: SessionID, didRequest request: HTTPRequest) -> Bool {
        requests.append((connection, request))
        if let answersAtOnce { transport?.respond(answersAtOnce, to: connection) }
        return mayTakeLong
    }

    func didRefuse(
        _ refusal: PagePolicy.Refusal, to asker: Provenance, from connection: SessionID
    ) {}

    func connection(_ connection: SessionID, didReceive part: [UInt8], isLast: Bool) {
        parts.append((part, isLast))
    }

    func connectionDidTake(_ connection: SessionID) {
        taken.append(connection)
    }

    func connectionDidClose(_ connection: SessionID) {
        closed.append(connection)
    }
}

/// The client's end.
final class TransportPeer {
    private let socket: FileDescriptor
    private let bench: TransportBench
    private(set) var received: [UInt8] = []
    private(set) var hasEnded = false

    init(_ socket: consuming FileDescriptor, of bench: TransportBench) {
        self.socket = socket
        self.bench = bench
    }

    func send(_ text: String) {
        send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) {
        let sent = Glibc.send(socket.rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        #expect(sent == bytes.count)
    }

    func finish() {
        _ = shutdown(socket.rawValue, Int32(SHUT_WR))
    }

    /// Reads what is there.
    func read() {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(socket.rawValue, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        if count > 0 { received += bytes[..<count] }
        if count == 0 || (count < 0 && errno != EAGAIN) { hasEnded = true }
    }

    /// Runs the loop until so many responses with this body have come.
    func expect(_ count: Int, endingWith text: String) -> Bool {
        bench.run {
            read()
            let all = String(decoding: received, as: UTF8.self)
            return all.components(of: "HTTP/1.1 ") == count && all.hasSuffix(text)
        }
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func components(of text: String) -> Int {
        ranges(of: text).count
    }
}
