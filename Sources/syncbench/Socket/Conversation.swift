// One connection that asks and waits for the answer, as a single device does.

import JSON

/// A device's connection; every message is taken in its order.
final class Conversation {
    private let crowd: Crowd
    private let connection: Connection
    private let inbox = Inbox()
    /// Bytes of the frames that were sent since the connection was ready, headers included.
    private(set) var sentBytes = 0

    private final class Inbox {
        var messages: [[UInt8]] = []
        var first = 0
    }

    /// Connects and waits for the reply to `hello`, which becomes the first message.
    init(_ server: Server, user: String) throws(BenchError) {
        crowd = try Crowd(ports: server.ports)
        let inbox = inbox
        crowd.onMessage = { _, message in inbox.messages.append(message) }
        var plan = Plan(request: server.dialect.request(user: user))
        plan.readyWord = "\"session\""
        plan.readyCount = 1
        plan.keepsMessages = true
        try crowd.open(1, parallel: 1) { _ in plan }
        connection = crowd.connections[0]
    }

    /// Bytes that came since the upgrade, headers included.
    var receivedBytes: Int { connection.receivedBytes }

    /// Sends messages in one go.
    func send(_ texts: [String]) throws(BenchError) {
        for text in texts {
            let frame = ClientFrame.text(text)
            sentBytes += frame.count
            crowd.queue(frame, on: connection)
        }
        try crowd.flush(connection)
    }

    /// Waits for the next message.
    func next() throws(BenchError) -> [UInt8] {
        let deadline = Clock.nanoseconds() + 30_000_000_000
        while inbox.first == inbox.messages.count {
            inbox.messages.removeAll(keepingCapacity: true)
            inbox.first = 0
            try crowd.poll(milliseconds: 100) { _, _, _ in }
            guard Clock.nanoseconds() < deadline else {
                throw BenchError("The daemon said nothing for 30 s to a device that waits.")
            }
        }
        inbox.first += 1
        return inbox.messages[inbox.first - 1]
    }

    /// Waits for the reply to a command; pushes before it are left out.
    func reply<Value>(
        to id: Int, read: (borrowing JSONValue) throws(JSONError) -> Value
    ) throws(BenchError) -> Value {
        while true {
            let message = try next()
            do throws(JSONError) {
                let json = try unsafe JSONValue(parsing: message.span.bytes)
                if try json.optionalInteger("id") == Int64(id) {
                    return try read(try json.object("ok"))
                }
            } catch {
                throw BenchError(
                    "\(error) in: \(String(decoding: message.prefix(300), as: UTF8.self))")
            }
        }
    }
}
