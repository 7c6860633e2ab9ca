// What a large deletion has taken away, but whose rows are still in the file.

import EventModel
import SQLite

/// The messages of a range, and what had been added to them by the time of their deletion.
///
/// What is added to such a message later stands, as after any other deletion.
struct HiddenRange: Sendable {
    /// The deletion's timetoken.
    let timetoken: Timetoken
    /// The channel's row.
    let channel: Int64
    let messages: MessageRange

    /// Reads the columns `timetoken`, `channel`, `after` and `through`.
    init(_ row: borrowing SQLiteRow) {
        self.init(
            timetoken: row.timetoken(0), channel: row.integer(1),
            messages: MessageRange(after: row.timetoken(2), through: row.timetoken(3)))
    }

    init(timetoken: Timetoken, channel: Int64, messages: MessageRange) {
        self.timetoken = timetoken
        self.channel = channel
        self.messages = messages
    }
}

/// All hidden ranges; hardly ever more than one.
struct HiddenRanges: Sendable {
    private(set) var ranges: [HiddenRange] = []

    init() {}

    /// Reads the table.
    init(_ statement: borrowing StoreStatement) throws(StoreError) {
        try statement.query { row in
            ranges.append(HiddenRange(row))
            return true
        }
    }

    var isEmpty: Bool { ranges.isEmpty }

    mutating func append(_ range: HiddenRange) { ranges.append(range) }

    mutating func removeFirst() { ranges.removeFirst() }

    /// Whether an action that was added to a message at a moment is hidden.
    func holdAction(on message: Timetoken, addedAt added: Timetoken, in channel: Int64) -> Bool {
        ranges.contains {
            $0.channel == channel && added <= $0.timetoken && $0.messages.contains(message)
        }
    }

    /// Actions on a message are hidden that were added up to this moment.
    func end(ofActionsOn message: Timetoken, in channel: Int64) -> Timetoken {
        ranges.filter { $0.channel == channel && $0.messages.contains(message) }
            .map(\.timetoken).max() ?? .zero
    }

    /// What is left of a channel's messages in a range, ascending.
    func visible(_ range: MessageRange, in channel: Int64) -> [MessageRange] {
        guard !ranges.isEmpty else { return [range] }
        let hidden = ranges.filter { $0.channel == channel }.map(\.messages)
            .sorted { $0.after < $1.after }
        var visible: [MessageRange] = []
        var start = range.after
        for gap in hidden where gap.through > start {
            let end = min(gap.after, range.through)
            if end > start { visible.append(MessageRange(after: start, through: end)) }
            start = gap.through
        }
        if range.through > start {
            visible.append(MessageRange(after: start, through: range.through))
        }
        return visible
    }
}

extension MessageAction.Key {
    /// The first key that an action on messages after this can have, or one before it.
    static func first(onMessageAfter message: Timetoken) -> MessageAction.Key {
        MessageAction.Key(
            messageTimetoken: Timetoken(rawValue: message.rawValue + 1), type: "", value: "",
            uuid: "")
    }

    /// Comes right after this one: no key is between them.
    var next: MessageAction.Key {
        MessageAction.Key(
            messageTimetoken: messageTimetoken, type: type, value: value, uuid: uuid + "\u{0}")
    }
}
