// Rows that are not what was written, by their checksums; rows of earlier releases may have none.

import EventModel
import SQL

extension StoreConnection {
    func unsoundMessages() throws(StoreError) -> [SQLValue] {
        var unsound: [SQLValue] = []
        try prepareScan(
            """
            SELECT timetoken, channel, uuid, payload, meta, type, expires, sum, parent FROM message
            WHERE sum IS NOT NULL
            """
        ).query { row in
            let message = Message(
                payload: row.text(3), meta: row.optionalText(4), type: row.optionalText(5),
                parent: row.optionalTimetoken(8))
            let sum = RowSum.message(
                message, at: row.timetoken(0), in: row.integer(1), by: row.text(2),
                expires: row.optionalTimetoken(6))
            if sum != row.integer(7) { unsound.append(.integer(row.integer(0))) }
            return true
        }
        return unsound
    }

    func unsoundActions() throws(StoreError) -> [[SQLValue]] {
        var unsound: [[SQLValue]] = []
        try prepareScan(
            """
            SELECT channel, message, type, value, uuid, added, changed, live, sum, score
            FROM action
            WHERE sum IS NOT NULL
            """
        ).query { row in
            let key = MessageAction.Key(
                messageTimetoken: row.timetoken(1), type: row.text(2), value: row.text(3),
                uuid: row.text(4))
            let isSound = row.hasSum(
                8, of: row.action(under: key, added: 5, score: 9),
                removed: row.integer(7) == 1 ? nil : row.timetoken(6), in: row.integer(0))
            if !isSound, let values = row.values(5) { unsound.append(values) }
            return true
        }
        return unsound
    }

    func unsoundMutations() throws(StoreError) -> [SQLValue] {
        var unsound: [SQLValue] = []
        try prepareScan(
            """
            SELECT timetoken, device, name, fingerprint, kind, outcome, sum FROM mutation
            WHERE sum IS NOT NULL
            """
        ).query { row in
            let sum = RowSum.mutation(
                row.text(2), at: row.timetoken(0), of: row.integer(1),
                fingerprint: UInt64(bitPattern: row.integer(3)), kind: row.integer(4),
                outcome: row.timetoken(5))
            if sum != row.integer(6) { unsound.append(.integer(row.integer(0))) }
            return true
        }
        return unsound
    }
}
