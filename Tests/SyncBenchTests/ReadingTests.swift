// What the kernel, the daemon and other servers write is read correctly.

import Foundation
import Testing

@testable import syncbench

@Suite("Reading what others write")
struct ReadingTests {
    @Test("a parent is found behind whatever name a program has")
    func parents() {
        #expect(ProcessUsage.parent(inStat: "12 (nginx) S 7 12 12") == 7)
        #expect(ProcessUsage.parent(inStat: "12 (a) S 1 (b) ) R 41 12") == 41)
        #expect(ProcessUsage.parent(inStat: "") == nil)
        #expect(ProcessUsage.parent(inStat: "12 (nginx)") == nil)
    }

    @Test("resident memory is the second number of statm")
    func residentPages() {
        #expect(ProcessUsage.residentPages(inStatm: "9000 512 100 1 0 200 0\n") == 512)
        #expect(ProcessUsage.residentPages(inStatm: "9000") == nil)
    }

    @Test("a process that is gone is an error, not a process without cost")
    func goneProcesses() throws {
        let own = getpid()

        #expect(try ProcessUsage.cpuNanoseconds(of: [own]) > 0)
        #expect(try ProcessUsage.residentBytes(of: [own]) > 0)
        // Numbers of processes end at 2^22 (proc(5), pid_max); a clock holds no more than 29 bits.
        let none: pid_t = (1 << 22) + 1
        #expect(throws: BenchError.self) { try ProcessUsage.cpuNanoseconds(of: [own, none]) }
        #expect(throws: BenchError.self) { try ProcessUsage.residentBytes(of: [own, none]) }
    }

    @Test("metrics are found by name, and comments are not metrics")
    func metrics() throws {
        let metrics = MetricsText(
            """
            # HELP syncdaemon_reads_total Queries answered by the readers.
            # TYPE syncdaemon_reads_total counter
            syncdaemon_reads_total 42
            syncdaemon_sessions 7

            """)

        #expect(try metrics.value("reads_total") == 42)
        #expect(try metrics.value("sessions") == 7)
        #expect(throws: BenchError.self) { try metrics.value("reads") }
    }

    @Test("the processor is named once")
    func processor() {
        let text = "processor\t: 0\nmodel\t\t: 207\nmodel name\t: A: B (R)\nmodel name\t: C\n"

        #expect(Machine.processorName(inCPUInfo: text) == "A: B (R)")
        #expect(Machine.processorName(inCPUInfo: "") == "unknown processor")
    }

    @Test(
        "days become dates",
        arguments: [
            (0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29"), (11_017, "2000-03-01"),
            (20_513, "2026-03-01"), (20_778, "2026-11-21"), (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ])
    func dates(days: Int, text: String) {
        #expect(Machine.date(daysSince1970: days) == text)
    }

    @Test("a port is taken from a complete line only")
    func announcedPorts() {
        let line = "syncdaemon: listening on http://127.0.0.1:4321"

        #expect(Server.announcedPort("a warning\n\(line)\n") == 4321)
        #expect(Server.announcedPort("floor: listening on http://127.0.0.1:9\n") == 9)
        #expect(Server.announcedPort(line) == nil)
        #expect(Server.announcedPort("") == nil)
    }

    @Test("a device's place is in the replies to hello and subscribe")
    func bookmarks() {
        let text = """
            …{"id":0,"ok":{"session":"0-1","time":"9","epoch":"6f1c","heartbeat":25}}…{"id":2,\
            "ok":{"channels":[{"name":"c000001","mode":"current","cursor":"17952"}]}}
            """

        let bookmark = Bookmark(greeting: text)

        #expect(bookmark?.epoch == "6f1c")
        #expect(bookmark?.cursor == "17952")
        #expect(Bookmark(greeting: #"{"epoch":"6f1c"}"#) == nil)
    }

    @Test("a word is counted in whatever pieces it comes", arguments: 1...9)
    func counting(piece: Int) {
        let text = Array(#"ok "mode": x "mode""mode": mode "mode":"#.utf8)
        var counter = TextCounter("\"mode\":")

        for start in stride(from: 0, to: text.count, by: piece) {
            counter.add(text[start..<min(start + piece, text.count)])
        }

        #expect(counter.count == 3)
    }
}
