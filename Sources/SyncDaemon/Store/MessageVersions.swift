// What authors made of their messages later: actions of two types, found by message and author.

import EventModel
import JSON
import SQL

/// The types of actions by which an author changes a message; a store finds the newest one soon.
enum VersionKind: Sendable, Hashable, CaseIterable {
    case edited, deleted

    var type: String {
        switch self {
        case .edited: MessageVersion.editedType
        case .deleted: MessageVersion.deletedType
        }
    }
}

extension StoredMessage {
    /// Takes what its author made of it.
    mutating func take(edited: MessageAction?, deleted: MessageAction?) {
        self.edited = edited.map {
            MessageVersion(
                payload: JSONValue.payload(saying: $0.key.value), timetoken: $0.actionTimetoken)
        }
        self.deleted = deleted?.actionTimetoken
    }
}

extension SQLiteSchema {
    /// - `action_version`: what authors, and others, said by ``VersionKind``; no reaction is in it.
    static let messageVersions = """
        CREATE INDEX action_version ON action(channel, message, uuid, type, added)
        WHERE live = 1 AND type IN ('edited', 'deleted');
        """
}

/// What finds a message's author, and the newest action of a kind: the writer's and each reader's.
final class SQLVersionStatements {
    let author: StoreStatement
    let newest: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        author = try connection.prepare(
            """
            SELECT timetoken, uuid, payload, meta, type, expires, sum, parent FROM message
            WHERE timetoken = ? AND channel = ?
            """)
        // From the index to the rows, so that an entry without its row comes as one without `live`.
        newest = try connection.prepare(
            """
            SELECT i.added, i.message, i.type, i.value, i.uuid, a.added, a.live, a.sum, a.score
            \(connection.dialect.actions(by: "action_version"))
            WHERE i.live = 1 AND i.type IN ('edited', 'deleted')
            AND i.channel = ? AND i.message = ? AND i.uuid = ? AND i.type = ?
            ORDER BY i.added DESC
            """)
    }
}

extension SQLStore {
    func author(
        ofMessage timetoken: Timetoken, in channel: Channel
    ) throws(StoreError) -> String? {
        guard let id = try knownID(of: channel),
            hidden.end(ofActionsOn: timetoken, in: id) == .zero
        else { return nil }
        var isSound = true
        let author = try statements.tally.versions.author.first([
            .timetoken(timetoken), .integer(id),
        ]) {
            row in
            isSound = row.isSoundMessage(in: id)
            return row.text(1)
        }
        guard isSound else { throw .wrongSum(ofMessage: timetoken, in: path) }
        return author
    }

    func newest(
        _ kind: VersionKind, by user: String, on message: Timetoken, in channel: Channel
    ) throws(StoreError) -> MessageAction? {
        guard let id = try knownID(of: channel) else { return nil }
        var found: MessageAction?
        var wrong: MessageAction.Key?
        try statements.tally.versions.newest.query(
            .integer(id), .timetoken(message), .text(user), .text(kind.type)
        ) { row in
            let key = MessageAction.Key(
                messageTimetoken: message, type: row.text(2), value: row.text(3), uuid: user)
            let (added, action) = (row.timetoken(0), row.action(under: key, added: 5, score: 8))
            guard row.optionalInteger(6) == 1, action.actionTimetoken == added,
                row.hasSum(7, of: action, in: id)
            else {
                wrong = key
                return false
            }
            guard !hidden.holds(key, addedAt: added, in: id) else { return true }
            found = action
            return false
        }
        if let wrong { throw .wrongSum(of: wrong, in: path) }
        return found
    }
}

extension SQLReader {
    /// Adds what their authors made of messages, until there is more than a page may hold.
    func addVersions(
        to messages: inout [StoredMessage], in channel: Int64, bytesMax: Int
    ) throws(StoreError) {
        var bytes = 0
        for index in messages.indices where bytes <= bytesMax {
            messages[index].take(
                edited: try newest(.edited, of: messages[index], in: channel),
                deleted: try newest(.deleted, of: messages[index], in: channel))
            bytes += messages[index].size
        }
    }

    private func newest(
        _ kind: VersionKind, of message: StoredMessage, in channel: Int64
    ) throws(StoreError) -> MessageAction? {
        var found: MessageAction?
        try statements.tally.versions.newest.query(
            .integer(channel), .timetoken(message.timetoken), .text(message.uuid),
            .text(kind.type)
        ) { row in
            guard isLive(row), !isHidden(row, in: channel) else { return true }
            found = action(row, in: channel)
            return false
        }
        try checkRows()
        return found
    }
}

extension SQLSnapshot {
    func versions(of message: Timetoken, limit: Int) throws(StoreError) -> [MessageAction] {
        guard let id else { return [] }
        let written = try reader.statements.tally.versions.author.first([
            .timetoken(message), .integer(id),
        ]) { reader.storedMessage($0, in: id) }
        try reader.checkRows()
        guard let written else { return [] }
        var found: [MessageAction] = []
        for kind in VersionKind.allCases {
            var rest = limit
            try reader.statements.tally.versions.newest.query(
                .integer(id), .timetoken(message), .text(written.uuid), .text(kind.type)
            ) { row in
                guard reader.isLive(row), !reader.isHidden(row, in: id) else { return true }
                found.append(reader.action(row, in: id))
                rest -= 1
                return rest > 0
            }
        }
        try reader.checkRows()
        return found.newestFirst(limit)
    }
}

extension MemorySnapshot {
    func versions(of message: Timetoken, limit: Int) -> [MessageAction] {
        let written = state.messages[channel, default: []].first { $0.timetoken == message }
        guard let written else { return [] }
        return VersionKind.allCases.flatMap {
            state.versions($0, by: written.uuid, on: message, in: channel)
        }.newestFirst(limit)
    }
}

extension [MessageAction] {
    fileprivate func newestFirst(_ limit: Int) -> [MessageAction] {
        Array(sorted { $0.actionTimetoken > $1.actionTimetoken }.prefix(limit))
    }
}

extension MemoryStore {
    func author(ofMessage timetoken: Timetoken, in channel: Channel) -> String? {
        working.messages[channel]?.first { $0.timetoken == timetoken }?.uuid
    }

    func newest(
        _ kind: VersionKind, by user: String, on message: Timetoken, in channel: Channel
    ) -> MessageAction? {
        working.newest(kind, by: user, on: message, in: channel)
    }
}

extension MemoryStore.State {
    func newest(
        _ kind: VersionKind, by user: String, on message: Timetoken, in channel: Channel
    ) -> MessageAction? {
        versions(kind, by: user, on: message, in: channel)
            .max { $0.actionTimetoken < $1.actionTimetoken }
    }

    func versions(
        _ kind: VersionKind, by user: String, on message: Timetoken, in channel: Channel
    ) -> [MessageAction] {
        actions[channel, default: [:]].filter { key, row in
            row.isLive && key.messageTimetoken == message
                && ExactText(key.type) == ExactText(kind.type)
                && ExactText(key.uuid) == ExactText(user)
        }
        .map { $0.value.action(under: $0.key) }
    }
}
