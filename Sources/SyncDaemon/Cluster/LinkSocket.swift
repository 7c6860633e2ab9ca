// A TCP connection between two daemons: one thread reads from it, others write to it in turn.

import Basis
import EventModel
import Glibc

/// Why a link ended.
enum LinkEnd: Error, Hashable, CustomStringConvertible {
    case closed
    case silent
    case failed(errno: Int32)
    /// The other side is another release, or no daemon.
    case foreign
    /// It does not know the key.
    case wrongKey
    /// It heard this daemon's proof of the key, and closed.
    case notAdmitted
    /// It is over another store, or in another term.
    case otherTerm
    /// It does not read what it is sent.
    case slow
    /// What it says takes too long to come.
    case late

    var description: String {
        switch self {
        case .closed: "the other side closed it"
        case .silent: "the other side said nothing for \(Limits.linkSilenceSeconds) seconds"
        case .failed(let number): unsafe String(cString: strerror(number))
        case .foreign: "the other side is another release, or no daemon"
        case .wrongKey: "the other side has another key: [cluster] key_file is to be the same"
        case .notAdmitted:
            "the other side lets this daemon not in: [cluster] key_file is to be the same at both, "
                + "and \(Limits.linksMax) follow at most"
        case .otherTerm: "the other side is not the one that serves now"
        case .slow: "the other side does not read what it is sent"
        case .late: "what the other side says came over \(Limits.linkLagSeconds) seconds late"
        }
    }
}

/// Owns one connected socket, which blocks for a few seconds at most.
final class LinkSocket: Sendable {
    private let descriptor: FileDescriptor
    /// One frame after the other.
    private let writing = Locked(())

    init(owning descriptor: consuming FileDescriptor) {
        LocalSocket.setPatience(Limits.linkSilenceSeconds, of: descriptor.rawValue)
        var on: Int32 = 1
        unsafe setsockopt(
            descriptor.rawValue, Int32(IPPROTO_TCP), TCP_NODELAY, &on,
            socklen_t(MemoryLayout<Int32>.size))
        self.descriptor = descriptor
    }

    /// Connects to a daemon.
    static func connect(to address: ListenAddress) throws(LinkEnd) -> LinkSocket {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(address.host, String(address.port), &hints, &found) == 0,
            let first = unsafe found
        else { throw .failed(errno: EADDRNOTAVAIL) }
        defer { unsafe freeaddrinfo(first) }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let number = unsafe socket(first.pointee.ai_family, kind, 0)
        guard number >= 0 else { throw .failed(errno: errno) }
        let made = LinkSocket(owning: FileDescriptor(owning: number))
        guard unsafe Glibc.connect(number, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0
        else { throw errno == EINPROGRESS ? .silent : .failed(errno: errno) }
        return made
    }

    /// Adds what has come to `bytes`; waits for something.
    func read(into bytes: inout [UInt8], atMost count: Int) throws(LinkEnd) {
        var reason: Int32?
        repeat {
            let chunk = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
                let got = unsafe recv(descriptor.rawValue, buffer.baseAddress, count, 0)
                reason = got < 0 ? errno : nil
                length = max(0, got)
            }
            guard chunk.isEmpty else { return bytes += chunk }
            // With a time limit recv(2) ends so whenever the process was stopped and goes on.
        } while reason == EINTR
        guard let reason else { throw .closed }
        throw reason == EAGAIN ? .silent : .failed(errno: reason)
    }

    /// Writes all of it; any thread may call.
    func write(_ bytes: [UInt8]) throws(LinkEnd) {
        let failure: LinkEnd? = writing.withLock { _ in
            var offset = 0
            while offset < bytes.count {
                let count = unsafe bytes.withUnsafeBytes { buffer in
                    unsafe send(
                        descriptor.rawValue, buffer.baseAddress! + offset, bytes.count - offset,
                        Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else {
                    if errno == EINTR { continue }
                    return errno == EAGAIN ? .slow : .failed(errno: errno)
                }
                offset += count
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// Where the other end is.
    var peer: String { peerAddress(of: descriptor.rawValue) }

    /// The same without its port.
    var peerHost: String {
        let peer = peer
        return String(peer[..<(peer.lastIndex(of: ":") ?? peer.endIndex)])
    }

    /// Ends it for both sides; who reads or writes notices.
    func end() { shutdown(descriptor.rawValue, Int32(SHUT_RDWR)) }
}

/// What comes from a socket, frame by frame; for one thread.
struct LinkInput {
    private let socket: LinkSocket
    private var bytes: [UInt8] = []
    private var offset = 0

    init(_ socket: LinkSocket) { self.socket = socket }

    /// The body of the next frame.
    mutating func next(
        atMost limit: Int = Limits.linkFrameBytesMax
    ) throws(LinkEnd) -> ArraySlice<UInt8> {
        try fill(4)
        let count = bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
        guard count <= limit else { throw .foreign }
        try fill(4 + count)
        defer { offset += 4 + count }
        return bytes[(offset + 4)..<(offset + 4 + count)]
    }

    /// Waits until so many bytes are there.
    private mutating func fill(_ count: Int) throws(LinkEnd) {
        guard bytes.count - offset < count else { return }
        bytes.removeFirst(offset)
        offset = 0
        while bytes.count < count {
            try socket.read(into: &bytes, atMost: max(Self.readBytes, min(count, Self.partBytes)))
        }
    }

    private static let readBytes = 64 * 1024
    private static let partBytes = 1024 * 1024
}

extension LinkWriter {
    /// A frame: the length of its body in four bytes, the highest first, and that.
    static func frame(_ body: some LinkCodable) -> [UInt8] {
        var writer = LinkWriter()
        for _ in 0..<4 { writer.put(byte: 0) }
        writer.put(body)
        writer.setFirst(UInt32(writer.bytes.count - 4))
        return writer.bytes
    }
}

extension LinkReader {
    /// All of a frame's body.
    static func value<Value: LinkCodable>(
        _ type: Value.Type = Value.self, of body: ArraySlice<UInt8>
    ) throws(LinkEnd) -> Value {
        var reader = LinkReader(body)
        do throws(LinkError) {
            let value: Value = try reader.value()
            guard reader.isAtEnd else { throw LinkError() }
            return value
        } catch {
            throw .foreign
        }
    }
}
