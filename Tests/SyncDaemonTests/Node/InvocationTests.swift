// The command line: what it may say, and what is said about the rest.

import Testing

@testable import SyncDaemon

@Suite("Invocation")
struct InvocationTests {
    @Test(
        "the commands",
        arguments: [
            (["serve"], "serve"), (["config", "check"], "check"), (["config", "print"], "print"),
            (["--version"], "version"), (["-V"], "version"), (["--help"], "help"),
            (["help"], "help"), (["serve", "--listen", "[::1]:1", "--help"], "help"),
            (["config", "check", "--public"], "check public"), (["config", "--help"], "help"),
            (["config", "check", "--connect", "--public"], "check public server"),
            (["config", "check", "-h"], "help"),
            (["backup", "copy.db"], "backup copy.db"), (["backup", "-h"], "help"),
            (["restore", "--data-dir", "data", "copy.db"], "restore copy.db"),
            (["salvage", "copy.db"], "salvage copy.db"), (["salvage", "--help"], "help"),
            (["restore", "copy.db", "--data-dir=data"], "restore copy.db"),
            (["restore", "--at", "17960165119545071", "a"], "restore a 17960165119545071"),
            (["restore", "a", "--at=1970-01-01T00:00:01Z"], "restore a 10000000"),
            (["verify", "copy.db"], "verify copy.db"), (["verify", "--help"], "help"),
            (["store", "copy", "--from", "sqlite:a", "--to=postgres:host=b"], "copy syncdaemon"),
            (["store", "copy", "--schema=c", "--to=sqlite:a", "--from=postgres:host=b"], "copy c"),
            (["store", "--help"], "help"), (["plan", "--users=9", "--json"], "plan 9 json"),
        ])
    func commands(arguments: [String], expected: String) throws {
        let name =
            switch try Invocation.parse(arguments) {
            case .serve: "serve"
            case .checkConfiguration(let arguments):
                "check" + (arguments.isPublic ? " public" : "")
                    + (arguments.asksServer ? " server" : "")
            case .printConfiguration: "print"
            case .backUp(let arguments): "backup " + arguments.file
            case .salvage(let arguments): "salvage " + arguments.file
            case .restore(let arguments):
                "restore " + arguments.file + (arguments.moment.map { " \($0)" } ?? "")
            case .verify(let arguments): "verify " + arguments.file
            case .copyStore(let arguments): "copy " + arguments.schema
            case .plan(let use, let asJSON): "plan \(use.users)" + (asJSON ? " json" : "")
            case .showVersion: "version"
            case .showHelp: "help"
            }

        #expect(name == expected)
    }

    @Test("flags take their value from the next word or from behind =")
    func flags() throws {
        let words = ["serve", "--config", "-/etc/sync.ini", "--data-dir=a=b", "--insecure"]
        guard case .serve(let arguments) = try Invocation.parse(words) else {
            Issue.record("not serve")
            return
        }

        #expect(arguments.file == "-/etc/sync.ini")
        #expect(arguments.settings.map(\.key.path) == ["store.directory", "server.insecure"])
        #expect(arguments.settings.map(\.value) == ["a=b", "yes"])
    }

    @Test(
        "mistakes are named with their mend",
        arguments: [
            (
                [],
                "Say what to do: syncdaemon serve starts the daemon; syncdaemon --help lists the "
                    + "rest."
            ),
            (
                ["backup"],
                "Say which file: syncdaemon backup FILE; see syncdaemon backup --help."
            ),
            (
                ["restore", "one", "two"],
                "\"two\" is one word too many. Flags start with --; see syncdaemon restore --help."
            ),
            (["server"], "There is no command \"server\". Did you mean serve?"),
            (["dance"], "There is no command \"dance\". See syncdaemon --help."),
            (
                ["config"],
                "There is no command \"config\". Did you mean config check or config print?"
            ),
            (
                ["config", "chek"],
                "There is no command \"config chek\". Did you mean config check?"
            ),
            (
                ["--listen", "127.0.0.1:1"],
                "--listen: there is no such flag. Did you mean syncdaemon serve --listen?"
            ),
            (["serve", "--lisen", "x"], "--lisen: there is no such flag. Did you mean --listen?"),
            (
                ["serve", "--frobnicate"],
                "--frobnicate: there is no such flag. See syncdaemon serve --help."
            ),
            (
                ["serve", "now"],
                "\"now\" is one word too many. Flags start with --; see syncdaemon serve --help."
            ),
            (
                ["config", "check", "--pubic"],
                "--pubic: there is no such flag. Did you mean --public?"
            ),
            (
                ["config", "check", "--public", "--public"],
                "--public: the flag is given a second time. Keep one of the two."
            ),
            (
                ["serve", "--public"],
                "--public: there is no such flag. See syncdaemon serve --help."
            ),
            (
                ["serve", "--readers"],
                "--readers: the value is missing. Write a whole number from 1 to 64 behind it."
            ),
            (
                ["serve", "--config", "--readers", "2"],
                "--config: the value is missing. Write the path of a file behind it."
            ),
            (
                ["serve", "--readers", "2", "--readers=3"],
                "--readers: the flag is given a second time. Keep one of the two."
            ),
            (
                ["serve", "\u{1b}[31m"],
                "\"\\u{1b}[31m\" is one word too many. Flags start with --; see syncdaemon serve "
                    + "--help."
            ),
        ])
    func mistakes(arguments: [String], expected: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try Invocation.parse(arguments) }

        #expect(error?.description == expected)
    }

    @Test(
        "what a command does not know leads to the help of that command",
        arguments: [
            ["serve"], ["config", "check"], ["config", "print"], ["backup", "FILE"],
            ["salvage", "FILE"], ["restore", "FILE"], ["verify", "FILE"], ["store", "copy"],
            ["plan"],
        ])
    func ownHelp(command: [String]) {
        let words = command.filter { $0 != "FILE" }
        let help = "see syncdaemon \(words.joined(separator: " ")) --help."
        for unknown in ["--frobnicate", "bogus"] {
            let error = #expect(throws: ConfigurationError.self) {
                try Invocation.parse(command + [unknown])
            }

            #expect(error?.description.lowercased().hasSuffix(help) == true, "\(unknown)")
        }
        let first = #expect(throws: ConfigurationError.self) {
            try Invocation.parse(["--frobnicate"])
        }
        #expect(first?.description.hasSuffix("See syncdaemon --help.") == true)
    }

    @Test("the help names every flag with its key, its variable and its default")
    func help() {
        for key in Configuration.keys {
            #expect(HelpText.serve.contains("  \(key.flag)"))
            #expect(HelpText.serve.contains("[\(key.name), \(key.variable)]"))
        }
        let words = HelpText.serve.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("Default: 127.0.0.1:8080. [listen, SYNCDAEMON_SERVER_LISTEN]"))
    }

    @Test("help fits a terminal of 100 columns")
    func width() {
        for text in [HelpText.main, HelpText.serve, HelpText.configuration, HelpText.plan] {
            #expect(text.hasSuffix("\n"))
            for line in text.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
        }
    }

    @Test("no two settings share a flag or a variable")
    func distinct() {
        #expect(Set(Configuration.keys.map(\.flag)).count == Configuration.keys.count)
        #expect(Set(Configuration.keys.map(\.variable)).count == Configuration.keys.count)
    }
}
