// The failing store's part about what waits for webhooks.

import EventModel

@testable import SyncDaemon

extension FaultyStore {
    func put(_ row: OutboxRow) throws(StoreError) {
        try pass(.outbox)
        base.put(row)
    }

    func remove(_ place: OutboxPlace) throws(StoreError) -> OutboxUse {
        let use = base.remove(place)
        guard use.rows <= removableRows else { throw .full }
        return use
    }

    func removeSome(of place: OutboxPlace, rowsMax: Int) throws(StoreError) -> OutboxUse {
        guard rowsMax <= removableRows else { throw .full }
        return base.removeSome(of: place, rowsMax: rowsMax)
    }

    func bury(_ place: OutboxPlace, _ reason: String, at timetoken: Timetoken) -> OutboxUse {
        base.bury(place, reason, at: timetoken)
    }

    func oldestBatch(of webhook: String) -> OutboxPlace? { base.oldestBatch(of: webhook) }
    func oldestDead(of webhook: String) -> OutboxPlace? { base.oldestDead(of: webhook) }
    func revive(_ place: OutboxPlace) -> OutboxUse { base.revive(place) }
    func forgetDead(_ place: OutboxPlace) -> OutboxUse { base.forgetDead(place) }
    func outboxUse() throws(StoreError) -> [String: OutboxUses] {
        try pass(.outbox)
        return base.outboxUse()
    }
}
