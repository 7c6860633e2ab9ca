// Several questions about one channel's rows, answered from one committed state.

import EventModel
import SQL

/// A channel's rows as of one commit; valid only during the call that lends it.
protocol ChannelSnapshot {
    /// The commit that it is of.
    var cursor: Timetoken { get }
    /// What the ledger says of the rows.
    var digest: Digest { get }
    /// Whether rows are passed over that are deleted and still there: more than `digest` counts.
    var hidesRows: Bool { get }

    /// The keys behind another, in an order that is always the same, until `body` answers `false`:
    /// the action under each, or `nil` where none stands.
    ///
    /// - Parameter key: `nil`: from the first one on.
    func forEachKey(
        behind key: MessageAction.Key?, _ body: (MessageAction.Key, MessageAction?) -> Bool
    ) throws(StoreError)

    /// The messages after a position, in their order, until `body` answers `false`.
    func forEachMessage(
        after timetoken: Timetoken, _ body: (StoredMessage) -> Bool
    ) throws(StoreError)

    /// The message at a position.
    func message(at timetoken: Timetoken) throws(StoreError) -> StoredMessage?

    /// What a digest covers of the messages of a stretch and of what stands on them, in any order.
    ///
    /// It is compared, and never sent: whether a row is what was written is not looked at.
    func forEachCoveredRow(
        in range: MessageRange, _ body: (CoveredRow) -> Void
    ) throws(StoreError)

    /// The newest timetoken of a range at which a message is, or on which an action may stand.
    func newestPlace(in range: MessageRange) throws(StoreError) -> Timetoken?

    /// The segments that start before a position, the newest first, until `body` answers `false`.
    func forEachSegment(
        before timetoken: Timetoken, _ body: (Segment) -> Bool
    ) throws(StoreError)

    /// The ranges of messages that were deleted after a position.
    func deletions(after cursor: Timetoken) throws(StoreError) -> [MessageRange]

    /// What moderators took away after a position.
    func clearings(after cursor: Timetoken) throws(StoreError) -> [Clearing]

    /// What became of each action key that changed after a position, until `body` answers `false`:
    /// the action under it, or `nil`.
    ///
    /// Keys whose tombstone was forgotten, or which went with a deleted message or by a clearing,
    /// are left out.
    func forEachChange(
        after cursor: Timetoken, _ body: (MessageAction.Key, MessageAction?) -> Bool
    ) throws(StoreError)

    /// The same of the keys that changed most recently; `nil` when there are more than `limit`.
    func changes(
        after cursor: Timetoken, limit: Int
    ) throws(StoreError) -> [MessageAction.Key: MessageAction?]?

    /// The actions that stand on a message, summed up by what they say.
    func totals(on message: Timetoken) throws(StoreError) -> [ActionName: ActionTotals]

    /// What its author made of a message, the newest first; others' actions of these types mean
    /// nothing.
    ///
    /// - Complexity: O(log n + limit), whatever others say.
    func versions(of message: Timetoken, limit: Int) throws(StoreError) -> [MessageAction]

    /// The action that stands since a moment.
    func action(addedAt timetoken: Timetoken) throws(StoreError) -> MessageAction?
}

/// A channel's snapshot in a read transaction of SQLite's.
struct SQLSnapshot: ChannelSnapshot {
    let reader: SQLReader
    /// The channel's row; none when nothing was ever in it.
    let id: Int64?
    let cursor: Timetoken
    let digest: Digest

    var hidesRows: Bool { id.map { reader.hidden.concern(channel: $0) } ?? false }

    func forEachKey(
        behind key: MessageAction.Key?, _ body: (MessageAction.Key, MessageAction?) -> Bool
    ) throws(StoreError) {
        guard let id else { return }
        try reader.statements.actionsByKey.query(
            .integer(id), .integer(key.map { Int64(clamping: $0.messageTimetoken.rawValue) } ?? -1),
            .text(key?.type ?? ""), .text(key?.value ?? ""), .text(key?.uuid ?? "")
        ) { row in
            let action = reader.action(row, in: id)
            let stands = reader.isLive(row) && !reader.isHidden(row, in: id)
            return body(action.key, stands ? action : nil)
        }
        try reader.checkRows()
    }

    func forEachMessage(
        after timetoken: Timetoken, _ body: (StoredMessage) -> Bool
    ) throws(StoreError) {
        guard let id else { return }
        try reader.forEachMessage(
            in: id, after: timetoken, before: .end, forward: true, limit: .max, body: body)
    }

    func message(at timetoken: Timetoken) throws(StoreError) -> StoredMessage? {
        guard let id, timetoken > .zero else { return nil }
        var found: StoredMessage?
        try reader.forEachMessage(
            in: id, after: timetoken.predecessor,
            before: Timetoken(rawValue: timetoken.rawValue + 1), forward: true, limit: 1
        ) { message in
            found = message
            return false
        }
        return found
    }

    func forEachCoveredRow(
        in range: MessageRange, _ body: (CoveredRow) -> Void
    ) throws(StoreError) {
        guard let id else { return }
        guard !reader.hidden.concern(channel: id) else {
            return try forEachWholeRow(in: range, body)
        }
        // What stands at zero goes with the first message.
        let after: SQLValue = range.after == .zero ? .integer(-1) : .timetoken(range.after)
        let covered = reader.statements.covered
        try covered.messages.query(.integer(id), after, .timetoken(range.through)) { row in
            body(
                .message(
                    MessageRow(
                        timetoken: row.timetoken(0), uuid: row.text(1),
                        type: row.optionalText(2))))
            return true
        }
        try covered.actions.query(.integer(id), after, .timetoken(range.through)) { row in
            let key = MessageAction.Key(
                messageTimetoken: row.timetoken(0), type: row.text(1), value: row.text(2),
                uuid: row.text(3))
            body(.action(row.action(under: key, added: 4, score: 5)))
            return true
        }
    }

    func newestPlace(in range: MessageRange) throws(StoreError) -> Timetoken? {
        guard let id else { return nil }
        var message: Timetoken?
        let end = min(range.through, .end.predecessor).successor(at: 0)
        try reader.forEachMessage(
            in: id, after: range.after, before: end, forward: false, limit: 1
        ) {
            message = $0.timetoken
            return false
        }
        let action = try reader.statements.tally.newest.first([
            .integer(id), .timetoken(range.after), .timetoken(range.through),
        ]) { $0.timetoken(0) }
        return [message, action].compactMap(\.self).max()
    }

    func forEachSegment(
        before timetoken: Timetoken, _ body: (Segment) -> Bool
    ) throws(StoreError) {
        guard let id else { return }
        try reader.statements.segments.query(.integer(id), .timetoken(timetoken)) { row in
            body(Segment(row))
        }
    }

    func deletions(after cursor: Timetoken) throws(StoreError) -> [MessageRange] {
        guard let id else { return [] }
        var ranges: [MessageRange] = []
        try reader.statements.deletions.query(
            .integer(id), .timetoken(cursor), .integer(.max)
        ) { row in
            ranges.append(MessageRange(after: row.timetoken(1), through: row.timetoken(2)))
            return true
        }
        return ranges
    }

    func clearings(after cursor: Timetoken) throws(StoreError) -> [Clearing] {
        guard let id else { return [] }
        var clearings: [Clearing] = []
        try reader.statements.groups.clearings.after.query(
            .integer(id), .timetoken(cursor), .integer(.max)
        ) { row in
            clearings.append(Clearing(row, from: 1))
            return true
        }
        return clearings
    }

    func forEachChange(
        after cursor: Timetoken, _ body: (MessageAction.Key, MessageAction?) -> Bool
    ) throws(StoreError) {
        guard let id else { return }
        try reader.statements.allChanges.query(
            .integer(id), .timetoken(cursor), .timetoken(.end)
        ) { row in
            guard !reader.isHidden(row, in: id) else { return true }
            let action = reader.action(row, in: id)
            return body(action.key, reader.isLive(row) ? action : nil)
        }
        try reader.checkRows()
    }

    func changes(
        after cursor: Timetoken, limit: Int
    ) throws(StoreError) -> [MessageAction.Key: MessageAction?]? {
        guard let id else { return [:] }
        var changes: [MessageAction.Key: MessageAction?] = [:]
        var count = 0
        try reader.statements.actionsForward.query(
            .integer(id), .timetoken(cursor), .timetoken(.end), .integer(Int64(limit) + 1)
        ) { row in
            count += 1
            let action = reader.action(row, in: id)
            let stands = reader.isLive(row) && !reader.isHidden(row, in: id)
            changes.updateValue(stands ? action : nil, forKey: action.key)
            return true
        }
        try reader.checkRows()
        return count > limit ? nil : changes
    }

    func totals(on message: Timetoken) throws(StoreError) -> [ActionName: ActionTotals] {
        guard let id else { return [:] }
        // What is hidden is counted until its rows are removed.
        guard !reader.hidden.concern(message, in: id) else {
            return try recount(message)
        }
        var totals: [ActionName: ActionTotals] = [:]
        try reader.statements.tally.values.query(.integer(id), .timetoken(message)) { row in
            totals[ActionName(type: row.text(0), value: row.text(1))] = row.actionTotals(from: 2)
            return true
        }
        return totals
    }

    private func recount(
        _ message: Timetoken
    ) throws(StoreError) -> [ActionName: ActionTotals] {
        var totals: [ActionName: ActionTotals] = [:]
        try forEachKey(behind: .before(message)) { key, action in
            guard key.messageTimetoken == message else { return false }
            if let action { totals[ActionName(key), default: ActionTotals()].add(action) }
            return true
        }
        return totals
    }

    func action(addedAt timetoken: Timetoken) throws(StoreError) -> MessageAction? {
        guard let id else { return nil }
        let found = try reader.statements.actionAddedAt.first([
            .integer(id), .timetoken(timetoken),
        ]) { reader.isHidden($0, in: id) ? nil : reader.action($0, in: id) }
        try reader.checkRows()
        return found ?? nil
    }
}

/// A channel's snapshot in a copy of the memory store.
struct MemorySnapshot: ChannelSnapshot {
    let state: MemoryStore.State
    let channel: Channel

    var cursor: Timetoken { state.last }
    var digest: Digest { state.digests[channel] ?? .empty }
    var hidesRows: Bool { false }

    private var rows: [MessageAction.Key: MemoryStore.ActionRow] {
        state.actions[channel, default: [:]]
    }

    func forEachKey(
        behind key: MessageAction.Key?, _ body: (MessageAction.Key, MessageAction?) -> Bool
    ) {
        let rest = rows.filter { row in key.map { row.key > $0 } ?? true }
        for (key, row) in rest.sorted(by: { $0.key < $1.key }) {
            guard body(key, row.isLive ? row.action(under: key) : nil) else { return }
        }
    }

    func forEachMessage(after timetoken: Timetoken, _ body: (StoredMessage) -> Bool) {
        for message in state.messages[channel, default: []] where message.timetoken > timetoken {
            guard body(message) else { return }
        }
    }

    func message(at timetoken: Timetoken) -> StoredMessage? {
        state.messages[channel]?.first { $0.timetoken == timetoken }
    }

    func newestPlace(in range: MessageRange) -> Timetoken? {
        let messages = state.messages[channel, default: []].map(\.timetoken)
        let places = rows.filter(\.value.isLive).map(\.key.messageTimetoken) + messages
        return places.filter { range.after < $0 && $0 <= range.through }.max()
    }

    func forEachSegment(before timetoken: Timetoken, _ body: (Segment) -> Bool) {
        for segment in state.segments[channel, default: []].reversed()
        where segment.after < timetoken {
            guard body(segment) else { return }
        }
    }

    func deletions(after cursor: Timetoken) -> [MessageRange] {
        state.deletions[channel, default: []].filter { $0.timetoken > cursor }.compactMap {
            guard case .messagesDeleted(let start, let end) = $0.event else { return nil }
            return MessageRange(after: start, through: end)
        }
    }

    func clearings(after cursor: Timetoken) -> [Clearing] {
        state.clearings[channel, default: []].filter { $0.timetoken > cursor }.map(\.clearing)
    }

    func forEachChange(
        after cursor: Timetoken, _ body: (MessageAction.Key, MessageAction?) -> Bool
    ) {
        for (key, row) in rows where row.changed > cursor {
            guard body(key, row.isLive ? row.action(under: key) : nil) else { return }
        }
    }

    func changes(
        after cursor: Timetoken, limit: Int
    ) -> [MessageAction.Key: MessageAction?]? {
        let changed = rows.filter { $0.value.changed > cursor }
        guard changed.count <= limit else { return nil }
        return Dictionary(
            uniqueKeysWithValues: changed.map { key, row in
                (key, row.isLive ? row.action(under: key) : nil)
            })
    }

    func totals(on message: Timetoken) -> [ActionName: ActionTotals] {
        var totals: [ActionName: ActionTotals] = [:]
        for (key, row) in rows where key.messageTimetoken == message && row.isLive {
            totals[ActionName(key), default: ActionTotals()].add(row.action(under: key))
        }
        return totals
    }

    func action(addedAt timetoken: Timetoken) -> MessageAction? {
        rows.first { $0.value.isLive && $0.value.added == timetoken }.map {
            $0.value.action(under: $0.key)
        }
    }
}

extension MessageAction.Key {
    /// Behind which those of a message begin, in the order of keys.
    static func before(_ message: Timetoken) -> MessageAction.Key {
        MessageAction.Key(messageTimetoken: message, type: "", value: "", uuid: "")
    }
}

extension ActionTotals {
    fileprivate mutating func add(_ action: MessageAction) {
        count += 1
        score += action.score
    }
}
