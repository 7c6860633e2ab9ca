// The load tool as a process, against the real daemon.

import Foundation
import Testing

@testable import syncbench

@Suite("syncbench", .timeLimit(.minutes(10)))
struct SmokeTests {
    /// A folder for one run of the tool, and where the programs are.
    private struct Workplace: ~Copyable {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "syncbench-\(UUID().uuidString)").path()

        deinit {
            try? FileManager.default.removeItem(atPath: folder)
        }

        static func product(_ name: String) throws -> String {
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(filePath: tests).deletingLastPathComponent().appending(path: name).path()
        }

        /// - Returns: Its exit code and what it printed.
        func run(_ arguments: String...) throws -> (status: Int32, output: String) {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(filePath: try Self.product("syncbench"))
            process.arguments = arguments
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            var environment = ProcessInfo.processInfo.environment
            if environment["SYNCDAEMON_BINARY"] == nil {
                environment["SYNCDAEMON_BINARY"] = try Self.product("syncdaemon")
            }
            process.environment = environment
            try process.run()
            let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test("events reach twenty subscribers of the real daemon, and are counted")
    func fanout() throws {
        let place = Workplace()

        let result = try place.run(
            "fanout", "--subscribers", "20", "--seconds", "1", "--rounds", "1", "--work",
            place.folder, "--json")

        #expect(result.status == 0)
        let record = try #require(try Record.read(result.output).first)
        #expect(record.server == .syncdaemon)
        #expect(record.parameters == ["subscribers": 20, "window": 50, "burst": 1, "bytes": 200])
        #expect(try #require(record.values[.deliveriesPerSecond]) > 20)
        #expect(try #require(record.values[.cpuPerDelivery]) > 0)
        // An event has 200 bytes; around one or more of them is a frame.
        #expect((200...270).contains(try #require(record.values[.bytesPerDelivery])))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: place.folder) == ["version.log"])
    }

    @Test("the daemon is loaded with access control, too, by who shows a token")
    func guarded() throws {
        let place = Workplace()

        let result = try place.run(
            "fanout", "--server", "guarded", "--subscribers", "20", "--seconds", "1", "--rounds",
            "1", "--work", place.folder, "--json")

        #expect(result.status == 0)
        let record = try #require(try Record.read(result.output).first)
        #expect(record.server == .guarded)
        #expect(try #require(record.values[.deliveriesPerSecond]) > 20)
        // As many as without.
        #expect((200...270).contains(try #require(record.values[.bytesPerDelivery])))
    }

    @Test("devices that come back have missed nothing")
    func storm() throws {
        let place = Workplace()

        let result = try place.run(
            "storm", "--subscribers", "20", "--channels", "5", "--events", "3", "--work",
            place.folder, "--json")

        #expect(result.status == 0)
        let record = try #require(try Record.read(result.output).first)
        #expect(record.values[.missed] == 0)
        #expect(record.values[.doubled] == 0)
    }

    @Test("a cache that is too old is repaired, and PubNub's pages say the same")
    func repair() throws {
        let place = Workplace()

        let result = try place.run(
            "repair", "--reactions", "400", "--messages", "25", "--writers", "20", "--rounds", "2",
            "--work", place.folder, "--json")

        #expect(result.status == 0)
        let records = try Record.read(result.output)
        #expect(
            records.map(\.scenario) == ["repair", "repair", "pubnub-actions", "pubnub-history"])
        #expect(records.map(\.parameters["turn"]) == [1, 2, nil, nil])
        #expect(records[2].values[.roundTripsMedian] == 4)
        #expect(records[3].values[.roundTripsMedian] == 1)
        #expect(try #require(records[0].values[.receivedWorst]) < 1024)
        #expect(try #require(records[2].values[.receivedMedian]) > 10_000)
        let table = RepairTable.text(records)
        #expect(table.contains("| 10 differences | message-actions | history-with-actions |"))
    }

    @Test(
        "all devices that come back are equal, whatever they hold",
        arguments: [("0", "0"), ("1", "0"), ("0", "10"), ("1", "10")])
    func comingBack(linger: String, last: String) throws {
        let place = Workplace()

        let result = try place.run(
            "return", "--subscribers", "30", "--channels", "12", "--follows", "5", "--messages",
            "100", "--reactions", "200", "--changes", "600", "--linger", linger, "--last", last,
            "--work", place.folder, "--json")

        #expect(result.status == 0)
        let record = try #require(try Record.read(result.output).first)
        #expect(record.values[.unequal] == 0)
        let modes: [Metric] = [.currentChannels, .deltaChannels]
        #expect(modes.reduce(0) { $0 + record.values[$1, default: 0] } == 150)
        #expect(try #require(record.values[.bytesPerDevice]) > 500)
    }

    @Test("every add is acknowledged and delivered")
    func adds() throws {
        let place = Workplace()

        let result = try place.run(
            "adds", "--writers", "2", "--channels", "3", "--seconds", "1", "--work",
            place.folder, "--json")

        #expect(result.status == 0)
        let records = try Record.read(result.output)
        #expect(records.map(\.parameters["percent"]) == [100, 50])
        for record in records {
            #expect(try #require(record.values[.acknowledgedPerSecond]) > 0)
        }
    }

    @Test("exit codes tell a wrong command line from a regression and a missing file")
    func exitCodes() throws {
        let place = Workplace()
        try FileManager.default.createDirectory(
            atPath: place.folder, withIntermediateDirectories: true)
        func file(_ name: String, idleBytes: Double) throws -> String {
            let record = Record(
                scenario: "idle", server: .syncdaemon, parameters: [:],
                values: [.idleBytes: idleBytes])
            let path = "\(place.folder)/\(name)"
            try record.json.write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }
        let (old, new) = (try file("old", idleBytes: 1000), try file("new", idleBytes: 2000))

        #expect(try place.run("compare", old, old).status == 0)
        #expect(try place.run("compare", old, new).status == 1)
        #expect(try place.run("compare", old, new, "--tolerance", "100").status == 0)
        #expect(try place.run("compare", old, "\(place.folder)/absent").status == 1)
        #expect(try place.run("nonsense").status == 2)
        #expect(try place.run("--help").output.contains("Usage: syncbench"))
    }
}
