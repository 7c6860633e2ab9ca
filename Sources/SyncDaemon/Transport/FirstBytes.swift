// Which door a new connection goes through: its first bytes decide, and are left where they are.

import Glibc

/// What speaks on a connection.
enum Door: Sendable, Hashable {
    /// libwebsockets' own HTTP, which upgrades to WebSocket; it decodes request targets for good,
    /// so that nothing else can be served by it.
    case webSocket
    /// Our HTTP.
    case http
}

/// The bytes that a peer sends first.
enum FirstBytes {
    enum Verdict: Sendable, Hashable {
        case door(Door)
        /// So many bytes are there, and more are needed.
        case undecided(count: Int)
        /// The peer is gone.
        case ended
    }

    private static let path: StaticString = "GET /v1/sync"
    /// More than a request line with three names of the greatest length.
    private static let countMax = 4096

    /// Decides without taking anything from the socket.
    static func peek(at socket: Int32) -> Verdict {
        var bytes = [UInt8](repeating: 0, count: countMax)
        let count = unsafe recv(
            socket, &bytes, countMax, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        if count > 0 { return decide(bytes[..<count]) }
        let isWaiting = count < 0 && [EAGAIN, EWOULDBLOCK, EINTR].contains(errno)
        return isWaiting ? .undecided(count: 0) : .ended
    }

    /// The door of a connection that starts so.
    static func decide(_ bytes: ArraySlice<UInt8>) -> Verdict {
        let path = unsafe UnsafeBufferPointer(
            start: path.utf8Start, count: path.utf8CodeUnitCount)
        let isOurs = unsafe zip(bytes, path).allSatisfy { $0 == $1 }
        guard isOurs else { return .door(.http) }
        let rest = bytes.dropFirst(path.count)
        guard let next = rest.first else { return .undecided(count: bytes.count) }
        guard next == UInt8(ascii: "?") else {
            return .door(next == UInt8(ascii: " ") ? .webSocket : .http)
        }
        // lws hangs up on a zero without a word; our HTTP says what is wrong.
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        if line.contains(0) || !line.ranges(of: Array("%00".utf8)).isEmpty { return .door(.http) }
        let isWhole = line.count < rest.count || bytes.count >= countMax
        return isWhole ? .door(.webSocket) : .undecided(count: bytes.count)
    }

    /// Lets the socket be silent until more than `count` bytes wait in it.
    ///
    /// Bytes that are only looked at would otherwise keep the loop awake.
    static func wait(on socket: Int32, forMoreThan count: Int) {
        var enough = Int32(count + 1)
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &enough, size)
    }
}
