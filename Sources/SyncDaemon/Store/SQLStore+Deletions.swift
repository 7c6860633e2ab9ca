// Deletions in one go, and those that are too large for that: hidden at once, removed in steps.

import EventModel
import SQL

extension SQLStore {
    func deleteMessages(
        after start: Timetoken, through end: Timetoken, at timetoken: Timetoken,
        in channel: Channel, eachRow: (CoveredRow) -> Void
    ) throws(StoreError) -> Bool {
        guard try hasRows(in: MessageRange(after: start, through: end), of: channel) else {
            return false
        }
        let row = try id(of: channel)
        let id = SQLValue.integer(row)
        // Triggers take off what goes.
        storedUses[ExactText(channel.keyset)] = nil
        foreseen?.forgetActions()
        let range = MessageRange(after: start, through: end)
        for part in hidden.visible(range, in: row) {
            _ = try readMessages(in: part, of: row, limit: .max) { eachRow(.message($0)) }
        }
        try statements.deleteMessages.run(id, .timetoken(start), .timetoken(end))
        var wrong: MessageAction.Key?
        try statements.standingInRange.query(id, .timetoken(start), .timetoken(end)) { found in
            let key = MessageAction.Key(
                messageTimetoken: found.timetoken(0), type: found.text(1), value: found.text(2),
                uuid: found.text(3))
            let action = found.action(under: key, added: 4, score: 7)
            let added = action.actionTimetoken
            guard added == found.timetoken(5), found.hasSum(6, of: action, in: row) else {
                wrong = key
                return false
            }
            if !hidden.holds(key, addedAt: added, in: row) {
                eachRow(.action(action))
            }
            return true
        }
        if let wrong { throw .wrongSum(of: wrong, in: path) }
        try statements.deleteActions.run(id, .timetoken(start), .timetoken(end))
        try insertDeletion(of: range, at: timetoken, in: row)
        return true
    }

    func scanMessages(
        in range: MessageRange, of channel: Channel, limit: Int, body: (MessageRow) -> Void
    ) throws(StoreError) -> MessageRange? {
        let id = try id(of: channel)
        // What is hidden is left out at once; the next step looks again.
        guard let part = hidden.visible(range, in: id).first else { return nil }
        let last = try readMessages(in: part, of: id, limit: limit, body)
        let end = last ?? part.through
        return end < range.through ? MessageRange(after: end, through: range.through) : nil
    }

    /// Calls `body` with messages in their order, each as it was written.
    ///
    /// - Parameter limit: -1: all of them.
    /// - Returns: The last one, when there may be more.
    private func readMessages(
        in range: MessageRange, of channel: Int64, limit: Int, _ body: (MessageRow) -> Void
    ) throws(StoreError) -> Timetoken? {
        var count = 0
        var last = Timetoken.zero
        var wrong: Timetoken?
        try statements.large.readMessages.query(
            .integer(channel), .timetoken(range.after), .timetoken(range.through),
            .integer(Int64(limit))
        ) { row in
            count += 1
            last = row.timetoken(0)
            guard row.isSoundMessage(in: channel) else {
                wrong = last
                return false
            }
            body(MessageRow(timetoken: last, uuid: row.text(1), type: row.optionalText(4)))
            return true
        }
        if let wrong { throw .wrongSum(ofMessage: wrong, in: path) }
        return count == limit ? last : nil
    }

    /// Notes a deletion in the place of those that it covers.
    private func insertDeletion(
        of range: MessageRange, at timetoken: Timetoken, in channel: Int64
    ) throws(StoreError) {
        let (start, end) = (
            SQLValue.timetoken(range.after), SQLValue.timetoken(range.through)
        )
        // More than these stay until they are old.
        try statements.large.deleteCovered.run(
            .integer(channel), start, end, end, .integer(Int64(Limits.deletedRowsPerCommitMax)))
        try statements.insertDeletion.run(.timetoken(timetoken), .integer(channel), start, end)
    }

    func hasDeletions(before moment: Timetoken) throws(StoreError) -> Bool {
        try newestDeletion(before: moment, limit: 1) != nil
    }

    func forgetDeletions(before moment: Timetoken, limit: Int) throws(StoreError) {
        guard !hasNothingOld(.deletions) else { return }
        guard let newest = try newestDeletion(before: moment, limit: limit) else { return }
        try statements.large.forgetDeletions.run(.timetoken(newest))
        let floor = max(newest, raisedDeletionFloor ?? deletionFloor)
        try statements.large.raiseFloor.run(.text(floor.description))
        raisedDeletionFloor = floor
    }

    private func newestDeletion(
        before moment: Timetoken, limit: Int
    ) throws(StoreError) -> Timetoken? {
        try statements.large.newestForgotten.first([.timetoken(moment), .integer(Int64(limit))]) {
            $0.optionalTimetoken(0)
        } ?? nil
    }

    func rowCount(
        in range: MessageRange, of channel: Channel, limit: Int
    ) throws(StoreError) -> Int {
        let id = SQLValue.integer(try id(of: channel))
        let (start, end) = (
            SQLValue.timetoken(range.after), SQLValue.timetoken(range.through)
        )
        let messages = Int(
            try statements.large.countMessages.first([id, start, end, .integer(Int64(limit))]) {
                $0.integer(0)
            } ?? 0)
        guard messages < limit else { return limit }
        let actions = try statements.large.countActions.first(
            [id, start, end, .integer(Int64(limit - messages))]) { $0.integer(0) }
        return messages + Int(actions ?? 0)
    }

    func hasRows(in range: MessageRange, of channel: Channel) throws(StoreError) -> Bool {
        let id = try id(of: channel)
        for part in hidden.visible(range, in: id) {
            let arguments: [SQLValue] = [
                .integer(id), .timetoken(part.after), .timetoken(part.through),
            ]
            let message = try statements.large.findMessage.first(arguments) { _ in true }
            if message != nil { return true }
            let action = try statements.large.findAction.first(arguments) { _ in true }
            if action != nil { return true }
        }
        // What was added since to messages that are gone.
        for gone in hidden.ranges where gone.channel == id {
            let found = try statements.large.findNewAction.first(
                [
                    .integer(id), .timetoken(range.after), .timetoken(range.through),
                    .timetoken(gone.timetoken),
                ]) { _ in true }
            if found != nil { return true }
        }
        return false
    }

    func scanActions(
        from start: MessageAction.Key, through end: Timetoken, of channel: Channel, limit: Int,
        body: (MessageAction) -> Void
    ) throws(StoreError) -> MessageAction.Key? {
        let id = try id(of: channel)
        var count = 0
        var last: MessageAction.Key?
        var wrong: MessageAction.Key?
        try statements.large.scanActions.query(
            .integer(id), .timetoken(start.messageTimetoken), .text(start.type), .text(start.value),
            .text(start.uuid), .timetoken(end), .integer(Int64(limit))
        ) { row in
            count += 1
            let isLive = row.integer(5) == 1
            guard isLive || count == limit else { return true }
            let key = actionKey(row)
            last = key
            let action = row.action(under: key, added: 4, score: 7)
            guard !isLive || row.hasSum(6, of: action, in: id) else {
                wrong = key
                return false
            }
            let added = action.actionTimetoken
            if isLive, !hidden.holds(key, addedAt: added, in: id) {
                body(action)
            }
            return true
        }
        if let wrong { throw .wrongSum(of: wrong, in: path) }
        return count < limit ? nil : last?.next
    }

    // MARK: Hidden rows

    func hideMessages(
        in range: MessageRange, at timetoken: Timetoken, of channel: Channel
    ) throws(StoreError) {
        let id = try id(of: channel)
        foreseen?.forgetActions()
        let arguments: [SQLValue] = [
            .timetoken(timetoken), .integer(id), .timetoken(range.after), .timetoken(range.through),
        ]
        try insertDeletion(of: range, at: timetoken, in: id)
        try statements.large.insertHidden.run(arguments)
        hidden.append(HiddenRange(timetoken: timetoken, channel: id, messages: range))
    }

    var hasHiddenRows: Bool { !hidden.isEmpty }

    func removeHiddenRows(limit: Int) throws(StoreError) {
        storedUses = [:]
        foreseen?.forgetActions()
        guard let oldest = hidden.ranges.first else { return try removeCleared(limit: limit) }
        let (id, range) = (SQLValue.integer(oldest.channel), oldest.messages)
        let gone = try statements.large.deleteMessages.runCounting([
            id, .timetoken(range.after), .timetoken(range.through), .integer(Int64(limit)),
        ])
        let areMessagesLeft = gone == limit
        let start = removalStart ?? .first(onMessageAfter: range.after)
        let from: [SQLValue] = [
            id, .timetoken(start.messageTimetoken), .text(start.type), .text(start.value),
            .text(start.uuid),
        ]
        let end = SQLValue.timetoken(range.through)
        let last = try statements.large.lastOfStep.first(from + [end, .integer(Int64(limit - 1))]) {
            actionKey($0)
        }
        if let last {
            try statements.large.deleteStep.run(
                from + [
                    .timetoken(last.messageTimetoken), .text(last.type), .text(last.value),
                    .text(last.uuid), .timetoken(oldest.timetoken),
                ])
            removalStart = last.next
        } else {
            try statements.large.deleteRest.run(from + [end, .timetoken(oldest.timetoken)])
            guard !areMessagesLeft else { return }
            try statements.large.deleteHidden.run(.timetoken(oldest.timetoken))
            hidden.removeFirst()
            removalStart = nil
        }
    }

    func actionKey(_ row: borrowing DatabaseRow) -> MessageAction.Key {
        MessageAction.Key(
            messageTimetoken: row.timetoken(0), type: row.text(1), value: row.text(2),
            uuid: row.text(3))
    }
}
