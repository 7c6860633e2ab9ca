// The statements of a cache file, and how values become rows.

import EventModel
import SQL
import SQLite

/// Every statement that runs often, prepared once.
final class DeviceStatements {
    let header: CacheStatement
    let messages: CacheStatement
    let actions: CacheStatement
    let outbox: CacheStatement
    private let putHeader: CacheStatement
    private let putMessage: CacheStatement
    private let dropMessage: CacheStatement
    private let putAction: CacheStatement
    private let dropAction: CacheStatement
    private let putEntry: CacheStatement
    private let renameEntry: CacheStatement
    private let dropEntry: CacheStatement
    private let forgetHeader: CacheStatement
    private let forgetMessages: CacheStatement
    private let forgetActions: CacheStatement
    private let putMark: CacheStatement
    private let forgetMark: CacheStatement

    init(_ database: borrowing CacheConnection) throws(DeviceStoreError) {
        header = try database.prepare(
            """
            SELECT cursor, epoch, key, count, digest, rules, after, rest, rest_cursor, whole
            FROM channel WHERE name = ?
            """)
        messages = try database.prepare(
            """
            SELECT timetoken, uuid, payload, meta, type, parent, checksum FROM message
            WHERE channel = ?
            """)
        actions = try database.prepare(
            "SELECT message, type, value, uuid, timetoken, score FROM action WHERE channel = ?")
        outbox = try database.prepare(
            """
            SELECT mutation, channel, kind, message, type, value, uuid, seen, payload, meta,
                progress, timetoken, likeness, score, parent FROM outbox ORDER BY position
            """)
        putHeader = try database.prepare(
            "REPLACE INTO channel VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        putMessage = try database.prepare("REPLACE INTO message VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        dropMessage = try database.prepare(
            "DELETE FROM message WHERE channel = ? AND timetoken = ?")
        putAction = try database.prepare("REPLACE INTO action VALUES (?, ?, ?, ?, ?, ?, ?)")
        dropAction = try database.prepare(
            """
            DELETE FROM action
            WHERE channel = ? AND message = ? AND type = ? AND value = ? AND uuid = ?
            """)
        putEntry = try database.prepare(
            """
            INSERT INTO outbox (mutation, channel, kind, message, type, value, uuid, seen,
                payload, meta, progress, timetoken, likeness, score, parent)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (mutation) DO UPDATE SET seen = excluded.seen, score = excluded.score,
                progress = excluded.progress, timetoken = excluded.timetoken,
                likeness = excluded.likeness
            """)
        renameEntry = try database.prepare("UPDATE outbox SET mutation = ? WHERE mutation = ?")
        dropEntry = try database.prepare("DELETE FROM outbox WHERE mutation = ?")
        forgetHeader = try database.prepare("DELETE FROM channel WHERE name = ?")
        forgetMessages = try database.prepare("DELETE FROM message WHERE channel = ?")
        forgetActions = try database.prepare("DELETE FROM action WHERE channel = ?")
        putMark = try database.prepare("REPLACE INTO mark VALUES (?, ?, ?, ?)")
        forgetMark = try database.prepare("DELETE FROM mark WHERE channel = ?")
    }

    func write(_ write: DeviceWrite) throws(DeviceStoreError) {
        switch write {
        case .channel(let name, let header, let rows):
            for row in rows { try put(row, in: name) }
            try putHeader.run(
                .text(name), .timetoken(header.cursor), .optional(header.epoch),
                .optional(header.key?.text), .integer(header.digest.count),
                .text(header.digest.text),
                .optional(header.rules.map(RulesEncoder.text)), .timetoken(header.rest.after),
                .optional(header.rest.digest?.line), .timetoken(header.rest.cursor),
                .optional(header.rest.whole?.line))
        case .forget(let name):
            try forgetHeader.run(.text(name))
            try forgetMessages.run(.text(name))
            try forgetActions.run(.text(name))
            try forgetMark.run(.text(name))
        case .outbox(.put(let entry)):
            try put(entry)
        case .outbox(.replace(let mutation, let entry)):
            try renameEntry.run(.text(entry.mutation), .text(mutation))
            try put(entry)
        case .outbox(.drop(let mutation)):
            try dropEntry.run(.text(mutation))
        case .mark(let mark) where mark.isEmpty:
            try forgetMark.run(.text(mark.channel))
        case .mark(let mark):
            try putMark.run(
                .text(mark.channel), .optional(mark.confirmed), .optional(mark.wished),
                .integer(mark.checksum))
        }
    }

    private func put(_ row: RowChange, in channel: String) throws(DeviceStoreError) {
        switch row {
        case .messagePut(let timetoken, let entry):
            try putMessage.run(
                .text(channel), .timetoken(timetoken), .text(entry.uuid),
                .text(entry.message.payload), .optional(entry.message.meta),
                .optional(entry.message.type), .optional(entry.message.parent),
                .integer(entry.checksum))
        case .messageDropped(let timetoken, _):
            try dropMessage.run(.text(channel), .timetoken(timetoken))
        case .actionPut(let action):
            try putAction.run(
                .text(channel), .timetoken(action.key.messageTimetoken), .text(action.key.type),
                .text(action.key.value), .text(action.key.uuid),
                .timetoken(action.actionTimetoken), .integer(Int64(action.score)))
        case .actionDropped(let action):
            try dropAction.run(
                .text(channel), .timetoken(action.key.messageTimetoken), .text(action.key.type),
                .text(action.key.value), .text(action.key.uuid))
        }
    }

    private func put(_ entry: OutboxEntry) throws(DeviceStoreError) {
        var message: Message?
        if case .publish(let published) = entry.wish { message = published }
        var seen: Timetoken?
        if case .remove(_, let timetoken) = entry.wish {
            // Zero: it went out as one of whatever stands.
            seen = timetoken ?? entry.sentAfter.map { _ in .zero }
        }
        var score: Int?
        if case .add(_, let asked) = entry.wish { score = asked }
        try putEntry.run(
            .text(entry.mutation), .text(entry.channel), .text(entry.wish.word),
            .optional(entry.key?.messageTimetoken), .optional(entry.key?.type ?? message?.type),
            .optional(entry.key?.value), .optional(entry.key?.uuid), .optional(seen),
            .optional(message?.payload), .optional(message?.meta), .text(entry.progress.word),
            .optional(entry.timetoken), .optional(entry.likeness),
            score.map { .integer(Int64($0)) } ?? .null, .optional(message?.parent))
    }
}

extension ChannelHeader {
    init(row: borrowing SQLiteRow) {
        self.init(
            cursor: row.timetoken(0), epoch: row.optionalText(1),
            key: row.optionalText(2).flatMap { DigestKey($0) },
            digest: Digest(row.text(4), count: row.integer(3)) ?? .empty,
            rules: row.optionalText(5).flatMap(RulesDecoder.rules(fromText:)),
            rest: Self.rest(row))
    }

    /// Nothing is before everything, whatever a damaged file says: then what it lacks is found out.
    private static func rest(_ row: borrowing SQLiteRow) -> ChannelRest {
        guard row.timetoken(6) > .zero else { return .none }
        return ChannelRest(
            after: row.timetoken(6), digest: row.optionalText(7).flatMap(Digest.init(line:)),
            cursor: row.timetoken(8), whole: row.optionalText(9).flatMap(Digest.init(line:)))
    }
}

extension Digest {
    /// Both halves of it, as a cache keeps them.
    var line: String { "\(count) \(text)" }

    init?(line: String) {
        let parts = line.split(separator: " ")
        guard parts.count == 2, let count = Int64(parts[0]) else { return nil }
        self.init(String(parts[1]), count: count)
    }
}

extension DeviceCache.Entry {
    var checksum: Int64 {
        checksumOf([
            uuid, message.payload, message.meta, message.type, message.parent?.description,
        ])
    }
}

extension KeptMark {
    var checksum: Int64 { checksumOf([channel, confirmed?.description, wished?.description]) }
}

/// By what a damaged row is told from what was written.
///
/// - Source: Fowler, Noll and Vo's FNV-1a, of 64 bits: it is for accidents.
private func checksumOf(_ fields: [String?]) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for field in fields {
        for byte in (field ?? "\u{0}").utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        hash = (hash ^ 0xff) &* 0x0000_0100_0000_01b3
    }
    return Int64(bitPattern: hash)
}

extension OutboxEntry {
    init(row: borrowing SQLiteRow) {
        let key = MessageAction.Key(
            messageTimetoken: row.timetoken(3), type: row.text(4), value: row.text(5),
            uuid: row.text(6))
        let seen = row.optionalTimetoken(7)
        let wish: Wish =
            switch row.text(2) {
            case "add": .add(key, score: row.optionalInteger(13).map { Int($0) })
            case "remove": .remove(key, seen: seen == .zero ? nil : seen)
            default:
                .publish(
                    Message(
                        payload: row.text(8), meta: row.optionalText(9), type: row.optionalText(4),
                        parent: row.optionalTimetoken(14)))
            }
        let progress: Progress =
            switch row.text(10) {
            case "unsent": .unsent
            case "answered": .answered(row.optionalTimetoken(11))
            default: .perhapsSent
            }
        self.init(
            mutation: row.text(0), channel: row.text(1), wish: wish, progress: progress,
            likeness: row.optionalTimetoken(12), sentAfter: seen == .zero ? .zero : nil)
    }
}

extension OutboxEntry.Wish {
    fileprivate var word: String {
        switch self {
        case .publish: "publish"
        case .add: "add"
        case .remove: "remove"
        }
    }
}

extension OutboxEntry.Progress {
    fileprivate var word: String {
        switch self {
        case .unsent: "unsent"
        case .perhapsSent: "perhapsSent"
        case .answered: "answered"
        }
    }
}
