// What reconciling devices needs of the store: digests, and tombstones with an end.

import EventModel
import SQL

extension SQLStore {
    func digest(of channel: Channel) throws(StoreError) -> Digest {
        let found = try statements.digests.findDigest.first([.integer(id(of: channel))]) {
            (digest: Digest($0, from: 0), after: $0.timetoken(3))
        }
        guard let found else { return .empty }
        guard Segment.isWhole(after: found.after) else {
            throw .damaged(path: path, reason: Segment.noTotal)
        }
        return found.digest
    }

    func setDigest(_ digest: Digest, of channel: Channel) throws(StoreError) {
        channelsWithoutTotal.remove(try id(of: channel))
        try setSegment(Segment(after: Segment.wholeAfter, digest: digest), of: channel)
    }

    func hasTombstones(before moment: Timetoken) throws(StoreError) -> Bool {
        let found = try statements.digests.findTombstones.first([
            .timetoken(moment), .integer(1),
        ]) { _ in true }
        if found != nil { return true }
        return try !oldClearings(before: moment, limit: 1).isEmpty
    }

    func forgetTombstones(before moment: Timetoken, limit: Int) throws(StoreError) {
        guard !hasNothingOld(.tombstones) || !hasNothingOld(.clearings) else { return }
        var keys: [(place: [SQLValue], changed: Timetoken)] = []
        try statements.digests.findTombstones.query(.timetoken(moment), .integer(Int64(limit))) {
            row in
            let place: [SQLValue] = [
                .integer(row.integer(0)), .integer(row.integer(1)), .text(row.text(2)),
                .text(row.text(3)), .text(row.text(4)),
            ]
            keys.append((place, row.timetoken(5)))
            return true
        }
        let clearings = try oldClearings(before: moment, limit: limit)
        let oldest = (keys.map(\.changed) + clearings).sorted().prefix(limit)
        guard let newest = oldest.last else { return }
        for key in keys where key.changed <= newest {
            try statements.digests.deleteAction.run(key.place)
        }
        for timetoken in clearings where timetoken <= newest {
            try statements.large.clearings.forget.run(.timetoken(timetoken))
        }
        let floor = max(newest, raisedFloor ?? tombstoneFloor)
        try statements.digests.raiseTombstoneFloor.run(.text(floor.description))
        raisedFloor = floor
    }
}
