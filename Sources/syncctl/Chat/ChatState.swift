// What the chat's screen is about at a moment: what is selected, written, chosen. Pure.
//
// `ChatState+Keys.swift` has what keys do, `ChatState+Lines.swift` what the screen shows.

import EventModel

/// The state behind the screen.
struct ChatState: Sendable {
    /// Where keys go.
    enum Focus: Hashable, Sendable {
        /// To the line that is written; the log follows the newest message.
        case composer
        /// To the selected message.
        case log
        /// To the values for a message: which of them is chosen.
        case picker(ListItem.ID, Int)
        /// To the question whether a message is to be deleted.
        case deletion(ListItem.ID)
        /// To a text in place of the log, from so many lines below its beginning.
        case reading(Text, Int)
    }

    enum Text: Hashable, Sendable {
        case help
        /// Who reacted to a message.
        case reactions(ListItem.ID)
    }

    let measure: Columns
    private(set) var rows: Int
    private(set) var columns: Int
    private(set) var scene = ChatScene()
    var focus = Focus.composer
    var draft = LineEditor()
    /// The message that gets another text.
    var editing: ListItem.ID?
    /// What was written before that.
    var draftBefore = LineEditor()
    /// `nil`: the log follows the newest message.
    private(set) var selection: ListItem.ID?
    /// Where the selection was last, for when it goes.
    private var selectedIndex = 0
    /// Lines of the log below the selected message; negative: so many of its own are below the
    /// screen, too.
    private(set) var rise = 0
    /// The first message that was new when the user came, or had looked away.
    private(set) var firstNew: ListItem.ID?
    private var knowsUnread = false
    /// One sentence until the next key.
    var notice: String?
    /// Whether the user was told that to leave would lose writes.
    var wasWarned = false

    init(rows: Int, columns: Int, measure: Columns) {
        self.measure = measure
        (self.rows, self.columns) = (rows, columns)
    }

    /// Lines for the log: one each goes to the title, to what happens, and to what is written.
    var logHeight: Int { max(rows - 3, 1) }
    var log: LogLayout {
        LogLayout(scene: scene, measure: measure, columns: columns, firstNew: firstNew)
    }

    mutating func resize(rows: Int, columns: Int) {
        (self.rows, self.columns) = (rows, columns)
        settle()
    }

    /// Takes what there is to show now; what is selected stays selected, and where it is.
    mutating func show(_ scene: ChatScene) {
        let hadRead = (self.scene.unread?.count ?? 0) == 0
        self.scene = scene
        if let selection, index(of: selection) == nil {
            let index = min(selectedIndex, scene.rows.count - 1)
            self.selection = index < 0 ? nil : scene.rows[index].id
        }
        dropFocus()
        settle()
        findNew(hadRead: hadRead)
    }

    /// Nothing is new any more: the user has answered.
    mutating func forgetNew() {
        firstNew = nil
    }

    // MARK: Rows

    func index(of id: ListItem.ID) -> Int? {
        scene.rows.lastIndex { $0.id == id }
    }

    func row(_ id: ListItem.ID) -> ChatRow? {
        index(of: id).map { scene.rows[$0] }
    }

    /// The selected row.
    var selected: ChatRow? { selection.flatMap(row) }

    /// Whether the end of the newest message is on the screen.
    var isAtEnd: Bool {
        guard let index = selection.flatMap(index(of:)) else { return true }
        return rise >= 0 && linesBelow(index, upTo: rise + 1) <= rise
    }

    /// Lines of the log below a message, counted as far as it matters.
    private func linesBelow(_ index: Int, upTo limit: Int) -> Int {
        var below = 0
        for next in scene.rows.indices.dropFirst(index + 1) where below < limit {
            below += log.height(next)
        }
        return below
    }

    /// Whether the user sees now what was unread.
    var readsNow: Bool {
        if case .reading = focus { return false }
        return isAtEnd && (scene.unread?.count ?? 0) > 0
    }

    /// What the picker offers for a message: the channel's values, then what stands there.
    func values(for row: ChatRow) -> [String] {
        var values = scene.values
        var known = Set(values.map { ExactText($0) })
        for bubble in row.bubbles where scene.takesAnyValue || bubble.isOwn {
            if known.insert(ExactText(bubble.value)).inserted { values.append(bubble.value) }
        }
        return Array(values.prefix(ChatLimits.pickerValuesMax))
    }

    // MARK: Selection

    mutating func select(_ index: Int, rise: Int) {
        guard scene.rows.indices.contains(index) else { return }
        selection = scene.rows[index].id
        self.rise = rise
        settle()
    }

    /// Follows the newest message again.
    mutating func followEnd() {
        (selection, rise) = (nil, 0)
    }

    /// Selects the message before, or scrolls to the beginning of a long one.
    ///
    /// - Returns: Whether there was one.
    mutating func moveUp() -> Bool {
        guard let index = selection.flatMap(index(of:)) else {
            select(scene.rows.count - 1, rise: 0)
            return selection != nil
        }
        let height = log.height(index)
        if rise + height > logHeight {
            rise = max(logHeight - height, rise - (logHeight - 1))
            return true
        }
        guard index > 0 else { return false }
        // It ends where this one begins; one that is long shows its end.
        let before = rise + height
        select(index - 1, rise: min(before, max(logHeight - log.height(index - 1), 0)))
        return true
    }

    /// Selects the message behind, or scrolls to the end of a long one.
    mutating func moveDown() -> Bool {
        guard let index = selection.flatMap(index(of:)) else { return false }
        if rise < 0 {
            rise = min(0, rise + logHeight - 1)
            return true
        }
        guard index + 1 < scene.rows.count else { return false }
        let height = log.height(index + 1)
        // One that is long shows its beginning.
        select(index + 1, rise: max(rise - height, min(logHeight - height, 0)))
        return true
    }

    /// Selects the message at the top of the screen, which is at the bottom then.
    ///
    /// - Returns: Whether there is more before it.
    mutating func pageUp() -> Bool {
        guard var index = selection.flatMap(index(of:)) else { return false }
        let start = index
        var top = rise + log.height(index)
        while top < logHeight, index > 0 {
            index -= 1
            top += log.height(index)
        }
        if index == start { return moveUp() }
        select(index, rise: index == 0 ? logHeight : 0)
        return index > 0
    }

    /// Selects the message at the bottom of the screen, which is at the top then.
    ///
    /// - Returns: Whether there is more behind it.
    mutating func pageDown() -> Bool {
        guard var index = selection.flatMap(index(of:)) else { return false }
        let start = index
        var bottom = rise
        while bottom > 0, index + 1 < scene.rows.count {
            index += 1
            bottom -= log.height(index)
        }
        if index == start { return moveDown() }
        select(index, rise: logHeight - log.height(index))
        return true
    }

    /// Keeps the selected message on the screen, and no blank lines below the newest one.
    private mutating func settle() {
        guard let index = selection.flatMap(index(of:)) else {
            followEnd()
            return
        }
        selectedIndex = index
        let height = log.height(index)
        let low = min(0, logHeight - height)
        let high = max(logHeight - height, 0)
        rise = min(max(rise, low), high, linesBelow(index, upTo: rise))
    }

    /// Closes what was about a message that is gone.
    private mutating func dropFocus() {
        switch focus {
        case .picker(let id, let index):
            guard let row = row(id) else { return focus = .log }
            let count = values(for: row).count
            focus = count == 0 ? .log : .picker(id, min(index, count - 1))
        case .deletion(let id), .reading(.reactions(let id), _):
            if row(id) == nil { focus = .log }
        case .composer, .log, .reading(.help, _): break
        }
        if case .log = focus, scene.rows.isEmpty { focus = .composer }
        if let editing, row(editing) == nil { endEditing() }
    }

    /// Puts the line where what is new begins: at the start, and when the first new message comes
    /// while the user looks at older ones.
    private mutating func findNew(hadRead: Bool) {
        guard let unread = scene.unread else { return }
        let isFirst = !knowsUnread
        knowsUnread = true
        if let firstNew, index(of: firstNew) == nil { self.firstNew = nil }
        guard unread.count > 0, isFirst || (hadRead && !isAtEnd) else { return }
        firstNew =
            scene.rows.first { row in
                !row.isOwn && row.timetoken.map { $0 > unread.through ?? .zero } == true
            }?.id
    }

    // MARK: Editing

    mutating func beginEditing(_ row: ChatRow) {
        draftBefore = draft
        draft = LineEditor(row.text)
        editing = row.id
        focus = .composer
    }

    mutating func endEditing() {
        editing = nil
        draft = draftBefore
        draftBefore.clear()
    }
}
