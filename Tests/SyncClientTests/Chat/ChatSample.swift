// Rows, scenes and screens for the tests of the chat.

import SyncClient

@testable import EventModel
@testable import syncctl

extension Columns {
    /// Widths like a terminal's, for the scalars that the tests use, whatever the locale.
    static let sample = Columns { scalar in
        switch scalar.value {
        case 0x300...0x36F, 0x200D, 0xFE0F: 0
        case 0x4E00...0x9FFF, 0xFF01...0xFF60, 0x1F300...0x1FAFF: 2
        // Assigned to nothing.
        case 0x378: -1
        default: 1
        }
    }
}

/// A message of that minute, by bob.
func chatRow(_ minute: Int, _ text: String = "", day: String = "Fri 27 Nov 2026") -> ChatRow {
    let timetoken = Timetoken(rawValue: UInt64(minute) + 1)
    var row = ChatRow(
        id: .message(timetoken), timetoken: timetoken, author: "bob",
        text: text.isEmpty ? "message \(minute)" : text)
    row.time = "10:\(minute < 10 ? "0" : "")\(minute)"
    row.day = day
    return row
}

func chatBubble(
    _ value: String, _ count: Int = 1, isMine: Bool = false, isPending: Bool = false,
    authors: [String] = []
) -> ChatBubble {
    ChatBubble(
        ListItem.Reaction(
            type: "reaction", value: value, count: count, score: count, ownScore: isMine ? 1 : 0,
            isMine: isMine, isPending: isPending, first: nil, last: nil, authors: authors))
}

func chatScene(_ rows: [ChatRow]) -> ChatScene {
    var scene = ChatScene()
    scene.channel = "room"
    scene.connection = .online
    scene.rows = rows
    return scene
}

func chatState(_ rows: [ChatRow], lines: Int = 10, columns: Int = 40) -> ChatState {
    var state = ChatState(rows: lines, columns: columns, measure: .sample)
    state.show(chatScene(rows))
    return state
}

extension ChatState {
    /// The lines of the screen, without the blanks at their ends.
    var texts: [String] {
        picture.lines.map { line in
            let text = line.text
            return text.lastIndex { $0 != " " }.map { String(text[...$0]) } ?? ""
        }
    }

    /// Presses keys one after the other.
    @discardableResult
    mutating func pressed(_ keys: ScreenKey...) -> [ChatIntent] {
        keys.flatMap { press($0) }
    }

    @discardableResult
    mutating func type(_ text: String) -> [ChatIntent] {
        text.unicodeScalars.flatMap { press(.text(String($0))) }
    }

    /// The row of the screen on which a text stands.
    func line(of text: String) -> Int? { texts.firstIndex { $0.contains(text) } }
}
