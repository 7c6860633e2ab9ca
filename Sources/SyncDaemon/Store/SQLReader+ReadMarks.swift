// What a user has not read of a channel.

import EventModel
import SQL

extension SQLReader {
    func unread(of user: String, in channel: Channel) throws(StoreError) -> UnreadMessages {
        try beginTransaction()
        defer { endTransaction() }
        guard let id = try id(of: channel) else {
            return UnreadMessages(channel: channel.name, through: nil, count: 0, hasMore: false)
        }
        let through = try statements.readMarks.find.first([.integer(id), .text(user)]) {
            $0.timetoken(0)
        }
        var count = UnreadCount(for: user)
        for part in hidden.visible(
            MessageRange(after: through ?? .zero, through: .end), in: id) where count.limit > 0
        {
            try statements.readMarks.authors.query(
                .integer(id), .timetoken(part.after), .timetoken(part.through),
                .integer(Int64(count.limit))
            ) { row in
                count.take(by: row.text(0))
                return true
            }
        }
        return UnreadMessages(
            channel: channel.name, through: through, count: count.count, hasMore: count.hasMore)
    }
}

/// What it takes to count what is unread.
final class SQLUnreadStatements {
    let find: StoreStatement
    let authors: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        find = try connection.prepare(SQLReadMarkStatements.find)
        authors = try connection.prepare(
            """
            SELECT uuid FROM message WHERE channel = ? AND timetoken > ? AND timetoken <= ?
            ORDER BY timetoken LIMIT ?
            """)
    }
}
