// What the keys of a chat come to.

import EventModel

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
