// All devices come back at once with their cursors: how long until each has what it missed?

import JSON

/// Where a device stood when it went away.
struct Bookmark: Hashable {
    let cursor: String
    let epoch: String

    /// Reads the replies to `hello` and `subscribe` out of what a connection received.
    init?(greeting text: String) {
        guard let epoch = Self.member("epoch", of: text),
            let cursor = Self.member("cursor", of: text)
        else { return nil }
        self.epoch = epoch
        self.cursor = cursor
    }

    /// The text of a member that needs no unescaping.
    private static func member(_ name: String, of text: String) -> String? {
        guard let place = text.firstRange(of: "\"\(name)\":\"") else { return nil }
        return text[place.upperBound...].split(separator: "\"").first.map(String.init)
    }
}

/// The daemon, a few connections that stay, and what is published while the devices are away.
private final class StormLoad {
    let server: Server
    private let run: Run
    private let channels: Int
    /// They follow every channel, on every reactor.
    private let keepers: Crowd
    private let writer: Connection
    private var template: FrameTemplate
    /// Per channel, the sum of the marks that the devices have to get.
    private(set) var sums: [UInt64]

    init(_ run: Run) throws(BenchError) {
        self.run = run
        channels = run.settings[.channels]
        server = try Server(.syncdaemon, run)
        keepers = try Crowd(ports: server.ports)
        sums = Array(repeating: 0, count: channels)
        let (dialect, channels) = (server.dialect, channels)
        template = dialect.event(bytes: run.settings[.bytes])
        try keepers.open(4, parallel: 4) { dialect.subscriber($0, channels: 0..<channels) }
        try keepers.open(1, parallel: 1) { dialect.writer($0) }
        writer = keepers.connections[4]
    }

    /// Publishes to every channel and waits until the keepers have it all.
    func publish(perChannel: Int, counts: Bool) throws(BenchError) {
        var (sent, received) = (0, 0)
        let deadline = Clock.nanoseconds() + 60_000_000_000
        while received < perChannel * channels * 4 {
            while sent < perChannel * channels, sent - received / 4 < 200 {
                let channel = sent % channels
                let time = Clock.nanoseconds()
                keepers.queue(template.fill(channel: channel, time: time, number: 0), on: writer)
                if counts { sums[channel] &+= time }
                sent += 1
            }
            try keepers.flush(writer)
            try keepers.poll(milliseconds: 100) { connection, _, _ in
                if connection !== writer { received += 1 }
            }
            guard Clock.nanoseconds() < deadline else {
                throw BenchError("Of \(sent) events \(received / 4) came. \(keepers.lastAnswer)")
            }
        }
    }

    /// Lets devices connect for the first time and go away.
    func bookmarks() throws(BenchError) -> [Bookmark] {
        let crowd = try Crowd(ports: server.ports)
        let (dialect, channels) = (server.dialect, channels)
        try crowd.open(run.settings[.subscribers], parallel: 64) { index in
            var plan = dialect.subscriber(
                index, channels: index % channels..<index % channels + 1)
            plan.keepsGreetingText = true
            return plan
        }
        var bookmarks: [Bookmark] = []
        for connection in crowd.connections {
            let text = String(decoding: connection.text, as: UTF8.self)
            guard let bookmark = Bookmark(greeting: text) else {
                throw BenchError("There is no cursor in what a device was answered: \(text)")
            }
            bookmarks.append(bookmark)
        }
        return bookmarks
    }

    /// Lets them all come back.
    func comeBack(_ bookmarks: [Bookmark]) throws(BenchError) -> [Metric: Double] {
        let reads = try server.metrics().value("reads_total")
        let crowd = try Crowd(ports: server.ports)
        let (dialect, channels) = (server.dialect, channels)
        let start = Clock.nanoseconds()
        try crowd.open(bookmarks.count, parallel: run.settings[.parallel]) { index in
            let bookmark = bookmarks[index]
            var plan = dialect.subscriber(
                index, channels: index % channels..<index % channels + 1)
            plan.greeting = Dialect.subscribe(to: [
                #"{"name":"\#(FrameTemplate.channelName(index % channels))","#
                    + #""cursor":"\#(bookmark.cursor)","epoch":"\#(bookmark.epoch)"}"#
            ])
            return plan
        }
        let expected = run.settings[.events]
        var last = Clock.nanoseconds()
        var left = crowd.connections.count { $0.received < expected }
        while left > 0, Clock.nanoseconds() < last + 10_000_000_000 {
            try crowd.poll(milliseconds: 100) { connection, _, now in
                last = now
                if connection.received == expected { left -= 1 }
            }
        }
        // What comes now, came twice.
        try crowd.drain(quietMilliseconds: 300)
        let missed = crowd.connections.reduce(0) { $0 + max(0, expected - $1.received) }
        let others = crowd.connections.count { connection in
            connection.received > expected
                || connection.received == expected
                    && connection.sum != sums[connection.index % channels]
        }
        return [
            .secondsUntilLive: Double(last - start) / 1e9, .missed: Double(missed),
            .doubled: Double(others),
            .reads: Double(try server.metrics().value("reads_total") - reads),
        ]
    }
}

extension Scenario {
    static func storm(_ run: Run) throws(BenchError) -> [Record] {
        let load = try StormLoad(run)
        try load.publish(perChannel: 1, counts: false)
        let bookmarks = try load.bookmarks()
        try load.publish(perChannel: run.settings[.events], counts: true)
        let values = try load.comeBack(bookmarks)
        return [
            Record(
                scenario: "storm", server: .syncdaemon,
                parameters: [
                    "devices": run.settings[.subscribers], "channels": run.settings[.channels],
                    "events": run.settings[.events],
                ],
                values: values)
        ]
    }
}
