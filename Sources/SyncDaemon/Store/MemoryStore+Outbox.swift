// What waits for webhooks in the store in memory.

import Basis
import EventModel

extension MemoryStore {
    /// Rows by their batches, each in its order.
    struct OutboxRows: Sendable {
        var waiting: [OutboxPlace: [OutboxRow]] = [:]
        var dead: [OutboxPlace: [DeadLetter]] = [:]

        func first(of webhook: String, lane: Int? = nil) -> OutboxPlace? {
            waiting.keys.filter { $0.webhook == webhook && lane ?? $0.lane == $0.lane }
                .min { $0.batch < $1.batch }
        }
    }

    struct DeadLetter: Sendable {
        let row: OutboxRow
        let reason: String
        let died: Timetoken
    }

    func put(_ row: OutboxRow) {
        working.outbox.waiting[row.place, default: []].append(row)
    }

    func remove(_ place: OutboxPlace) -> OutboxUse {
        (working.outbox.waiting.removeValue(forKey: place) ?? []).use
    }

    func removeSome(of place: OutboxPlace, rowsMax: Int) -> OutboxUse {
        let rows = working.outbox.waiting[place] ?? []
        let left = rows.dropLast(rowsMax)
        working.outbox.waiting[place] = left.isEmpty ? nil : Array(left)
        return Array(rows.suffix(rowsMax)).use
    }

    func bury(_ place: OutboxPlace, _ reason: String, at timetoken: Timetoken) -> OutboxUse {
        guard let rows = working.outbox.waiting.removeValue(forKey: place) else {
            return OutboxUse()
        }
        working.outbox.dead[place, default: []] += rows.map {
            DeadLetter(row: $0, reason: reason, died: timetoken)
        }
        return rows.use
    }

    func oldestBatch(of webhook: String) -> OutboxPlace? { working.outbox.first(of: webhook) }

    func oldestDead(of webhook: String) -> OutboxPlace? {
        working.outbox.dead.keys.filter { $0.webhook == webhook }.min { $0.batch < $1.batch }
    }

    func revive(_ place: OutboxPlace) -> OutboxUse {
        let rows = working.outbox.dead.removeValue(forKey: place)?.map(\.row) ?? []
        working.outbox.waiting[place, default: []] += rows
        return rows.use
    }

    func forgetDead(_ place: OutboxPlace) -> OutboxUse {
        (working.outbox.dead.removeValue(forKey: place)?.map(\.row) ?? []).use
    }

    func outboxUse() -> [String: OutboxUses] {
        var uses: [String: OutboxUses] = [:]
        for (place, rows) in working.outbox.waiting {
            uses[place.webhook, default: OutboxUses()].waiting += rows.use
        }
        for (place, letters) in working.outbox.dead {
            uses[place.webhook, default: OutboxUses()].dead += letters.map(\.row).use
        }
        return uses
    }
}

extension MemoryReader {
    func firstBatch(of webhook: String, lane: Int) -> (place: OutboxPlace, due: Timetoken)? {
        let outbox = committedState.outbox
        guard let place = outbox.first(of: webhook, lane: lane),
            let row = outbox.waiting[place]?.first
        else { return nil }
        return (place, row.due)
    }

    func rows(of place: OutboxPlace) -> [OutboxRow] {
        committedState.outbox.waiting[place] ?? []
    }

    func deadBatches(of webhook: String, limit: Int) -> [DeadBatch] {
        let dead = committedState.outbox.dead.filter { $0.key.webhook == webhook }
        let batches = dead.compactMap { place, letters in
            letters.first.map {
                DeadBatch(place: place, events: letters.count, reason: $0.reason, died: $0.died)
            }
        }
        return Array(batches.sorted { $0.place.batch < $1.place.batch }.prefix(limit))
    }
}

extension [OutboxRow] {
    fileprivate var use: OutboxUse { reduce(into: OutboxUse()) { $0 += $1.use } }
}
