// Keysets in the configuration file: what is read, what is refused, and what is shown.

import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("Keysets in the configuration")
struct KeysetConfigurationTests {
    private static let two = """
        [keyset web]
        subscribe_key = sub-web
        publish_key = pub-web
        secret_key = hush
        retention_hours = 24
        [log]
        level = debug
        [keyset app]
        subscribe_key = sub-app
        presence = no

        """

    private static let webKeys =
        #"{"keys":[{"kty":"oct","k":"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE"}]}"#

    private func resolve(
        _ file: String, listen: String = "127.0.0.1:0"
    ) throws -> Configuration {
        guard case .serve(let arguments) = try Invocation.parse(["serve", "--listen", listen])
        else { throw ConfigurationError.missingCommand }
        return try Configuration.resolve(
            arguments: arguments,
            environment: ["HOME": "/home/ada", "CREDENTIALS_DIRECTORY": "/credentials"],
            file: ConfigurationFile(path: "sync.ini", text: file),
            readSecret: { path in
                .text(
                    SecretText(
                        text: path.hasSuffix("/jwks")
                            ? Self.webKeys
                            : path.hasSuffix("/servers") ? #"{"keys":[]}"# : "hush\n",
                        isForOthers: false))
            })
    }

    private func message(_ file: String, listen: String = "127.0.0.1:0") -> String {
        do {
            _ = try resolve(file, listen: listen)
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    @Test("without a keyset every subscribe key names the one tenant")
    func none() throws {
        let keysets = try resolve("[server]\n").keysets

        #expect(keysets.configured.isEmpty)
        #expect(keysets.defaultKey == "default")
        #expect(keysets["anything"] == Keyset(subscribeKey: "default"))
    }

    @Test("with keysets only they exist, and the first one is the default")
    func some() throws {
        let configuration = try resolve(Self.two)
        let keysets = configuration.keysets

        #expect(keysets.configured.keys.sorted() == ["sub-app", "sub-web"])
        #expect(keysets.defaultKey == "sub-web")
        #expect(keysets["sub-web"]?.publishKey == "pub-web")
        #expect(keysets["sub-web"]?.secretKey == "hush")
        #expect(keysets["sub-web"]?.defaults.hoursKept == 24)
        #expect(keysets["sub-web"]?.defaults.hasPresence == true)
        #expect(keysets["sub-app"]?.publishKey == nil)
        #expect(keysets["sub-app"]?.defaults.hasPresence == false)
        #expect(keysets["sub-ap"] == nil)
        #expect(keysets["default"] == nil)
        #expect(configuration.namedKeysets.map(\.name) == ["web", "app"])
        #expect(configuration.logLevel == .debug)
    }

    @Test("a subscribe key is compared byte for byte")
    func exactKeys() throws {
        // U+212A, the Kelvin sign, is canonically equivalent to K.
        let keysets = try resolve("[keyset a]\nsubscribe_key = K\n").keysets

        #expect(keysets["K"] != nil)
        #expect(keysets["\u{212A}"] == nil)
    }

    @Test("each key can be set", arguments: KeysetSample.all)
    func everyKey(sample: KeysetSample) throws {
        let key = try #require(NamedKeyset.key(named: sample.name))
        let other = sample.name == "subscribe_key" ? "" : "subscribe_key = sub\n"

        let configuration = try resolve("[keyset a]\n\(other)\(sample.name) = \(sample.text)\n")

        let keyset = try #require(configuration.namedKeysets.first)
        #expect(key.write(keyset) == sample.written)
        #expect(key.write(keyset) != key.standard)
    }

    @Test("the samples leave out no key")
    func samplesAreComplete() {
        #expect(NamedKeyset.keys.map(\.name) == KeysetSample.all.map(\.name))
    }

    @Test("every mistake is named with its place and its mend", arguments: KeysetMistake.all)
    func mistakes(mistake: KeysetMistake) {
        #expect(message(mistake.file) == mistake.message)
    }

    @Test("there may be many keysets, but no more than allowed")
    func count() throws {
        func file(_ count: Int) -> String {
            (1...count).map { "[keyset k\($0)]\nsubscribe_key = s\($0)\n" }.joined()
        }

        #expect(try resolve(file(Limits.keysetsMax)).namedKeysets.count == Limits.keysetsMax)
        #expect(
            message(file(Limits.keysetsMax + 1))
                == "sync.ini:2001: there are more than 1000 keysets. Remove some, or run another "
                + "daemon for them.")
    }

    @Test("a section line may be indented, spaced, commented or behind a byte order mark")
    func layout() throws {
        let file =
            "\u{feff}[keyset a] ; first\r\n subscribe_key = x ; why\r\n\t[keyset\tb] # second\r\n"
            + "[keyset" + String(repeating: " ", count: 60) + "c]\nsubscribe_key = z\n"

        #expect(
            message(file).hasPrefix("sync.ini:3: [keyset b] has no subscribe_key."))
        #expect(
            try resolve(file.replacing("# second", with: "\nsubscribe_key: y")).namedKeysets
                .map(\.name) == ["a", "b", "c"])
    }

    @Test("other machines may connect without --insecure when every keyset has access control")
    func reachable() throws {
        let guarded = "[keyset a]\nsubscribe_key = a\naccess_control = yes\n"
        let open = "[keyset b]\nsubscribe_key = b\n"
        let outside = "0.0.0.0:80"

        #expect(try resolve(guarded, listen: outside).listen.description == outside)
        for file in ["", open, guarded + open, open + guarded] {
            #expect(message(file, listen: outside).hasPrefix("--listen: other machines can reach"))
        }
        #expect(
            try resolve(guarded + open + "[server]\ninsecure = yes\n", listen: outside).insecure)
    }

    // MARK: What is shown

    @Test("config print shows keysets, without their secrets")
    func printed() throws {
        let text = try resolve(Self.two).text()

        #expect(text.contains("\n\n[keyset web]\n"))
        #expect(text.contains("\n# From: sync.ini:2\nsubscribe_key = sub-web\n"))
        #expect(text.contains("\n# From: sync.ini:4\nsecret_key = ***\n"))
        #expect(text.contains("\n# From: default\n#secret_key =\n"))
        #expect(text.contains("\n# From: sync.ini:10\npresence = no\n"))
        #expect(!text.contains("hush"))
        #expect(!text.contains("keyset example"))
        #expect(message(text).contains("secret_key cannot be \"***\"."))
    }

    @Test("what config print prints reads back as the same keysets, once the secret is put back")
    func reads() throws {
        let original = try resolve(Self.two)

        let copy = try resolve(original.text().replacing("= ***", with: "= hush"))

        #expect(copy.namedKeysets == original.namedKeysets)
        #expect(copy.logLevel == original.logLevel)
    }

    @Test("the sample's keyset is valid when it is uncommented, and has the defaults")
    func sample() throws {
        let sample = Configuration.sampleText()
        let lines = sample.split(separator: "\n").drop { $0 != "#[keyset example]" }
            .prefix { $0 != "#[webhook example]" }
            .map { line in
                line.hasPrefix("#") && !line.hasPrefix("# ") && !line.hasSuffix(" =")
                    ? line.dropFirst() : line
            }

        let configuration = try resolve(lines.joined(separator: "\n"))

        #expect(
            configuration.namedKeysets
                == [NamedKeyset(name: "example", keyset: Keyset(subscribeKey: "sub-example"))])
        #expect(try resolve("").text().hasSuffix(sample.suffix(400)))
        for line in sample.split(separator: "\n") { #expect(line.count <= 100) }
    }

    @Test("the manual has a row for every key", arguments: NamedKeyset.keys.map(\.name))
    func manual(name: String) throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let manual = try String(
            contentsOf: root.appending(path: "docs/OPERATIONS.md"), encoding: .utf8)
        let key = try #require(NamedKeyset.key(named: name))
        let said = key.standard.map { $0.isEmpty ? "none" : "`\($0)`" }
        let standard = said ?? (key.example == nil ? "none" : "required")

        let rows = manual.split(separator: "\n").filter {
            $0.hasPrefix("| `\(name)` | \(standard) |")
        }

        #expect(rows.count == 1, "docs/OPERATIONS.md: one row for \(name)")
        let namespaces = manual.split(separator: "### Namespaces")[1].prefix { $0 != "#" }
        #expect(
            namespaces.contains("`\(name)`") == ChannelSettings.keys.contains { $0.name == name },
            "docs/OPERATIONS.md: the namespaces' list of keys")
    }

    @Test("the help says where keysets stand")
    func help() {
        #expect(HelpText.serve.contains("[keyset NAME]"))
    }
}
