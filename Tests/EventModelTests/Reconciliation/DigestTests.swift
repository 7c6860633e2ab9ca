// The laws of digests: what is equal, what is not, and what they are to the bit.

import Basis
import EventModel
import Testing

private func row(
    _ message: UInt64 = 1, _ type: String = "a", _ value: String = "b", _ uuid: String = "c",
    at added: UInt64 = 2
) -> MessageAction {
    MessageAction(
        key: MessageAction.Key(
            messageTimetoken: Timetoken(rawValue: message), type: type, value: value, uuid: uuid),
        actionTimetoken: Timetoken(rawValue: added))
}

private func digest(_ rows: [MessageAction], _ key: DigestKey) -> Digest {
    rows.reduce(into: Digest()) { $0.insert($1, key: key) }
}

@Suite("Digest")
struct DigestTests {
    @Test("the digest of a row is the documented one, to the bit")
    func golden() throws {
        let key = try #require(DigestKey("000102030405060708090a0b0c0d0e0f"))
        let thumb = row(
            17_952_187_953_729_999, "reaction", "👍", "ada", at: 17_952_187_953_730_012)

        #expect(digest([thumb], key).text == "8ad32588d2b82554ffbdb17cd8648ce0")
        let scored = MessageAction(
            key: thumb.key, actionTimetoken: thumb.actionTimetoken, score: 5)
        #expect(digest([scored], key).text == "7f6dd641f9cd395cae822747a3032a24")
        #expect(digest([row(1, "", "", "", at: 2)], key).text == "573a25b1fb5e60e5568710c54d180341")
        func message(_ type: String?) -> String {
            var digest = Digest()
            digest.insert(
                MessageRow(timetoken: thumb.key.messageTimetoken, uuid: "ada", type: type),
                key: key)
            return digest.text
        }
        #expect(message(nil) == "e8aea1dfa442523e840084b824593262")
        #expect(message("text") == "16456ed74a6e3dc8b32c55a7036d6942")
        #expect(Digest.empty.text == String(repeating: "0", count: 32))
    }

    @Test("the order of inserts and removals does not matter", arguments: UInt64(1)...20)
    func order(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let key = generator.key()
        let rows = (0..<50).map { _ in generator.row() }
        let gone = rows.prefix(20)
        let steps = rows.map { ($0, true) } + gone.map { ($0, false) }

        var shuffled = Digest()
        for (row, isInsert) in steps.shuffled(using: &generator) {
            if isInsert { shuffled.insert(row, key: key) } else { shuffled.remove(row, key: key) }
        }

        #expect(shuffled == digest(Array(rows.dropFirst(20)), key))
        #expect(shuffled.count == 30)
        #expect(shuffled != digest(rows, key))
    }

    @Test("removing every row leaves the empty digest, whatever was there", arguments: 1...10)
    func inverse(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let key = generator.key()
        let rows = (0..<30).map { _ in generator.row() }
        var digest = digest(rows, key)

        for row in rows.shuffled(using: &generator) { digest.remove(row, key: key) }

        #expect(digest == .empty)
    }

    @Test("one row twice is not no row, and not one")
    func twice() {
        var generator = SeededGenerator(seed: 1)
        let key = generator.key()

        let twice = digest([row(), row()], key)

        #expect(twice != .empty)
        #expect(twice != digest([row()], key))
        #expect(twice.text != Digest.empty.text)
    }

    @Test("another key gives another digest")
    func keys() {
        var generator = SeededGenerator(seed: 1)
        let (first, second) = (generator.key(), generator.key())

        #expect(digest([row()], first) != digest([row()], second))
        #expect(digest([], first) == digest([], second))
    }

    @Test(
        "every field counts, and so does where a field ends",
        arguments: [
            row(2), row(at: 3), row(1, "x"), row(1, "a", "x"), row(1, "a", "b", "x"),
            row(1, "ab", "", "c"), row(1, "", "ab", "c"), row(1, "a", "", "bc"),
            row(1, "a", "bc", ""), row(1, "b", "a", "c"), row(1, "a", "b", "c\0"),
            row(2, at: 1), row(1 << 32), row(at: 2 << 32), row(1, "a", "b\0", "c"),
        ])
    func fields(other: MessageAction) {
        var generator = SeededGenerator(seed: 1)
        let key = generator.key()

        #expect(digest([other], key) != digest([row()], key))
    }

    @Test("two spellings of one letter are two rows")
    func unicode() {
        var generator = SeededGenerator(seed: 1)
        let key = generator.key()

        #expect(
            digest([row(1, "a", "\u{E9}")], key) != digest([row(1, "a", "e\u{301}")], key))
    }

    @Test("a text longer than the stack's scratch is hashed to its end")
    func longTexts() {
        var generator = SeededGenerator(seed: 1)
        let key = generator.key()
        let long = String(repeating: "x", count: 20_000)

        #expect(
            digest([row(1, "a", long + "1")], key) != digest([row(1, "a", long + "2")], key))
        #expect(digest([row(1, "a", long)], key) == digest([row(1, "a", long)], key))
    }

    @Test("what is written is read back", arguments: UInt64(1)...20)
    func text(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let key = generator.key()
        let written = digest((0..<3).map { _ in generator.row() }, key)

        #expect(written.text.utf8.count == 32)
        #expect(Digest(written.text, count: 3) == written)
        #expect(Digest(written.text, count: 2) != written)
        #expect(DigestKey(key.text) == key)
    }
}
