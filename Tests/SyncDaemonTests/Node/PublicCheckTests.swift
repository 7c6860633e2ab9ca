// What a configuration lacks that is to face the internet: one lack per row, and the manual's list.

import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("The public check")
struct PublicCheckTests {
    private static let memory = 4 * 1024 * 1024 * 1024

    private func examine(
        _ text: String, credentials: PublicCredentials = .good, isWritable: Bool = false
    ) -> Examination {
        let file = credentials.file
        var examination = Configuration.examine(
            arguments: ServeArguments(),
            environment: file == nil ? [:] : ["CREDENTIALS_DIRECTORY": "/credentials"],
            file: ConfigurationFile(path: "sync.ini", text: text, isWritable: isWritable),
            readSecret: { _ in file ?? .unreadable(reason: "absent") })
        examination.forgiveCredentials()
        return examination
    }

    private func check(_ examination: Examination) -> PublicCheck {
        PublicCheck(examination, memory: Self.memory)
    }

    @Test("a right one is ready, and there is nothing to say")
    func right() {
        let examination = examine(PublicSamples.right)

        #expect(examination.mistakes.isEmpty)
        #expect(examination.warnings.isEmpty)
        #expect(check(examination).missing.isEmpty)
        #expect(check(examination).advice.isEmpty)
    }

    @Test("each lack is one line with its place and its mend", arguments: PublicSamples.breaches)
    func breach(sample: PublicBreach) throws {
        let text = PublicSamples.right.replacing(sample.old, with: sample.new)
        try #require(sample.old.isEmpty || text != PublicSamples.right)
        let examination = examine(text, credentials: sample.credentials)
        try #require(examination.mistakes.isEmpty, "\(examination.mistakes)")
        let rule = try #require(PublicRule.all.first { $0.name == sample.rule })

        let said = check(examination).missing.map(\.description)

        #expect(said == [sample.said])
        #expect(sample.said.split(separator: "\n").count == 1)
        let found = rule.find(examination.configuration, Self.memory).map(\.description)
        let promoted = examination.warnings.filter(rule.promotes).map(\.description)
        #expect(found + promoted == [sample.said], "It is this rule that says so.")
    }

    @Test("every rule has a configuration that breaks it")
    func complete() {
        let broken = Set(PublicSamples.breaches.map(\.rule))

        // Those of quotas are advice, and have a test of their own.
        #expect(Set(PublicRule.all.map(\.name)).subtracting(broken) == ["quotas"])
        #expect(Set(PublicRule.all.map(\.name)).count == PublicRule.all.count)
    }

    @Test("a configuration that others may write is said, and so is a directory for all")
    func places() {
        var examination = examine(PublicSamples.right, isWritable: true)
        examination.warnings.append(.directoryForAll(.standard, path: "/data", mode: 0o755))
        let soon = ConfigurationWarning.certificateEnds(.standard, path: "/c", seconds: 1)
        let over = ConfigurationWarning.certificateEnds(.standard, path: "/c", seconds: 0)
        examination.warnings += [soon, over]
        let result = check(examination)

        #expect(
            result.missing.map(\.description) == [
                "sync.ini:1: others on this machine may write \"sync.ini\", and with it decide who "
                    + "comes in. Take that away: chmod go-w sync.ini", over.description,
                "default: others may look into \"/data\" (mode 0755). Keep them out: chmod 700 "
                    + "/data",
            ])
        let promoted = Set(examination.warnings).subtracting([soon])
        #expect(result.promoted == promoted, "None is said a second time.")
    }

    @Test("what `config check` sees on the machine takes readiness away, too")
    func machine() {
        let found: [(String, ConfigurationWarning)] = [
            ("files", .directoryWritableByOthers(.standard, path: "/a", of: "/a/b")),
            ("files", .ownedByAnother(.standard, path: "/a", user: 7)),
            ("tls", .certificateBegins(.standard, path: "/c", seconds: 1)),
            ("tls", .certificateNotForServers(.standard, path: "/c")),
            ("store", .directoryInMemory(.standard, path: "/run/d")),
        ]
        for (name, warning) in found {
            #expect(PublicRule.all.filter { $0.promotes(warning) }.map(\.name) == [name])
        }
    }

    @Test("a certificate without an address is advice: systemd may pass a socket for it")
    func unused() {
        var configuration = Configuration()
        configuration.certificateSource = .file(path: "/c")
        #expect(PublicRule.openListeners(configuration).map(\.isAdvice) == [true])
        configuration.tlsListen = ListenAddress("0.0.0.0:8443")
        #expect(PublicRule.openListeners(configuration).isEmpty)
    }

    @Test("what is drawn does not seem to repeat itself", arguments: [16, 24, 32, 512])
    func drawn(count: Int) {
        for _ in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
            let texts = [
                bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(),
                String(decoding: bytes.map { 33 + $0 % 90 }, as: UTF8.self),
            ]
            for key in texts where key.utf8.count >= Limits.sharedKeyBytesMin {
                var named = NamedKeyset(name: "a")
                named.keyset.secretKey = key
                var configuration = Configuration()
                configuration.namedKeysets = [named]
                let said = PublicRule.weakSecrets(configuration).map(\.text)
                #expect(!said.contains { $0.contains("repeats itself") }, "\(key)")
            }
        }
    }

    @Test("without a proxy no address may have more than a tenth of all connections")
    func connections() {
        let open = PublicSamples.right.replacing(
            "listen = 127.0.0.1:8080\n", with: "listen = 0.0.0.0:8080\n")
        let fair = open.replacing("_address = 200000", with: "_address = 20000")

        #expect(check(examine(fair)).missing.count == 1)
        #expect(
            check(examine(open)).missing.map(\.description).last
                == "sync.ini:3: one address may have 200000 of 200000 connections. Write "
                + "connections_per_address = 20000 or less.")
    }

    @Test("with several keysets, those that may have everything get advice")
    func quotas() {
        let two =
            PublicSamples.right + """
                connections_max = 1000
                subscriptions_max = 1000
                memberships_max = 1000
                groups_max = 1000
                commands_per_second_max = 1000
                [keyset app]
                subscribe_key = sub-app
                access_control = yes
                secret_key = 3kq9TzVn5xGw0aYcRb8LhUfJ2mPsEiDo7WvQ
                connections_max = 1000
                groups_max = 1000

                """
        let result = check(examine(two))

        #expect(result.missing.isEmpty)
        #expect(
            result.advice.map(\.description) == [
                "sync.ini:25: [keyset app] may have as much as the whole daemon. Say what it "
                    + "needs: subscriptions_max, memberships_max, commands_per_second_max."
            ])
    }

    @Test("several lacks come at once, and nothing is said of lines that could not be read")
    func several() {
        let text =
            "[store]\ndirectory = /d\n[server]\nallowed_hosts = a:1\n"
            + "[keyset web]\nsubscribe_key = a\n"
        let wrong = examine(text + "access_control = perhaps\nsecret_key = short\n")

        #expect(wrong.mistakes.count == 2)
        let said = check(wrong).missing.map(\.description)
        #expect(said.count == 4)
        #expect(!said.contains { $0.contains("allowed_hosts") || $0.contains("asks for") })
        let unread = Examination(mistakes: [.notText(path: "sync.ini")])
        #expect(check(unread).missing.isEmpty, "Nothing is known of it.")
    }

    @Test("the manual's checklist is the table")
    func checklist() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let manual = try String(
            contentsOf: root.appending(path: "docs/OPERATIONS.md"), encoding: .utf8)

        let items = manual.split(separator: "\n").filter { $0.hasPrefix("- [ ] ") }.map(String.init)

        #expect(items == PublicRule.all.map { "- [ ] **\($0.name)**: \($0.demand)" })
        for rule in PublicRule.all {
            #expect(HelpText.configuration.contains("\n  \(rule.name) "), "\(rule.name)")
        }
    }
}
