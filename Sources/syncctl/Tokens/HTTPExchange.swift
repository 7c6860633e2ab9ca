// One HTTP request over a connection of its own: all that a backend's calls need.

import Basis
import Glibc
import SyncClient

/// A daemon's answer.
struct HTTPAnswer: Hashable {
    let status: Int
    let body: [UInt8]
}

enum HTTPExchange {
    /// Bytes of an answer, at most.
    private static let answerMax = 1 << 22
    /// Seconds that each step may take.
    private static let patience = 15

    /// What to do when nothing comes for as long as the socket waits, or no end for as long:
    /// whether to go on.
    typealias Waiting = () throws(JobError) -> Bool

    /// Asks once; blocks.
    static func ask(
        _ method: String, _ target: String, body: String, at address: WebSocketAddress
    ) throws(JobError) -> HTTPAnswer {
        let socket = try connect(to: address)
        defer { Glibc.close(socket) }
        return try ask(method, target, body: body, of: address.hostAndPort, over: socket)
    }

    /// The same over a connection that is there already, which the caller closes.
    ///
    /// - Parameter seconds: In which all of the answer is to come.
    static func ask(
        _ method: String, _ target: String, body: String, of host: String, over socket: Int32,
        within seconds: Int = patience,
        waiting: Waiting = { () throws(JobError) in false }
    ) throws(JobError) -> HTTPAnswer {
        let request = """
            \(method) \(target) HTTP/1.1\r
            Host: \(host)\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            Connection: close\r
            \r
            \(body)
            """
        try send(Array(request.utf8), over: socket)
        return try answer(in: try receive(from: socket, within: seconds, waiting))
    }

    private static func connect(to address: WebSocketAddress) throws(JobError) -> Int32 {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(address.host, "\(address.port)", &hints, &found) == 0 else {
            throw JobError(
                code: "unknown_host", message: "The host \(address.host) is not known.",
                advice: "Check --url.")
        }
        defer { unsafe freeaddrinfo(found) }
        var next = unsafe found
        while let entry = unsafe next {
            let info = unsafe entry.pointee
            unsafe next = info.ai_next
            let socket = unsafe Glibc.socket(info.ai_family, info.ai_socktype, info.ai_protocol)
            guard socket >= 0 else { continue }
            LocalSocket.setPatience(patience, of: socket)
            if unsafe Glibc.connect(socket, info.ai_addr, info.ai_addrlen) == 0 { return socket }
            Glibc.close(socket)
        }
        throw JobError(
            code: "cannot_connect",
            message: "Cannot connect to \(address.hostAndPort) (errno \(errno)).",
            advice: "Check --url, and that the daemon runs.")
    }

    private static func send(_ bytes: [UInt8], over socket: Int32) throws(JobError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    socket, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw lost }
            rest = rest.dropFirst(count)
        }
    }

    private static func receive(
        from socket: Int32, within seconds: Int, _ waiting: Waiting
    ) throws(JobError) -> [UInt8] {
        var bytes: [UInt8] = []
        var end = ContinuousClock.now + .seconds(seconds)
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= answerMax {
            let count = unsafe Glibc.recv(socket, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN, try waiting() { continue }
            guard count >= 0 else { throw lost }
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
            guard ContinuousClock.now > end else { continue }
            // It lets fall a byte now and then.
            guard try waiting() else { throw lost }
            end = .now + .seconds(seconds)
        }
        throw lost
    }

    private static var lost: JobError {
        JobError(code: "connection_lost", message: "The daemon did not answer to the end.")
    }

    /// - Parameter bytes: All that came before the connection ended.
    static func answer(in bytes: [UInt8]) throws(JobError) -> HTTPAnswer {
        let mark = Array("\r\n\r\n".utf8)
        let end = bytes.indices.first { bytes[$0...].starts(with: mark) }
        let line = String(decoding: bytes.prefix { $0 != 13 }, as: UTF8.self).split(separator: " ")
        guard let end, line.count >= 2, line[0].hasPrefix("HTTP/1."), let status = Int(line[1])
        else {
            throw JobError(
                code: "not_syncdaemon", message: "What answers there is no syncdaemon.",
                advice: "Check --url.")
        }
        return HTTPAnswer(status: status, body: Array(bytes[(end + mark.count)...]))
    }
}
