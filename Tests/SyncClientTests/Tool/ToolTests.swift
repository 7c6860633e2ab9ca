// syncctl as a process, against a server that plays a script: its output, errors and exit codes.

import Foundation
import Testing

@Suite("syncctl", .timeLimit(.minutes(10)))
struct ToolTests {
    private func start(_ server: ScriptedServer, _ arguments: String...) throws -> ChildProcess {
        try ChildProcess(
            Products.path(of: "syncctl"), arguments,
            environment: ["SYNCCTL_URL": server.url, "USER": "ada"])
    }

    /// Waits for its end.
    private func run(
        _ server: ScriptedServer, _ arguments: String...
    ) async throws -> (status: Int32, output: [String], errors: [String]) {
        let tool = try ChildProcess(
            Products.path(of: "syncctl"), arguments,
            environment: ["SYNCCTL_URL": server.url, "USER": "ada"])
        let status = try await tool.ended()
        return (status, tool.lines, tool.errors)
    }

    @Test("publish prints the timetoken")
    func publishes() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), expect("publish"), ok(#"{"timetoken":"17952187953729999"}"#)))

        let plain = try await run(server, "publish", "room", "hello")
        let json = try await run(server, "publish", "room", "hello", "--json")

        #expect(plain.status == 0)
        #expect(plain.output == ["17952187953729999"])
        #expect(json.output == [#"{"timetoken":"17952187953729999"}"#])
        let command = try #require(try await server.commands(2).last)
        #expect(command.members["payload"] == "hello")
    }

    @Test("react on the last message asks which that is")
    func reacts() async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), expect("history"),
                ok(#"{"messages":[{"timetoken":"100","uuid":"bob","payload":1}]}"#),
                expect("addAction"),
                ok(
                    """
                    {"applied":"added","action":{"messageTimetoken":"100","type":"reaction",\
                    "value":"👍","uuid":"ada","actionTimetoken":"101"}}
                    """)))

        let result = try await run(server, "react", "add", "room", "last", "👍")

        #expect(result.status == 0)
        #expect(result.output == ["👍 added to 100"])
        #expect(try await server.commands(3).last?.members["messageTimetoken"] == "100")
    }

    @Test("subscribe counts right from the start, though the reactions are older than it")
    func subscribes() async throws {
        let added = """
            {"send":{"t":{"t":"61","r":1},"c":"room","m":[{"f":0,"e":3,"i":"bob","c":"room",\
            "p":{"t":"61","r":1},"d":{"event":"added","data":{"messageTimetoken":"10",\
            "type":"reaction","value":"👍","actionTimetoken":"61"}}}]}}
            """
        let standing = """
            {"actions":[{"messageTimetoken":"10","type":"reaction","value":"👍","uuid":"eve",\
            "actionTimetoken":"11"},{"messageTimetoken":"10","type":"reaction","value":"👍",\
            "uuid":"bob","actionTimetoken":"61"}]}
            """
        let server = try await ScriptedServer(
            connection(
                greeting(), subscribed("current", at: 60), expect("actions"), ok(standing), added,
                push(62)))

        let result = try await run(server, "subscribe", "room", "--count", "2")

        #expect(result.status == 0)
        #expect(
            result.output == ["61  bob added 👍 to 10  👍 2", #"62  bob: {"n":62}"#])
    }

    @Test("Ctrl-C ends subscribe with a close frame and exit code 0")
    func interrupted() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), subscribed("current", at: 0), push(5)))
        let tool = try start(server, "subscribe", "room", "--json")
        try await eventually("the event is shown") { tool.lines.count == 2 }

        tool.send(signal: SIGINT)

        #expect(try await tool.ended() == 0)
        #expect(tool.lines.first == #"{"event":"connected"}"#)
        try await eventually("the server hears the close") { server.closeCodes[0] == 1000 }
    }

    @Test("subscribe reconnects and says so on standard error only")
    func reconnects() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), subscribed("current", at: 0), push(5), drop),
            connection(greeting(), subscribed("delta", at: 5), push(5, 6)))

        let result = try await run(server, "subscribe", "room", "--count", "2")

        #expect(result.status == 0)
        #expect(result.output == [#"5  bob: {"n":5}"#, #"6  bob: {"n":6}"#])
        #expect(result.errors == ["syncctl: the connection broke; reconnecting."])
    }

    @Test("the daemon's sentence ends where the tool goes on")
    func reconnectsAfterAStop() async throws {
        let server = try await ScriptedServer(
            connection(
                greeting(), subscribed("current", at: 0), push(5),
                #"{"close":1001,"reason":"The daemon stops. Reconnect."}"#),
            connection(greeting(), subscribed("delta", at: 5), push(5, 6)))

        let result = try await run(server, "subscribe", "room", "--count", "2")

        #expect(result.errors == ["syncctl: The daemon stops. Reconnect; reconnecting."])
    }

    @Test("without a daemon it says what to do, and fails")
    func noDaemon() async throws {
        let tool = try ChildProcess(
            Products.path(of: "syncctl"), ["history", "room", "--url", "ws://127.0.0.1:1"],
            environment: [:])

        #expect(try await tool.ended() == 1)
        #expect(tool.lines.isEmpty)
        #expect(tool.errors.count == 1)
        #expect(tool.errors.first?.contains("`systemctl start syncdaemon`") == true)
        #expect(tool.errors.first?.contains("`make run`") == true)
    }

    @Test("what answers and is no daemon, and a host that nobody knows, are said as such")
    func wrongService() async throws {
        let server = try await ScriptedServer("\"http\"")
        let web = try await run(server, "history", "room")
        #expect(web.status == 1)
        #expect(web.errors.count == 1)
        #expect(
            web.errors.first?.hasPrefix(
                "syncctl: 127.0.0.1:\(server.port) answers, but is not a syncdaemon") == true)
        #expect(web.errors.first?.contains("make run") == false)

        let host = "ws://no-such-host.invalid"
        let unknown = try await run(server, "history", "room", "--url", host)
        #expect(unknown.status == 1)
        #expect(
            unknown.errors.first?.hasPrefix(
                "syncctl: The host no-such-host.invalid is not known: ") == true)
    }

    @Test(
        "with --json an error is one object on one line, with a code, and the same exit code",
        arguments: [
            (["react", "add", "room", "5", "👍", "--json"], "usage", 2),
            (["--json"], "usage", 2), (["history", "room", "--json", "--nope"], "usage", 2),
            (["history", "room", "--url", "ftp://x", "--json"], "invalid_url", 2),
            (["history", "room", "--url", "ws://127.0.0.1:1", "--json"], "cannot_connect", 1),
            (["history", "room", "--url", "ws://x.invalid", "--json"], "unknown_host", 1),
            (
                ["history", "room", "--url", "wss://x", "--ca-file", "/no", "--json"], "untrusted",
                1
            ),
            (["cache", "verify", "--cache", "/no", "--json"], "no_cache", 1),
        ] as [([String], String, Int32)])
    func jsonErrors(arguments: [String], code: String, status: Int32) async throws {
        let tool = try ChildProcess(Products.path(of: "syncctl"), arguments, environment: [:])

        #expect(try await tool.ended() == status)
        #expect(tool.lines.isEmpty)
        try #require(tool.errors.count == 1)
        let object = try JSONSerialization.jsonObject(with: Data(tool.errors[0].utf8))
        let error = try #require((object as? [String: Any])?["error"] as? [String: Any])
        #expect(error["code"] as? String == code)
        #expect((error["message"] as? String)?.isEmpty == false)
        if code != "no_cache" { #expect((error["advice"] as? String)?.isEmpty == false) }
    }

    @Test(
        "advice names what is at fault",
        arguments: [
            (["--url", "wss://127.0.0.1:1", "--ca-file", "/no"], "/no", "Give --ca-file the PEM"),
            (["--since", "abc"], "or 0 for everything, not \"abc\"", "subscribe --help"),
        ])
    func advice(options: [String], fault: String, advice: String) async throws {
        let tool = try ChildProcess(
            Products.path(of: "syncctl"), ["subscribe", "room"] + options, environment: [:])

        #expect(try await tool.ended() != 0)
        #expect(tool.errors.count == 1)
        #expect(tool.errors.first?.contains(fault) == true)
        #expect(tool.errors.first?.contains(advice) == true)
    }

    @Test("a refusal for now says when to try again")
    func rateLimited() async throws {
        let busy = #"""
            {"send":{"id":"$id","error":{"status":429,"code":"rate_limited","message":"No.",\#
            "retryAfter":3}}}
            """#
        let server = try await ScriptedServer(connection(greeting(), expect("publish"), busy))

        let plain = try await run(server, "publish", "room", "hello")
        let json = try await run(server, "publish", "room", "hello", "--json")

        #expect(plain.errors == ["syncctl: No. Try again in 3 s."])
        #expect(
            json.errors == [
                #"{"error":{"code":"rate_limited","message":"No.","#
                    + #""advice":"Try again in 3 s.","retryAfter":3}}"#
            ])
    }

    @Test("a refusal is one sentence, and it fails")
    func refused() async throws {
        let server = try await ScriptedServer(
            connection(greeting(), expect("publish"), refusal(507, "store_full")))

        let result = try await run(server, "publish", "room", "hello")

        #expect(result.status == 1)
        #expect(result.errors == ["syncctl: No."])
    }

    @Test(
        "a command line that makes no sense is exit code 2",
        arguments: [[], ["sing"], ["history"], ["history", "room", "--url", "ftp://x"]])
    func usage(arguments: [String]) async throws {
        let tool = try ChildProcess(
            Products.path(of: "syncctl"), arguments, environment: [:])

        #expect(try await tool.ended() == 2)
        #expect(tool.lines.isEmpty)
        #expect(tool.errors.count == 1)
    }

    @Test("help goes to standard output", arguments: [["--help"], ["react", "--help"], ["help"]])
    func help(arguments: [String]) async throws {
        let tool = try ChildProcess(
            Products.path(of: "syncctl"), arguments, environment: [:])

        #expect(try await tool.ended() == 0)
        #expect(tool.lines.count > 10)
        #expect(tool.errors.isEmpty)
    }
}
