// Namespaces in the configuration file: what is read, what is refused, and what is shown.

import EventModel
import Foundation
import Testing

@testable import SyncDaemon

@Suite("Namespaces in the configuration")
struct NamespaceConfigurationTests {
    private static let file = """
        [namespace typing]
        channels = typing.*, cursor
        channels = pointer.*
        store = no
        [keyset web]
        subscribe_key = sub-web
        retention_hours = 24
        least_window = 20
        [namespace chat]
        keyset = web
        channels = chat.*
        retention_hours = 8
        [keyset app]
        subscribe_key = sub-app

        """

    private func resolve(_ file: String) throws -> Configuration {
        try Configuration.resolve(
            arguments: ServeArguments(), environment: ["HOME": "/home/ada"],
            file: ConfigurationFile(path: "sync.ini", text: file))
    }

    private func message(_ file: String) -> String {
        do {
            _ = try resolve(file)
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    @Test("a namespace is of one keyset or of all, and what it does not say the keyset says")
    func read() throws {
        let keysets = try resolve(Self.file).keysets
        func settings(_ name: String, _ keyset: String) -> ChannelSettings {
            keysets.settings(of: Channel(name, keyset: keyset))
        }

        for name in ["typing.a", "cursor", "pointer.b"] {
            #expect(!settings(name, "sub-web").keepsMessages)
            #expect(settings(name, "sub-web").hoursKept == 24)
            #expect(settings(name, "sub-web").batchWindow == 20)
            #expect(!settings(name, "sub-app").keepsMessages)
            #expect(settings(name, "sub-app").hoursKept == 0)
        }
        #expect(settings("chat.a", "sub-web").hoursKept == 8)
        #expect(settings("chat.a", "sub-app").hoursKept == 0)
        #expect(settings("room", "sub-web") == keysets["sub-web"]?.defaults)
        #expect(keysets["sub-app"]?.namespaces.isEmpty == false)
    }

    @Test("without keysets it is of the one tenant")
    func lone() throws {
        let keysets = try resolve("[namespace a]\nchannels = a.*\nstore = no\n").keysets

        #expect(!keysets.settings(of: Channel("a.b", keyset: "any")).keepsMessages)
        #expect(keysets.settings(of: Channel("b", keyset: "any")).keepsMessages)
    }

    @Test("each key of a channel can be set", arguments: KeysetSample.all)
    func everyKey(sample: KeysetSample) throws {
        let text = "[namespace a]\nchannels = a\n\(sample.name) = \(sample.text)\n"
        guard ChannelSettings.keys.contains(where: { $0.name == sample.name }) else {
            #expect(
                message(text) == "sync.ini:3: there is no key [namespace a] \(sample.name)."
                    + " Did you mean [keyset NAME] \(sample.name)?")
            return
        }

        let settings = try resolve(text).keysets.settings(of: Channel("a"))

        let key = try #require(ChannelSettings.keys.first { $0.name == sample.name })
        #expect(key.write(settings) == sample.written)
    }

    @Test("every mistake is named with its place and its mend", arguments: NamespaceMistake.all)
    func mistakes(mistake: NamespaceMistake) {
        #expect(message(mistake.file) == mistake.message)
    }

    @Test("what is said in vain is warned of, where it is said")
    func vain() {
        func warnings(_ file: String) -> [String] {
            Configuration.examine(
                arguments: ServeArguments(), environment: ["HOME": "/home/ada"],
                file: ConfigurationFile(path: "sync.ini", text: file)
            ).warnings.map { "\($0)" }
        }
        let message =
            "with store = no no message is stored, so that none can get an action. Write"
            + " actions_need_message = no, or reactions = no."
        let values =
            "with reaction_mode = flag all reactions are one, and their values mean nothing. Leave"
            + " reaction_values out, or choose another mode."
        let keyset = "[keyset web]\nsubscribe_key = w\n"
        let namespace = "[namespace a]\nchannels = a\n"
        #expect(
            warnings(namespace + "store = no\nactions_need_message = yes\n")
                == ["sync.ini:4: [namespace a] actions_need_message: \(message)"])
        #expect(
            warnings(keyset + "actions_need_message = yes\n" + namespace + "store = no\n")
                == ["sync.ini:6: [namespace a] actions_need_message: \(message)"])
        #expect(
            warnings(keyset + "reaction_values = 👍\nreaction_mode = flag\n")
                == ["sync.ini:3: [keyset web] reaction_values: \(values)"])
        for fine in [
            namespace + "store = no\n", namespace + "actions_need_message = yes\n",
            namespace + "store = no\nactions_need_message = yes\nreactions = no\n",
            keyset + "reaction_values = 👍\n" + namespace + "reaction_mode = flag\n",
            namespace + "reaction_mode = flag\nreaction_values = any\n",
            namespace + "reaction_mode = unique\nreaction_values = emoji\n",
        ] {
            #expect(warnings(fine) == [], "\(fine)")
        }
    }

    @Test("files beside a store that keeps none are a warning, whoever names that store")
    func vainFiles() {
        func warnings(_ file: String, _ environment: [String: String] = [:]) -> [String] {
            Configuration.examine(
                arguments: ServeArguments(),
                environment: environment.merging(["HOME": "/home/ada"]) { first, _ in first },
                file: ConfigurationFile(path: "sync.ini", text: file)
            ).warnings.map { "\($0)" }
        }
        let message =
            "with [store] kind = memory there are no files: whoever brings one is refused. Write"
            + " kind = sqlite or postgres, or leave files out."
        let keyset = "[keyset web]\nsubscribe_key = w\nfiles = yes\n"
        let namespace = "[namespace a]\nchannels = a\nfiles = yes\n"
        #expect(
            warnings(keyset + namespace, ["SYNCDAEMON_STORE_KIND": "memory"]) == [
                "sync.ini:3: [keyset web] files: \(message)",
                "sync.ini:6: [namespace a] files: \(message)",
            ])
        #expect(warnings("[store]\nkind = memory\n" + namespace).count == 1)
        #expect(warnings(keyset + namespace) == [])
        #expect(
            warnings("[store]\nkind = memory\n" + namespace.replacing("yes", with: "no")) == [])
    }

    @Test("values are given on as many lines as they take", arguments: ["keyset", "namespace"])
    func longLists(_ word: String) throws {
        let emoji = (0..<60).map { "\(UnicodeScalar(0x1F600 + $0)!)" }
        let text =
            "[\(word) a]\n" + (word == "keyset" ? "subscribe_key = a\n" : "channels = *\n")
            + emoji.map { "reaction_values = \($0)\n" }.joined()
        let configuration = try resolve(text)
        let rules = configuration.keysets.settings(of: Channel("room", keyset: "a")).reactions
        #expect(rules.values == .list(emoji))
        #expect(try resolve(configuration.text()).keysets == configuration.keysets)
    }

    @Test("one pattern in two keysets is two")
    func apart() throws {
        let keysets = ["web", "app"].map { "[keyset \($0)]\nsubscribe_key = \($0)\n" }.joined()
        let namespaces = ["web", "app"].map {
            "[namespace \($0)]\nkeyset = \($0)\nchannels = a.*\n"
        }.joined()

        #expect(message(keysets + namespaces + "store = no\n") == "accepted")
    }

    @Test("as many patterns as allowed, and no more")
    func count() throws {
        func file(_ count: Int) -> String {
            "[namespace a]\n" + (1..<count).map { "channels = c\($0)\n" }.joined()
                + "[namespace b]\nchannels = last\n"
        }

        let configuration = try resolve(file(Limits.namespacePatternsMax))
        #expect(configuration.namespaces.flatMap(\.patterns).count == Limits.namespacePatternsMax)
        #expect(
            message(file(Limits.namespacePatternsMax + 1)).hasSuffix(
                ": there are more than 256 channels named in namespaces. Remove some, or run"
                    + " another daemon for them."))
    }

    @Test("what config print prints reads back as the same namespaces")
    func printed() throws {
        let original = try resolve(Self.file)
        let text = original.text()

        #expect(text.contains("\n# From: sync.ini:3\nchannels = typing.*\nchannels = cursor\n"))
        #expect(text.contains("\n# From: its keyset\n#retention_hours =\n"))
        #expect(!text.contains("namespace example"))
        let copy = try resolve(text)
        #expect(copy.namespaces == original.namespaces)
        #expect(copy.keysets == original.keysets)
    }

    @Test("the sample's namespace is valid when it is uncommented, and decides nothing")
    func sample() throws {
        let lines = Configuration.sampleText().split(separator: "\n")
            .drop { $0 != "#[namespace example]" }.prefix { $0 != "#[webhook example]" }
            .map { line in
                line.hasPrefix("#") && !line.hasPrefix("# ") && !line.hasSuffix(" =")
                    ? line.dropFirst() : line
            }

        let configuration = try resolve(lines.joined(separator: "\n"))

        #expect(configuration.namespaces.map { $0.patterns.map(\.text) } == [["chat.*"]])
        #expect(configuration.keysets.settings(of: Channel("chat.a")) == ChannelSettings())
    }

    @Test("a change is a reload's, and holds")
    func reload() throws {
        let old = try resolve("[namespace a]\nchannels = a\n[namespace b]\nchannels = b\n")
        let new = try resolve("[namespace c]\nchannels = c\n[namespace b]\nchannels = b.*\n")
        var next = old

        next.takeReloaded(from: new)

        #expect(
            new.changes(since: old).map(\.title) == [
                "[namespace c]", "[namespace b]", "[namespace a]",
            ])
        #expect(!new.changes(since: old).contains { !$0.isReloaded })
        #expect(next.keysets == new.keysets)
        #expect(new.changes(since: next).isEmpty)
    }
}

/// A wrong file, and what is said about it.
struct NamespaceMistake: Sendable, CustomTestStringConvertible {
    let file: String
    let message: String

    var testDescription: String { message }

    init(_ file: String, _ message: String) {
        self.file = file
        self.message = "sync.ini:" + message
    }

    private static let patterns =
        "Write names of channels separated by commas; one that ends in * stands for all that begin"
        + " like it, such as chat.*."
    private static let types =
        "Write types of actions separated by commas, such as reactions; not edited or deleted, by"
        + " which authors change their own messages."
    private static let inTheEnd =
        "Write what it is in the end: a value, and not another one's name."
    private static let web = "[keyset web]\nsubscribe_key = w\n"

    static let all = [
        NamespaceMistake(
            "\n[namespace chat]\nstore = no\n",
            "2: [namespace chat] has no channels. Write a line such as channels = chat.*"
                + " below it."),
        NamespaceMistake(
            "[namespace chat]\nchannels =\n", "2: channels cannot be \"\". \(patterns)"),
        NamespaceMistake(
            "[namespace chat]\nchannels = a, chat.*.b\n",
            "2: channels cannot be \"a, chat.*.b\". \(patterns)"),
        NamespaceMistake(
            "[namespace chat]\nchannels = room-pnpres\n",
            "2: channels cannot be \"room-pnpres\". \(patterns)"),
        NamespaceMistake(
            "[namespace a]\nchannels = x, y\n[namespace b]\nchannels = z\nchannels = y\n",
            "5: [namespace b] channels names \"y\", as [namespace a] does already. Keep one of the"
                + " two."),
        NamespaceMistake(
            "[namespace a]\nchannels = x.*, x.*\n",
            "2: [namespace a] channels names \"x.*\", as [namespace a] does already. Keep one of"
                + " the two."),
        NamespaceMistake(
            web + "[namespace a]\nchannels = x\nkeyset = web\n[namespace b]\nchannels = x\n",
            "7: [namespace b] channels names \"x\", as [namespace a] does already. Keep one of the"
                + " two."),
        NamespaceMistake(
            web + "[namespace a]\nchannels = x\nkeyset = wep\n",
            "5: there is no section [keyset wep]. Did you mean [keyset web]?"),
        NamespaceMistake(
            "[namespace a]\nchannels = x\nkeyset = something\n",
            "3: there is no section [keyset something]. See syncdaemon config print."),
        NamespaceMistake(
            "[namespace a]\nchannels = x\nkeyset = a b\n",
            "3: keyset cannot be \"a b\". Write the NAME of a section [keyset NAME]."),
        NamespaceMistake(
            "[namespace]\nchannels = a\n",
            "1: there is no section [namespace]. Did you mean [namespace NAME]?"),
        NamespaceMistake(
            "[namespaces chat]\nchannels = a\n",
            "2: there is no section [namespaces chat]. Did you mean [namespace chat]?"),
        NamespaceMistake(
            "[namespace a]\nchannels = a\n[namespace a]\nchannels = b\n",
            "3: [namespace a] is given a second time. Keep one of the two."),
        NamespaceMistake(
            "[namespace a]\nchannels = a\nstore = no\nstore = yes\n",
            "4: [namespace a] store is given a second time. Keep one of the two."),
        NamespaceMistake(
            "[namespace a]\nchannels = a\nretention_hours = ever\n",
            "3: retention_hours cannot be \"ever\". Write a whole number from 0 to 876000."),
        NamespaceMistake(
            "[namespace a]\nchannel = a\n",
            "2: there is no key [namespace a] channel. Did you mean channels?"),
        NamespaceMistake(
            "[namespace a]\nchannels = a\nreaction_types = reactions, edited\n",
            "3: reaction_types cannot be \"reactions, edited\". \(types)"),
        NamespaceMistake(
            "[namespace a]\nchannels = a\nreaction_types = deleted\n",
            "3: reaction_types cannot be \"deleted\". \(types)"),
        NamespaceMistake(
            "[namespace a]\nchannels = a\nreaction_aliases = x=a, y=c\nreaction_aliases = x=b\n",
            "4: reaction_aliases cannot be \"x=b\". Write one value for each name."),
        NamespaceMistake(
            "[namespace a]\nchannels = a\nreaction_aliases = a=b, b=c\n",
            "3: reaction_aliases cannot be \"a=b\". \(inTheEnd)"),
        NamespaceMistake(
            web + "reaction_aliases = a=b, b=a\n",
            "3: reaction_aliases cannot be \"a=b\". \(inTheEnd)"),
        NamespaceMistake(
            "[namespace a]\nchannels = a\nreaction_values = any\nreaction_values = 👍\n",
            "4: reaction_values cannot be \"👍\". Write any, emoji, or values separated by"
                + " commas."),
        NamespaceMistake(
            web + "presence_timeout_min = 60\n[namespace a]\nchannels = a\npresence_timeout = 20\n",
            "6: presence_timeout cannot be \"20\". Write presence_timeout_min, which is 60, or"
                + " more."),
    ]
}
