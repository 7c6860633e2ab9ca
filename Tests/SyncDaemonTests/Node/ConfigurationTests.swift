// Settings: who wins, what is refused, and in which words.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Configuration")
struct ConfigurationTests {
    private let home = ["HOME": "/home/ada"]

    private func resolve(
        _ arguments: [String] = [], environment: [String: String] = [:], file: String? = nil
    ) throws -> Configuration {
        guard case .serve(let arguments) = try Invocation.parse(["serve"] + arguments) else {
            throw ConfigurationError.missingCommand
        }
        return try Configuration.resolve(
            arguments: arguments,
            environment: home.merging(environment) { $1 },
            file: file.map { ConfigurationFile(path: "sync.ini", text: $0) },
            readSecret: ConfigurationSample.readSecret)
    }

    private func message(
        _ arguments: [String] = [], environment: [String: String] = [:], file: String? = nil
    ) -> String {
        do {
            _ = try resolve(arguments, environment: environment, file: file)
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    @Test("without a word from anybody it listens on loopback and keeps its data at home")
    func defaults() throws {
        let configuration = try resolve()

        #expect(configuration.listen == ListenAddress(host: "127.0.0.1", port: 8080))
        #expect(configuration.reactors == 0)
        #expect(configuration.readers == 2)
        #expect(configuration.adminListen == nil)
        #expect(configuration.allowedOrigins.isEmpty)
        #expect(configuration.allowedHosts.isEmpty)
        #expect(configuration.connections == Limits.connectionsMax)
        #expect(configuration.connectionsPerAddress == 20_000)
        #expect(!configuration.insecure)
        #expect(configuration.storeKind == .sqlite)
        #expect(configuration.directory == "/home/ada/.local/state/syncdaemon")
        #expect(configuration.logLevel == .info)
        #expect(configuration.logFormat == .auto)
        #expect(configuration.sendQueueBytes == Limits.sendQueueBytesMax)
        #expect(configuration.commandsPerSecond == Limits.commandsPerSecondMax)
    }

    @Test("a flag beats a variable, a variable the file, the file the default")
    func precedence() throws {
        let file = "[server]\nreaders = 3\n"
        let environment = ["SYNCDAEMON_SERVER_READERS": "4"]

        #expect(try resolve(file: file).readers == 3)
        #expect(try resolve(environment: environment, file: file).readers == 4)
        #expect(try resolve(["--readers", "5"], environment: environment, file: file).readers == 5)
    }

    @Test(
        "each key can be set in the file, as a flag and as a variable",
        arguments: ConfigurationSample.all)
    func everyKey(sample: ConfigurationSample) throws {
        let key = try #require(Configuration.keys.first { $0.path == sample.path })
        let insecure = sample.companions(key).merging(["SYNCDAEMON_SERVER_INSECURE": "yes"]) { $1 }
        let line = "[\(key.section)]\n\(key.name) = \(sample.text)\n"

        let results = [
            try resolve(environment: insecure, file: line),
            try resolve(["\(key.flag)=\(sample.text)"], environment: insecure),
            try resolve(environment: insecure.merging([key.variable: sample.text]) { $1 }),
        ]

        for result in results { #expect(key.write(result) == sample.written) }
    }

    @Test("the samples leave out no key")
    func samplesAreComplete() {
        #expect(Configuration.keys.map(\.path) == ConfigurationSample.all.map(\.path))
    }

    @Test(
        "the data's directory comes from systemd, else from XDG, else from the home directory",
        arguments: [
            (["STATE_DIRECTORY": "/var/lib/syncdaemon"], "/var/lib/syncdaemon"),
            (["STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "HOME": "/root"], "/var/lib/a"),
            (["XDG_STATE_HOME": "/state", "HOME": "/root"], "/state/syncdaemon"),
            (["XDG_STATE_HOME": "state", "HOME": "/root"], "/root/.local/state/syncdaemon"),
            (["HOME": "/"], "/.local/state/syncdaemon"),
            ([:], nil),
        ])
    func directory(environment: [String: String], expected: String?) {
        #expect(Configuration.defaultDirectory(environment) == expected)
    }

    @Test("a memory store needs no directory")
    func memory() throws {
        let arguments = ServeArguments(
            settings: [
                FlagSetting(
                    key: try #require(Configuration.key("kind", in: "store")),
                    value: "memory")
            ])

        let configuration = try Configuration.resolve(arguments: arguments, environment: [:])

        #expect(configuration.storeKind == .memory)
        #expect(throws: ConfigurationError.noDirectory) {
            try Configuration.resolve(arguments: ServeArguments(), environment: [:])
        }
    }

    @Test("a list grows from line to line, and a stronger place replaces it")
    func lists() throws {
        let file = """
            [server]
            allowed_origins = https://a.example, https://B.example:8443
            allowed_origins = http://c.example
            """

        #expect(
            try resolve(file: file).allowedOrigins == [
                "https://a.example", "https://b.example:8443", "http://c.example",
            ])
        #expect(
            try resolve(["--allowed-origins", "https://d.example"], file: file).allowedOrigins
                == ["https://d.example"])
    }

    @Test("comments, indentation, CRLF and a byte order mark do no harm")
    func layout() throws {
        let file =
            "\u{feff}# a comment\r\n; another\r\n[server]\r\n   readers = 7 ; why\r\n"
            + "\tinsecure: yes\r\n"

        let configuration = try resolve(file: file)

        #expect(configuration.readers == 7)
        #expect(configuration.insecure)
    }

    @Test("every mistake is named with its place and its mend", arguments: ConfigurationMistake.all)
    func mistakes(mistake: ConfigurationMistake) {
        let text = message(
            mistake.arguments, environment: mistake.environment, file: mistake.file)

        #expect(text == mistake.message)
    }

    @Test(
        "an address that others can reach needs --insecure",
        arguments: ["0.0.0.0:80", "[::]:80", "192.168.1.2:80", "[fe80::1]:80", "10.0.0.1:0"])
    func reachable(address: String) throws {
        #expect(
            message(["--listen", address]) == """
                --listen: other machines can reach \(address), and there is no access control: \
                whoever connects may read and write everything. Write access_control = yes into \
                each [keyset], listen on 127.0.0.1 and let a reverse proxy check who connects, \
                or, in a network where everybody is trusted, say --insecure (insecure = yes in \
                [server]).
                """)
        #expect(try resolve(["--listen", address, "--insecure"]).listen.description == address)
    }

    @Test("a passed socket is held to the same rule")
    func passedSocket() throws {
        let configuration = try resolve()

        try configuration.permit("127.0.0.1:8080", from: .passedSocket)
        #expect(throws: ConfigurationError.reachableByOthers(.passedSocket, "0.0.0.0:8080")) {
            try configuration.permit("0.0.0.0:8080", from: .passedSocket)
        }
        #expect(throws: ConfigurationError.reachableByOthers(.passedSocket, "unknown")) {
            try configuration.permit("unknown", from: .passedSocket)
        }
    }

    @Test("variables that a cluster sets for a service of this name are let pass")
    func clusterVariables() throws {
        let environment = [
            "SYNCDAEMON_SERVICE_HOST": "10.0.0.1", "SYNCDAEMON_SERVICE_PORT": "8080",
            "SYNCDAEMON_PORT": "tcp://10.0.0.1:8080", "SYNCDAEMON_BINARY": "/usr/bin/syncdaemon",
            "SYNCDAEMON_PORT_8080_TCP_PROTO": "tcp",
        ]

        #expect(try resolve(environment: environment) == resolve())
    }

    @Test("what config print prints reads back as the same configuration")
    func printed() throws {
        let original = try resolve(
            [
                "--listen", "[::1]:0", "--store", "memory", "--allowed-origins",
                "https://a.example,https://b.example",
            ],
            file: "[limits]\nsend_queue_bytes = 2M\n")

        var copy = try resolve(file: original.text())

        copy.sources = original.sources
        copy.directory = original.directory
        #expect(copy == original)
        #expect(original.text().contains("# From: --listen\nlisten = [::1]:0"))
    }
}
