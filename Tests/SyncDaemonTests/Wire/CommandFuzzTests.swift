// Twenty thousand damaged commands: none crashes the decoder, each gets a documented answer.

import Basis
import EventModel
import TestSupport
import Testing

@testable import SyncDaemon

/// Changes a valid text a little, in ways that parsers dislike.
struct Mutator {
    var generator: SeededGenerator
    let seeds: [[UInt8]]
    private let tokens = [
        "null", "true", "-1", "9223372036854775808", "1e999", "\"\"", "[]", "{}", "{\"id\":1}",
        "\\u0000", "\\ud800", "\"", "\\", ",", ":", "[[[[", "{\"a\":", "\u{0}", "👍", "\u{FEFF}",
    ]

    mutating func next() -> [UInt8] {
        var bytes = seeds.randomElement(using: &generator) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &generator) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let position = Int.random(in: 0...bytes.count, using: &generator)
        let end = min(bytes.count, position + Int.random(in: 0...12, using: &generator))
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where position < bytes.count:
            bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes.removeSubrange(position..<end)
        case 2: bytes.insert(contentsOf: bytes[position..<end], at: position)
        case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: position)
        case 4:
            let token = tokens.randomElement(using: &generator) ?? ""
            bytes.replaceSubrange(position..<end, with: token.utf8)
        default: replaceValue(in: &bytes)
        }
    }

    /// Puts a token where a value stands, so that the text often stays JSON.
    private mutating func replaceValue(in bytes: inout [UInt8]) {
        let colons = bytes.indices.filter { bytes[$0] == UInt8(ascii: ":") }
        guard let colon = colons.randomElement(using: &generator) else { return }
        let rest = bytes[(colon + 1)...]
        let end = rest.firstIndex { ",}]".utf8.contains($0) } ?? bytes.count
        let token = tokens.randomElement(using: &generator) ?? ""
        bytes.replaceSubrange((colon + 1)..<end, with: token.utf8)
    }
}

@Suite("Damaged commands")
struct CommandFuzzTests {
    @Test("each is a command, or an error of the table", arguments: UInt64(1)...8)
    func everyAnswerIsDocumented(seed: UInt64) throws {
        let others = [#"[{"id":1,"op":"ping"}]"#, "null", String(repeating: "[", count: 33)]
        let examples = try (ProtocolDocument.examples("→") + others).map { Array($0.utf8) }
        let documented = try ProtocolDocument.errorCodes()
        var mutator = Mutator(generator: SeededGenerator(seed: seed), seeds: examples)
        var seen: [String: Int] = [:]

        for _ in 0..<2500 {
            let bytes = mutator.next()
            let decoded = CommandDecoder.decode(bytes.span.bytes)
            switch decoded.command {
            case .success:
                seen["command", default: 0] += 1
                #expect(decoded.id.map { $0 >= 0 } == true)
            case .failure(let error):
                seen[error.code, default: 0] += 1
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(documented[error.code] == error.status, "\(text)")
                #expect(!error.message.isEmpty)
            }
        }

        // Otherwise the damage is of one kind only, and the loop proves nothing.
        let common = [
            "command", "not_json", "missing_field", "invalid_field", "not_an_object",
            "unknown_op", "json_too_deep",
        ]
        for code in common {
            #expect(seen[code, default: 0] > 0, "\(code) never came up")
        }
    }
}
