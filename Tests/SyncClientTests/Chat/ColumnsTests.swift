// Texts in columns of a terminal: widths, cuts, line ends, and what would steer it.

import Testing

@testable import syncctl

@Suite("Columns of a chat")
struct ColumnsTests {
    private let measure = Columns.sample

    @Test(
        "widths",
        arguments: [
            ("abc", 3), ("漢字", 4), ("👍", 2), ("e\u{301}", 1), ("❤️", 1), ("", 0),
            ("👨‍👩‍👧", 6),
        ])
    func widths(text: String, width: Int) {
        #expect(measure.width(of: text) == width)
    }

    @Test("a cut is never amid a character, and says that it is one")
    func cuts() {
        #expect(measure.clipped("hello", to: 5) == "hello")
        #expect(measure.clipped("hello", to: 4) == "hel…")
        #expect(measure.clipped("漢字漢", to: 4) == "漢…")
        #expect(measure.clipped("abc", to: 0) == "")
        #expect(measure.prefix(of: "a漢", 2) == "a")
        #expect(measure.prefix(of: "e\u{301}e\u{301}", 1) == "e\u{301}")
    }

    @Test("lines end at blanks, and amid what is too long")
    func wraps() {
        #expect(measure.wrapped("one two three", first: 7, rest: 7) == ["one two", "three"])
        #expect(measure.wrapped("one two three", first: 4, rest: 9) == ["one", "two three"])
        #expect(measure.wrapped("abcdefgh", first: 3, rest: 3) == ["abc", "def", "gh"])
        #expect(measure.wrapped("漢字漢字", first: 5, rest: 5) == ["漢字", "漢字"])
        #expect(measure.wrapped("a\n\nb\r\nc", first: 5, rest: 5) == ["a", "", "b", "c"])
        #expect(measure.wrapped("", first: 5, rest: 5) == [""])
        #expect(measure.wrapped("ab cdefghij", first: 9, rest: 4) == ["ab", "cdef", "ghij"])
    }

    @Test("no line is wider than it may be, whatever the text", arguments: [2, 3, 7, 20])
    func neverWider(columns: Int) {
        let texts = [
            "the quick brown fox jumps over the lazy dog", "漢字 と ひらがな 漢字漢字漢字",
            "👨‍👩‍👧 family 👨‍👩‍👧👨‍👩‍👧", "e\u{301}e\u{301}e\u{301}  x   y", "❤️❤️❤️ a❤️",
        ]
        for text in texts {
            let lines = measure.wrapped(text, first: columns, rest: columns)
            #expect(lines.allSatisfy { measure.width(of: $0) <= columns }, "\(lines)")
            let said = { (text: String) in Array(text.unicodeScalars.filter { $0 != " " }) }
            #expect(lines.flatMap(said) == said(text))
        }
    }

    @Test("what would steer the terminal, or has no width, is shown as something else")
    func visible() {
        #expect(measure.visible("a\u{1B}[2Jb") == "a\\u{1b}[2Jb")
        #expect(measure.visible("a\u{202E}b") == "a\\u{202e}b")
        #expect(measure.visible("a\u{E0100}b") == "a\\u{e0100}b")
        // Of no known width, but not invisible: a code point that Unicode has not assigned.
        #expect(measure.visible("a\u{0378}b") == "a\u{FFFD}b")
    }
}
