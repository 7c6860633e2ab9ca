// What `like` takes for alike.

import Basis
import Testing

@testable import SyncDaemon

@Suite("Filter patterns")
struct FilterPatternTests {
    private func isLike(_ text: String, _ pattern: String) throws -> Bool {
        try FilterSamples.matches(
            "text like pattern",
            meta: .object(["text": .string(text), "pattern": .string(pattern)])
        ) { .undefined }
    }

    @Test(
        "wildcards stand for any text, and the whole text must be like the pattern",
        arguments: [
            ("hello", "hello", true), ("hello", "hell", false), ("hello", "ello", false),
            ("hello", "*", true), ("", "*", true), ("", "", true), ("a", "", false),
            ("hello", "h*", true), ("hello", "*o", true), ("hello", "h*o", true),
            ("hello", "*ell*", true), ("hello", "h%o", true), ("hello", "%", true),
            ("hello", "*%*", true), ("hello", "h**o", true), ("hello", "e*", false),
            ("hello", "*l", false), ("hello", "*x*", false), ("hello", "*l*l*", true),
            ("hello", "*l*l*l*", false), ("hello", "hello*", true), ("hello", "*hello", true),
            ("aba", "ab*ba", false), ("abba", "ab*ba", true), ("abcabc", "*abc", true),
            ("aXbXc", "a*b*c", true), ("acb", "a*b*c", false), ("aaa", "*a*a*a*", true),
        ])
    func wildcards(text: String, pattern: String, expected: Bool) throws {
        #expect(try isLike(text, pattern) == expected)
    }

    @Test(
        "nothing else is special",
        arguments: [
            ("a.c", "a.c", true), ("abc", "a.c", false), ("a+", "a+", true), ("aa", "a+", false),
            ("a?", "a?", true), ("a", "a?", false), ("b", "[ab]", false), ("[ab]", "[ab]", true),
            ("a_c", "a_c", true), ("abc", "a_c", false), ("(a|b)", "(a|b)", true),
            ("a", "(a|b)", false), ("^a$", "^a$", true), ("a", "^a$", false),
            ("a\\d1", "a\\d*", true), ("a11", "a\\d1", false), ("x{2}", "x{2}", true),
        ])
    func plainCharacters(text: String, pattern: String, expected: Bool) throws {
        #expect(try isLike(text, pattern) == expected)
    }

    @Test(
        "upper and lower case are the same",
        arguments: [
            ("HELLO", "hello"), ("hello", "HE*O"), ("Müller", "MÜL*"), ("ÄÖÜ", "äöü"),
            ("привет", "ПРИ*"),
        ])
    func letterCase(text: String, pattern: String) throws {
        #expect(try isLike(text, pattern))
    }

    @Test(
        "a list is like a pattern when one of its elements is, other kinds never are",
        arguments: [
            ("regions like 'west'", true), ("regions like '*st'", true),
            ("regions like 'n*'", false),
            ("scores like '2'", true), ("scores like '1'", false), ("count like '7'", false),
            ("count like '*'", false), ("nothing like '*'", false), ("attributes like '*'", false),
            ("region like 5", false), ("region like regions", false), ("'abc' like pattern", false),
            ("'A.C' like pattern", true), ("quote like 'IT\\'S*'", true),
            (#"quote like "*\"5\"*""#, true), (#"quote like '*\\ *'"#, true),
        ])
    func kinds(filter: String, expected: Bool) throws {
        #expect(try FilterSamples.matches(filter) == expected)
    }

    @Test("patterns agree with trying everything", arguments: 0..<8 as Range<UInt64>)
    func agreement(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func text(_ letters: String, upTo count: Int) -> String {
            String(
                (0..<Int.random(in: 0...count, using: &random)).compactMap { _ in
                    letters.randomElement(using: &random)
                })
        }

        for _ in 0..<2000 {
            let subject = text("ab", upTo: 10)
            let pattern = text("ab*%", upTo: 8)
            let expected = Self.isLikeSlowly(subject[...], pattern[...])
            #expect(try isLike(subject, pattern) == expected, "\(subject) like \(pattern)")
        }
    }

    @Test(
        "a pattern of many wildcards on a long text comes to an end",
        arguments: ["*a", "%", "*aa", "a*", "*aaaaaaab"])
    func manyWildcards(step: String) throws {
        let count = 3000 / step.utf8.count
        let pattern = String(repeating: step, count: count)
        let text = String(repeating: "a", count: 32_000)

        #expect(try isLike(text, pattern) == !step.contains("b"))
        #expect(try isLike(text + "c", pattern) == (step == "%" || step == "a*"))
    }

    @Test("searching agrees with trying everything", arguments: 0..<8 as Range<UInt64>)
    func search(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
                "ab".randomElement(using: &random) ?? "a"
            }
            let part = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                "ab".randomElement(using: &random) ?? "a"
            }
            let expected = (0...max(0, text.count - part.count)).contains {
                text.dropFirst($0).starts(with: part)
            }

            let found = try FilterSamples.matches(
                "part in text",
                meta: .object(["part": .string(String(part)), "text": .string(String(text))])
            ) { .undefined }

            #expect(found == expected, "\(String(part)) in \(String(text))")
        }
    }

    /// The plain definition, exponential in the wildcards.
    private static func isLikeSlowly(_ text: Substring, _ pattern: Substring) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" || first == "%" {
            return isLikeSlowly(text, pattern.dropFirst())
                || (!text.isEmpty && isLikeSlowly(text.dropFirst(), pattern))
        }
        return text.first == first && isLikeSlowly(text.dropFirst(), pattern.dropFirst())
    }
}
