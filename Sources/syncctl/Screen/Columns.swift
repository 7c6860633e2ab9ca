// How wide text is on a terminal, and where it is cut. Pure: the widths are passed in.

/// Measures, cuts and wraps text in columns of a terminal.
struct Columns: Sendable {
    /// Columns of one scalar: 0, 1 or 2, as wcwidth(3) has them; -1 for what it does not know.
    let ofScalar: @Sendable (Unicode.Scalar) -> Int

    func width(of character: Character) -> Int {
        character.unicodeScalars.reduce(0) { $0 + max(ofScalar($1), 0) }
    }

    func width(of text: some StringProtocol) -> Int {
        text.unicodeScalars.reduce(0) { $0 + max(ofScalar($1), 0) }
    }

    /// The text without what would steer the terminal, or is wider there than anybody knows.
    func visible(_ text: String) -> String { known(printable(text)) }

    /// The same of a name in a table for operators: ``printableName(_:)``.
    func visibleName(_ name: String) -> String { known(printableName(name)) }

    private func known(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            scalars.append(ofScalar(scalar) < 0 ? "\u{FFFD}" : scalar)
        }
        return String(scalars)
    }

    /// The beginning of a text; where something is left out it ends with an ellipsis.
    func clipped(_ text: String, to columns: Int) -> String {
        guard width(of: text) > columns else { return text }
        guard columns > 0 else { return "" }
        return prefix(of: text, columns - 1) + "…"
    }

    /// As many characters as have room.
    func prefix(of text: String, _ columns: Int) -> String {
        var left = columns
        let end = text.firstIndex { character in
            left -= width(of: character)
            return left < 0
        }
        return String(text[..<(end ?? text.endIndex)])
    }

    /// The text in lines: broken at its own line ends, at blanks, and amid words that are too long.
    ///
    /// - Parameters:
    ///   - first: Columns of the first line, at least 2.
    ///   - rest: Of the others, at least 2.
    func wrapped(_ text: String, first: Int, rest: Int) -> [String] {
        var lines: [String] = []
        // A line end of any kind is one Character.
        for part in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let columns = lines.isEmpty ? first : rest
            lines += wrappedLine(visible(String(part)), first: columns, rest: rest)
        }
        return lines
    }

    private func wrappedLine(_ text: String, first: Int, rest: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var used = 0
        // Behind the last blank of the line, and the columns up to there.
        var blank: (end: String.Index, columns: Int)?
        for character in characters(of: text, within: min(first, rest)) {
            let width = width(of: character)
            let limit = lines.isEmpty ? first : rest
            if used + width > limit, !line.isEmpty {
                if character == " " {
                    lines.append(line)
                    (line, used, blank) = ("", 0, nil)
                    continue
                }
                let cut = blank?.end ?? line.endIndex
                let tail = String(line[cut...])
                lines.append(trimmedAtEnd(line[..<cut]))
                (line, used, blank) = (tail, self.width(of: tail), nil)
                // What goes over may be too long for the next line itself.
                while used + width > rest, !line.isEmpty {
                    let head = prefix(of: line, rest)
                    lines.append(head.isEmpty ? line : head)
                    line = head.isEmpty ? "" : String(line.dropFirst(head.count))
                    used = self.width(of: line)
                }
            }
            line.append(character)
            used += width
            if character == " " { blank = (line.endIndex, used) }
        }
        return lines + [line]
    }

    private func trimmedAtEnd(_ text: Substring) -> String {
        let end = text.lastIndex { $0 != " " }
        return end.map { String(text[...$0]) } ?? ""
    }

    /// The characters; one that fits into no line, such as a chain of joined emoji, in its parts.
    private func characters(of text: String, within columns: Int) -> [Character] {
        text.flatMap { character -> [Character] in
            guard width(of: character) > columns else { return [character] }
            return character.unicodeScalars.map { Character($0) }
        }
    }
}
