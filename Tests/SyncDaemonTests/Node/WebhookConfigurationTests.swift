// Webhooks in the configuration file: what is read, what is refused, and what is shown.

import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("Webhooks in the configuration")
struct WebhookConfigurationTests {
    private static let secret = String(repeating: "s", count: Limits.webhookSecretBytesMin)
    private static let file = """
        [keyset web]
        subscribe_key = sub-web
        [webhook hook]
        url = https://app.example.com/hook?a=1
        secret_file = /etc/hook
        secret_previous_file = credential:old
        keyset = web
        channels = chat.*
        channels = lobby
        events = message, action_added
        collect = author
        collect_seconds = 60
        batch_events_max = 7
        batch_milliseconds = 0
        timeout_seconds = 3

        """
    private static let least = "[webhook a]\nurl = https://a/\nsecret_file = /etc/hook\n"

    private func examine(_ file: String, secret: String = secret) -> Examination {
        Configuration.examine(
            arguments: ServeArguments(),
            environment: ["HOME": "/home/ada", "CREDENTIALS_DIRECTORY": "/run"],
            file: ConfigurationFile(path: "sync.ini", text: file),
            readSecret: { path in
                .text(
                    SecretText(
                        text: path == "/run/old" ? Self.secret + "old\n" : secret,
                        isForOthers: path == "/run/old"))
            })
    }

    private func messages(_ file: String, secret: String = secret) -> [String] {
        examine(file, secret: secret).mistakes.map(\.description)
    }

    @Test("entries that no channel of a webhook's lets through are a warning")
    func vainEntries() {
        func warnings(_ channels: String, events: String = "entry") -> [String] {
            examine("\(Self.least)events = \(events)\nchannels = \(channels)\n").warnings
                .map(\.description)
        }
        #expect(
            warnings("chat.*, $user") == [
                "sync.ini:5: [webhook a] channels: events names entry, and no entry is in one of"
                    + " these. Add the directories where entries are: $users, $channels,"
                    + " $members:*, $memberships:*."
            ])
        #expect(warnings("chat.*", events: "message, entry").count == 1)
        for channels in [
            "$users", "chat.*, $channels", "$*", "*", "$mem*", "$members:a", "$members:a*",
        ] {
            #expect(warnings(channels).isEmpty, "\(channels)")
        }
        #expect(warnings("chat.*", events: "message").isEmpty)
    }

    @Test("devices beside collected reactions are a warning: they would never come")
    func vainDevices() {
        for devices in ["only", "yes"] {
            #expect(
                examine("\(Self.least)collect = author\ndevices = \(devices)\n").warnings
                    .map(\.description) == [
                        "sync.ini:5: [webhook a] devices: with collect = author reactions are told,"
                            + " which come without devices. Leave devices out, or collect; for both"
                            + " write two sections."
                    ])
        }
        for fine in ["collect = author\ndevices = no\n", "collect = no\ndevices = only\n"] {
            #expect(examine(Self.least + fine).warnings.isEmpty, "\(fine)")
        }
    }

    @Test("each key is read, and secrets come from their files")
    func read() throws {
        let examination = examine(Self.file)
        #expect(examination.mistakes.isEmpty)
        let webhook = try #require(examination.configuration.webhooks.first)

        #expect(webhook.name == "hook" && webhook.url == "https://app.example.com/hook?a=1")
        #expect(webhook.keyset == "sub-web")
        #expect(webhook.secrets == [Self.secret, Self.secret + "old"])
        #expect(webhook.patterns.map(\.text) == ["chat.*", "lobby"])
        #expect(webhook.kinds == [.message, .actionAdded])
        #expect(webhook.collecting == .author && webhook.collectSeconds == 60)
        #expect(webhook.eventsMax == 7 && webhook.windowMilliseconds == 0)
        #expect(webhook.timeoutSeconds == 3)
        #expect(examination.warnings.count == 1, "others may read the old one")
        let standard = try #require(examine(Self.least).configuration.webhooks.first)
        #expect(standard.kinds == Webhook.Kind.standard && standard.keyset == nil)
    }

    @Test("what config print prints reads back as the same webhooks, without a secret in it")
    func printed() {
        let original = examine(Self.file).configuration
        let text = original.text()

        #expect(!text.contains(Self.secret) && !text.contains("webhook example"))
        #expect(examine(text).configuration.namedWebhooks == original.namedWebhooks)
    }

    @Test("an address is https, or this machine's")
    func addresses() {
        for good in [
            "https://a.example", "HTTPS://a/", "HTTP://LOCALHOST:8080/",
            "https://a.example:8443/x?y=z",
            "https://[2001:db8::1]/",
            "http://127.0.0.1:80/", "http://[::1]/", "http://localhost:8080",
        ] {
            #expect(SignedAddress.isValid(good), "\(good)")
        }
        for bad in [
            "", "a.example", "http://a.example/", "https://", "https:///x", "https://a@b/",
            "https://a/#b", "https://a b/", "ftp://127.0.0.1/", "http://127.0.0.1.example/",
            "http://localhost.example/", "https://a:port/", "https://a:0/", "https://[a]/",
            "https://a\\@b/", "https://é/", "http://10.0.0.1/", "HTTP://a/",
            "https://a/" + String(repeating: "x", count: 2048),
        ] {
            #expect(!SignedAddress.isValid(bad), "\(bad)")
        }
    }

    @Test("a secret is long enough, and Base64 where it says so")
    func secrets() {
        #expect(
            messages(Self.least, secret: "short") == [
                "sync.ini:3: what is in \"/etc/hook\" cannot sign requests. Write there 32 to 256"
                    + " visible ASCII characters, and nothing else; behind whsec_ they have to be"
                    + " Base64."
            ])
        #expect(messages(Self.least, secret: Self.secret + "\nmore").count == 1)
        #expect(messages(Self.least, secret: "whsec_" + Self.secret).isEmpty)
        #expect(messages(Self.least, secret: "whsec_?" + Self.secret).count == 1)
    }

    @Test("what is missing or unknown is said")
    func mistakes() {
        #expect(
            messages("[webhook a]\nevents = message\n") == [
                "sync.ini:1: [webhook a] has no url. Write a line such as url ="
                    + " https://app.example.com/hook below it.",
                "sync.ini:1: [webhook a] has no secret_file. Write a line such as secret_file ="
                    + " /etc/syncdaemon/a.secret below it.",
            ])
        #expect(
            messages(Self.least + "keyset = web\n") == [
                "sync.ini:4: there is no section [keyset web]. See syncdaemon config print."
            ])
        #expect(
            messages(Self.least + "event = message\n") == [
                "sync.ini:4: there is no key [webhook a] event. Did you mean events?"
            ])
        #expect(
            messages(Self.least + "events =\n") == [
                "sync.ini:4: events cannot be \"\". Write one of message, edited, action_added,"
                    + " action_removed, messages_deleted, actions_cleared, entry at least; or take"
                    + " the section away."
            ])
        #expect(
            messages(Self.least + "[webhooks b]\nurl = https://b/\n").first?
                .hasSuffix("Did you mean [webhook b]?") == true)
    }

    @Test("a change is a reload's")
    func reload() {
        let old = examine(Self.least).configuration
        var new = examine(Self.least + "timeout_seconds = 5\n").configuration
        #expect(
            new.changes(since: old) == [ChangedSetting(title: "[webhook a]", isReloaded: true)])
        var next = old
        next.takeReloaded(from: new)
        #expect(next.webhooks == new.webhooks)
        new.namedWebhooks[0].webhook.secrets = ["another"]
        #expect(new.changes(since: next).count == 1, "a secret's file has changed")
    }

    @Test("the sample's webhook is valid when it is uncommented")
    func sample() {
        let lines = Configuration.sampleText().split(separator: "\n")
            .drop { $0 != "#[webhook example]" }.map { line in
                line.hasPrefix("#") && !line.hasPrefix("# ") && !line.hasSuffix(" =")
                    ? line.dropFirst() : line
            }
        let examination = examine(lines.joined(separator: "\n"))

        #expect(examination.mistakes.isEmpty)
        var expected = Webhook(name: "example")
        expected.url = "https://app.example.com/hook"
        expected.secrets = [Self.secret]
        #expect(examination.configuration.webhooks == [expected])
    }

    @Test("the manual has a row for every key", arguments: NamedWebhook.keys.map(\.name))
    func manual(name: String) throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let manual = try String(
            contentsOf: root.appending(path: "docs/OPERATIONS.md"), encoding: .utf8)
        let section = manual.split(separator: "### Webhooks")[1].prefix { $0 != "#" }
        let key = try #require(NamedWebhook.key(named: name))
        let said = key.standard.flatMap { $0.isEmpty ? nil : "`\($0)`" }
        let standard = said ?? (key.example == nil ? "none" : "required")

        let rows = section.split(separator: "\n").filter {
            $0.hasPrefix("| `\(name)` | \(standard) |")
        }

        #expect(rows.count == 1, "docs/OPERATIONS.md: one row for \(name), \(standard)")
    }
}
