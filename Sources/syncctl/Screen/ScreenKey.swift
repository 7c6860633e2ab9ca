// What a person presses.

/// A key, whatever the terminal sends for it.
enum ScreenKey: Hashable, Sendable {
    /// One scalar that was typed, or a line end amid what was pasted.
    case text(String)
    /// Ctrl and this letter.
    case control(Character)
    case enter, escape, tab, backspace, delete
    case up, down, left, right, pageUp, pageDown, home, end
}
