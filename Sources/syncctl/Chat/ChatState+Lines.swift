// What the screen shows: a title, the log, what happens, and what is written. Pure.

import EventModel

extension ChatState {
    var picture: ScreenPicture {
        guard rows >= ChatLimits.rowsMin, columns >= ChatLimits.columnsMin else {
            let lines = Array(repeating: StyledLine(), count: max(rows - 1, 0))
            return ScreenPicture(
                lines: [StyledLine("Too small").clipped(to: columns, measure)] + lines)
        }
        let (bottom, cursor) = bottomLine
        let lines = [title] + middle + [infoLine, bottom]
        return ScreenPicture(
            lines: lines.map { $0.clipped(to: columns, measure) },
            cursor: cursor.map { [rows - 1, $0] })
    }

    // MARK: Title

    private var title: StyledLine {
        let state =
            switch scene.connection {
            case .online: "online "
            case .connecting: "connecting… "
            case .offline: "offline, reconnecting "
            case .closed: "closed "
            }
        let isWell = scene.connection == .online
        let room = columns - measure.width(of: state)
        var left = " " + measure.visible(scene.channel)
        if scene.occupancy > 0 {
            let here = "  \(scene.occupancy) here"
            left = measure.clipped(left, to: max(room - 1 - here.count, 1)) + here
        }
        left = measure.clipped(left, to: max(room - 1, 0))
        let gap = max(room - measure.width(of: left), 0)
        var line = StyledLine(left + String(repeating: " ", count: gap), [.reverse, .bold])
        line.add(state, isWell ? .reverse : [.reverse, .bold, .alert])
        return line
    }

    // MARK: The log, or a text

    private var middle: [StyledLine] {
        if case .reading(let text, let top) = focus {
            let lines = lines(of: text).dropFirst(top).prefix(logHeight)
            return lines + Array(repeating: StyledLine(), count: logHeight - lines.count)
        }
        guard !scene.rows.isEmpty else {
            let blank = Array(repeating: StyledLine(), count: logHeight - 1)
            return blank + [StyledLine(" Nothing has been said here.", .dim)]
        }
        let index = selection.flatMap(index(of:))
        return log.lines(
            logHeight, around: index ?? scene.rows.count - 1, rise: rise,
            selected: focus == .composer ? nil : index)
    }

    /// How far a text can be scrolled.
    func lastTop(of text: Text) -> Int { max(lines(of: text).count - logHeight, 0) }

    private func lines(of text: Text) -> [StyledLine] {
        switch text {
        case .help: Self.help.map { StyledLine($0) }
        case .reactions(let id): row(id).map(reactions(to:)) ?? []
        }
    }

    private func reactions(to row: ChatRow) -> [StyledLine] {
        guard !row.bubbles.isEmpty else { return [StyledLine(" Nobody reacted to this message.")] }
        return row.bubbles.flatMap { bubble -> [StyledLine] in
            var names = bubble.authors.map(measure.visible)
            if bubble.others > 0 { names.append("and \(bubble.others) more") }
            let head = StyledLine(" \(measure.visible(bubble.value)) \(bubble.count)", .bold)
            return [head]
                + names.map { StyledLine("   " + measure.clipped($0, to: max(columns - 3, 1))) }
        }
    }

    private static let help = [
        " While you write",
        "   Enter      send",
        "   Up, Tab    select a message",
        "   Esc        give up an edit",
        " On a message",
        "   Up, Down   another one",
        "   PageUp     older ones",
        "   End        the newest one",
        "   r, +       react",
        "   w          who reacted",
        "   e, d       edit, delete (your own)",
        "   Enter, Esc write again",
        "   q          leave",
        " Anywhere",
        "   Ctrl-C     leave",
        "   Ctrl-L     draw anew",
        "   Ctrl-R     reconnect now",
        "   Ctrl-Z     suspend",
    ]

    // MARK: What happens

    private var infoLine: StyledLine {
        if let notice { return StyledLine(told(notice), [.bold, .alert]) }
        switch scene.connection {
        case .closed(let reason):
            return StyledLine(told("Closed: \(reason)"), [.bold, .alert])
        case .offline(let reason) where scene.typing.isEmpty && focus == .composer:
            return StyledLine(told(reason), .dim)
        case .online, .connecting, .offline: break
        }
        if let below = newBelow { return StyledLine(" ↓ \(below) new (End)", [.bold, .alert]) }
        if !scene.typing.isEmpty { return StyledLine(" " + typing, .dim) }
        switch focus {
        case .composer where editing != nil: return StyledLine(" Esc: give up the edit", .dim)
        case .composer: return StyledLine(" Up: select a message", .dim)
        case .log: return StyledLine(" r react  w who  e edit  d delete  ? help", .dim)
        case .picker: return StyledLine(" Left, Right, Enter; Esc: none", .dim)
        case .deletion: return StyledLine("")
        case .reading: return StyledLine(" Esc: back", .dim)
        }
    }

    private func told(_ sentence: String) -> String {
        " " + measure.clipped(measure.visible(sentence), to: columns - 1)
    }

    /// What came below the screen, and was not read.
    private var newBelow: String? {
        guard !isAtEnd, let unread = scene.unread, unread.count > 0 else { return nil }
        return unread.isAtLeast ? "\(unread.count)+" : "\(unread.count)"
    }

    private var typing: String {
        let names = scene.typing.map {
            measure.clipped(measure.visible($0), to: ChatLimits.nameColumnsMax)
        }
        return switch names.count {
        case 1: "\(names[0]) is typing…"
        case 2: "\(names[0]) and \(names[1]) are typing…"
        default: "\(names[0]) and \(names.count - 1) others are typing…"
        }
    }

    // MARK: What is written

    private var bottomLine: (StyledLine, Int?) {
        switch focus {
        case .picker(let id, let chosen):
            return (row(id).map { picker(values(for: $0), chosen, $0) } ?? StyledLine(), nil)
        case .deletion:
            return (StyledLine("Delete this message for everybody? (y/n)", .bold), nil)
        case .composer, .log, .reading:
            let prompt = editing == nil ? "> " : "edit> "
            let (text, cursor) = draft.window(columns - prompt.count, measure)
            var line = StyledLine(prompt, .bold)
            line.add(text, focus == .composer ? [] : .dim)
            return (line, focus == .composer ? prompt.count + cursor : nil)
        }
    }

    /// As many values as have room, the chosen one among them.
    private func picker(_ values: [String], _ chosen: Int, _ row: ChatRow) -> StyledLine {
        let own = Set(row.bubbles.filter(\.isOwn).map { ExactText($0.value) })
        let texts = values.map { value in
            let text = measure.clipped(measure.visible(value), to: ChatLimits.nameColumnsMax)
            return own.contains(ExactText(value)) ? "[\(text)]" : " \(text) "
        }
        let widths = texts.map { measure.width(of: $0) + 1 }
        let label = "React: "
        let room = columns - label.count
        var first = 0
        while first < chosen, widths[first...chosen].reduce(0, +) > room { first += 1 }
        var line = StyledLine(label, .bold)
        for index in texts.indices.dropFirst(first) {
            line.add(texts[index], index == chosen ? [.reverse, .bold] : [])
            line.add(" ")
        }
        return line
    }
}
