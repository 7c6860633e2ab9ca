// The line that is written: characters of several scalars, the cursor, and its window.

import Testing

@testable import syncctl

@Suite("Line editor of a chat")
struct LineEditorTests {
    private func editor(_ text: String) -> LineEditor {
        var editor = LineEditor()
        // As a terminal sends it.
        for scalar in text.unicodeScalars { editor.insert(String(scalar)) }
        return editor
    }

    @Test(
        "what people see as one character is deleted as one",
        arguments: ["e\u{301}", "👍🏽", "👨‍👩‍👧", "🇩🇪", "漢", "❤️"])
    func characters(character: String) {
        var editor = editor("a" + character + "b")
        editor.moveLeft()
        editor.moveLeft()
        #expect(editor.before == "a")
        editor.moveRight()
        #expect(editor.before == "a" + character)
        editor.deleteBackward()
        #expect(editor.text == "ab")
        editor.insert(character)
        editor.moveToStart()
        editor.moveRight()
        editor.deleteForward()
        #expect(editor.text == "ab")
    }

    @Test("words, and both ends")
    func words() {
        var editor = editor("one two  ")
        editor.deleteWord()
        #expect(editor.text == "one ")
        editor.moveToStart()
        editor.deleteToEnd()
        #expect(editor.isEmpty)
        editor.deleteWord()
        editor.deleteBackward()
        editor.deleteForward()
        editor.moveLeft()
        editor.moveRight()
        #expect(editor.isEmpty)
    }

    @Test("it takes no more than there is room for")
    func full() {
        var editor = LineEditor()
        let most = ChatLimits.draftBytesMax
        let fits = editor.insert(String(repeating: "x", count: most))
        #expect(fits)
        let tooMuch = editor.insert("x")
        #expect(!tooMuch)
        #expect(editor.text.utf8.count == most)
    }

    @Test("the cursor is always in the window, at its column")
    func window() {
        func window(_ editor: LineEditor, _ columns: Int) -> String {
            let (text, cursor) = editor.window(columns, .sample)
            return "\(text) \(cursor)"
        }
        var editor = editor("漢字漢字漢字")
        #expect(window(editor, 20) == "漢字漢字漢字 12")
        #expect(window(editor, 6) == "漢字 4")
        editor.moveToStart()
        #expect(window(editor, 6) == "漢字漢 0")
        editor.moveRight()
        #expect(window(editor, 6) == "漢字漢 2")
        #expect(window(LineEditor("a\nb"), 6) == "a⏎b 3")
    }
}
