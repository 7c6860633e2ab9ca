// Patterns: what they match, what they refuse, and that no name makes them slow.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Access patterns")
struct AccessPatternTests {
    @Test(
        "a pattern matches what PCRE says it does",
        arguments: [
            (
                "^channel-[A-Za-z0-9]*$", ["channel-", "channel-aZ9"],
                ["channel-a.b", "xchannel-a"]
            ),
            ("room.*", ["room", "room.1", "bathroom"], ["roo", "ro om"]),
            ("room", ["room", "bathrooms"], ["Room", "rom"]),
            ("^room$", ["room"], ["rooms", "aroom", ""]),
            ("", ["", "anything"], []),
            ("^$", [""], ["a"]),
            ("^(a|b)+$", ["a", "abba"], ["", "abc"]),
            ("^(?:ab){2,3}$", ["abab", "ababab"], ["ab", "abababab", "aba"]),
            ("^a{2}$", ["aa"], ["a", "aaa"]),
            ("^a{2,}$", ["aa", "aaaaa"], ["a"]),
            ("^a{0}b$", ["b"], ["ab"]),
            ("^(|x)y$", ["y", "xy"], ["xxy"]),
            ("a|^b$", ["xa", "b"], ["bb", ""]),
            ("^[^a-c]$", ["d", "é", "-"], ["a", "c", "", "dd"]),
            ("^[]a-]$", ["]", "a", "-"], ["b"]),
            ("^[c-ea-bd-xz]$", ["a", "c", "e", "x", "z"], ["y", "`", "{"]),
            ("^[acegi-k]{2}[^acegi-k][acegi-k]$", ["aebk", "kjfi"], ["aeba2", "aeea", "bebk"]),
            ("^[^xa-c\\W]$", ["d", "w", "y", "_"], ["a", "b", "c", "x", "-", "é"]),
            ("^[\\d.\\]]+$", ["1.2]"], ["a", ""]),
            ("^[^\\w]$", ["-", "é"], ["a", "_"]),
            ("^[\\W\\d]$", ["-", "5"], ["a"]),
            ("^\\w\\s\\D$", ["a b", "_\tc"], ["a 1", "- b"]),
            ("^a\\.b\\*$", ["a.b*"], ["axb*", "a.bb"]),
            ("^.$", ["é", "😀", "a"], ["", "ab", "e\u{301}"]),
            ("^caf\u{E9}$", ["caf\u{E9}"], ["cafe\u{301}"]),
            ("^\\S*\\S$", ["abc"], ["a b"]),
            ("^:channel_group-\\S*$", [":channel_group-a"], ["channel_group-a"]),
            ("x*$", ["", "abc", "xx"], []),
            ("(^a|b$)", ["ac", "cb"], ["cac"]),
            ("^]}$", ["]}"], []),
        ] as [(String, [String], [String])])
    func matching(text: String, matching: [String], others: [String]) throws {
        let pattern = try AccessPattern(text)

        for name in matching { #expect(pattern.matches(name), "\(text) and \(name)") }
        for name in others { #expect(!pattern.matches(name), "\(text) and \(name)") }
    }

    @Test(
        "what is not regular, or not written in full, is refused with a reason",
        arguments: [
            ("(a)\\1", .unsupported("references to groups, such as \\1", at: 3)),
            (
                "é(?=a)",
                .unsupported("lookahead, lookbehind, names or flags of groups", at: 2)
            ),
            ("(?<!a)b", .unsupported("lookahead, lookbehind, names or flags of groups", at: 0)),
            ("(?i)a", .unsupported("lookahead, lookbehind, names or flags of groups", at: 0)),
            ("(*FAIL)", .unsupported("verbs", at: 0)),
            ("a*?", .unsupported(Self.lazy, at: 2)),
            ("a++", .unsupported(Self.lazy, at: 2)),
            ("a{2}{3}", .unsupported(Self.lazy, at: 4)),
            ("\\bword", .unsupported("\\b", at: 0)),
            ("\\pL", .unsupported("\\p", at: 0)),
            ("[[:alpha:]]", .unsupported("named classes; the sign itself is \\[", at: 1)),
            ("*a", .malformed("* repeats nothing; a sign itself is \\*", at: 0)),
            ("a|+", .malformed("+ repeats nothing; a sign itself is \\+", at: 2)),
            ("^*", .malformed("^ and $ cannot be repeated", at: 1)),
            ("(a", .malformed("a ( is not closed", at: 0)),
            ("a)", .malformed("a ) closes nothing", at: 1)),
            ("[a", .malformed("a [ is not closed", at: 0)),
            ("[z-a]", .malformed("a range in a class has no order", at: 1)),
            ("[\\d-z]", .malformed("a range in a class has no order", at: 1)),
            ("a\\", .malformed("nothing is behind a \\", at: 1)),
            ("a{,3}", .malformed(Self.counts, at: 1)),
            ("a{x", .malformed(Self.counts, at: 1)),
            ("a{3,2}", .malformed("{m,n} has the larger number first", at: 1)),
            ("a{1001}", .tooLarge(limit: 1000)),
            ("a{99999999999999999999}", .tooLarge(limit: 1000)),
            ("((a{100}){100}){100}", .tooLarge(limit: 1000)),
            // Nothing, very often.
            ("((((){1000}){1000}){1000}){1000}", .tooLarge(limit: 1000)),
            (String(repeating: "(", count: 33), .tooDeep(limit: 32)),
            (String(repeating: "a", count: 513), .tooLong(limit: 512)),
        ] as [(String, AccessPatternError)])
    func refusals(text: String, error: AccessPatternError) {
        #expect(throws: error) { try AccessPattern(text) }
        #expect(error.description.hasSuffix("."))
    }

    private static let lazy =
        "lazy, possessive or doubled repetitions; (…) may be repeated again"
    private static let counts = "a { is not followed by m}, m,} or m,n}; the sign is \\{"

    @Test("a pattern may be as large as the limits say")
    func limits() throws {
        let nested = String(repeating: "(", count: 32) + String(repeating: ")", count: 32)

        #expect(try AccessPattern(nested).matches("a"))
        // The last state is the match.
        #expect(try AccessPattern("a{999}").size == 1000)
        #expect(throws: AccessPatternError.tooLarge(limit: 1000)) { try AccessPattern("a{1000}") }
        #expect(
            try AccessPattern(String(repeating: "é", count: 256)).size == 257)
    }

    @Test(
        "a hostile pattern takes steps in proportion to the name",
        arguments: [
            "^(a*)*b$", "^(a|a)*b$", "^(a|aa)+$b", "(a*)*(a*)*(a*)*b", "^(a?){30}a{30}b",
            "(.*)(.*)(.*)(.*)[^a]", "^((a*)*)*c",
        ])
    func steps(text: String) throws {
        let pattern = try AccessPattern(text)
        let counts = [100, 200, 400].map { length in
            var steps = 0
            #expect(!pattern.matches(String(repeating: "a", count: length), steps: &steps))
            #expect(steps <= 2 * pattern.size * (length + 1))
            return steps
        }

        // Twice the name, twice the steps.
        #expect(counts[2] - counts[1] <= 2 * (counts[1] - counts[0]) + pattern.size)
    }

    @Test("a pattern matches what a search by trial matches", arguments: 0..<8)
    func oracle(seed: Int) throws {
        var chance = SeededGenerator(seed: UInt64(seed))
        var matches = 0
        for _ in 0..<500 {
            let sample = PatternOracle.random(depth: 3, using: &chance)
            guard let pattern = try? AccessPattern(sample.text) else {
                Issue.record("refused: \(sample.text)")
                continue
            }
            for _ in 0..<8 {
                let name = String(
                    (0..<chance.below(7)).map { _ in chance.pick(["a", "b", "-"]) }
                        .joined())
                let expected = sample.isFound(in: Array(name))
                matches += expected ? 1 : 0
                #expect(pattern.matches(name) == expected, "\(sample.text) and \(name)")
            }
        }
        // Neither all nor none.
        #expect((400...3600).contains(matches))
    }
}
