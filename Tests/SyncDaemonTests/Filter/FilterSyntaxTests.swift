// Which texts are filter expressions, and what is said about those that are not.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// A malformed filter and what its error says.
struct MalformedFilter: CustomTestStringConvertible {
    let text: String
    let position: Int
    let found: String
    let expected: String

    init(_ text: String, _ position: Int, _ found: String, _ expected: String) {
        self.text = text
        self.position = position
        self.found = found
        self.expected = expected
    }

    var testDescription: String { text }

    static let all = [
        MalformedFilter("a ==", 5, "the end", "a value"),
        MalformedFilter("== 1", 1, "\"==\"", "a value"),
        MalformedFilter("a = 1", 3, "\"=\"", "== or another operator"),
        MalformedFilter("a === 1", 5, "\"=\"", "== or another operator"),
        MalformedFilter("a == 1 AND b == 2", 8, "\"AND\"", "an operator or the end"),
        MalformedFilter("a b", 3, "\"b\"", "an operator or the end"),
        MalformedFilter("a not in ('x')", 3, "\"not\"", "an operator or the end"),
        MalformedFilter("a In ('x')", 3, "\"In\"", "an operator or the end"),
        MalformedFilter("(a == 1", 8, "the end", "an operator, \",\" or \")\""),
        MalformedFilter("a == 1)", 7, "\")\"", "an operator or the end"),
        MalformedFilter("a in ()", 7, "\")\"", "a value"),
        MalformedFilter("a in (1,)", 9, "\")\"", "a value"),
        MalformedFilter("a in (1 2)", 9, "\"2\"", "an operator, \",\" or \")\""),
        MalformedFilter("a, b", 2, "\",\"", "an operator or the end"),
        MalformedFilter("a == 'x", 8, "the end", "the quote that ends the string"),
        MalformedFilter("a == 'x\\'", 10, "the end", "the quote that ends the string"),
        MalformedFilter("a == 'x\"", 9, "the end", "the quote that ends the string"),
        MalformedFilter("a. == 1", 4, "\"==\"", "a name"),
        MalformedFilter("a.1 == 1", 3, "\"1\"", "a name"),
        MalformedFilter("data.* == 1", 6, "\"*\"", "a name"),
        MalformedFilter("a[ == 1", 4, "\"==\"", "a number or a string"),
        MalformedFilter("a[b] == 1", 3, "\"b\"", "a number or a string"),
        MalformedFilter("a[-1] == 1", 3, "\"-\"", "a number or a string"),
        MalformedFilter("a[1.5] == 1", 3, "\"1.5\"", "a whole number"),
        MalformedFilter("a[1e300] == 1", 3, "\"1e300\"", "a whole number"),
        MalformedFilter("a[1 == 1", 5, "\"==\"", "\"]\""),
        MalformedFilter("a > 1.", 7, "the end", "a digit"),
        MalformedFilter("a > .5", 5, "\".\"", "a value"),
        MalformedFilter("a > 1e+", 8, "the end", "a digit"),
        MalformedFilter("a > 5b", 6, "\"b\"", "a digit or an operator"),
        MalformedFilter("a > 1e999", 5, "\"1e999\"", "a number below 1.8e308"),
        MalformedFilter("a # b", 3, "\"#\"", "a value or an operator"),
        MalformedFilter("a == “x”", 6, "\"“\"", "a value or an operator"),
        MalformedFilter("a == \u{0}", 6, "\"\u{0}\"", "a value or an operator"),
        MalformedFilter("👍", 1, "\"👍\"", "a value or an operator"),
        MalformedFilter("Müller 'x'", 8, "\"'x'\"", "an operator or the end"),
        MalformedFilter("a ! b", 3, "\"!\"", "an operator or the end"),
        MalformedFilter("in == 1", 1, "\"in\"", "a value"),
        MalformedFilter("a == b == ", 11, "the end", "a value"),
        MalformedFilter("a && || b", 6, "\"||\"", "a value"),
        MalformedFilter(
            "a " + String(repeating: "x", count: 40), 3,
            "\"" + String(repeating: "x", count: 32) + "...\"", "an operator or the end"),
    ]
}

@Suite("Filter syntax")
struct FilterSyntaxTests {
    @Test("what is malformed is refused with its place", arguments: MalformedFilter.all)
    func malformed(filter: MalformedFilter) throws {
        let error = try #require(FilterSamples.problem(filter.text))

        #expect(error.position == filter.position)
        #expect(error.found == filter.found)
        #expect(error.expected == filter.expected)
    }

    @Test("the error is a sentence")
    func sentence() throws {
        let error = try #require(FilterSamples.problem("a = 1"))

        #expect(
            error.description == "The filter is malformed at character 3: found \"=\", "
                + "expected == or another operator.")
    }

    @Test("spaces may stand between any two tokens, or not at all")
    func spaces() throws {
        #expect(try FilterSamples.matches("count==7&&region in('east','west')"))
        #expect(
            try FilterSamples.matches(
                " ( count ==\t7 ) && attributes . deep [ 'er' ] [ 0 ] . x\n== 'y' "))
    }

    @Test("a filter may be long, but no longer than allowed")
    func length() throws {
        let fits = "count == 7" + String(repeating: " ", count: Limits.filterBytesMax - 10)

        #expect(try FilterSamples.matches(fits))
        #expect(
            FilterSamples.problem(fits + " ")?.description
                == "The filter is malformed at character 1: found 4097 bytes, "
                + "expected at most 4096.")
    }

    @Test(
        "a long chain needs no depth",
        arguments: [
            ("count", "+1", "<9999", true), ("true", "&&1", "", true), ("0", "||0", "", false),
            ("1", "==1", "", false), ("count", "|1", "", true), ("1", "*1", "==1", true),
            ("a", ".a", "!=1", false), ("a", "[1]", "!=1", false), ("count in(1", ",7", ")", true),
        ])
    func chains(first: String, step: String, last: String, expected: Bool) throws {
        let count = (Limits.filterBytesMax - first.utf8.count - last.utf8.count) / step.utf8.count
        let filter = first + String(repeating: step, count: count) + last

        #expect(try FilterSamples.matches(filter) == expected)
    }

    @Test(
        "a filter may be nested, but no deeper than allowed",
        arguments: [("(", ")"), ("!", ""), ("-", ""), ("~", ""), ("1+(", ")"), ("x in (1,", ")")])
    func depth(opening: String, closing: String) throws {
        func filter(_ levels: Int) -> String {
            String(repeating: opening, count: levels) + "1"
                + String(repeating: closing, count: levels)
        }
        let error = try #require(FilterSamples.problem(filter(Limits.filterDepthMax + 1)))

        #expect(FilterSamples.problem(filter(Limits.filterDepthMax)) == nil)
        #expect(error.expected == "at most 32 levels of nesting")
        #expect(FilterSamples.problem(filter(400)) == error)
    }

    @Test("depth counts what is open, not what was closed")
    func closedLevels() throws {
        let filter = String(repeating: "(!(count == 1)) && ", count: 100) + "true"

        #expect(try FilterSamples.matches(filter))
    }

    @Test(
        "any text is a filter or an error that points into it", arguments: 0..<16 as Range<UInt64>)
    func fuzz(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "a", "data", "meta", "count", "regions", "region", ".", "[", "]", "(", ")", ",", " ",
            "'", "\"", "\\", "0", "1", "7.5", "e9", "==", "!=", "<", ">=", "in", "contains",
            "like", "LIKE", "&&", "||", "|", "^", "&", "+", "-", "*", "/", "%", "!", "~", "=",
            "'*a%'", "'east'", "true", "null", "👍", "é", "\u{0}", "\n", "x in (1,2)",
        ]

        for _ in 0..<3000 {
            let count = Int.random(in: 0...24, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            do {
                let first = try FilterSamples.matches(text)
                let second = try FilterSamples.matches(text)
                #expect(first == second)
            } catch {
                let scalars = text.unicodeScalars.count
                #expect((1...(scalars + 1)).contains(error.position), "\(text)")
                #expect(error.description.hasSuffix("."))
            }
        }
    }

    @Test(
        "a filter that is cut off anywhere is a filter or an error",
        arguments: [
            "(attributes.var1 + attributes['var2'] == 30) && !(\"a\\\"\" in regions) || 1e+5 > x[0]"
        ])
    func cuts(text: String) {
        for count in 0...text.count {
            if let error = FilterSamples.problem(String(text.prefix(count))) {
                #expect((1...(count + 1)).contains(error.position))
            }
        }
    }
}
