// Deletions that are too large for one commit: they are read in steps, take place in one commit,
// and their rows are removed in steps.

import EventModel

/// What a deletion takes away.
enum DeletedRows: Hashable {
    /// Messages, and the actions on them.
    case messages(MessageRange)
    /// Actions alone.
    case actions(Clearing)

    func holds(_ key: MessageAction.Key) -> Bool {
        switch self {
        case .messages(let range): range.contains(key.messageTimetoken)
        case .actions(let clearing): clearing.covers(key)
        }
    }

    func holds(_ row: CoveredRow) -> Bool {
        switch (self, row) {
        case (.messages(let range), .message(let message)): range.contains(message.timetoken)
        case (.actions, .message): false
        case (_, .action(let action)): holds(action.key)
        }
    }

    /// Where looking for its actions starts.
    fileprivate var first: MessageAction.Key {
        switch self {
        case .messages(let range): .first(onMessageAfter: range.after)
        case .actions(let clearing): .first(of: clearing)
        }
    }
}

/// A deletion that waits for its turn.
struct LargeDeletion {
    /// Who asked for it; nobody, when a message's time was over.
    let write: Write?
    let channel: Channel
    let rows: DeletedRows
}

/// What the rows that go come to, read in steps while they change: messages, then actions.
struct DeletionReading {
    private let channel: Channel
    private let rows: DeletedRows
    private let key: DigestKey
    /// The messages that are still to be read.
    private var messages: MessageRange?
    /// Where the next step among the actions starts; `nil` when all were read.
    private var next: MessageAction.Key?
    /// The digest of the rows that were read, as they stand now.
    private(set) var digest = Digest.empty

    var isComplete: Bool { messages == nil && next == nil }

    init(_ rows: DeletedRows, in channel: Channel, key: DigestKey) {
        self.rows = rows
        self.channel = channel
        self.key = key
        next = rows.first
        if case .messages(let range) = rows { messages = range }
    }

    /// - Parameter limit: Rows that are looked at.
    mutating func advance(in store: any Store, limit: Int) throws(StoreError) {
        var digest = digest
        if let range = messages {
            messages = try store.scanMessages(in: range, of: channel, limit: limit) {
                digest.insert($0, key: key)
            }
            self.digest = digest
            return
        }
        guard let start = next else { return }
        switch rows {
        case .messages(let range):
            next = try store.scanActions(
                from: start, through: range.through, of: channel, limit: limit,
                body: { digest.insert($0, key: key) })
        case .actions(let clearing):
            var left = limit
            next = try store.scanActions(
                coveredBy: clearing, from: start, of: channel, limit: &left,
                body: { digest.insert($0, key: key) })
        }
        self.digest = digest
    }

    mutating func added(_ row: CoveredRow, in channel: Channel) {
        if wasRead(row, in: channel) { digest.insert(row, key: key) }
    }

    mutating func removed(_ row: CoveredRow, in channel: Channel) {
        if wasRead(row, in: channel) { digest.remove(row, key: key) }
    }

    private func wasRead(_ row: CoveredRow, in channel: Channel) -> Bool {
        guard channel == self.channel, rows.holds(row) else { return false }
        switch row {
        case .message(let message): return messages.map { message.timetoken <= $0.after } ?? true
        case .action(let action): return next.map { action.key < $0 } ?? true
        }
    }
}

/// How many rows are removed at a time: fewer while that takes long, because writes wait for it.
struct RemovalStep {
    private(set) var rows: Int
    private let rowsMax: Int

    init(rowsMax: Int) {
        rows = rowsMax
        self.rowsMax = rowsMax
    }

    /// Each step has a sync of its own: an eighth of the rows is as little as is worth one.
    mutating func lasted(microseconds: UInt64) {
        let aim = UInt64(Limits.deletionStepMilliseconds) * 1000
        if microseconds > aim {
            rows = max(rows / 2, rowsMax / 8, 1)
        } else if microseconds < aim / 4 {
            rows = min(rows * 2, rowsMax)
        }
    }

    /// There was no room for a step: whatever is removed is room for the next one.
    ///
    /// - Returns: Whether there is a smaller one.
    mutating func shrink() -> Bool {
        guard rows > 1 else { return false }
        rows /= 2
        return true
    }
}
