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
    let channel: Channel
    let rows: DeletedRows
    private let key: DigestKey
    /// The messages that are still to be read.
    private var messages: MessageRange?
    /// Where the next step among the actions starts; `nil` when all were read.
    private var next: MessageAction.Key?
    /// The digest of the rows that were read, as they stand now.
    private(set) var digest = Digest.empty
    /// What is theirs of each segment, by its start; of ``middle`` nothing.
    private(set) var parts: [Timetoken: Segment] = [:]
    /// Segments that go whole: those that start at `from` or later, and before `before`.
    let middle: (from: Timetoken, before: Timetoken)?

    var isComplete: Bool { messages == nil && next == nil }

    /// - Precondition: The store has all that happened: no transaction is open.
    init(
        _ rows: DeletedRows, in channel: Channel, key: DigestKey, of store: any Store
    ) throws(StoreError) {
        self.rows = rows
        self.channel = channel
        self.key = key
        next = rows.first
        guard case .messages(let range) = rows else {
            middle = nil
            return
        }
        messages = range
        let start = try store.segment(of: range.after.successor(at: 0), in: channel)
        let end = try store.segment(of: range.through, in: channel).segment.after
        middle = start.through < end ? (start.through, end) : nil
    }

    /// - Parameter limit: Rows that are looked at.
    mutating func advance(in store: any Store, limit: Int) throws(StoreError) {
        var found: [CoveredRow] = []
        if let range = messages {
            messages = try store.scanMessages(in: range, of: channel, limit: limit) {
                found.append(.message($0))
            }
        } else if let start = next {
            switch rows {
            case .messages(let range):
                next = try store.scanActions(
                    from: start, through: range.through, of: channel, limit: limit,
                    body: { found.append(.action($0)) })
            case .actions(let clearing):
                var left = limit
                next = try store.scanActions(
                    coveredBy: clearing, from: start, of: channel, limit: &left,
                    body: { found.append(.action($0)) })
            }
        }
        try insert(found, of: store)
    }

    /// - Parameter found: In the order of their messages.
    private mutating func insert(_ found: [CoveredRow], of store: any Store) throws(StoreError) {
        var segment: (after: Timetoken, through: Timetoken)?
        for row in found {
            let hash = row.hash(key)
            if segment.map({ row.message > $0.through }) ?? true {
                let place = try store.segment(
                    of: max(row.message, Timetoken.zero.successor(at: 0)), in: channel)
                segment = (place.segment.after, place.through)
            }
            if let segment { insert(row, hash, to: segment.after) }
        }
    }

    private mutating func insert(_ row: CoveredRow, _ hash: RowHash, to segment: Timetoken) {
        digest.insert(hash)
        guard !isMiddle(segment) else { return }
        parts[segment, default: Segment(after: segment)].insert(row, hash)
    }

    private func isMiddle(_ segment: Timetoken) -> Bool {
        middle.map { segment >= $0.from && segment < $0.before } ?? false
    }

    /// - Parameter segment: Where the row's segment starts.
    mutating func added(
        _ row: CoveredRow, _ hash: RowHash, to segment: Timetoken, of channel: Channel
    ) {
        if wasRead(row, in: channel) { insert(row, hash, to: segment) }
    }

    mutating func removed(
        _ row: CoveredRow, _ hash: RowHash, from segment: Timetoken, of channel: Channel
    ) {
        guard wasRead(row, in: channel) else { return }
        digest.remove(hash)
        guard !isMiddle(segment) else { return }
        parts[segment, default: Segment(after: segment)].remove(row, hash)
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
