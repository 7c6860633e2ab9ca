// Many WebSocket connections to one server, on one thread.

/// Opens connections, reads what comes on all of them, and sends on some.
final class Crowd {
    private(set) var connections: [Connection] = []
    /// Bytes that subscribers received after they were ready.
    private(set) var subscriberBytes = 0
    /// Gets the messages of those connections whose plan says so.
    var onMessage: ((Connection, [UInt8]) -> Void)?
    private var lastToWriter: [UInt8] = []
    /// Connections go to them by turns.
    private let ports: [UInt16]
    private let poller: Poller
    private var readyNumbers: [Int] = []
    private var pending = 0
    private var buffer = [UInt8](repeating: 0, count: tailMax + 1_048_576)

    private static let tailMax = Marker.byteCount

    init(ports: [UInt16]) throws(BenchError) {
        self.ports = ports
        poller = try Poller()
        connections = []
    }

    // MARK: Opening

    /// Opens connections and waits until all are ready.
    ///
    /// - Parameters:
    ///   - parallel: At most so many are on their way at a time.
    ///   - plan: What the connection with this number (from 0, over all calls) does.
    /// - Returns: How long it took, in seconds.
    @discardableResult
    func open(
        _ count: Int, parallel: Int, plan: (Int) -> Plan
    ) throws(BenchError) -> Double {
        let first = connections.count
        let start = Clock.nanoseconds()
        var deadline = start + 30_000_000_000
        var before = pending
        connections.reserveCapacity(first + count)
        while connections.count < first + count || pending > 0 {
            while pending < parallel, connections.count < first + count {
                let index = connections.count
                let port = ports[index % ports.count]
                let connection = try Connection(index: index, port: port, plan: plan(index))
                connections.append(connection)
                pending += 1
                poller.add(connection.socket.rawValue, as: index, writes: true)
            }
            try poll(milliseconds: 100) { _, _, _ in }
            if pending != before {
                before = pending
                deadline = Clock.nanoseconds() + 30_000_000_000
            } else if Clock.nanoseconds() > deadline {
                throw BenchError(
                    "\(pending) of \(connections.count) connections to the server were"
                        + " not answered for 30 s.")
            }
        }
        return Double(Clock.nanoseconds() - start) / 1e9
    }

    // MARK: Sending

    /// Queues a frame; ``flush(_:)`` sends it.
    func queue(_ frame: [UInt8], on connection: Connection) {
        connection.output += frame
    }

    func flush(_ connection: Connection) throws(BenchError) {
        guard !connection.output.isEmpty else { return }
        guard connection.flush() else { throw lost(connection) }
        if !connection.output.isEmpty {
            poller.change(connection.socket.rawValue, as: connection.index, writes: true)
        }
    }

    // MARK: Receiving

    /// Waits for something to come and takes it.
    ///
    /// - Parameter found: Gets the connection, the event's time, and the time now.
    func poll(
        milliseconds: Int, found: (Connection, UInt64, UInt64) -> Void
    ) throws(BenchError) {
        readyNumbers.removeAll(keepingCapacity: true)
        poller.wait(milliseconds: milliseconds, into: &readyNumbers)
        for number in readyNumbers {
            let connection = connections[number]
            guard connection.phase != .ended, !connection.isPaused else { continue }
            if !connection.output.isEmpty {
                guard connection.flush() else {
                    try end(connection)
                    continue
                }
                if connection.output.isEmpty {
                    poller.change(connection.socket.rawValue, as: number, writes: false)
                }
            }
            try read(connection, found)
        }
    }

    /// Takes what comes until nothing has come for a while.
    func drain(quietMilliseconds: Int) throws(BenchError) {
        repeat {
            try poll(milliseconds: quietMilliseconds) { _, _, _ in }
        } while !readyNumbers.isEmpty
    }

    /// Stops or goes on to read a connection.
    func pause(_ connection: Connection, _ isPaused: Bool) {
        guard connection.isPaused != isPaused, connection.phase != .ended else { return }
        connection.isPaused = isPaused
        if isPaused {
            connection.socket.shrinkReceiveBuffer()
            poller.remove(connection.socket.rawValue)
        } else {
            poller.add(connection.socket.rawValue, as: connection.index, writes: false)
        }
    }

    private func read(
        _ connection: Connection, _ found: (Connection, UInt64, UInt64) -> Void
    ) throws(BenchError) {
        let tail = connection.tail.count
        for index in 0..<tail { buffer[index] = connection.tail[index] }
        let outcome = unsafe buffer.withUnsafeMutableBytes { buffer in
            unsafe connection.socket.receive(into: .init(rebasing: buffer[tail...]))
        }
        switch outcome {
        case .later: return
        case .ended: return try end(connection)
        case .done(let count): try take(connection, tail: tail, count: count, found)
        }
    }

    private func take(
        _ connection: Connection, tail: Int, count: Int,
        _ found: (Connection, UInt64, UInt64) -> Void
    ) throws(BenchError) {
        let end = tail + count
        var start = tail
        if connection.phase == .upgrading {
            guard let rest = try upgrade(connection, buffer[tail..<end]) else { return }
            start = end - rest
        }
        connection.receivedBytes += end - start
        if connection.phase == .greeting {
            advance(connection, buffer[start..<end])
        } else if connection.plan.role == .subscriber {
            subscriberBytes += count
        } else {
            lastToWriter = Array(buffer[start..<min(end, start + 200)])
        }
        let now = Clock.nanoseconds()
        let kept = unsafe buffer.withUnsafeBytes { buffer in
            unsafe walk(connection, .init(rebasing: buffer[start..<end]))
            return unsafe Marker.scan(.init(rebasing: buffer[(start - tail)..<end])) { time in
                connection.received += 1
                connection.sum &+= time
                found(connection, time, now)
            }
        }
        connection.tail.removeAll(keepingCapacity: true)
        if kept > 0 { connection.tail += buffer[(end - kept)..<end] }
        if connection.closeCode != nil { try self.end(connection) }
    }

    private func walk(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) {
        unsafe connection.walker.walk(bytes) { control in
            switch control {
            case .message(let message): onMessage?(connection, message)
            case .ping(let payload):
                connection.output += ClientFrame.bytes(payload, opcode: 10)
                _ = connection.flush()
            case .close(let code): connection.closeCode = code ?? 1005
            }
        }
    }

    /// The newest words of the server to a writer, for the message when nothing more comes.
    var lastAnswer: String { String(decoding: lastToWriter, as: UTF8.self) }

    /// Takes the answer to the upgrade request.
    ///
    /// - Returns: How many bytes at the end come after it; `nil` when it is not complete.
    private func upgrade(
        _ connection: Connection, _ bytes: ArraySlice<UInt8>
    ) throws(BenchError) -> Int? {
        connection.text += bytes
        guard let end = connection.text.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let answer = String(decoding: connection.text[..<end.lowerBound], as: UTF8.self)
        guard answer.contains(" 101 ") else {
            throw BenchError(
                "The server at \(place(connection.index)) refused a connection:"
                    + " \(answer.prefix(200))"
            )
        }
        let rest = connection.text.count - end.upperBound
        connection.text = []
        connection.phase = .greeting
        for frame in connection.plan.greeting { queue(frame, on: connection) }
        try flush(connection)
        return rest
    }

    /// Looks for the answers to the greeting.
    private func advance(_ connection: Connection, _ bytes: ArraySlice<UInt8>) {
        connection.readiness.add(bytes)
        if connection.plan.keepsGreetingText { connection.text += bytes }
        guard connection.readiness.count >= connection.plan.readyCount else { return }
        connection.phase = .ready
        pending -= 1
    }

    // MARK: Ending

    private func end(_ connection: Connection) throws(BenchError) {
        guard connection.closeCode == 1013 else { throw lost(connection) }
        poller.remove(connection.socket.rawValue)
        connection.phase = .ended
    }

    private func lost(_ connection: Connection) -> BenchError {
        let code = connection.closeCode.map { " with code \($0)" } ?? ""
        return BenchError(
            "The server at \(place(connection.index)) closed connection"
                + " \(connection.index)\(code).")
    }

    /// Where a connection goes.
    private func place(_ index: Int) -> String { "127.0.0.1:\(ports[index % ports.count])" }
}
