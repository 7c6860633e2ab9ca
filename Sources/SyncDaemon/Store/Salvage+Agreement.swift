// What the rows of a salvaged file say about each other: none that was not written, none without
// its owner, and nothing computed that they do not come to.

import EventModel
import SQL

extension Salvage {
    /// Removes rows that are not what was written, and those whose channel or device has no name.
    func removeUnsound(_ table: String) throws(StoreError) -> Int64 {
        var removed: Int64 = 0
        switch table {
        case "message":
            for timetoken in try new.unsoundMessages() {
                try new.prepare("DELETE FROM message WHERE timetoken = ?").run(timetoken)
                removed += Int64(new.changedRows)
            }
        case "action":
            for key in try new.unsoundActions() {
                try new.prepare(
                    """
                    DELETE FROM action WHERE channel = ? AND message = ? AND type = ?
                    AND value = ? AND uuid = ?
                    """
                ).run(key)
                removed += Int64(new.changedRows)
            }
        default:
            for timetoken in try new.unsoundMutations() {
                try new.prepare("DELETE FROM mutation WHERE timetoken = ?").run(timetoken)
                removed += Int64(new.changedRows)
            }
        }
        let owner = table == "mutation" ? "device" : "channel"
        try new.execute("DELETE FROM \(table) WHERE \(owner) NOT IN (SELECT id FROM \(owner))")
        return removed + Int64(new.changedRows)
    }

    /// Brings what is computed from rows in agreement with those that are there.
    func agree() throws(StoreError) {
        try new.prepare("UPDATE meta SET value = ? WHERE name = 'epoch'").run(.text(epoch))
        let digestSecret = try SQLiteSchema.secret(new)
        if digestSecret == nil {
            try new.prepare("UPDATE meta SET value = ? WHERE name = 'secret'").run(.text(secret))
        }
        // What is hidden is in no digest.
        try new.execute(SQLiteSchema.removeHidden)
        try new.execute("DELETE FROM segment")
        if let secret = digestSecret ?? DigestSecret(secret) {
            try SQLiteSchema.sumUp(new, secret)
        }
        try new.execute("DELETE FROM keyset_use; \(SQLiteSchema.countUse)")
        try new.execute(SQLiteSchema.countMarks)
        try new.execute(SQLiteSchema.countDevices)
        try new.execute(SQLiteSchema.countFiles)
        try new.execute("DELETE FROM action_count; \(SQLiteSchema.countScores)")
        try new.execute("DELETE FROM thread; \(SQLiteSchema.countReplies)")
        // Every device gets a snapshot: nothing is asked of what was forgotten.
        try new.execute("UPDATE meta SET value = '0' WHERE name LIKE '%floor'")
        if (try? SQLiteSchema.clock(new, path: "")) == nil {
            // The new daemon's own clock goes on from the rows, and from the machine's time.
            try new.execute(
                """
                UPDATE clock SET last = 0, ceiling = 0, boot = '', uptime = 0, ticks = 0, age = 0
                """)
        }
        try new.execute(
            """
            UPDATE clock SET sum = NULL,
            last = max(last, (SELECT coalesce(max(timetoken), 0) FROM message),
                (SELECT coalesce(max(changed), 0) FROM action)),
            mutations = (SELECT count(*) FROM mutation);
            UPDATE clock SET ceiling = max(ceiling, last);
            """)
    }
}
