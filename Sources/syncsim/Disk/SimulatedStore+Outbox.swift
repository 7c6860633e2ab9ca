// The part of the simulated store about what waits for webhooks; no world has any yet.

import EventModel

@testable import SyncDaemon

extension SimulatedStore {
    func put(_ row: OutboxRow) throws(StoreError) {
        try call()
        try platter.put(row)
    }

    func remove(_ place: OutboxPlace) throws(StoreError) -> OutboxUse {
        try call()
        return try platter.remove(place)
    }

    func removeSome(of place: OutboxPlace, rowsMax: Int) throws(StoreError) -> OutboxUse {
        try call()
        return try platter.removeSome(of: place, rowsMax: rowsMax)
    }

    func bury(
        _ place: OutboxPlace, _ reason: String, at timetoken: Timetoken
    ) throws(StoreError) -> OutboxUse {
        try call()
        return try platter.bury(place, reason, at: timetoken)
    }

    func oldestBatch(of webhook: String) throws(StoreError) -> OutboxPlace? {
        try platter.oldestBatch(of: webhook)
    }

    func oldestDead(of webhook: String) throws(StoreError) -> OutboxPlace? {
        try platter.oldestDead(of: webhook)
    }

    func revive(_ place: OutboxPlace) throws(StoreError) -> OutboxUse {
        try call()
        return try platter.revive(place)
    }

    func forgetDead(_ place: OutboxPlace) throws(StoreError) -> OutboxUse {
        try call()
        return try platter.forgetDead(place)
    }

    func outboxUse() throws(StoreError) -> [String: OutboxUses] { try platter.outboxUse() }
}

extension FaultyReader {
    func firstBatch(
        of webhook: String, lane: Int
    ) throws(StoreError) -> (place: OutboxPlace, due: Timetoken)? {
        try reader.firstBatch(of: webhook, lane: lane)
    }

    func rows(of place: OutboxPlace) throws(StoreError) -> [OutboxRow] {
        try reader.rows(of: place)
    }

    func deadBatches(of webhook: String, limit: Int) throws(StoreError) -> [DeadBatch] {
        try reader.deadBatches(of: webhook, limit: limit)
    }
}
