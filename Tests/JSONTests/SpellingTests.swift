// One value, many spellings: what is kept to the byte, and what is taken for the same.

import JSON
import Testing

@Suite("Spellings")
struct SpellingTests {
    @Test(
        "the compact text is what was written, to the byte, without blanks",
        arguments: [
            ("-0", "-0"), ("1E2", "1E2"), ("1.10", "1.10"), (" 0.0 ", "0.0"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            (#""\u0000\u0041\/\ud83d\udc4d""#, #""\u0000\u0041\/\ud83d\udc4d""#),
            (
                "{ \"b\" : [ 1 , 2 ] ,\n\t\"a b\" : \" x \\\" y \" }",
                #"{"b":[1,2],"a b":" x \" y "}"#
            ),
            (#"[ "\\", " " ]"#, #"["\\"," "]"#), ("[ ]", "[]"), ("{ }", "{}"),
        ])
    func compact(text: String, compact: String) throws {
        #expect(try JSONValue(parsing: text).compactText == compact)
        let inside = try JSONValue(parsing: "[0, \(text) , {}]").element(at: 1).compactText
        #expect(inside == compact)
    }

    @Test(
        "equal values have one canonical text",
        arguments: [
            (#"{"b":1,"a":{"d":2,"c":3}}"#, #"{ "a" : {"c":3,"d":2} , "b" : 1 }"#),
            (#"{"\u0061":"\u00e9\/"}"#, #"{"a":"é/"}"#), ("1.10", "1.1"), ("1E2", "100"),
            ("100", "1e+2"), ("-0", "0"), ("-0.0e5", "0"), ("0.001", "1E-3"), ("1.0", "1"),
            ("12.50e1", "125"), ("18446744073709551616", "1.8446744073709551616E19"),
            ("1000000000000000000000000", "1e24"), ("-7.5e-3", "-0.0075"),
            ("[1,[2.0]]", "[1.0, [2]]"), ("1e99999999999", "1E99999999999"),
        ])
    func canonical(one: String, other: String) throws {
        #expect(
            try JSONValue(parsing: one).canonicalText == JSONValue(parsing: other).canonicalText)
    }

    @Test(
        "different values have different canonical texts",
        arguments: [
            ("[1,2]", "[2,1]"), ("1", "\"1\""), ("0.1", "0.10000000000000000001"), ("1", "-1"),
            ("9007199254740993", "9007199254740992"), (#"{"a":null}"#, "{}"), ("null", "false"),
            (#""a""#, #""A""#), (#""\u00e9""#, #""e\u0301""#), ("1e5", "1e-5"), ("10", "1"),
        ])
    func different(one: String, other: String) throws {
        // As bytes: Swift takes some texts for equal that are not.
        let texts = try [one, other].map { Array(try JSONValue(parsing: $0).canonicalText.utf8) }
        #expect(texts[0] != texts[1])
    }

    @Test("earlier releases wrote members in their order, and plain characters")
    func earlier() throws {
        let text = #"{ "b" : "\u00e9\u000a" , "a" : [ 1.5 , -0 , 9007199254740993 ] }"#
        #expect(
            try JSONValue(parsing: text).textOfEarlierReleases
                == #"{"b":"é\n","a":[1.5,0,9007199254740993]}"#)
    }
}
