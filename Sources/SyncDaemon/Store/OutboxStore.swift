// What waits for webhooks: a part of the seam to the ledger, and what readers see of it.

import Basis
import EventModel

/// The part of ``Store`` that is about events on their way to webhooks.
///
/// Each row stands in a batch, which is what one request holds. A batch that was begun by an
/// earlier process, or whose time is over, never gets another row: so its id stands for the same
/// events for ever.
protocol OutboxStore {
    /// - Precondition: There is no row of its webhook, lane, batch and timetoken.
    func put(_ row: OutboxRow) throws(StoreError)

    /// Removes a batch; nothing happens when it is not there.
    ///
    /// - Returns: What it took up.
    func remove(_ place: OutboxPlace) throws(StoreError) -> OutboxUse

    /// Removes the last rows of a batch: all that is left of it keeps its id.
    ///
    /// - Returns: What they took up.
    func removeSome(of place: OutboxPlace, rowsMax: Int) throws(StoreError) -> OutboxUse

    /// Makes dead letters of a batch.
    ///
    /// - Returns: As above.
    func bury(
        _ place: OutboxPlace, _ reason: String, at timetoken: Timetoken
    ) throws(StoreError) -> OutboxUse

    /// The batch that was begun first, of all lanes of a webhook.
    func oldestBatch(of webhook: String) throws(StoreError) -> OutboxPlace?

    /// The same of dead letters.
    func oldestDead(of webhook: String) throws(StoreError) -> OutboxPlace?

    /// Puts the dead letters of a batch back to where they were.
    ///
    /// - Returns: What they take up.
    func revive(_ place: OutboxPlace) throws(StoreError) -> OutboxUse

    /// Forgets the dead letters of a batch.
    ///
    /// - Returns: What they took up.
    func forgetDead(_ place: OutboxPlace) throws(StoreError) -> OutboxUse

    /// What all webhooks have, also those that are not configured any more.
    ///
    /// - Complexity: O(rows).
    func outboxUse() throws(StoreError) -> [String: OutboxUses]
}

/// The part of ``StoreReader`` that is about events on their way to webhooks.
protocol OutboxReader {
    /// The first batch of a lane; `nil` when nothing waits.
    func firstBatch(
        of webhook: String, lane: Int
    ) throws(StoreError) -> (place: OutboxPlace, due: Timetoken)?

    /// The rows of a batch, in their order; empty when it is not there.
    func rows(of place: OutboxPlace) throws(StoreError) -> [OutboxRow]

    /// Requests of a webhook that were given up, the oldest first.
    func deadBatches(of webhook: String, limit: Int) throws(StoreError) -> [DeadBatch]
}

/// A request to a webhook, sent or still to be.
struct OutboxPlace: Hashable, Sendable {
    var webhook: String
    var lane: Int
    /// The timetoken of its first event.
    var batch: Timetoken

    var laneID: LaneID { LaneID(webhook: webhook, number: lane) }
}

/// An event that a webhook is still to get.
struct OutboxRow: Hashable, Sendable {
    var place: OutboxPlace
    var timetoken: Timetoken
    /// Until when events may still join its batch.
    var due: Timetoken
    /// Whose messages it is about, where that is what is collected.
    var author: String?
    /// A JSON object, as docs/PROTOCOL.md has it.
    var event: String

    var use: OutboxUse { OutboxUse(rows: 1, bytes: event.utf8.count) }
}

/// A request that was given up.
struct DeadBatch: Hashable, Sendable {
    var place: OutboxPlace
    var events: Int
    var reason: String
    /// When that was.
    var died: Timetoken
}

/// What rows take up.
struct OutboxUse: Hashable, Sendable {
    var rows = 0
    var bytes = 0

    static func += (use: inout OutboxUse, more: OutboxUse) {
        use.rows = use.rows.addingClamped(more.rows)
        use.bytes = use.bytes.addingClamped(more.bytes)
    }

    static func -= (use: inout OutboxUse, less: OutboxUse) {
        use.rows = use.rows.subtractingClamped(less.rows)
        use.bytes = use.bytes.subtractingClamped(less.bytes)
    }
}

/// What one webhook has in the store.
struct OutboxUses: Hashable, Sendable {
    var waiting = OutboxUse()
    var dead = OutboxUse()
}
