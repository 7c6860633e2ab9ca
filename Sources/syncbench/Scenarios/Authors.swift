// Many users who publish and react, to fill a daemon fast.

import EventModel
import JSON

/// A write, and whose it is.
struct Deed {
    let author: Int
    /// Members of the command behind its `id`, without the braces.
    let command: String

    static func publish(in channel: Int, by author: Int, text: String) -> Deed {
        Deed(
            author: author,
            command: #""op":"publish","channel":"\#(FrameTemplate.channelName(channel))","#
                + #""payload":{"text":"\#(text)"}"#)
    }

    static func add(_ value: String, to message: Timetoken, in channel: Int, by author: Int) -> Deed
    {
        action("addAction", value, message, channel, author)
    }

    static func remove(
        _ value: String, from message: Timetoken, in channel: Int, by author: Int
    ) -> Deed {
        action("removeAction", value, message, channel, author)
    }

    private static func action(
        _ operation: String, _ value: String, _ message: Timetoken, _ channel: Int, _ author: Int
    ) -> Deed {
        Deed(
            author: author,
            command: #""op":"\#(operation)","channel":"\#(FrameTemplate.channelName(channel))","#
                + #""messageTimetoken":"\#(message)","value":"\#(value)""#)
    }
}

/// A connection for each of some users.
final class Authors {
    let count: Int
    private let crowd: Crowd
    private let progress = Progress()

    /// Writes under way at a time, over all users.
    private static let window = 2000

    private final class Progress {
        var answered = 0
        var refusal: String?
        /// By the command's number, when they are asked for.
        var timetokens: [Timetoken]?
    }

    init(_ count: Int, _ server: Server) throws(BenchError) {
        self.count = count
        crowd = try Crowd(ports: server.ports)
        let progress = progress
        crowd.onMessage = { _, message in Self.take(message, progress) }
        try crowd.open(count, parallel: 64) { index in
            var plan = Plan(role: .writer, request: server.dialect.request(user: Self.name(index)))
            plan.readyWord = "\"session\""
            plan.readyCount = 1
            plan.keepsMessages = true
            return plan
        }
    }

    /// As a user would be called: 11 bytes.
    static func name(_ author: Int) -> String {
        let digits = String(author)
        return "user-" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    /// The user's number; `nil` for a name that ``name(_:)`` did not make.
    static func number(_ name: String) -> Int? { Int(name.dropFirst(5)) }

    /// Writes all of these, and waits until each was acknowledged.
    func carryOut(_ deeds: [Deed]) throws(BenchError) {
        // There may be more pings waiting than the few answers below would have read.
        try crowd.drain(quietMilliseconds: 0)
        progress.answered = 0
        var sent = 0
        var last = (answered: 0, time: Clock.nanoseconds())
        while progress.answered < deeds.count {
            while sent < deeds.count, sent - progress.answered < Self.window {
                let deed = deeds[sent]
                let connection = crowd.connections[deed.author]
                // `hello` in the request's line is answered under 0.
                crowd.queue(
                    ClientFrame.text("{\"id\":\(sent + 1),\(deed.command)}"), on: connection)
                try crowd.flush(connection)
                sent += 1
            }
            try crowd.poll(milliseconds: 100) { _, _, _ in }
            if let refusal = progress.refusal {
                throw BenchError("A write was refused: \(refusal)")
            }
            let now = Clock.nanoseconds()
            if progress.answered > last.answered { last = (progress.answered, now) }
            guard now < last.time + 20_000_000_000 else {
                throw BenchError(
                    "Of \(sent) writes \(progress.answered) were acknowledged, and then nothing"
                        + " came for 20 s.")
            }
        }
    }

    /// Publishes, and returns the timetokens in the order of the messages.
    func publish(_ deeds: [Deed]) throws(BenchError) -> [Timetoken] {
        progress.timetokens = Array(repeating: .zero, count: deeds.count)
        defer { progress.timetokens = nil }
        try carryOut(deeds)
        return progress.timetokens ?? []
    }

    private static let hello = Array(#"{"id":0,"#.utf8)
    private static let ok = Array(#","ok":"#.utf8)

    private static func take(_ message: [UInt8], _ progress: Progress) {
        guard !message.starts(with: hello) else { return }
        guard message.prefix(30).firstRange(of: ok) != nil else {
            progress.refusal = String(decoding: message.prefix(300), as: UTF8.self)
            return
        }
        progress.answered += 1
        guard progress.timetokens != nil else { return }
        do throws(JSONError) {
            let json = try unsafe JSONValue(parsing: message.span.bytes)
            let timetoken = try json.object("ok").timetoken("timetoken")
            progress.timetokens?[Int(try json.integer("id")) - 1] = timetoken
        } catch {
            progress.refusal = error.description
        }
    }
}
