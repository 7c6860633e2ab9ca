// What each key does. Pure: what concerns others comes out as intents.

import EventModel

extension ChatState {
    /// Takes one key.
    mutating func press(_ key: ScreenKey) -> [ChatIntent] {
        notice = nil
        let warned = wasWarned
        wasWarned = false
        switch key {
        case .control("c"): return leave(warned)
        case .control("l"): return [.redraw]
        case .control("r"): return [.reconnect]
        case .control("z"): return [.suspend]
        default: break
        }
        switch focus {
        case .composer: return write(key)
        case .log: return look(key, warned)
        case .picker(let id, let index): return pick(key, id, index)
        case .deletion(let id): return confirm(key, id)
        case .reading(let text, let top):
            read(key, text, top)
            return []
        }
    }

    private mutating func leave(_ warned: Bool) -> [ChatIntent] {
        guard scene.unsent > 0, !scene.keepsUnsent, !warned else { return [.leave] }
        wasWarned = true
        notice = "\(scene.unsent) unsent get lost. Ctrl-C again: leave"
        return []
    }

    // MARK: Writing

    private mutating func write(_ key: ScreenKey) -> [ChatIntent] {
        let before = draft
        switch key {
        case .enter: return submit()
        case .escape:
            if editing != nil { endEditing() }
            return []
        case .up, .tab: return selectNewest()
        case .pageUp:
            let intents = selectNewest()
            return intents + look(.pageUp, false)
        case .down, .pageDown: return []
        case .text(let text):
            if !draft.insert(text) {
                notice = "A message has \(ChatLimits.draftBytesMax) bytes at most."
            }
        default: moveOrDelete(key)
        }
        guard draft != before, editing == nil else { return [] }
        if draft.isEmpty { return [.stoppedTyping] }
        return draft.text == before.text ? [] : [.typed]
    }

    private mutating func moveOrDelete(_ key: ScreenKey) {
        switch key {
        case .left, .control("b"): draft.moveLeft()
        case .right, .control("f"): draft.moveRight()
        case .home, .control("a"): draft.moveToStart()
        case .end, .control("e"): draft.moveToEnd()
        case .backspace: draft.deleteBackward()
        case .delete, .control("d"): draft.deleteForward()
        case .control("w"): draft.deleteWord()
        case .control("u"): draft.deleteToStart()
        case .control("k"): draft.deleteToEnd()
        default: break
        }
    }

    private mutating func submit() -> [ChatIntent] {
        let text = draft.text
        guard text.contains(where: { !$0.isWhitespace }) else { return [] }
        if let id = editing {
            let isSame = row(id)?.text == text
            endEditing()
            return isSame ? [] : [.edit(id, text)]
        }
        draft.clear()
        forgetNew()
        return [.send(text)]
    }

    private mutating func selectNewest() -> [ChatIntent] {
        guard !scene.rows.isEmpty else { return [] }
        focus = .log
        select(scene.rows.count - 1, rise: 0)
        return []
    }

    private mutating func compose() {
        focus = .composer
        followEnd()
    }

    // MARK: Looking

    private mutating func look(_ key: ScreenKey, _ warned: Bool) -> [ChatIntent] {
        switch key {
        case .up, .text("k"): return moveUp() ? [] : older()
        case .down, .text("j"):
            if !moveDown() { compose() }
        case .pageUp, .control("b"): return pageUp() ? [] : older()
        case .pageDown, .control("f"):
            if !pageDown() { compose() }
        case .home, .text("g"): select(0, rise: logHeight)
        case .end, .text("G"): select(scene.rows.count - 1, rise: 0)
        case .enter, .escape, .tab, .text("i"): compose()
        case .text("q"): return leave(warned)
        case .text("?"): focus = .reading(.help, 0)
        case .text("r"), .text("+"): openPicker()
        case .text("w"):
            if let selected { focus = .reading(.reactions(selected.id), 0) }
        case .text("e"): if let row = ownSelected(to: "edited") { edit(row) }
        case .text("d"), .delete:
            if let row = ownSelected(to: "deleted") { focus = .deletion(row.id) }
        default: break
        }
        return []
    }

    private func older() -> [ChatIntent] {
        let hasRoom = scene.rows.count < ChatLimits.messagesMax
        return scene.hasOlder && !scene.isLoadingOlder && hasRoom ? [.loadOlder] : []
    }

    private mutating func openPicker() {
        guard let selected else { return }
        guard !selected.isPending else { return notice = "This message is not sent yet." }
        guard !values(for: selected).isEmpty else {
            return notice = "This channel has no reactions."
        }
        focus = .picker(selected.id, 0)
    }

    private mutating func ownSelected(to verb: String) -> ChatRow? {
        guard let selected else { return nil }
        if !selected.isOwn {
            notice = "Only your own messages can be \(verb)."
        } else if selected.isPending {
            notice = "This message is not sent yet."
        } else {
            return selected
        }
        return nil
    }

    private mutating func edit(_ row: ChatRow) {
        guard row.isText, !row.isDeleted else { return notice = "This message is no text." }
        beginEditing(row)
        followEnd()
    }

    // MARK: Answering

    private mutating func pick(_ key: ScreenKey, _ id: ListItem.ID, _ index: Int) -> [ChatIntent] {
        let values = row(id).map(values(for:)) ?? []
        guard !values.isEmpty else {
            focus = .log
            return []
        }
        switch key {
        case .left, .up: focus = .picker(id, (index + values.count - 1) % values.count)
        case .right, .down, .tab: focus = .picker(id, (index + 1) % values.count)
        case .home: focus = .picker(id, 0)
        case .end: focus = .picker(id, values.count - 1)
        case .enter:
            focus = .log
            return [.toggle(values[index], on: id)]
        case .text(let text):
            guard let digit = Int(text), (1...values.count).contains(digit) else {
                if text == "q" { focus = .log }
                return []
            }
            focus = .log
            return [.toggle(values[digit - 1], on: id)]
        case .escape: focus = .log
        default: break
        }
        return []
    }

    private mutating func confirm(_ key: ScreenKey, _ id: ListItem.ID) -> [ChatIntent] {
        focus = .log
        return key == .text("y") || key == .text("Y") ? [.delete(id)] : []
    }

    private mutating func read(_ key: ScreenKey, _ text: Text, _ top: Int) {
        let last = lastTop(of: text)
        switch key {
        case .up, .text("k"): focus = .reading(text, max(top - 1, 0))
        case .down, .text("j"): focus = .reading(text, min(top + 1, last))
        case .pageUp: focus = .reading(text, max(top - logHeight, 0))
        case .pageDown: focus = .reading(text, min(top + logHeight, last))
        case .home: focus = .reading(text, 0)
        case .end: focus = .reading(text, last)
        case .escape, .enter, .text("q"), .text("w"), .text("?"): focus = .log
        default: break
        }
    }
}
