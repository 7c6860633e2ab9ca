// What waits for webhooks in the embedded store: one row for each event and webhook.

import EventModel
import SQL

extension SQLStore {
    func put(_ row: OutboxRow) throws(StoreError) {
        try statements.outbox.put.run(
            row.place.values + [
                .timetoken(row.timetoken), .timetoken(row.due), .optional(row.author),
                .text(row.event),
            ])
    }

    func remove(_ place: OutboxPlace) throws(StoreError) -> OutboxUse {
        try statements.outbox.use(of: statements.outbox.remove, place)
    }

    func removeSome(of place: OutboxPlace, rowsMax: Int) throws(StoreError) -> OutboxUse {
        try statements.outbox.use(
            of: statements.outbox.removeSome, place, more: [.integer(Int64(rowsMax))])
    }

    func bury(
        _ place: OutboxPlace, _ reason: String, at timetoken: Timetoken
    ) throws(StoreError) -> OutboxUse {
        try statements.outbox.bury.run(place.values + [.text(reason), .timetoken(timetoken)])
        return try remove(place)
    }

    func oldestBatch(of webhook: String) throws(StoreError) -> OutboxPlace? {
        var oldest: OutboxPlace?
        for lane in 0..<Limits.webhookLanes {
            let found = try statements.outbox.first.first(
                [.text(webhook), .integer(Int64(lane))]
            ) { OutboxPlace(webhook: webhook, lane: lane, batch: $0.timetoken(0)) }
            if let found, found.batch < oldest?.batch ?? .end { oldest = found }
        }
        return oldest
    }

    func oldestDead(of webhook: String) throws(StoreError) -> OutboxPlace? {
        try statements.outbox.oldestDead.first([.text(webhook)]) {
            OutboxPlace(webhook: webhook, lane: Int($0.integer(1)), batch: $0.timetoken(0))
        }
    }

    func revive(_ place: OutboxPlace) throws(StoreError) -> OutboxUse {
        try statements.outbox.revive.run(place.values)
        return try forgetDead(place)
    }

    func forgetDead(_ place: OutboxPlace) throws(StoreError) -> OutboxUse {
        try statements.outbox.use(of: statements.outbox.forgetDead, place)
    }

    func outboxUse() throws(StoreError) -> [String: OutboxUses] {
        var uses: [String: OutboxUses] = [:]
        for (table, part) in [("outbox", \OutboxUses.waiting), ("dead_letter", \.dead)] {
            try connection.prepare(
                """
                SELECT webhook, count(*), coalesce(sum(\(SQLOutboxStatements.bytes)), 0)
                FROM \(table) GROUP BY webhook
                """
            ).query { row in
                uses[row.text(0), default: OutboxUses()][keyPath: part] = OutboxUse(
                    rows: Int(row.integer(1)), bytes: Int(row.integer(2)))
                return true
            }
        }
        return uses
    }
}

extension SQLReader {
    func firstBatch(
        of webhook: String, lane: Int
    ) throws(StoreError) -> (place: OutboxPlace, due: Timetoken)? {
        try connection.revive()
        return try statements.outbox.first.first([.text(webhook), .integer(Int64(lane))]) {
            let place = OutboxPlace(webhook: webhook, lane: lane, batch: $0.timetoken(0))
            return (place, $0.timetoken(1))
        }
    }

    func rows(of place: OutboxPlace) throws(StoreError) -> [OutboxRow] {
        var rows: [OutboxRow] = []
        try connection.revive()
        let (webhook, lane, batch) = (place.webhook, Int64(place.lane), place.batch)
        try statements.outbox.rows.query(
            .text(webhook), .integer(lane), .timetoken(batch)
        ) { row in
            rows.append(OutboxRow(row, at: place))
            return true
        }
        return rows
    }

    func deadBatches(of webhook: String, limit: Int) throws(StoreError) -> [DeadBatch] {
        var batches: [DeadBatch] = []
        try connection.revive()
        try statements.outbox.deadBatches.query(
            .text(webhook), .integer(Int64(limit))
        ) { row in
            let place = OutboxPlace(
                webhook: webhook, lane: Int(row.integer(1)), batch: row.timetoken(0))
            batches.append(
                DeadBatch(
                    place: place, events: Int(row.integer(2)), reason: row.text(3),
                    died: row.timetoken(4)))
            return true
        }
        return batches
    }
}

extension OutboxPlace {
    fileprivate var values: [SQLValue] {
        [.text(webhook), .integer(Int64(lane)), .timetoken(batch)]
    }
}

extension OutboxRow {
    /// Reads four columns: timetoken, due, author and event.
    fileprivate init(_ row: borrowing DatabaseRow, at place: OutboxPlace) {
        self.init(
            place: place, timetoken: row.timetoken(0), due: row.timetoken(1),
            author: row.optionalText(2), event: row.text(3))
    }
}

extension SQLiteSchema {
    /// - `outbox`: what a webhook is still to get, in the order of its requests; `batch` is the
    ///   timetoken of the first event of its request, `due` until when others may join it.
    /// - `dead_letter`: what it did not get.
    static let outbox = """
        CREATE TABLE outbox(
            webhook TEXT NOT NULL, lane INTEGER NOT NULL, batch INTEGER NOT NULL,
            timetoken INTEGER NOT NULL, due INTEGER NOT NULL, author TEXT, event TEXT NOT NULL,
            PRIMARY KEY (webhook, lane, batch, timetoken)) WITHOUT ROWID;
        CREATE TABLE dead_letter(
            webhook TEXT NOT NULL, batch INTEGER NOT NULL, lane INTEGER NOT NULL,
            timetoken INTEGER NOT NULL, due INTEGER NOT NULL, author TEXT, event TEXT NOT NULL,
            reason TEXT NOT NULL, died INTEGER NOT NULL,
            PRIMARY KEY (webhook, batch, lane, timetoken)) WITHOUT ROWID;
        """
}

/// What it takes to keep what waits.
final class SQLOutboxStatements {
    fileprivate static let bytes = "bytes(event)"
    fileprivate static let first = """
        SELECT batch, due FROM outbox WHERE webhook = ? AND lane = ?
        ORDER BY batch, timetoken LIMIT 1
        """
    private static let isPlace = "WHERE webhook = ?1 AND lane = ?2 AND batch = ?3"
    private static let columns = "webhook, lane, batch, timetoken, due, author, event"
    private static let replaced =
        "due = excluded.due, author = excluded.author, event = excluded.event"

    let put: StoreStatement
    let remove: StoreStatement
    let removeSome: StoreStatement
    let first: StoreStatement
    let bury: StoreStatement
    let oldestDead: StoreStatement
    let revive: StoreStatement
    let forgetDead: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        put = try connection.prepare(RowStatement.outbox)
        remove = try connection.prepare(
            "DELETE FROM outbox \(Self.isPlace) RETURNING \(Self.bytes)")
        removeSome = try connection.prepare(
            """
            DELETE FROM outbox \(Self.isPlace) AND timetoken IN
            (SELECT timetoken FROM outbox \(Self.isPlace) ORDER BY timetoken DESC LIMIT ?4)
            RETURNING \(Self.bytes)
            """)
        first = try connection.prepare(Self.first)
        // What died before under the same id is not there twice.
        bury = try connection.prepare(
            """
            INSERT INTO dead_letter(\(Self.columns), reason, died)
            SELECT \(Self.columns), ?4, ?5 FROM outbox \(Self.isPlace)
            ON CONFLICT (webhook, batch, lane, timetoken) DO UPDATE SET \(Self.replaced),
            reason = excluded.reason, died = excluded.died
            """)
        oldestDead = try connection.prepare(
            "SELECT batch, lane FROM dead_letter WHERE webhook = ? ORDER BY batch LIMIT 1")
        revive = try connection.prepare(
            """
            INSERT INTO outbox(\(Self.columns))
            SELECT \(Self.columns) FROM dead_letter \(Self.isPlace)
            ON CONFLICT (webhook, lane, batch, timetoken) DO UPDATE SET \(Self.replaced)
            """)
        forgetDead = try connection.prepare(
            "DELETE FROM dead_letter \(Self.isPlace) RETURNING \(Self.bytes)")
    }

    /// What a statement removed that returns bytes.
    ///
    /// - Parameter more: What it is bound to besides the place.
    fileprivate func use(
        of statement: borrowing StoreStatement, _ place: OutboxPlace, more: [SQLValue] = []
    ) throws(StoreError) -> OutboxUse {
        var use = OutboxUse()
        try statement.query(place.values + more) { row in
            use += OutboxUse(rows: 1, bytes: Int(row.integer(0)))
            return true
        }
        return use
    }
}

/// What it takes to read it.
final class SQLOutboxReadStatements {
    let first: StoreStatement
    let rows: StoreStatement
    let deadBatches: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        first = try connection.prepare(SQLOutboxStatements.first)
        rows = try connection.prepare(
            """
            SELECT timetoken, due, author, event FROM outbox
            WHERE webhook = ? AND lane = ? AND batch = ? ORDER BY timetoken
            """)
        deadBatches = try connection.prepare(
            """
            SELECT batch, lane, count(*), min(reason), min(died) FROM dead_letter
            WHERE webhook = ? GROUP BY batch, lane ORDER BY batch, lane LIMIT ?
            """)
    }
}
