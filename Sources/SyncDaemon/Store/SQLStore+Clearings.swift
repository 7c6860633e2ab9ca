// Removing actions by what they have in common: at once when they are few, else hidden at once and
// removed in steps.
//
// No index has the users, and none is needed: what is said of each message is counted already, and
// a user has one place under each of that.

import EventModel
import SQL

extension SQLiteSchema {
    /// - `clearing`: what moderators took away; what is NULL may have been anything. In the place
    ///   of tombstones, and forgotten with them.
    /// - `hidden_clearing`: large ones whose rows are still to be removed.
    static let clearings = """
        CREATE TABLE clearing(
            timetoken INTEGER PRIMARY KEY, channel INTEGER NOT NULL, message INTEGER, type TEXT,
            value TEXT, uuid TEXT);
        CREATE INDEX clearing_by_channel ON clearing(channel, timetoken);
        CREATE TABLE hidden_clearing(
            timetoken INTEGER PRIMARY KEY, channel INTEGER NOT NULL, message INTEGER, type TEXT,
            value TEXT, uuid TEXT);
        """

    /// Of a row of `message`.
    static let isHiddenMessage = """
        EXISTS (SELECT 1 FROM hidden AS h
            WHERE h.channel = message.channel AND message.timetoken > h.after
            AND message.timetoken <= h.through)
        """

    /// Of a row of `action`, with its message.
    static let isHiddenAction = """
        EXISTS (SELECT 1 FROM hidden AS h
            WHERE h.channel = action.channel AND action.message > h.after
            AND action.message <= h.through AND action.added <= h.timetoken)
        """

    /// Of a row of `action` that stands.
    static let isHiddenByClearing = """
        EXISTS (SELECT 1 FROM hidden_clearing AS h
            WHERE h.channel = action.channel AND action.added <= h.timetoken
            AND action.message = ifnull(h.message, action.message)
            AND action.value = ifnull(h.value, action.value)
            AND action.uuid = ifnull(h.uuid, action.uuid)
            AND (action.type = h.type
                OR h.type IS NULL AND action.type NOT IN ('edited', 'deleted')))
        """

    /// Removes all that is hidden at once, however much that is.
    static let removeHidden = """
        DELETE FROM message WHERE \(isHiddenMessage);
        DELETE FROM action WHERE \(isHiddenAction);
        DELETE FROM action WHERE live = 1 AND \(isHiddenByClearing);
        DELETE FROM hidden;
        DELETE FROM hidden_clearing;
        """
}

/// The writer's statements about clearings.
final class SQLClearingStatements {
    let groupsFrom: StoreStatement
    let rowsOfGroup: StoreStatement
    let deleteStanding: StoreStatement
    let insert: StoreStatement
    let findHidden: StoreStatement
    let insertHidden: StoreStatement
    let deleteHidden: StoreStatement
    let findOld: StoreStatement
    let forget: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        groupsFrom = try connection.prepare(
            """
            SELECT message, type, value FROM action_count
            WHERE channel = ?1 AND (message, type, {value}) >= (?2, ?3, {?4}) AND message <= ?5
            AND type <> '' ORDER BY message, type, {value} LIMIT ?6
            """)
        rowsOfGroup = try connection.prepare(
            """
            SELECT message, type, value, uuid, added, live, sum, score FROM action
            WHERE channel = ? AND message = ? AND type = ? AND {value} = {?} AND uuid >= ?
            ORDER BY uuid LIMIT ?
            """)
        deleteStanding = try connection.prepare(
            """
            DELETE FROM action WHERE channel = ? AND message = ? AND type = ? AND {value} = {?}
            AND uuid = ? AND live = 1
            """)
        let columns = "(timetoken, channel, message, type, value, uuid)"
        insert = try connection.prepare("INSERT INTO clearing\(columns) VALUES (?, ?, ?, ?, ?, ?)")
        findHidden = try connection.prepare(Self.hidden)
        insertHidden = try connection.prepare(
            "INSERT INTO hidden_clearing\(columns) VALUES (?, ?, ?, ?, ?, ?)")
        deleteHidden = try connection.prepare("DELETE FROM hidden_clearing WHERE timetoken = ?")
        findOld = try connection.prepare(
            "SELECT timetoken FROM clearing WHERE timetoken < ? ORDER BY timetoken LIMIT ?")
        forget = try connection.prepare("DELETE FROM clearing WHERE timetoken = ?")
    }

    static let hidden = """
        SELECT timetoken, channel, message, type, value, uuid FROM hidden_clearing
        ORDER BY timetoken
        """
}

/// A reader's statements about clearings.
final class SQLClearingReadStatements {
    let findHidden: StoreStatement
    let after: StoreStatement

    init(_ connection: borrowing StoreConnection) throws(StoreError) {
        findHidden = try connection.prepare(SQLClearingStatements.hidden)
        after = try connection.prepare(
            """
            SELECT timetoken, message, type, value, uuid FROM clearing
            WHERE channel = ? AND timetoken > ? ORDER BY timetoken LIMIT ?
            """)
    }
}

extension Clearing {
    /// Reads four columns: the message, the type, the value and the user.
    init(_ row: borrowing DatabaseRow, from column: Int32) {
        self.init(
            messageTimetoken: row.optionalTimetoken(column), type: row.optionalText(column + 1),
            value: row.optionalText(column + 2), userID: row.optionalText(column + 3))
    }

    var columns: [SQLValue] {
        [.optional(messageTimetoken), .optional(type), .optional(value), .optional(userID)]
    }
}

extension MessageAction.Key {
    /// As the primary key has them, behind the channel.
    var columns: [SQLValue] {
        [.timetoken(messageTimetoken), .text(type), .text(value), .text(uuid)]
    }
}

extension SQLStore {
    func scanActions(
        coveredBy clearing: Clearing, from start: MessageAction.Key, of channel: Channel,
        limit: inout Int, body: (MessageAction) -> Void
    ) throws(StoreError) -> MessageAction.Key? {
        guard let id = try knownID(of: channel) else { return nil }
        return try scan(clearing, from: start, of: id, limit: &limit) { action in
            if !hidden.holds(action.key, addedAt: action.actionTimetoken, in: id) { body(action) }
        }
    }

    func clear(
        _ actions: [MessageAction], coveredBy clearing: Clearing, at timetoken: Timetoken,
        in channel: Channel
    ) throws(StoreError) {
        let id = try id(of: channel)
        // Triggers take off what goes.
        storedUses[ExactText(channel.keyset)] = nil
        foreseen?.forgetActions()
        for action in actions {
            try statements.large.clearings.deleteStanding.run([.integer(id)] + action.key.columns)
        }
        try statements.large.clearings.insert.run(
            [.timetoken(timetoken), .integer(id)] + clearing.columns)
    }

    func hideActions(
        coveredBy clearing: Clearing, at timetoken: Timetoken, of channel: Channel
    ) throws(StoreError) {
        let id = try id(of: channel)
        foreseen?.forgetActions()
        let row: [SQLValue] = [.timetoken(timetoken), .integer(id)] + clearing.columns
        try statements.large.clearings.insert.run(row)
        try statements.large.clearings.insertHidden.run(row)
        hidden.append(HiddenClearing(timetoken: timetoken, channel: id, clearing: clearing))
    }

    /// Removes rows of the oldest hidden clearing, after all hidden ranges.
    ///
    /// - Parameter limit: Rows that are looked at.
    func removeCleared(limit: Int) throws(StoreError) {
        guard let oldest = hidden.clearings.first else { return }
        var (left, gone) = (limit, [MessageAction.Key]())
        let start = clearedThrough ?? .first(of: oldest.clearing)
        clearedThrough = try scan(oldest.clearing, from: start, of: oldest.channel, limit: &left) {
            if $0.actionTimetoken <= oldest.timetoken { gone.append($0.key) }
        }
        for key in gone {
            try statements.large.clearings.deleteStanding.run(
                [.integer(oldest.channel)] + key.columns)
        }
        guard clearedThrough == nil else { return }
        try statements.large.clearings.deleteHidden.run(.timetoken(oldest.timetoken))
        hidden.removeFirstClearing()
    }

    // MARK: Looking

    /// Groups that are looked up at a time.
    private static var groupsPerLook: Int { 64 }

    /// As ``scanActions(coveredBy:from:of:limit:body:)``, with what is hidden.
    private func scan(
        _ clearing: Clearing, from start: MessageAction.Key, of channel: Int64,
        limit: inout Int, body: (MessageAction) -> Void
    ) throws(StoreError) -> MessageAction.Key? {
        var next = start
        while limit > 0 {
            let groups = try groups(from: next, of: clearing, in: channel)
            for group in groups {
                // Those before `next` in its own group were looked at.
                let from = group.saysTheSame(as: next) ? next : group
                limit -= 1
                if clearing.covers(type: group.type, value: group.value) {
                    let last = try scanGroup(
                        clearing, from: from, in: channel, limit: &limit, body: body)
                    if let last {
                        guard limit > 0 else { return last.next }
                    }
                }
                next = group.behindItsGroup
                if limit <= 0 { return next }
            }
            if groups.count < Self.groupsPerLook { return nil }
        }
        return next
    }

    /// What actions of messages say, without their users, from a place on.
    private func groups(
        from start: MessageAction.Key, of clearing: Clearing, in channel: Int64
    ) throws(StoreError) -> [MessageAction.Key] {
        var groups: [MessageAction.Key] = []
        try statements.large.clearings.groupsFrom.query(
            .integer(channel), .timetoken(start.messageTimetoken), .text(start.type),
            .text(start.value), .timetoken(clearing.messageTimetoken ?? .end),
            .integer(Int64(Self.groupsPerLook))
        ) { row in
            groups.append(
                MessageAction.Key(
                    messageTimetoken: row.timetoken(0), type: row.text(1), value: row.text(2),
                    uuid: ""))
            return true
        }
        return groups
    }

    /// Looks at the users of one group.
    ///
    /// - Returns: The last row that was looked at.
    private func scanGroup(
        _ clearing: Clearing, from start: MessageAction.Key, in channel: Int64,
        limit: inout Int, body: (MessageAction) -> Void
    ) throws(StoreError) -> MessageAction.Key? {
        let user = clearing.userID.map(ExactText.init)
        if let user, user < ExactText(start.uuid) { return nil }
        var last: MessageAction.Key?
        var wrong: MessageAction.Key?
        // A query for one user costs no more than the look at its group.
        let rows = user == nil ? max(limit, 1) : 1
        var looked = 0
        try statements.large.clearings.rowsOfGroup.query(
            .integer(channel), .timetoken(start.messageTimetoken), .text(start.type),
            .text(start.value), .text(user?.string ?? start.uuid), .integer(Int64(rows))
        ) { row in
            let key = actionKey(row)
            looked += 1
            last = key
            guard row.integer(5) == 1, user == nil || user == ExactText(key.uuid) else {
                return true
            }
            let action = row.action(under: key, added: 4, score: 7)
            guard row.hasSum(6, of: action, in: channel) else {
                wrong = key
                return false
            }
            body(action)
            return true
        }
        if let wrong { throw .wrongSum(of: wrong, in: path) }
        guard user == nil else { return nil }
        limit -= looked
        return last
    }

    // MARK: Forgetting

    /// Clearings before a moment, the oldest first.
    func oldClearings(before moment: Timetoken, limit: Int) throws(StoreError) -> [Timetoken] {
        var old: [Timetoken] = []
        try statements.large.clearings.findOld.query(.timetoken(moment), .integer(Int64(limit))) {
            row in
            old.append(row.timetoken(0))
            return true
        }
        return old
    }
}

extension MessageAction.Key {
    fileprivate func saysTheSame(as other: MessageAction.Key) -> Bool {
        messageTimetoken == other.messageTimetoken && ExactText(type) == ExactText(other.type)
            && ExactText(value) == ExactText(other.value)
    }

    /// Behind every key that says the same of the same message: no text is between a value and
    /// the same with this behind it, for none holds a zero.
    fileprivate var behindItsGroup: MessageAction.Key {
        MessageAction.Key(
            messageTimetoken: messageTimetoken, type: type, value: value + "\u{1}", uuid: "")
    }
}
