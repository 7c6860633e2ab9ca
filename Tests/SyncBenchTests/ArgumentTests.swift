// Command lines of the load tool.

import Testing

@testable import syncbench

@Suite("Arguments of syncbench")
struct ArgumentTests {
    private func run(_ arguments: String...) throws -> Run {
        guard case .run(let run) = try ArgumentParser.parse(arguments) else {
            throw BenchError("This is no run.")
        }
        return run
    }

    @Test("what is not said has its default")
    func defaults() throws {
        let run = try run("fanout")

        #expect(run.servers == [.syncdaemon])
        #expect(run.settings[.subscribers] == 1000)
        #expect(run.places == Places())
        #expect(!run.writesJSON)
        #expect(try self.run("table").servers == ServerKind.peers)
    }

    @Test("options are taken, and --daemon goes before the variable")
    func options() throws {
        let run = try run(
            "fanout", "--window", "1", "--server", "floor,nats,floor", "--json", "--work", "/w",
            "--save", "s")

        #expect(run.settings[.window] == 1)
        #expect(run.servers == [.floor, .nats])
        #expect(run.writesJSON)
        #expect(run.places.work == "/w")
        #expect(run.places.save == "s")
        for (arguments, daemon) in [(["adds"], "theirs"), (["adds", "--daemon", "mine"], "mine")] {
            guard case .run(let adds) = try ArgumentParser.parse(arguments, daemon: "theirs") else {
                throw BenchError("This is no run.")
            }
            #expect(adds.places.daemon == daemon)
        }
    }

    @Test("help and comparisons are told apart from runs")
    func others() throws {
        #expect(try ArgumentParser.parse(["--help"]) == .help(nil))
        #expect(try ArgumentParser.parse(["storm", "--help"]) == .help(.storm))
        #expect(
            try ArgumentParser.parse(["compare", "a", "b"])
                == .compare(old: "a", new: "b", tolerance: 25))
        #expect(
            try ArgumentParser.parse(["compare", "a", "--tolerance", "50", "b"])
                == .compare(old: "a", new: "b", tolerance: 50))
    }

    @Test(
        "what makes no sense is refused as such",
        arguments: [
            [], ["nonsense"], ["fanout", "--nonsense"], ["fanout", "--window"],
            ["fanout", "--window", "0"], ["fanout", "--window", "many"],
            ["fanout", "--depth", "1"],
            ["adds", "--server", "floor"], ["fanout", "--server", "redis"],
            ["fanout", "--server", ","], ["compare", "a"],
            ["compare", "a", "b", "c"], ["compare", "a", "b", "--window", "1"],
            ["compare", "a", "b", "--tolerance"], ["compare", "a", "b", "--tolerance", "0"],
            ["fanout", "--window", "5", "--burst", "6"], ["fanout", "--burst", "51"],
            ["slow", "--subscribers", "10", "--stuck", "10"],
        ])
    func refusals(arguments: [String]) {
        let error = #expect(throws: BenchError.self) { try ArgumentParser.parse(arguments) }

        #expect(error?.isUsage == true)
    }

    @Test("help names every option with its default", arguments: Subcommand.allCases)
    func help(subcommand: Subcommand) {
        let text = Help.text(for: subcommand)

        for (setting, value) in subcommand.defaults {
            #expect(text.contains("\(setting.flag) N"))
            #expect(text.contains("(default: \(value))"))
        }
        #expect(text.contains("--server") == subcommand.takesServers)
        #expect(Help.text(for: nil).contains(subcommand.rawValue))
        for line in text.split(separator: "\n") { #expect(line.count <= 100) }
    }
}
