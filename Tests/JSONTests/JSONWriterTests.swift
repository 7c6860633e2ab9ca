// What the writer writes is JSON, and says what it was told.

import Basis
import JSON
import Testing

private func written(_ write: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    write(&json)
    return String(decoding: json.bytes, as: UTF8.self)
}

@Suite("JSONWriter")
struct JSONWriterTests {
    @Test("every control character is escaped and read back", arguments: UInt8(1)...0x1F)
    func controls(code: UInt8) throws {
        let text = "a" + String(UnicodeScalar(code)) + "b"

        let json = written { $0.string(text) }

        #expect(json.utf8.allSatisfy { $0 >= 0x20 })
        let read = try JSONValue(parsing: json).string
        #expect(read == text)
    }

    @Test(
        "strings are escaped as RFC 8259 says, and nothing else is",
        arguments: [
            ("", #""""#), ("\"", #""\"""#), ("\\", #""\\""#), ("\\\"\\", #""\\\"\\""#),
            ("\n\r\t", #""\n\r\t""#), ("\u{0}", #""\u0000""#), ("\u{1B}", #""\u001b""#),
            ("\u{8}\u{C}", #""\u0008\u000c""#), ("/\u{7F}é👍", "\"/\u{7F}é👍\""),
            ("\u{2028}", "\"\u{2028}\""),
        ])
    func escapes(text: String, json: String) {
        #expect(written { $0.string(text) } == json)
        #expect(JSONValue.quoted(text) == json)
    }

    @Test("names are escaped, and separated like names that are known")
    func names() {
        let json = written { json in
            json.beginObject()
            json.name(escaping: "a\"\n👍")
            json.integer(1)
            json.name(escaping: "")
            json.reopen(Array(#"{"b":2}"#.utf8))
            json.name("c")
            json.beginArray()
            json.endArray()
            json.endObject()
            json.name("d")
            json.null()
            json.endObject()
        }

        #expect(json == #"{"a\"\n👍":1,"":{"b":2,"c":[]},"d":null}"#)
    }

    @Test("any string is read back as it was", arguments: UInt64(1)...50)
    func strings(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let text = randomText(&generator)
            let json = written { writer in
                writer.beginArray()
                writer.string(text)
                writer.string(text)
                writer.endArray()
            }
            let value = try JSONValue(parsing: json)
            // By bytes: Swift's own equality takes two spellings of a letter for one.
            let read = (0..<value.count).map { Array((value.element(at: $0).string ?? "").utf8) }
            #expect(read == [Array(text.utf8), Array(text.utf8)])
        }
    }

    @Test(
        "integers of every width are written exactly",
        arguments: [
            0, 1, -1, 9, 10, -10, 99, 100, 1_000_000_007, Int64.max, Int64.min, Int64.min + 1,
        ])
    func integers(number: Int64) throws {
        let json = written { $0.integer(number) }

        #expect(json == String(number))
        let read = try JSONValue(parsing: json).integer
        #expect(read == number)
    }

    @Test("unsigned and quoted numbers are written exactly")
    func unsigned() {
        #expect(written { $0.integer(UInt64.max) } == "18446744073709551615")
        #expect(written { $0.quoted(UInt64.max) } == "\"18446744073709551615\"")
        #expect(written { $0.quoted(0) } == "\"0\"")
        #expect(written { $0.integer(Int8.min) } == "-128")
    }

    @Test("commas stand between values, and nowhere else")
    func commas() {
        let json = written { json in
            json.beginObject()
            json.name("a")
            json.beginArray()
            json.beginObject()
            json.endObject()
            json.beginArray()
            json.endArray()
            json.integer(1)
            json.quoted(2)
            json.string("3")
            json.bool(true)
            json.bool(false)
            json.null()
            json.raw("{}")
            json.raw(Array("[]".utf8))
            json.endArray()
            json.name("b")
            json.beginObject()
            json.name("c")
            json.null()
            json.name("d")
            json.integer(1)
            json.endObject()
            json.name("e")
            json.string("")
            json.endObject()
        }

        #expect(
            json == #"{"a":[{},[],1,"2","3",true,false,null,{},[]],"b":{"c":null,"d":1},"e":""}"#)
    }

    @Test("a writer that forgot writes as a new one does")
    func forgets() {
        var json = JSONWriter(reserving: 64)
        json.integer(1)
        json.removeAll()
        json.integer(2)

        #expect(json.bytes == Array("2".utf8))
    }

    @Test("any nesting is read back as it was", arguments: UInt64(1)...50)
    func nesting(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var json = JSONWriter()
        let expected = write(depth: 0, into: &json, using: &generator)
        let text = String(decoding: json.bytes, as: UTF8.self)

        #expect(text == expected)
        let compact = try JSONValue(parsing: text).compactText
        #expect(compact == expected)
    }

    /// Writes a random value, and says the same in the plainest way.
    private func write(
        depth: Int, into json: inout JSONWriter, using generator: inout SeededGenerator
    ) -> String {
        switch Int.random(in: depth < 5 ? 0...5 : 2...5, using: &generator) {
        case 0:
            json.beginArray()
            let members = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                write(depth: depth + 1, into: &json, using: &generator)
            }
            json.endArray()
            return "[" + members.joined(separator: ",") + "]"
        case 1:
            json.beginObject()
            let names: [StaticString] = ["a", "b", "c"]
            let members = names.prefix(Int.random(in: 0...3, using: &generator)).map { name in
                json.name(name)
                return "\"\(name)\":" + write(depth: depth + 1, into: &json, using: &generator)
            }
            json.endObject()
            return "{" + members.joined(separator: ",") + "}"
        case 2:
            let number = Int64(bitPattern: generator.next())
            json.integer(number)
            return String(number)
        case 3:
            json.string("x,\"")
            return #""x,\"""#
        case 4:
            json.bool(true)
            return "true"
        default:
            json.null()
            return "null"
        }
    }

    private func randomText(_ generator: inout SeededGenerator) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...20, using: &generator) {
            let codes: ClosedRange<UInt32> =
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: 1...0x1F
                case 1: 0x20...0x7F
                case 2: 0x80...0xFFFF
                default: 0x10000...0x10FFFF
                }
            if let scalar = Unicode.Scalar(UInt32.random(in: codes, using: &generator)) {
                text.append(scalar)
            }
        }
        return String(text)
    }
}
