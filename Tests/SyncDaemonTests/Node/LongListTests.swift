// Lists on thousands of lines: all of them are read, and what is wrong is named once.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Long lists in the configuration")
struct LongListTests {
    private static let most = Limits.listedReactionsMax
    private static let sections = [
        "[namespace a]\nchannels = *\n", "[keyset a]\nsubscribe_key = a\n",
    ]

    private func examine(_ text: String) -> Examination {
        Configuration.examine(
            arguments: ServeArguments(), environment: ["HOME": "/home/ada"],
            file: ConfigurationFile(path: "sync.ini", text: text))
    }

    private func rules(_ text: String) throws -> ReactionRules {
        let examination = examine(text)
        try #require(examination.mistakes.isEmpty, "\(examination.mistakes)")
        return examination.configuration.keysets.settings(of: Channel("room", keyset: "a"))
            .reactions
    }

    private func lines(_ key: String, _ count: Int, _ word: (Int) -> String) -> String {
        (0..<count).map { "\(key) = \(word($0))\n" }.joined()
    }

    @Test("as many values and names as may be, one on a line", arguments: sections)
    func whole(section: String) throws {
        let read = try rules(
            section + lines("reaction_values", Self.most) { "v\($0)" }
                + lines("reaction_aliases", Self.most) { "name\($0)=v\($0)" })

        #expect(read.values == .list((0..<Self.most).map { "v\($0)" }))
        #expect(read.aliases.map(\.name) == (0..<Self.most).map { "name\($0)" })
        #expect(read.canonical(type: "reaction", value: "name4999").value == "v4999")
    }

    @Test("more are refused, once, on the line with the first of them", arguments: sections)
    func tooLong(section: String) {
        let values = lines("reaction_values", 12_000) { "v\($0)" }
        let aliases = lines("reaction_aliases", Self.most / 2 + 1) { "a\($0)=v, b\($0)=v" }

        #expect(
            examine(section + values).mistakes.map { "\($0)" } == [
                "sync.ini:\(2 + Self.most + 1): reaction_values has more than \(Self.most)"
                    + " elements, on this line and above. Remove some."
            ])
        #expect(
            examine(section + aliases).mistakes.map { "\($0)" } == [
                "sync.ini:\(2 + Self.most / 2 + 1): reaction_aliases has more than \(Self.most)"
                    + " elements, on this line and above. Remove some."
            ])
    }

    @Test("other lists have 12,000 elements, and a flag takes their place")
    func others() throws {
        let hosts = (0..<12_000).map { "h\($0).example" }
        let read = examine(
            "[server]\n" + hosts.map { "allowed_hosts = \($0)\n" }.joined())
        #expect(read.mistakes.isEmpty)
        #expect(read.configuration.allowedHosts == hosts)
        #expect(
            read.configuration.sources["server.allowed_hosts"]
                == .file(path: "sync.ini", line: 12_001))
    }

    @Test("what cannot stand with the lines above is found among thousands")
    func contradiction() {
        let above = lines("reaction_values", 3000) { "v\($0)" }
        let below = lines("reaction_values", 1000) { "w\($0)" }
        let expected = "any, emoji, or values separated by commas"

        #expect(
            examine("[namespace a]\nchannels = *\n" + above + "reaction_values = emoji\n" + below)
                .mistakes == [
                    .badValue(
                        .file(path: "sync.ini", line: 3003), key: "reaction_values",
                        value: "emoji", expected: expected)
                ])
    }

    @Test("a name of a value that a long list lacks is found")
    func alias() {
        let text =
            "[namespace a]\nchannels = *\n" + lines("reaction_values", 4000) { "v\($0)" }
            + lines("reaction_aliases", 4000) { "a\($0)=v\($0 == 3999 ? 4000 : $0)" }
        #expect(
            examine(text).mistakes.map { "\($0)" } == [
                "sync.ini:8002: reaction_aliases cannot be \"a3999=v4000\". Write a value that"
                    + " reaction_values has."
            ])
    }

    @Test("a list of a keyset is not added to by a namespace, and that of one not to another's")
    func apart() throws {
        let text =
            "[keyset a]\nsubscribe_key = a\nreaction_values = x\n"
            + "[namespace one]\nchannels = one\nreaction_values = y\nreaction_values = z\n"
            + "[namespace two]\nchannels = two\nreaction_aliases = w=x\n"
        let keysets = examine(text).configuration.keysets
        func values(_ name: String) -> ReactionRules.Values {
            keysets.settings(of: Channel(name, keyset: "a")).reactions.values
        }

        #expect(values("room") == .list(["x"]))
        #expect(values("one") == .list(["y", "z"]))
        #expect(values("two") == .list(["x"]))
    }
}
