// Owns one listening TCP socket: ours, or the one that systemd passed.

import EventModel
import Glibc

/// A bound, listening, non-blocking socket that nobody accepts from yet.
struct Listener: ~Copyable, Sendable {
    let descriptor: FileDescriptor
    /// `HOST:PORT` as bound: with the kernel's choice when port 0 was asked for.
    let address: String

    /// Takes over a socket that listens already.
    init(adopting descriptor: consuming FileDescriptor) {
        let flags = fcntl(descriptor.rawValue, F_GETFL)
        _ = fcntl(descriptor.rawValue, F_SETFL, flags | O_NONBLOCK)
        // Connections inherit it. With Nagle's algorithm a second batch would wait for the peer's
        // acknowledgement of the first, which Linux delays by 40 ms.
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(descriptor.rawValue, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
        // What the peer's window does not admit waits with us, where it is counted: the kernel
        // would take up to 4 MB for each connection that does not read.
        var unsentMax = Int32(Limits.kernelUnsentBytesMax)
        unsafe setsockopt(
            descriptor.rawValue, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &unsentMax, size)
        address = boundAddress(of: descriptor.rawValue)
        self.descriptor = descriptor
    }

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - host: A name, an IPv4 or an IPv6 address without brackets.
    ///   - port: 0 lets the kernel choose.
    init(host: String, port: UInt16) throws(TransportError) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &found) == 0,
            let first = unsafe found
        else { throw .cannotResolve("\(host):\(port)") }
        defer { unsafe freeaddrinfo(first) }

        let kind =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let socket = unsafe Glibc.socket(first.pointee.ai_family, kind, 0)
        guard socket >= 0 else { throw .cannotListen("\(host):\(port)", errno: errno) }
        let descriptor = FileDescriptor(owning: socket)
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // A restarted daemon must not wait for the old one's connections to leave TIME_WAIT.
        unsafe setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, size)
        let bound = unsafe bind(socket, first.pointee.ai_addr, first.pointee.ai_addrlen)
        guard bound == 0, listen(socket, 4096) == 0 else {
            throw .cannotListen("\(host):\(port)", errno: errno)
        }
        self.init(adopting: descriptor)
    }

    /// Gives the descriptor away; the new owner closes it.
    consuming func release() -> Int32 { descriptor.release() }
}

/// `HOST:PORT` of a socket, as it is bound.
func boundAddress(of socket: Int32) -> String {
    unsafe address(of: socket, getsockname)
}

/// The same of whoever it is connected to.
func peerAddress(of socket: Int32) -> String {
    unsafe address(of: socket, getpeername)
}

private func address(
    of socket: Int32,
    _ read: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
) -> String {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            guard unsafe read(socket, address, &length) == 0 else { return Int32(-1) }
            return unsafe getnameinfo(
                address, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
                NI_NUMERICHOST | NI_NUMERICSERV)
        }
    }
    guard status == 0 else { return "unknown" }
    let name = text(host)
    return name.contains(":") ? "[\(name)]:\(text(port))" : "\(name):\(text(port))"
}

/// The characters of a C string up to its first zero.
private func text(_ characters: [CChar]) -> String {
    String(
        decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
