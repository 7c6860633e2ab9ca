// Messages as lines of the log. Pure.

import EventModel

/// Lays out rows for a width; what is not on the screen is not laid out.
struct LogLayout {
    let scene: ChatScene
    let measure: Columns
    let columns: Int
    /// Above this message stands the line that says what is new.
    let firstNew: ListItem.ID?

    /// Where texts begin on all lines but a message's first: behind the mark and the time.
    static let indent = 7

    /// Lines of a row, with the day above it.
    func height(_ index: Int) -> Int { block(index, isSelected: false).count }

    /// The lines of the screen, with one row at its place and the others around it.
    ///
    /// - Parameters:
    ///   - rise: Lines below the row's last one; negative: so many of its own do not show.
    func lines(_ height: Int, around index: Int, rise: Int, selected: Int?) -> [StyledLine] {
        guard scene.rows.indices.contains(index) else {
            return Array(repeating: StyledLine(), count: height)
        }
        func block(_ index: Int) -> [StyledLine] {
            self.block(index, isSelected: index == selected)
        }
        var upper = Array(block(index).dropLast(max(-rise, 0)))
        var before = index - 1
        while upper.count + max(rise, 0) < height, before >= 0 {
            upper = block(before) + upper
            before -= 1
        }
        var lower: [StyledLine] = []
        var behind = index + 1
        while lower.count < rise, behind < scene.rows.count {
            lower += block(behind)
            behind += 1
        }
        let all = (upper + lower.prefix(max(rise, 0))).suffix(height)
        return Array(repeating: StyledLine(), count: height - all.count) + all
    }

    // MARK: One row

    func block(_ index: Int, isSelected: Bool) -> [StyledLine] {
        let row = scene.rows[index]
        var lines: [StyledLine] = []
        if index == 0, scene.hasOlder {
            lines.append(rule(scene.isLoadingOlder ? "loading…" : "PageUp: older", .dim))
        }
        if let day = row.day, index == 0 || scene.rows[index - 1].day != day {
            lines.append(rule(day, .dim))
        }
        if row.id == firstNew { lines.append(rule("new", [.alert, .bold])) }
        return lines + message(row, isSelected: isSelected) + bubbles(of: row)
    }

    private func rule(_ text: String, _ style: Style) -> StyledLine {
        let text = " \(text) "
        let left = max((columns - measure.width(of: text)) / 2, 0)
        let right = max(columns - measure.width(of: text) - left, 0)
        return StyledLine(
            String(repeating: "─", count: left) + text + String(repeating: "─", count: right), style
        )
    }

    private func message(_ row: ChatRow, isSelected: Bool) -> [StyledLine] {
        let faint: Style = row.isPending ? .dim : []
        let room = max(columns - Self.indent, 2)
        let name = measure.clipped(
            measure.visible(row.author.isEmpty ? "(nobody)" : row.author),
            to: min(ChatLimits.nameColumnsMax, max(room / 2, 2)))
        let head = (row.isReply ? "↳ " : "") + name + ": "
        var line = StyledLine(isSelected ? ">" : " ", .bold)
        line.add(row.time.isEmpty ? "  …   " : row.time + " ", .dim)
        line.add(head, row.isOwn ? [.bold, .own, faint] : [.bold, faint])
        let texts =
            row.isDeleted
            ? ["(deleted)"]
            : measure.wrapped(
                row.text, first: max(room - measure.width(of: head), 2), rest: room)
        let style: Style = row.isDeleted ? .dim : faint
        var lines: [StyledLine] = []
        for text in texts {
            if !lines.isEmpty { line = StyledLine(indentation) }
            line.add(text, style)
            lines.append(line)
        }
        return noted(lines, notes(of: row))
    }

    private var indentation: String { String(repeating: " ", count: Self.indent) }

    private func notes(of row: ChatRow) -> [String] {
        var notes: [String] = []
        if row.isPending { notes.append("not sent yet") }
        if row.isEdited, !row.isDeleted { notes.append("edited") }
        if row.replies > 0 { notes.append(row.replies == 1 ? "1 reply" : "\(row.replies) replies") }
        return notes
    }

    /// The notes behind the text, or below it where there is no room.
    private func noted(_ lines: [StyledLine], _ notes: [String]) -> [StyledLine] {
        guard !notes.isEmpty else { return lines }
        var lines = lines
        let note = "(\(notes.joined(separator: ", ")))"
        let used = measure.width(of: lines[lines.count - 1].text)
        if used + 1 + measure.width(of: note) <= columns {
            lines[lines.count - 1].add(" " + note, .dim)
        } else {
            var line = StyledLine(indentation)
            line.add(note, .dim)
            lines.append(line)
        }
        return lines
    }

    /// The bubbles, in as many lines as it takes; one's own stand in brackets, also where a
    /// terminal cannot highlight.
    private func bubbles(of row: ChatRow) -> [StyledLine] {
        var lines: [StyledLine] = []
        var used = columns
        for bubble in row.bubbles {
            let value = measure.clipped(
                measure.visible(bubble.value), to: ChatLimits.nameColumnsMax)
            let text = "\(value) \(bubble.count)"
            let shown = bubble.isOwn ? "[\(text)]" : " \(text) "
            let width = measure.width(of: shown)
            if used + 1 + width > columns {
                lines.append(StyledLine(indentation))
                used = Self.indent
            } else {
                lines[lines.count - 1].add(" ")
                used += 1
            }
            var style: Style = bubble.isOwn ? [.reverse, .own] : []
            if bubble.isPending { style.insert(.dim) }
            lines[lines.count - 1].add(shown, style)
            used += width
        }
        return lines
    }
}
