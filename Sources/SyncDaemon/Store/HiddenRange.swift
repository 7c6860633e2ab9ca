// What large deletions and clearings have taken away, but whose rows are still in the file.

import EventModel
import SQL

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
    init(_ row: borrowing DatabaseRow) {
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

/// The actions that a large clearing covers, and that stood at its time.
///
/// What is added under such a key later stands.
struct HiddenClearing: Sendable {
    /// The clearing's own.
    let timetoken: Timetoken
    /// The channel's row.
    let channel: Int64
    let clearing: Clearing

    func holds(_ key: MessageAction.Key, addedAt added: Timetoken, in channel: Int64) -> Bool {
        channel == self.channel && added <= timetoken && clearing.covers(key)
    }
}

/// All that is hidden; hardly ever more than one range or clearing.
struct HiddenRows: Sendable {
    private(set) var ranges: [HiddenRange] = []
    private(set) var clearings: [HiddenClearing] = []

    init() {}

    /// Reads both tables.
    init<Failure>(
        _ ranges: borrowing DatabaseStatement<Failure>,
        _ clearings: borrowing DatabaseStatement<Failure>
    ) throws(Failure) {
        try ranges.query { row in
            self.ranges.append(HiddenRange(row))
            return true
        }
        try clearings.query { row in
            self.clearings.append(
                HiddenClearing(
                    timetoken: row.timetoken(0), channel: row.integer(1),
                    clearing: Clearing(row, from: 2)))
            return true
        }
    }

    var isEmpty: Bool { ranges.isEmpty && clearings.isEmpty }

    mutating func append(_ range: HiddenRange) { ranges.append(range) }

    mutating func removeFirst() { ranges.removeFirst() }

    mutating func append(_ clearing: HiddenClearing) { clearings.append(clearing) }

    mutating func removeFirstClearing() { clearings.removeFirst() }

    /// Whether an action that was added at a moment is hidden.
    ///
    /// - Parameter stands: Whether its row is no tombstone: a clearing leaves those alone.
    func holds(
        _ key: MessageAction.Key, addedAt added: Timetoken, stands: Bool = true, in channel: Int64
    ) -> Bool {
        ranges.contains {
            $0.channel == channel && added <= $0.timetoken
                && $0.messages.contains(key.messageTimetoken)
        } || stands && clearings.contains { $0.holds(key, addedAt: added, in: channel) }
    }

    /// Whether any row of a channel may be hidden.
    func concern(channel: Int64) -> Bool {
        ranges.contains { $0.channel == channel } || clearings.contains { $0.channel == channel }
    }

    /// Whether actions on a message may be hidden.
    func concern(_ message: Timetoken, in channel: Int64) -> Bool {
        ranges.contains { $0.channel == channel && $0.messages.contains(message) }
            || clearings.contains { $0.channel == channel && $0.clearing.concerns(message) }
    }

    /// Actions on a message are hidden with it that were added up to this moment.
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
            messageTimetoken: messageTimetoken, type: type, value: value, uuid: uuid + "\u{1}")
    }
}
