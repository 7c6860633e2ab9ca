// UTF-8 in pieces, against Swift's own opinion of the whole.

import Basis
import Testing

@testable import SyncDaemon

@Suite("TextCheck")
struct TextCheckTests {
    /// Whether bytes are UTF-8, taken in two pieces.
    private func isText(_ bytes: [UInt8], cutAt cut: Int) -> Bool {
        var check = TextCheck()
        let (head, tail) = (Array(bytes[..<cut]), Array(bytes[cut...]))
        return check.accepts(head.span) && check.accepts(tail.span) && check.isComplete
    }

    @Test("every pair and every lead with its second byte is as Swift says")
    func pairs() {
        for first in 0...255 as ClosedRange<UInt8> {
            for second in 0...255 as ClosedRange<UInt8> {
                for tail in [[], [0x80], [0x80, 0x80]] as [[UInt8]] {
                    let bytes = [first, second] + tail
                    let isValid = String(validating: bytes, as: UTF8.self) != nil
                    if isText(bytes, cutAt: 1) != isValid { Issue.record("\(bytes)") }
                }
            }
        }
    }

    @Test(
        "any text, whole and with a byte broken, however cut", arguments: 0..<200 as Range<UInt64>)
    func chance(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        let letters: [Character] = ["a", "é", "€", "👍", "\u{10FFFF}", "\u{7FF}", "\u{800}", "\0"]
        var bytes = Array(String((0..<40).map { _ in choices.pick(letters) }).utf8)
        if choices.chance(50) { bytes[choices.below(bytes.count)] = UInt8(choices.below(256)) }
        let isValid = String(validating: bytes, as: UTF8.self) != nil

        for cut in 0...bytes.count { #expect(isText(bytes, cutAt: cut) == isValid) }
    }

    @Test("ASCII of any length, with something else behind it", arguments: 0..<40)
    func ascii(count: Int) {
        let text = [UInt8](repeating: 97, count: count)

        #expect(isText(text, cutAt: 0))
        #expect(!isText(text + [0x80], cutAt: 0))
        #expect(!isText(text + [0xC3], cutAt: 0))
        #expect(isText(text + [0xC3, 0xA4] + text, cutAt: count / 2))
    }
}
