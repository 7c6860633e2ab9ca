// A hundred thousand damaged texts: the parser and Jansson agree on which are JSON, and what they
// say.

import Basis
import JSON
import Testing

/// Texts that grow at random, and are damaged at random.
private struct TextMaker {
    var generator: SeededGenerator
    private let tokens = [
        "null", "true", "fals", "-", "-0", "1.5e", "1E+2", "0.10", "9223372036854775807", "\"\"",
        "[]", "{}", "\\u0000", "\\ud83d\\udc4d", "\\ud800", "\\udc00", "\\u12", "\"", "\\", ",",
        ":", "[[[[", "{\"a\":", "]", "}", "👍", "\u{FEFF}", " ", "\n", "\t", "/", "\u{1}",
    ]

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func next() -> [UInt8] {
        var text = Array(value(levels: 4).utf8)
        for _ in 0..<Int.random(in: 0...3, using: &generator) { damage(&text) }
        return text
    }

    private mutating func value(levels: Int) -> String {
        switch Int.random(in: 0..<(levels > 0 ? 9 : 6), using: &generator) {
        case 0: ["null", "true", "false"].randomElement(using: &generator) ?? "null"
        case 1: String(Int64.random(in: -1000...1000, using: &generator))
        case 2: ["0", "-0", "1.10", "1E2", "-7.5e-3", "0.0"].randomElement(using: &generator) ?? ""
        case 3...5: string()
        case 6: "[" + list(levels) { $0.value(levels: levels - 1) } + "]"
        default:
            "{" + list(levels) { $0.string() + blank($0) + ":" + $0.value(levels: levels - 1) }
                + "}"
        }
    }

    private mutating func list(_ levels: Int, _ item: (inout Self) -> String) -> String {
        let count = Int.random(in: 0...12, using: &generator) % (levels + 8)
        return (0..<count).map { _ in item(&self) }.joined(separator: ", ")
    }

    private mutating func string() -> String {
        let parts = ["a", "b", "\\n", "\\u0041", "é", "👍", "\\ud83d\\udc4d", "\\\"", "\\/", "x y"]
        let count = Int.random(in: 0...3, using: &generator)
        return "\""
            + (0..<count).map { _ in parts.randomElement(using: &generator) ?? "" }
            .joined() + "\""
    }

    private mutating func damage(_ bytes: inout [UInt8]) {
        let position = Int.random(in: 0...bytes.count, using: &generator)
        let end = min(bytes.count, position + Int.random(in: 0...6, using: &generator))
        switch Int.random(in: 0..<5, using: &generator) {
        case 0 where position < bytes.count:
            bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes.removeSubrange(position..<end)
        case 2: bytes.insert(contentsOf: bytes[position..<end], at: position)
        case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: position)
        default:
            let token = tokens.randomElement(using: &generator) ?? ""
            bytes.replaceSubrange(position..<end, with: token.utf8)
        }
    }
}

private func blank(_: TextMaker) -> String { " " }

@Suite("Damaged texts")
struct JSONFuzzTests {
    @Test("the parser and Jansson agree", arguments: UInt64(1)...20)
    func agrees(seed: UInt64) {
        var maker = TextMaker(seed: seed)
        var seen = (json: 0, other: 0)
        for _ in 0..<5000 {
            let bytes = maker.next()
            let expected = JanssonOracle.text(bytes)
            let value = try? JSONValue(parsing: bytes, depthMax: .max)
            let text = String(decoding: bytes, as: UTF8.self)
            guard let value else {
                seen.other += 1
                #expect(expected == nil, "Jansson takes \(text)")
                continue
            }
            seen.json += 1
            let compact = Array(value.compactText.utf8)
            if let expected {
                // What was kept says what was sent, and so does its other spelling.
                #expect(JanssonOracle.text(compact) == expected, "\(text)")
                #expect(
                    JanssonOracle.text(Array(value.textOfEarlierReleases.utf8)) == expected,
                    "\(text)")
            } else {
                #expect(isBeyondJansson(bytes), "Jansson refuses \(text)")
            }
            let again = try? JSONValue(parsing: compact, depthMax: .max)
            #expect(again?.compactText == value.compactText, "\(text)")
            #expect(again?.canonicalText == value.canonicalText, "\(text)")
        }
        #expect(seen.json > 500 && seen.other > 500, "\(seen)")
    }

    /// Whether a text may hold what Jansson refuses though it is JSON.
    private func isBeyondJansson(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.contains("\\u0000") || text.contains(/[0-9]{18}|[eE][+-]?[0-9]{3}/)
    }
}
