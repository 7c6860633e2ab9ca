// Owns one TCP socket to a server on this machine.

import Glibc

/// A socket that never waits.
struct Socket: ~Copyable {
    let rawValue: Int32

    enum Outcome: Equatable {
        case done(Int)
        /// Nothing now; the poller will say when.
        case later
        /// The other side is gone.
        case ended
    }

    /// Begins to connect to a port of 127.0.0.1.
    ///
    /// - Parameters:
    ///   - source: The last byte of the address to come from: one address has 28,000 ports.
    ///   - hasShortSegments: Those of a network instead of the loopback's 64 KiB. The kernel sizes
    ///     a server's send buffer by them, so that it notices soon when nobody reads.
    init(connectingTo port: UInt16, source: UInt8, hasShortSegments: Bool = false)
        throws(BenchError)
    {
        rawValue = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue),
            0)
        guard rawValue >= 0 else {
            throw BenchError(
                "There is no socket: \(SystemError.text). Raise the limit of open files"
                    + " (ulimit -n) or ask for fewer connections.")
        }
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        if hasShortSegments { set(Int32(IPPROTO_TCP), TCP_MAXSEG, 1400) }
        // ip(7): the port is chosen at connect, where the same one serves for several servers.
        set(Int32(IPPROTO_IP), 24, 1)  // IP_BIND_ADDRESS_NO_PORT
        var own = Self.address(port: 0, lastByte: source)
        var server = Self.address(port: port, lastByte: 1)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = rawValue
        let status = unsafe withUnsafePointer(to: &own) { own in
            unsafe withUnsafePointer(to: &server) { server in
                let own = unsafe UnsafeRawPointer(own).assumingMemoryBound(to: sockaddr.self)
                let server = unsafe UnsafeRawPointer(server).assumingMemoryBound(to: sockaddr.self)
                guard unsafe bind(descriptor, own, size) == 0 else { return Int32(-1) }
                return unsafe connect(descriptor, server, size)
            }
        }
        guard status == 0 || errno == EINPROGRESS else {
            throw BenchError("127.0.0.1:\(port) cannot be reached: \(SystemError.text).")
        }
    }

    deinit {
        close(rawValue)
    }

    func send(_ bytes: ArraySlice<UInt8>) -> Outcome {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(rawValue, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        return outcome(count)
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        let count = unsafe recv(rawValue, buffer.baseAddress, buffer.count, 0)
        return count == 0 ? .ended : outcome(count)
    }

    /// Lets the kernel take as little as possible for a reader that does not read.
    func shrinkReceiveBuffer() {
        set(SOL_SOCKET, SO_RCVBUF, 4096)
    }

    private func outcome(_ count: Int) -> Outcome {
        if count >= 0 { return .done(count) }
        return errno == EAGAIN || errno == EINTR || errno == ENOTCONN ? .later : .ended
    }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        _ = unsafe setsockopt(rawValue, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func address(port: UInt16, lastByte: UInt8) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = (0x7F00_0000 | UInt32(lastByte)).bigEndian
        return address
    }
}
