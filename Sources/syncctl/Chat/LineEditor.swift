// The line that is being written, with a cursor. Pure.

/// A text and the place in it where typing goes on.
///
/// Scalars that join what stands before the cursor, such as accents, become one character with it.
struct LineEditor: Hashable, Sendable {
    private(set) var before = ""
    private(set) var after = ""

    init(_ text: String = "") {
        before = text
    }

    var text: String { before + after }
    var isEmpty: Bool { before.isEmpty && after.isEmpty }

    /// - Returns: Whether there was room for it.
    @discardableResult
    mutating func insert(_ text: String) -> Bool {
        guard before.utf8.count + after.utf8.count + text.utf8.count <= ChatLimits.draftBytesMax
        else { return false }
        before += text
        return true
    }

    mutating func clear() {
        self = LineEditor()
    }

    // MARK: Moving

    mutating func moveLeft() {
        if let character = before.popLast() { after = String(character) + after }
    }

    mutating func moveRight() {
        if !after.isEmpty { before.append(after.removeFirst()) }
    }

    mutating func moveToStart() {
        (before, after) = ("", text)
    }

    mutating func moveToEnd() {
        (before, after) = (text, "")
    }

    // MARK: Deleting

    mutating func deleteBackward() {
        _ = before.popLast()
    }

    mutating func deleteForward() {
        if !after.isEmpty { after.removeFirst() }
    }

    /// The word before the cursor, with the blanks behind it.
    mutating func deleteWord() {
        while before.last?.isWhitespace == true { before.removeLast() }
        while let last = before.last, !last.isWhitespace { before.removeLast() }
    }

    mutating func deleteToStart() {
        before = ""
    }

    mutating func deleteToEnd() {
        after = ""
    }

    // MARK: Showing

    /// What of the text has room, the cursor's place included, and the cursor's column in it.
    ///
    /// - Parameter columns: At least 2.
    func window(_ columns: Int, _ measure: Columns) -> (text: String, cursor: Int) {
        let shownBefore = shown(before, measure)
        let shownAfter = shown(after, measure)
        // One column stays for the cursor at the end.
        var head = shownBefore
        var cursor = measure.width(of: head)
        while cursor > columns - 1, let first = head.first {
            cursor -= measure.width(of: first)
            head.removeFirst()
        }
        return (head + measure.prefix(of: shownAfter, columns - cursor), cursor)
    }

    /// A line end is a sign of its own: the editor has one line.
    private func shown(_ text: String, _ measure: Columns) -> String {
        measure.visible(String(text.map { $0.isNewline ? "⏎" : $0 }))
    }
}
