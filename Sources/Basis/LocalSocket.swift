// Sockets of this machine by their path (unix(7)): what daemon and tool both need of them.

#if os(Linux)

import Glibc

/// Stream sockets that stand in a directory.
public enum LocalSocket {
    /// Bytes of a path that an address has room for, without the zero behind it.
    public static let pathBytesMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Connects to whoever listens at a path.
    ///
    /// - Parameter seconds: How long to wait for room in its queue, and then for each answer, which
    ///   is EAGAIN; `nil`: for ever.
    /// - Returns: A descriptor, which the caller owns; -1 with `errno`.
    public static func connect(to path: String, within seconds: Int? = nil) -> Int32 {
        unsafe open(at: path) { socket, address, size in
            if let seconds { setPatience(seconds, of: socket) }
            return unsafe Glibc.connect(socket, address, size)
        }
    }

    /// Bounds how long a socket blocks.
    public static func setPatience(_ seconds: Int, of socket: Int32) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        unsafe setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    }

    /// Makes a socket at a path where nothing is yet; nobody listens there.
    ///
    /// - Returns: As ``connect(to:)``.
    public static func bind(to path: String) -> Int32 {
        unsafe open(at: path) { unsafe Glibc.bind($0, $1, $2) }
    }

    private static func open(
        at path: String, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count <= pathBytesMax, !bytes.contains(0) else {
            errno = ENAMETOOLONG
            return -1
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(AF_UNIX, kind, 0)
        guard socket >= 0 else { return -1 }
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe call(socket, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status != 0 else { return socket }
        let reason = errno
        close(socket)
        errno = reason
        return -1
    }
}

#endif
