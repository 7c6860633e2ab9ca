// What changed in channels after a position, as pages.

import EventModel
import SQL

extension SQLReader {
    func changes(in channel: Channel, from start: ChangeStart) throws(StoreError) -> ChangePage {
        try beginTransaction()
        defer { endTransaction() }
        let last = try last()
        let (id, digest) = try state(of: channel)
        guard let id else {
            // Whoever has something of a channel without a row has it of another store.
            return ChangePage(
                envelopes: [], through: last, isComplete: true, digest: digest,
                isTooOld: try isTooOld(start), asOf: last)
        }
        let limit = Limits.catchUpEventsMax
        let lists = [
            try messages(in: channel, id, after: start.messages, before: .end, limit: limit),
            try actions(in: channel, id, from: start, before: .end, limit: limit),
            try deletions(in: channel, id, after: start.deletions, limit: limit),
            try clearings(in: channel, id, after: start.tombstones, limit: limit),
        ]
        var page = merge(lists, last: last)
        if page.isComplete { page.digest = digest }
        page.isTooOld = try isTooOld(start)
        return page
    }

    /// Whether deletions were forgotten that a page from here should hold.
    private func isTooOld(_ start: ChangeStart) throws(StoreError) -> Bool {
        guard start.deletions > .zero else { return false }
        let floor = try statements.deletionFloor.first { Timetoken($0.text(0)) } ?? nil
        return start.deletions < floor ?? .zero
    }

    func messages(
        in channel: Channel, _ id: Int64, after cursor: Timetoken, before end: Timetoken,
        limit: Int
    ) throws(StoreError) -> ChangeList {
        var budget = PageBudget()
        var envelopes: [Envelope] = []
        try forEachMessage(in: id, after: cursor, before: end, forward: true, limit: limit) {
            stored in
            envelopes.append(stored.envelope(in: channel))
            return budget.spend(stored.size)
        }
        let isCut = budget.isSpent || envelopes.count == limit
        return ChangeList(envelopes: envelopes, cutAt: isCut ? envelopes.last?.timetoken : nil)
    }

    func actions(
        in channel: Channel, _ id: Int64, from start: ChangeStart, before end: Timetoken,
        limit: Int
    ) throws(StoreError) -> ChangeList {
        var budget = PageBudget()
        var list = ChangeList()
        var examined = 0
        let first = min(start.actions, start.tombstones)
        // Where each row is an event, no more of them are needed.
        let isEach = start.actions == start.tombstones && hidden.isEmpty
        let rows = isEach ? limit : Limits.actionsExaminedMax
        try statements.actionsForward.query(
            .integer(id), .timetoken(first), .timetoken(end), .integer(Int64(rows))
        ) { row in
            let changed = row.timetoken(0)
            let isLive = isLive(row)
            examined += 1
            var isFull = examined >= Limits.actionsExaminedMax
            if changed > (isLive ? start.actions : start.tombstones), !isHidden(row, in: id) {
                let action = action(row, in: id)
                list.envelopes.append(
                    Envelope(
                        channel: channel, timetoken: changed, uuid: action.key.uuid,
                        event: isLive ? .actionAdded(action) : .actionRemoved(action)))
                let mayGoOn = budget.spend(action.size) && list.envelopes.count < limit
                isFull = isFull || !mayGoOn
            }
            if isFull { list.cutAt = changed }
            return !isFull
        }
        try checkRows()
        return list
    }

    func clearings(
        in channel: Channel, _ id: Int64, after cursor: Timetoken, limit: Int
    ) throws(StoreError) -> ChangeList {
        var envelopes: [Envelope] = []
        try statements.groups.clearings.after.query(
            .integer(id), .timetoken(cursor), .integer(Int64(limit))
        ) { row in
            envelopes.append(
                .clearing(Clearing(row, from: 1), at: row.timetoken(0), in: channel))
            return true
        }
        return ChangeList(
            envelopes: envelopes, cutAt: envelopes.count == limit ? envelopes.last?.timetoken : nil)
    }

    func deletions(
        in channel: Channel, _ id: Int64, after cursor: Timetoken, limit: Int
    ) throws(StoreError) -> ChangeList {
        var envelopes: [Envelope] = []
        try statements.deletions.query(
            .integer(id), .timetoken(cursor), .integer(Int64(limit))
        ) { row in
            envelopes.append(
                .deletion(
                    after: row.timetoken(1), through: row.timetoken(2), at: row.timetoken(0),
                    in: channel))
            return true
        }
        return ChangeList(
            envelopes: envelopes, cutAt: envelopes.count == limit ? envelopes.last?.timetoken : nil)
    }
}
