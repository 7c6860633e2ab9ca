// One kept HTTP connection that asks for one thing after the other.

import Glibc

/// Requests over one connection; each waits for its answer.
final class HTTPConversation {
    private let socket: Socket
    private let port: UInt16
    private var input: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 1_048_576)
    private(set) var requests = 0
    /// Bytes with the heads.
    private(set) var sentBytes = 0
    private(set) var receivedBytes = 0

    init(port: UInt16) throws(BenchError) {
        self.port = port
        socket = try Socket(connectingTo: port, source: 1)
        try wait(for: POLLOUT)
    }

    /// The body of the answer, which must be a 200.
    func get(_ target: String) throws(BenchError) -> [UInt8] {
        let request = Array(
            "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAccept: */*\r\n\r\n".utf8)
        guard socket.send(request[...]) == .done(request.count) else {
            throw BenchError("127.0.0.1:\(port) does not take a request for \(target).")
        }
        requests += 1
        sentBytes += request.count
        input.removeAll(keepingCapacity: true)
        while true {
            if let head = Self.head(input) {
                guard head.status == 200 else {
                    throw BenchError(
                        "\(target) was answered with \(head.status):"
                            + " \(String(decoding: input.suffix(300), as: UTF8.self))")
                }
                if input.count >= head.size + head.length {
                    receivedBytes += input.count
                    return Array(input[head.size...])
                }
            }
            try wait(for: POLLIN)
            let outcome = unsafe buffer.withUnsafeMutableBytes { unsafe socket.receive(into: $0) }
            switch outcome {
            case .done(let count): input += buffer[..<count]
            case .later: continue
            case .ended: throw BenchError("127.0.0.1:\(port) hung up instead of an answer.")
            }
        }
    }

    /// What the head of an answer says; `nil` when it is not complete.
    static func head(_ input: [UInt8]) -> (status: Int, size: Int, length: Int)? {
        guard let end = input.prefix(4096).firstRange(of: Array("\r\n\r\n".utf8)) else {
            return nil
        }
        let lines = String(decoding: input[..<end.lowerBound], as: UTF8.self).lowercased()
            .split(separator: "\r\n")
        let length = lines.first { $0.hasPrefix("content-length:") }?.split(separator: " ").last
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return (status, end.upperBound, length.flatMap { Int($0) } ?? 0)
    }

    private func wait(for events: Int32) throws(BenchError) {
        var state = pollfd(fd: socket.rawValue, events: Int16(events), revents: 0)
        guard unsafe Glibc.poll(&state, 1, 30_000) == 1 else {
            throw BenchError("127.0.0.1:\(port) did not answer for 30 s.")
        }
    }
}
