// The log: readable, bounded, and closed to what clients send.

import Basis
import Glibc
import Testing

@testable import SyncDaemon

/// Keeps what was logged.
private final class RecordingSink: LogSink {
    private let lines = Locked<[String]>([])

    func write(_ record: LogRecord) { lines.withLock { $0.append(LogText.line(record)) } }

    var all: [String] { lines.withLock { $0 } }
}

@Suite("Log")
struct LogTests {
    private let sink = RecordingSink()

    private func log(_ level: LogLevel = .debug, at seconds: Int = 1_767_323_045) -> Log {
        Log(level: level, sink: sink) { LogTime(seconds: seconds, nanoseconds: 678_999_999) }
    }

    @Test("a line has the time, the level, the message and the fields")
    func line() {
        log().notice("Listening", ["address": "127.0.0.1:8080", "reactors": 4])
        log().error("The disk is full", ["path": "/var/lib/sync daemon"])

        #expect(
            sink.all == [
                "2026-01-02T03:04:05.678Z notice  Listening address=127.0.0.1:8080 reactors=4",
                "2026-01-02T03:04:05.678Z error   The disk is full path=\"/var/lib/sync daemon\"",
            ])
    }

    @Test("what is below the level is not written, and its fields are not even made")
    func level() {
        var made = 0
        func field() -> Int {
            made += 1
            return made
        }
        let log = log(.warning)

        log.debug("debug", ["n": field()])
        log.info("info", ["n": field()])
        log.notice("notice", ["n": field()])
        log.warning("warning", ["n": field()])
        log.error("error", ["n": field()])

        #expect(made == 2)
        #expect(sink.all.count == 2)
    }

    @Test(
        "nothing that a client sends breaks out of its field",
        arguments: [
            ("plain-word_1.2:3/4", "plain-word_1.2:3/4"), ("", "\"\""),
            ("two words", "\"two words\""),
            ("a\nb\r\tc", #""a\nb\r\tc""#), ("say \"hi\"", #""say \"hi\"""#),
            (#"back\slash"#, #""back\\slash""#), ("a=b", "\"a=b\""),
            ("\u{1b}[31mred", #""\u{1b}[31mred""#), ("\u{9b}31m", #""\u{9b}31m""#),
            ("\u{0}\u{7f}", #""\u{0}\u{7f}""#), ("\u{202e}evil", #""\u{202e}evil""#),
            ("line\u{2028}end", #""line\u{2028}end""#), ("👍", "👍"), ("👩‍👧", "👩‍👧"), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
            ("❤️", "❤️"), ("žluťoučký", "žluťoučký"),
        ])
    func escaping(value: String, expected: String) {
        log().info("x", ["user": value])

        #expect(sink.all.first?.hasSuffix(" x user=\(expected)") == true, "\(sink.all)")
    }

    @Test("a message and a field's name cannot break the line either")
    func escapedMessage() {
        log().info("one\ntwo\u{1b}", ["na\nme": 1])

        #expect(sink.all.first?.hasSuffix(#" one\ntwo\u{1b} na\nme=1"#) == true)
    }

    @Test("a long value is cut")
    func cut() throws {
        log().info("x", ["user": String(repeating: "a", count: 100_000)])

        let line = try #require(sink.all.first)
        #expect(line.hasSuffix("aaa…\""))
        #expect(line.count < 600)
    }

    @Test("one place writes ten lines a second, then says how many it left out")
    func rateLimit() {
        let clock = Locked(100)
        let log = Log(level: .debug, sink: sink) {
            LogTime(seconds: clock.withLock { $0 }, nanoseconds: 0)
        }
        func busy() { log.warning("Refused", ["peer": "x"]) }

        for _ in 0..<25 { busy() }
        log.info("Another place is not held back")
        #expect(sink.all.count == 11)

        clock.withLock { $0 = 101 }
        log.info("The next second")

        #expect(
            sink.all.suffix(2) == [
                "1970-01-01T00:01:41.000Z warning Refused suppressed=15",
                "1970-01-01T00:01:41.000Z info    The next second",
            ])
        for _ in 0..<12 { busy() }
        log.reportSuppressed()
        log.reportSuppressed()
        #expect(sink.all.count == 24)
        #expect(sink.all.last == "1970-01-01T00:01:41.000Z warning Refused suppressed=2")
    }

    @Test("a clock that is set back neither stops the log nor floods it")
    func clockSetBack() {
        var limiter = LogRateLimiter()
        let site = LogSite("a", 1)

        let before = (0..<20).count { _ in
            limiter.admit(site, level: .info, message: "m", at: 1000)
        }
        let after = (0..<20).count { _ in limiter.admit(site, level: .info, message: "m", at: 5) }

        #expect(before == 10)
        #expect(after == 10)
        #expect(limiter.reports(at: 6) == [.init(level: .info, message: "m", count: 20)])
    }

    @Test("the journal gets the fields under names that it allows")
    func journal() {
        let record = LogRecord(
            level: .warning, time: LogTime(seconds: 0, nanoseconds: 0), message: "Refused",
            fields: [
                LogField(name: "user_id", value: "ada\nPRIORITY=0"),
                LogField(name: "peer-address", value: "::1"),
                LogField(name: String(repeating: "x", count: 100), value: "1"),
            ])

        let entries = JournalSink.entries(record)

        #expect(
            entries.prefix(5) == [
                "MESSAGE=Refused user_id=\"ada\\nPRIORITY=0\" peer-address=::1 "
                    + String(repeating: "x", count: 100) + "=1",
                "PRIORITY=4", "SYSLOG_IDENTIFIER=syncdaemon", "SYNC_USER_ID=ada\nPRIORITY=0",
                "SYNC_PEER_ADDRESS=::1",
            ])
        #expect(entries.last == "SYNC_" + String(repeating: "X", count: 59) + "=1")
    }

    @Test("many threads write whole lines and miscount nothing")
    func threads() async {
        let log = log()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<100 { log.info("Busy", ["peer": "x"]) } }
            }
        }

        log.reportSuppressed()

        #expect(sink.all.count == 11)
        #expect(sink.all.last?.hasSuffix("Busy suppressed=790") == true)
    }

    @Test("a line reaches its descriptor whole")
    func textSink() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let log = Log(level: .info, sink: TextSink(descriptor: ends[1])) {
            LogTime(seconds: 0, nanoseconds: 0)
        }

        log.notice("Started")
        log.debug("Not this")
        close(ends[1])

        var bytes = [UInt8](repeating: 0, count: 200)
        let count = read(ends[0], &bytes, bytes.count)
        close(ends[0])
        #expect(
            String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
                == "1970-01-01T00:00:00.000Z notice  Started\n")
    }

    @Test("levels are ordered by importance, and numbered as syslog does")
    func levels() {
        #expect(LogLevel.allCases.sorted() == [.error, .warning, .notice, .info, .debug])
        #expect(LogLevel.allCases.map(\.priority) == [3, 4, 5, 6, 7])
    }
}
