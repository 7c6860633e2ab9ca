// The command line of syncctl, without a process.

import EventModel
import Testing

@testable import syncctl

@Suite("Command line")
struct ArgumentParserTests {
    private let parser = ArgumentParser(
        surroundings: Surroundings(
            environment: ["USER": "ada"], hostName: "den", accountName: "account", processID: 7))

    private func parse(_ line: String...) throws -> Invocation {
        try parser.parse(line)
    }

    private func job(_ line: String...) throws -> Job {
        guard case .run(let job, _) = try parser.parse(line) else {
            throw UsageError(message: "not a job")
        }
        return job
    }

    private func options(_ line: [String], _ surroundings: Surroundings) throws -> Options {
        guard
            case .run(_, let options) = try ArgumentParser(surroundings: surroundings).parse(line)
        else { throw UsageError(message: "not a job") }
        return options
    }

    private let timetoken = Timetoken(rawValue: 17_952_187_953_729_999)

    @Test("help and version")
    func help() throws {
        #expect(try parse("--help") == .help(nil))
        #expect(try parse("-h") == .help(nil))
        #expect(try parse("help") == .help(nil))
        #expect(try parse("help", "react") == .help(.react))
        #expect(try parse("--version") == .version)
        for subcommand in Subcommand.allCases {
            #expect(try parse(subcommand.rawValue, "--help") == .help(subcommand))
            guard !subcommand.isOperators else { continue }
            #expect(try parse("--url", "ws://x", subcommand.rawValue, "-h") == .help(subcommand))
        }
    }

    @Test("chat is in one channel, and has a device of its own")
    func chat() throws {
        #expect(try job("chat", "room") == .chat(Chatting(channel: "room")))
        #expect(
            try job("chat", "room", "--cache", "file")
                == .chat(Chatting(channel: "room", cache: "file")))
        for line in [["room", "den"], [], ["room", "--json"], ["room", "--cache="]] {
            #expect(throws: UsageError.self) { try parser.parse(["chat"] + line) }
        }
        let surroundings = Surroundings(hostName: "den", processID: 7)
        #expect(try options(["chat", "room"], surroundings).device == "syncctl-den-7")
    }

    @Test("subscribe")
    func subscribe() throws {
        #expect(
            try job("subscribe", "room", "den")
                == .subscribe(Following(channels: ["room", "den"])))
        #expect(
            try job("subscribe", "--since=0", "room", "--count", "3")
                == .subscribe(Following(channels: ["room"], since: .zero, count: 3)))
        #expect(
            try job("subscribe", "--last", "50", "room")
                == .subscribe(Following(channels: ["room"], last: 50)))
        for line in [
            ["room", "--last", "0"], ["room", "--last", "1001"], ["room", "den", "--last", "1"],
            ["room", "--last", "1", "--since", "0"],
        ] {
            #expect(throws: UsageError.self) { try parser.parse(["subscribe"] + line) }
        }
    }

    @Test(
        "publish makes a string of what is not JSON",
        arguments: [
            (["hello"], #""hello""#), (["hello", "world"], #""hello world""#),
            ([#"say "hi""#], #""say \"hi\"""#), ([#"{"text": "hi"}"#], #"{"text":"hi"}"#),
            (["42"], "42"), (["--text", "42"], #""42""#), (["{"], #""{""#), (["👍"], #""👍""#),
            ([#""quoted""#], #""quoted""#), (["--", "--text"], #""--text""#), (["-"], #""-""#),
            (["null"], "null"), ([""], #""""#),
        ])
    func publish(words: [String], payload: String) throws {
        let invocation = try parser.parse(["publish", "room"] + words)

        guard case .run(.publish("room", let message), _) = invocation else {
            Issue.record("\(invocation)")
            return
        }
        #expect(message == Message(payload: payload))
    }

    @Test("publish with meta and type")
    func publishMeta() throws {
        #expect(
            try job("publish", "room", "hi", "--meta", #"{"lang": "en"}"#, "--type", "text")
                == .publish(
                    channel: "room",
                    Message(payload: #""hi""#, meta: #"{"lang":"en"}"#, type: "text")))
    }

    @Test("react")
    func react() throws {
        #expect(
            try job("react", "add", "room", "last", "👍")
                == .react(
                    Reacting(
                        change: .add, channel: "room", target: .last, type: "reaction", value: "👍"))
        )
        #expect(
            try job("react", "remove", "room", "\(timetoken)", "👀", "--type", "receipt")
                == .react(
                    Reacting(
                        change: .remove, channel: "room", target: .timetoken(timetoken),
                        type: "receipt", value: "👀")))
    }

    @Test("history")
    func history() throws {
        #expect(
            try job("history", "room")
                == .history(HistoryReading(channel: "room", limit: 20, includesActions: false)))
        #expect(
            try job("history", "room", "--limit", "500", "--before", "\(timetoken)", "--actions")
                == .history(
                    HistoryReading(
                        channel: "room", limit: 500, before: .timetoken(timetoken),
                        includesActions: true)))
    }

    @Test("a reaction is sent in the form that all keyboards agree on, unless it is to be exact")
    func canonical() throws {
        for (typed, sent) in [("❤", "❤️"), (" 👍 ", "👍"), ("❤️", "❤️")] {
            let added = try job("react", "toggle", "room", "last", typed)
            let exact = try job("react", "add", "room", "last", typed, "--exact")
            let asked = try job("actions", "room", "--value", typed)
            guard case .react(let reacting) = added, case .react(let raw) = exact,
                case .actions(let reading) = asked
            else {
                Issue.record("\(added)")
                continue
            }
            #expect(reacting.change == .toggle)
            #expect(Array(reacting.value.utf8) == Array(sent.utf8))
            #expect(Array(raw.value.utf8) == Array(typed.utf8))
            #expect(reading.query.values.map { Array($0.utf8) } == [Array(sent.utf8)])
        }
    }

    @Test("delete takes one message or a range")
    func delete() throws {
        #expect(
            try job("delete", "room", "last")
                == .delete(Deleting(channel: "room", first: .last, last: .last)))
        #expect(
            try job("delete", "room", "\(timetoken)", "last")
                == .delete(
                    Deleting(channel: "room", first: .timetoken(timetoken), last: .last)))
    }

    @Test("last is the newest message wherever one is named")
    func last() throws {
        #expect(
            try job("history", "room", "--before", "last")
                == .history(
                    HistoryReading(
                        channel: "room", limit: 20, before: .last, includesActions: false)))
        #expect(
            try job("actions", "room", "--message", "last")
                == .actions(ActionsReading(query: ActionsQuery(channel: "room"), message: .last)))
    }

    @Test("what cannot be a message is refused with words", arguments: ["5", "0", "first", ""])
    func implausible(message: String) {
        for line in [
            ["react", "add", "room", message, "👍"], ["delete", "room", message],
            ["actions", "room", "--message", message],
        ] {
            let error = #expect(throws: UsageError.self) { try parser.parse(line) }
            #expect(error?.message.contains("17 digits") == true)
        }
    }

    @Test("the list of subcommands is whole, in errors and in the help")
    func list() {
        let error = #expect(throws: UsageError.self) { try parser.parse(["sing"]) }
        for name in Subcommand.allCases.map(\.rawValue) {
            #expect(error?.message.contains(name) == true)
            #expect(Help.text(for: nil).contains("\n  \(name) "))
        }
    }

    @Test("--user says who one is, everywhere; --by filters")
    func actions() throws {
        #expect(
            try job(
                "actions", "room", "--message", "\(timetoken)", "--type", "reaction", "--value",
                "👍", "--by", "bob", "--limit", "5")
                == .actions(
                    ActionsReading(
                        query: ActionsQuery(
                            channel: "room", types: ["reaction"], values: ["👍"], userIDs: ["bob"]),
                        message: .timetoken(timetoken), limit: 5)))
        for line in [["--user", "bob", "actions", "room"], ["actions", "room", "--user", "bob"]] {
            guard case .run(let job, let options) = try parser.parse(line) else {
                Issue.record("no job")
                continue
            }
            #expect(job == .actions(ActionsReading(query: ActionsQuery(channel: "room"))))
            #expect(options.user == "bob")
        }
    }

    @Test("a cache is compared or mended, in some channels or in all")
    func caches() throws {
        #expect(
            try job("cache", "verify", "--cache", "file", "room", "den")
                == .cache(.init(verb: .verify, file: "file", channels: ["room", "den"])))
        #expect(
            try job("cache", "repair", "--cache", "file")
                == .cache(.init(verb: .repair, file: "file", channels: [])))
    }

    @Test("options come from the command line, then the environment, then the machine")
    func options() throws {
        let line = ["history", "room"]
        let plain = Surroundings(hostName: "den", accountName: "account", processID: 7)
        let known = Surroundings(
            environment: ["USER": "ada", "SYNCCTL_URL": "ws://far:1"], hostName: "den")

        #expect(
            try options(line, plain) == Options(user: "account", device: "syncctl-den"))
        #expect(
            try options(line, known)
                == Options(url: "ws://far:1", user: "ada", device: "syncctl-den"))
        #expect(try options(["subscribe", "room"], plain).device == "syncctl-den-7")
        #expect(
            try options(
                line + [
                    "--url", "ws://near:2", "--user", "bob", "--device", "phone", "--keyset", "k",
                    "--json", "--ca-file", "ca.pem",
                ], known)
                == Options(
                    url: "ws://near:2", user: "bob", device: "phone", keyset: "k",
                    caFile: "ca.pem", writesJSON: true))
    }

    @Test(
        "what makes no sense is refused with one sentence",
        arguments: [
            [], ["sing"], ["--sing"], ["subscribe"], ["subscribe", "room", "--since", "x"],
            ["subscribe", "room", "--since"], ["subscribe", "room", "--count", "0"],
            ["publish", "room"], ["publish", "room", "hi", "--meta", "{"],
            ["publish", "room", "hi", "--limit", "3"], ["react", "room", "last", "👍"],
            ["react", "add", "room", "first", "👍"], ["react", "flip", "room", "last", "👍"],
            ["react", "add", "room", "last", ""], ["react", "add", "room", "last", " "],
            ["delete", "room"], ["delete", "room", "last", "last", "last"],
            ["delete", "room", "17952187953729999", "17952187953729998"],
            ["history"], ["history", "a", "b"], ["history", "room", "--limit", "-1"],
            ["history", "room", "--actions=yes"], ["actions", "room", "--message", ""],
            ["history", "room", "--user", ""], ["cache"], ["cache", "verify", "room"],
            ["cache", "mend", "--cache", "file"], ["cache", "repair", "--cache", ""],
        ])
    func refuses(line: [String]) {
        let error = #expect(throws: UsageError.self) { try parser.parse(line) }
        #expect(error?.message.hasSuffix(".") == true || error?.message.hasSuffix(")") == true)
    }

    @Test("every option that is parsed is in the help", arguments: Subcommand.allCases)
    func helpIsComplete(subcommand: Subcommand) {
        let text = Help.text(for: subcommand)

        // Operators ask at a socket of the machine, and are nobody there.
        let global = ["--url", "--user", "--device", "--keyset", "--ca-file", "--json", "--help"]
        let operators: [Subcommand: [String]] = [
            .admin: ["--json", "--help"], .stats: ["--json", "--help"], .top: ["--help"],
        ]
        for option in operators[subcommand] ?? global {
            #expect(text.contains(option))
        }
        for option in subcommand.valuedOptions.union(subcommand.plainOptions) {
            #expect(text.contains(option), "\(option)")
        }
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
}
