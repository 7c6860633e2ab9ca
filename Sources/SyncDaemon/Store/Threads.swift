// Replies: messages that name another one, found by it, and counted.

import EventModel
import SQL

extension SQLiteSchema {
    /// - `message.parent`: the message in whose thread it is a reply.
    /// - `thread`: how many replies a message has; no row for none.
    static let threads = """
        ALTER TABLE message ADD COLUMN parent INTEGER;
        CREATE INDEX message_by_parent ON message(channel, parent, timetoken)
        WHERE parent IS NOT NULL;
        CREATE TABLE thread(
            channel INTEGER NOT NULL, parent INTEGER NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY (channel, parent)) WITHOUT ROWID;
        CREATE TRIGGER reply_added AFTER INSERT ON message WHEN NEW.parent IS NOT NULL BEGIN
            INSERT INTO thread VALUES (NEW.channel, NEW.parent, 1)
            ON CONFLICT DO UPDATE SET count = count + 1;
        END;
        CREATE TRIGGER reply_deleted AFTER DELETE ON message WHEN OLD.parent IS NOT NULL BEGIN
            UPDATE thread SET count = count - 1
            WHERE channel = OLD.channel AND parent = OLD.parent;
            DELETE FROM thread WHERE channel = OLD.channel AND parent = OLD.parent AND count < 1;
        END;
        """

    /// Counts anew, in an empty table; reads all rows.
    static let countReplies = """
        INSERT INTO thread SELECT channel, parent, count(*) FROM message
        WHERE parent IS NOT NULL GROUP BY channel, parent;
        """
}

/// A reader's statements about threads.
final class SQLThreadStatements {
    let count: StoreStatement
    private let forward: StoreStatement
    private let backward: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        count = try connection.prepare("SELECT count FROM thread WHERE channel = ? AND parent = ?")
        // From the index to the rows, so that an entry without its row comes as one without texts.
        let replies = """
            SELECT i.timetoken, m.uuid, m.payload, m.meta, m.type, m.expires, m.sum, m.parent
            FROM message AS i INDEXED BY message_by_parent
            LEFT JOIN message AS m ON m.timetoken = i.timetoken
            WHERE i.parent IS NOT NULL AND i.channel = ?1 AND i.parent = ?5
            AND i.timetoken > ?2 AND i.timetoken <= ?3 ORDER BY i.timetoken
            """
        forward = try connection.prepare("\(replies) LIMIT ?4")
        backward = try connection.prepare("\(replies) DESC LIMIT ?4")
    }

    /// Calls `body` with up to `limit` replies in a range, until it answers `false`.
    func query(
        to parent: Timetoken, in channel: Int64, _ range: MessageRange, limit: Int,
        forward isForward: Bool, body: (borrowing DatabaseRow) -> Bool
    ) throws(StoreError) {
        let (id, limit) = (SQLValue.integer(channel), SQLValue.integer(Int64(limit)))
        let (after, through) = (
            SQLValue.timetoken(range.after), SQLValue.timetoken(range.through)
        )
        let message = SQLValue.timetoken(parent)
        if isForward {
            try forward.query(id, after, through, limit, message, body: body)
        } else {
            try backward.query(id, after, through, limit, message, body: body)
        }
    }
}

extension SQLReader {
    /// Notes how many replies messages have; what is hidden may count until its rows are removed.
    func countReplies(
        to messages: inout [StoredMessage], in channel: Int64
    ) throws(StoreError) {
        for index in messages.indices {
            let count = try statements.groups.threads.count.first([
                .integer(channel), .timetoken(messages[index].timetoken),
            ]) { Int($0.integer(0)) }
            messages[index].threadCount = count ?? 0
        }
    }
}
