// What a person presses, and what that comes to.

import EventModel

/// A key, whatever the terminal sends for it.
enum ChatKey: Hashable, Sendable {
    /// One scalar that was typed, or a line end amid what was pasted.
    case text(String)
    /// Ctrl and this letter.
    case control(Character)
    case enter, escape, tab, backspace, delete
    case up, down, left, right, pageUp, pageDown, home, end
}

/// What the chat has to do for the user.
enum ChatIntent: Hashable, Sendable {
    case send(String)
    case edit(ListItem.ID, String)
    case delete(ListItem.ID)
    case toggle(String, on: ListItem.ID)
    case loadOlder
    case typed, stoppedTyping
    /// Ends the wait for the next attempt to connect.
    case reconnect
    /// Draws everything anew: something else wrote to the terminal.
    case redraw
    case suspend
    case leave
}
