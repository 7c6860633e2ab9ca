// The stores that the daemon ships, and the short words that their tests are written in.

import EventModel
import Foundation

@testable import SyncDaemon
@testable import TestSupport

/// Each store that the daemon ships.
///
/// A new store adds one case here and inherits the whole contract.
enum StoreUnderTest: CaseIterable {
    case memory
    case sqlite
    case postgres

    /// For tests of what stands on a store, which a server would take minutes for.
    static let embedded: [StoreUnderTest] = [.memory, .sqlite]

    func make(in directory: ScratchDirectory) throws -> any Store {
        switch self {
        case .memory: MemoryStore()
        case .sqlite: try SQLStore(directory: directory.path)
        case .postgres:
            try SQLStore(server: TestPostgres.shared.target, schema: directory.schema)
        }
    }
}

/// A directory of its own for one test, removed with its last owner.
final class ScratchDirectory {
    let path: String

    init() throws {
        path = URL.temporaryDirectory.appending(path: UUID().uuidString).path()
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    /// A name for what the test keeps on a server.
    var schema: String {
        "s" + URL(filePath: path).lastPathComponent.replacing("-", with: "").lowercased()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// A small timetoken, readable in a failure.
func tick(_ value: UInt64) -> Timetoken {
    Timetoken(rawValue: value)
}

extension MessageAction.Key {
    static func on(
        _ message: UInt64, _ value: String = "👍", type: String = "reaction", by uuid: String = "ada"
    ) -> MessageAction.Key {
        MessageAction.Key(messageTimetoken: tick(message), type: type, value: value, uuid: uuid)
    }
}

extension Message {
    /// A message that names itself.
    static func numbered(_ number: UInt64) -> Message {
        Message(payload: "\(number)")
    }

    /// A message whose payload has this many bytes.
    static func sized(_ bytes: Int) -> Message {
        Message(payload: #"""# + String(repeating: "x", count: bytes - 2) + #"""#)
    }
}

extension Store {
    /// Inserts a message that is kept.
    func insert(
        _ message: Message, at timetoken: Timetoken, in channel: Channel, by uuid: String
    ) throws(StoreError) {
        try insert(message, at: timetoken, in: channel, by: uuid, expires: nil)
    }

    func deleteMessages(
        after start: Timetoken, through end: Timetoken, at timetoken: Timetoken,
        in channel: Channel
    ) throws(StoreError) -> Bool {
        try deleteMessages(
            after: start, through: end, at: timetoken, in: channel, eachRow: { _ in })
    }

    /// Runs `body` as one transaction.
    func commit(through last: UInt64, _ body: (any Store) throws -> Void) throws {
        try begin()
        try body(self)
        try commit(through: tick(last))
    }

    /// Inserts a message that names itself, as its own transaction.
    func publish(_ timetoken: UInt64, in channel: Channel) throws {
        try commit(through: timetoken) {
            try $0.insert(.numbered(timetoken), at: tick(timetoken), in: channel, by: "ada")
        }
    }
}

extension StoreReader {
    /// A page of everything after one position.
    func changes(in channel: Channel, after cursor: Timetoken) throws(StoreError) -> ChangePage {
        try changes(in: channel, from: ChangeStart(after: cursor))
    }

    /// Every page of changes after a position, and the last page's end.
    func allPages(in channel: Channel, after cursor: Timetoken) throws -> [ChangePage] {
        var pages = [try changes(in: channel, after: cursor)]
        while let page = pages.last, !page.isComplete {
            pages.append(try changes(in: channel, after: page.through))
        }
        return pages
    }

    /// Everything that changed from a start of each kind, page after page.
    func allChanges(in channel: Channel, from start: ChangeStart) throws -> [Envelope] {
        var page = try changes(in: channel, from: start)
        var envelopes = page.envelopes
        while !page.isComplete {
            page = try changes(in: channel, from: start.advanced(to: page.through))
            envelopes += page.envelopes
        }
        return envelopes
    }

    /// What happened in some channels after a position, page after page, and where that ends.
    func allBacklog(
        _ interests: [Interest], after cursor: Timetoken, limit: Int
    ) throws -> Backlog {
        var all = Backlog(envelopes: [], through: cursor, isComplete: false)
        while !all.isComplete,
            let page = try backlog(interests, after: all.through, limit: limit)
        {
            all.envelopes += page.envelopes
            all.through = page.through
            all.isComplete = page.isComplete
        }
        return all
    }

    /// Everything that changed after a position, page after page.
    func allChanges(in channel: Channel, after cursor: Timetoken) throws -> [Envelope] {
        try allPages(in: channel, after: cursor).flatMap(\.envelopes)
    }
}

extension SQLiteSchema {
    /// Where files of before version 27 have the states of whole channels.
    static let digestsOfChannels = """
        ALTER TABLE channel ADD COLUMN count INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE channel ADD COLUMN lane0 INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE channel ADD COLUMN lane1 INTEGER NOT NULL DEFAULT 0;
        """

    /// What a file of schema 11 lacks.
    static let withoutCounts = """
        \(digestsOfChannels)
        DROP TABLE outbox; DROP TABLE dead_letter; DROP TABLE push_device; DROP TABLE file;
        DROP TABLE segment; DROP TABLE read_mark; DROP INDEX message_by_entry;
        DROP TABLE clearing; DROP TABLE hidden_clearing; DROP INDEX action_score;
        DROP INDEX action_version; DROP INDEX message_by_parent; DROP TABLE thread;
        DROP TRIGGER reply_added; DROP TRIGGER reply_deleted;
        ALTER TABLE message DROP COLUMN parent;
        DROP TABLE action_count; DROP TRIGGER action_added;
        DROP TRIGGER action_added_again; DROP TRIGGER action_removed; DROP TRIGGER action_deleted;
        ALTER TABLE action DROP COLUMN score;
        PRAGMA user_version = 11;
        """
}

extension SQLStore {
    /// Opens one again, also at a moment when a program that another test starts has a copy of the
    /// lock: it has one of each open file until it is that program.
    static func openedAgain(
        in directory: String, resume: (ClockAnchor?) -> ClockAnchor? = { $0 }
    ) throws -> SQLStore {
        for _ in 0..<1000 {
            do throws(StoreError) {
                return try SQLStore(directory: directory, resume: resume)
            } catch {
                guard case .inUse = error else { throw error }
                usleep(10_000)
            }
        }
        throw StoreError.inUse(path: directory)
    }
}
