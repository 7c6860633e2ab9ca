// Which texts are JSON here, what is read from them, and what the errors say.

import JSON
import Testing

/// What is wrong with a text; nil when it is JSON.
private func problem(_ text: String, depthMax: Int = 32) -> JSONError? {
    do {
        _ = try JSONValue(parsing: text, depthMax: depthMax)
        return nil
    } catch {
        return error
    }
}

private func problem(_ bytes: [UInt8]) -> JSONError? {
    do {
        _ = try JSONValue(parsing: bytes.span.bytes)
        return nil
    } catch {
        return error
    }
}

private func isNotJSON(_ error: JSONError?) -> Bool {
    if case .notJSON = error { true } else { false }
}

@Suite("JSONValue")
struct JSONValueTests {
    @Test(
        "what is not JSON is refused",
        arguments: [
            "", " ", "{", "}", "[1,]", "{\"a\":1,}", "{a:1}", "{'a':1}", "01", "1.", ".5", "+1",
            "-", "nul", "True", "NaN", "Infinity", "1 2", "{}{}", "[1", "\"", "\"\\x\"",
            "\"\\u12\"", "\"\n\"", "\"\u{1}\"", "/* */ 1", "[1]//", "\u{FEFF}{}",
        ])
    func refuses(text: String) {
        #expect(isNotJSON(problem(text)))
    }

    @Test(
        "a lone surrogate is refused, escaped",
        arguments: [#""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\udc00\ud800""#, #""\ud83d\n""#])
    func loneSurrogates(text: String) {
        #expect(isNotJSON(problem(text)))
    }

    @Test("a pair of surrogates is one scalar")
    func surrogatePair() throws {
        let string = try JSONValue(parsing: #""\ud83d\udc4d""#).string
        #expect(string == "👍")
    }

    @Test(
        "what is not UTF-8 is refused",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC3], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
            [0xE2, 0x82], [0xF0, 0x82, 0x82, 0xAC],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(isNotJSON(problem([0x22] + bytes + [0x22])))
        #expect(isNotJSON(problem(bytes)))
    }

    @Test(
        "a zero character is refused where it is written, in a value, in a name and elsewhere",
        arguments: ["\"a\0b\"", "{\"a\0b\":1}", "\0", "\01", "[]\0", "[\0]"])
    func zeros(text: String) {
        #expect(isNotJSON(problem(text)))
    }

    @Test(
        "a zero character behind a number or a word is refused",
        arguments: ["1\0", "[1\0]", "{\"id\":1\0,\"op\":\"ping\"}", "true\0", "[null\0]"])
    func zerosBehindTokens(text: String) {
        #expect(isNotJSON(problem(text)))
    }

    @Test(
        "a name twice in an object is refused, at any depth",
        arguments: [#"{"a":1,"a":1}"#, #"[{"a":1,"b":2,"a":null}]"#, #"{"a":1,"\u0061":2}"#])
    func duplicates(text: String) {
        #expect(isNotJSON(problem(text)))
        #expect(problem(text)?.description.contains("duplicate") == true)
    }

    @Test("one name in two objects is no duplicate")
    func noDuplicates() {
        #expect(problem(#"{"a":{"a":1},"b":{"a":1},"A":1}"#) == nil)
    }

    @Test("an error says what, and where")
    func position() {
        #expect(
            problem("{\"a\":1,\n\"b\":x}")
                == .notJSON(reason: "a value is expected, not 'x'", line: 2, column: 5))
        #expect(
            problem("[1")?.description
                == "The text is not JSON: ',' or ']' is expected, and the text ends, line 1, "
                + "column 3.")
        #expect(
            problem("[\"👍é\",+1]")
                == .notJSON(reason: "a value is expected, not '+'", line: 1, column: 7))
        #expect(
            problem(#"{"a":1,"\u0061":2}"#)
                == .notJSON(reason: "a duplicate name", line: 1, column: 8))
    }

    // MARK: Depth

    private func nested(_ levels: Int, _ open: String, _ inner: String, _ close: String) -> String {
        String(repeating: open, count: levels) + inner + String(repeating: close, count: levels)
    }

    @Test(
        "as many levels as allowed are read, one more is not",
        arguments: [
            ("[", "", "]"), ("[", "1", "]"), (#"{"a":"#, "1", "}"), (#"[{"a":"#, "1", "}]"),
        ])
    func depth(open: String, inner: String, close: String) {
        let perRepeat = open.count { "[{".contains($0) }
        let levels = 6 / perRepeat

        #expect(problem(nested(levels, open, inner, close), depthMax: 6) == nil)
        #expect(
            problem(nested(levels + 1, open, inner, close), depthMax: 6) == .tooDeep(limit: 6))
    }

    @Test("the depth is checked before anything recurses")
    func deep() {
        #expect(problem(String(repeating: "[", count: 1_000_000)) == .tooDeep(limit: 32))
        #expect(
            problem(String(repeating: #"{"a":"#, count: 1_000_000))?.description
                == "The JSON is nested more than 32 levels deep.")
    }

    @Test(
        "brackets inside strings are not levels, whatever is escaped before them",
        arguments: [
            #"["[[[[{{{{"]"#, #"["\"[[[["]"#, #"["\\\"[[[["]"#, #"{"[[[[":"{{{{"}"#,
            #"["\\","[[[["]"#,
        ])
    func brackets(text: String) {
        #expect(problem(text, depthMax: 2) == nil)
    }

    @Test("a string that ends in a backslash ends there, and brackets after it are levels")
    func escapedEnd() {
        #expect(problem(#"["\\",[[1]]]"#, depthMax: 2) == .tooDeep(limit: 2))
        #expect(problem(#"["\\",[[1]]]"#, depthMax: 3) == nil)
    }

    @Test("levels are counted side by side as one")
    func siblings() {
        #expect(problem("[[],[],[[]],{},[]]", depthMax: 3) == nil)
    }

    // MARK: Numbers

    @Test(
        "64-bit integers are read exactly",
        arguments: [
            ("0", 0), ("-0", 0), ("-1", -1), ("9007199254740993", 9_007_199_254_740_993),
            ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
        ])
    func integers(text: String, value: Int64) throws {
        let integer = try JSONValue(parsing: text).integer
        #expect(integer == value)
    }

    @Test(
        "larger integers are kept as they are written, and are no 64-bit integers",
        arguments: ["9223372036854775808", "-9223372036854775809", "100000000000000000000"])
    func largeIntegers(text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(value.integer == nil)
        #expect(value.number == Double(text))
        #expect(value.compactText == text)
        let field = #expect(throws: JSONError.self) {
            try JSONValue(parsing: #"{"a":\#(text)}"#).integer("a")
        }
        #expect(field?.description == #"The field "a" must be an integer of 64 bits."#)
    }

    @Test("a number that no double holds is infinite, and kept")
    func infinite() throws {
        let value = try JSONValue(parsing: "-1e999")
        #expect(value.number == -.infinity)
        #expect(value.compactText == "-1e999")
    }

    @Test("an escaped zero character is one, and no part of a field of text")
    func escapedZero() throws {
        let value = try JSONValue(parsing: #"{"a\u0000":"b\u0000c"}"#)
        #expect(value.memberNames == ["a\0"])
        #expect(value.member("a\0")?.string == "b\0c")
        #expect(value.compactText == #"{"a\u0000":"b\u0000c"}"#)
        #expect(throws: JSONError.wrongType("a\0", expected: "a string without U+0000")) {
            try value.string("a\0")
        }
    }

    @Test("names are compared without their escapes, in large objects too")
    func manyNames() {
        let names = (0..<1000).map { #""n\#($0)":0"# }.joined(separator: ",")
        #expect(problem("{\(names)}") == nil)
        #expect(isNotJSON(problem(#"{\#(names),"\u006e7":1}"#)))
        #expect(isNotJSON(problem(#"{"x":{\#(names),"n999":1}}"#)))
    }

    @Test(
        "a number with a point or an exponent is not an integer by itself",
        arguments: ["1.0", "1e3"])
    func fractions(text: String) throws {
        let integer = try JSONValue(parsing: text).integer
        #expect(integer == nil)
    }

    @Test(
        "a field is an integer however a number without a fraction was written",
        arguments: [
            ("1.0", 1), ("1e3", 1000), ("-2.50e1", -25),
            ("9007199254740991.0", 9_007_199_254_740_991),
            ("1.5", nil), ("1e-1", nil), ("9007199254740993.0", nil), ("1e400", nil),
            ("\"1\"", nil),
        ] as [(String, Int64?)])
    func wholeNumbers(text: String, value: Int64?) throws {
        let integer = try? JSONValue(parsing: #"{"n":\#(text)}"#).integer("n")
        #expect(integer == value)
    }

    @Test(
        "any number is read as a double, and nothing else",
        arguments: [
            ("1.5", 1.5), ("1e3", 1000), ("-7", -7), ("9007199254740993", 9_007_199_254_740_992),
            ("\"1\"", nil), ("true", nil), ("null", nil), ("[1]", nil), ("{}", nil),
        ] as [(String, Double?)])
    func doubles(text: String, value: Double?) throws {
        let number = try JSONValue(parsing: text).number
        #expect(number == value)
    }
}
