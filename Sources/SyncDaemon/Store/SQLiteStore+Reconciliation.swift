// What reconciling devices needs of the store: digests, and tombstones with an end.

import EventModel
import SQLite

extension SQLiteStore {
    func digest(of channel: Channel) throws(StoreError) -> Digest {
        try statements.digests.findDigest.first([.integer(id(of: channel))]) { Digest($0, from: 0) }
            ?? .empty
    }

    func setDigest(_ digest: Digest, of channel: Channel) throws(StoreError) {
        let words = digest.words
        try statements.digests.putDigest.run(
            .integer(id(of: channel)), .integer(digest.count), .word(words.0), .word(words.1))
    }

    func hasTombstones(before moment: Timetoken) throws(StoreError) -> Bool {
        try statements.digests.findTombstones.first([.timetoken(moment), .integer(1)]) { _ in true }
            ?? false
    }

    func forgetTombstones(before moment: Timetoken, limit: Int) throws(StoreError) {
        var keys: [[SQLiteValue]] = []
        var newest: Timetoken?
        try statements.digests.findTombstones.query(.timetoken(moment), .integer(Int64(limit))) {
            row in
            keys.append([
                .integer(row.integer(0)), .integer(row.integer(1)), .text(row.text(2)),
                .text(row.text(3)), .text(row.text(4)),
            ])
            newest = row.timetoken(5)
            return true
        }
        guard let newest else { return }
        for key in keys { try statements.digests.deleteAction.run(key) }
        let floor = max(newest, raisedFloor ?? tombstoneFloor)
        try statements.digests.raiseTombstoneFloor.run(.text(floor.description))
        raisedFloor = floor
    }
}
