// Messages and actions of the open transaction, each row with its checksum.

import EventModel
import SQL

extension SQLStore {
    func insert(
        _ message: Message, at timetoken: Timetoken, in channel: Channel, by uuid: String,
        expires: Timetoken?
    ) throws(StoreError) {
        let id = try id(of: channel)
        let sum = RowSum.message(message, at: timetoken, in: id, by: uuid, expires: expires)
        try statements.insertMessage.run(
            .timetoken(timetoken), .integer(id), .text(uuid), .text(message.payload),
            .optional(message.meta), .optional(message.type), .optional(expires), .integer(sum),
            .optional(message.parent))
        noteUse(of: channel.keyset, bytes: StoredUse.bytes(of: message, by: uuid))
    }

    func expired(before moment: Timetoken, limit: Int) throws(StoreError) -> [ExpiredMessage] {
        // They may be among the hidden ones, and their order says nothing of that.
        guard !hasHiddenRows, !hasNothingOld(.messages) else { return [] }
        var found: [ExpiredMessage] = []
        try statements.findExpired.query(.timetoken(moment), .integer(Int64(limit))) { row in
            let channel = Channel(row.text(1), keyset: row.text(0))
            found.append(ExpiredMessage(channel: channel, timetoken: row.timetoken(2)))
            return true
        }
        return found
    }

    func action(
        onMessage message: Timetoken, addedAt timetoken: Timetoken, in channel: Channel
    ) throws(StoreError) -> MessageAction? {
        guard let id = try knownID(of: channel) else { return nil }
        let arguments: [SQLValue] = [
            .integer(id), .timetoken(timetoken), .timetoken(message),
        ]
        var isSound = true
        let action = try statements.findActionAt.first(arguments) { row in
            let key = MessageAction.Key(
                messageTimetoken: message, type: row.text(0), value: row.text(1),
                uuid: row.text(2))
            let action = row.action(under: key, added: 3, score: 6)
            isSound =
                action.actionTimetoken == timetoken && row.hasSum(4, of: action, in: id)
                && row.optionalInteger(5) != nil
            return action
        }
        guard let action, !hidden.holds(action.key, addedAt: timetoken, in: id) else { return nil }
        guard isSound else { throw .wrongSum(of: action.key, in: path) }
        return action
    }

    func action(
        under key: MessageAction.Key, in channel: Channel
    ) throws(StoreError) -> MessageAction? {
        if let known = foreseen?.action(under: key, in: channel) { return known }
        // A channel that nobody wrote to gets no row for a question.
        guard let id = try knownID(of: channel) else { return nil }
        let found = try statements.findAction.first([.integer(id)] + key.columns) {
            Self.action($0, under: key, in: id)
        }
        guard let (action, isSound) = found,
            !hidden.holds(key, addedAt: action.actionTimetoken, in: id)
        else { return nil }
        guard isSound else { throw .wrongSum(of: key, in: path) }
        return action
    }

    /// Reads what ``SQLWriteStatements/findAction`` finds.
    static func action(
        _ row: borrowing DatabaseRow, under key: MessageAction.Key, in id: Int64
    ) -> (action: MessageAction, isSound: Bool) {
        let action = row.action(under: key, added: 0, score: 3)
        let isSound =
            row.timetoken(1) == action.actionTimetoken && row.hasSum(2, of: action, in: id)
        return (action, isSound)
    }

    func add(_ action: MessageAction, in channel: Channel) throws(StoreError) {
        let (id, key) = (try id(of: channel), action.key)
        // A hidden row under the key goes first: triggers take off what was counted for it.
        if !hidden.isEmpty {
            storedUses[ExactText(channel.keyset)] = nil
            try statements.large.clearings.deleteStanding.run([.integer(id)] + key.columns)
        }
        try put(action, removed: nil, in: id)
        noteUse(of: channel.keyset, bytes: StoredUse.bytes(of: key))
        foreseen?.put(action, in: channel)
    }

    func remove(
        _ key: MessageAction.Key, at timetoken: Timetoken, in channel: Channel
    ) throws(StoreError) {
        guard let action = try action(under: key, in: channel) else { return }
        try put(action, removed: timetoken, in: id(of: channel))
        noteUse(of: channel.keyset, bytes: -StoredUse.bytes(of: key))
        foreseen?.drop(action, in: channel)
    }

    /// Writes the row of an action that stands, or stood until a moment.
    private func put(
        _ action: MessageAction, removed: Timetoken?, in id: Int64
    ) throws(StoreError) {
        try statements.putAction.run(
            [.integer(id)] + action.key.columns + [
                .timetoken(action.actionTimetoken), .timetoken(removed ?? action.actionTimetoken),
                .integer(removed == nil ? 1 : 0),
                .integer(RowSum.action(action, removed: removed, in: id)),
                .integer(Int64(action.score)),
            ])
    }
}
