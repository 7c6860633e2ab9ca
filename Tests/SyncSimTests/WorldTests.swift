// Random worlds keep their promises; a failing seed is the bug report.

import Foundation
import Testing

@testable import syncsim

@Suite("Simulation", .timeLimit(.minutes(20)))
struct WorldTests {
    /// Runs the program: only there a seed makes the same world every time.
    private func run(_ arguments: String...) throws -> (status: Int32, output: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent()
            .appendingPathComponent("syncsim")
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    @Test("known worlds keep every promise, and every rung and fault is met there")
    func known() throws {
        let (status, output) = try run("--first", "1", "--seeds", "20")

        #expect(status == 0, "\(output)")
        for name in Self.expected where !output.contains("\n  \(name) .") {
            Issue.record("\(name) never happened in 20 worlds")
        }
    }

    @Test("worlds that broke a promise once keep it now", arguments: ["147675234660202"])
    func found(seed: String) throws {
        let (status, output) = try run("--seed", seed)

        #expect(status == 0, "\(output.suffix(2000))")
    }

    @Test("so do new ones")
    func new() throws {
        let (status, output) = try run("--seeds", "6")

        #expect(status == 0, "\(output)")
    }

    private static let expected = [
        "rung current", "rung delta", "rung repair", "rung snapshot", "rung window", "repaired",
        "older page wished", "window verified", "backup",
        "clock step", "corrupted cache", "cut connection", "daemon crash", "device crash", "drain",
        "full disk", "half-open connection", "offline", "partition", "replaced store",
        "restored backup", "slow reader", "stalled reactor", "deletion", "message that expires",
        "signal", "handshake", "poll", "polled event", "killed poller", "message not stored",
        "group change", "presence join", "power loss", "step of a deletion", "clearing",
        "summaries asked for", "live page", "live change", "selection", "edit", "edit on a device",
        "deletion of one's own", "refused not_owner", "refused no_such_message", "frozen daemon",
        "reserve takes over",
    ]

    @Test("a seed names one run, step by step")
    func isDeterministic() throws {
        let runs = try [run("--seed", "9"), run("--seed", "9")]

        #expect(runs[0].output.count > 1000)
        #expect(runs[0].output == runs[1].output)
    }
}

@Suite("Planted bugs", .timeLimit(.minutes(20)))
struct PlantedBugTests {
    @Test("each is found within 200 seeds", arguments: PlantedBug.allCases)
    func isFound(bug: PlantedBug) throws {
        let seeds = Self.start(of: bug)...200
        let found = seeds.first { SeedResult(living: $0, bug: bug).failure != nil }

        #expect(found != nil)
    }

    /// Where the program finds it, from seed 1 on: to save the time of the worlds before.
    private static func start(of bug: PlantedBug) -> UInt64 {
        switch bug {
        case .keptRival: 18
        case .presenceLostInCommit: 10
        case .clearingForgetsLate: 7
        case .ignoredFloor: 4
        case .forgottenMutation, .steppedRetention, .forgottenDeletion, .aliasOnAddOnly,
            .uncountedTap, .lateLivePage, .earlierTextStays:
            3
        case .pollFromNow, .acknowledgedOnFullDisk, .forgottenAlias: 2
        case .unkeptPosition, .narrowScore, .removalsFirst, .droppedTombstone, .skippedDigest,
            .laggingSummary, .doubleCount, .messageLeftInState, .wrongSide, .windowTooLong,
            .uncountedBefore, .nothingGone, .segmentTwice, .pageOverPushes, .noCeiling, .noFence,
            .noStandbyCheck, .judgeByVisible, .gapAtStart:
            1
        }
    }
}

@Suite("Power cuts", .timeLimit(.minutes(20)))
struct PowerCutTests {
    @Test("nothing acknowledged is lost, nothing is there twice")
    func promises() throws {
        // From where on some of them come between the sync and its news.
        let cuts = try PowerCuts(count: 240, first: 481)

        #expect(cuts.cuts == 240)
        #expect(cuts.acknowledged > 100 && cuts.unknown > 0 && cuts.survived > 0)
    }

    @Test("a disk that only says that it syncs is found out")
    func lyingDisk() {
        #expect(throws: BrokenPromise.self) {
            try PowerCuts(count: 40, first: 1, isDiskHonest: false)
        }
    }
}

@Suite("syncsim")
struct InvocationTests {
    @Test("a result survives its line")
    func line() throws {
        let result = SeedResult(living: 5, bug: nil)
        let copy = try #require(SeedResult(result.line.dropLast()))

        #expect(copy.seed == 5)
        #expect(copy.failure == result.failure)
        #expect(copy.tally.counts == result.tally.counts)
    }

    @Test(
        "a command line that makes no sense is refused",
        arguments: [["--seeds"], ["--seeds", "many"], ["--bug", "moth"], ["faster"]])
    func mistakes(arguments: [String]) {
        #expect(throws: Invocation.Mistake.self) {
            try Invocation.parse(arguments, processors: 2)
        }
    }
}
