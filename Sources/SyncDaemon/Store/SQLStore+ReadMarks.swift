// The read marks of the embedded store: one row for each user of a channel who has one.

import EventModel
import SQL

extension SQLStore {
    func readMark(of user: String, in channel: Channel) throws(StoreError) -> Timetoken? {
        guard try hasChannel(channel) else { return nil }
        return try statements.readMarks.find.first([.integer(id(of: channel)), .text(user)]) {
            $0.timetoken(0)
        }
    }

    func setReadMark(
        _ timetoken: Timetoken, of user: String, in channel: Channel
    ) throws(StoreError) {
        let id = try SQLValue.integer(id(of: channel))
        if try statements.readMarks.find.first([id, .text(user)], body: { _ in true }) == nil {
            noteUse(of: channel.keyset, bytes: StoredUse.bytes(ofMarkBy: user))
        }
        try statements.readMarks.put.run(id, .text(user), .timetoken(timetoken))
    }
}

extension SQLiteSchema {
    /// - `read_mark`: `through` is the timetoken of the last message that the user read.
    static let readMarks = """
        CREATE TABLE read_mark(
            channel INTEGER NOT NULL, user TEXT NOT NULL, through INTEGER NOT NULL,
            PRIMARY KEY (channel, user)) WITHOUT ROWID;
        """

    /// Adds to what keysets take up, as ``countUse`` has it, what their marks do.
    static let countMarks = """
        UPDATE keyset_use SET bytes = bytes + (
            SELECT CAST(total(100 + \(bytes("r", ["user"]))) AS INTEGER)
            FROM read_mark AS r JOIN channel AS c ON c.id = r.channel
            WHERE c.keyset = keyset_use.keyset);
        """
}

/// What it takes to keep marks.
final class SQLReadMarkStatements {
    static let find = "SELECT through FROM read_mark WHERE channel = ? AND \"user\" = ?"

    let find: StoreStatement
    let put: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        find = try connection.prepare(Self.find)
        put = try connection.prepare(
            """
            INSERT INTO read_mark VALUES (?, ?, ?)
            ON CONFLICT (channel, "user") DO UPDATE SET through = excluded.through
            """)
    }
}
