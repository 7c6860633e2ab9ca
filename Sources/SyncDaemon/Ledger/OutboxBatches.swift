// Which batch of a webhook an event joins. Pure: time comes with the events.

import EventModel

/// The webhooks that there are, what each has in the store, and the batches that are open.
///
/// A batch is what one request will hold. Whoever looks at rows later can tell from `due` alone
/// that no further one will come; so ids of requests are the same after a crash.
struct OutboxBatches {
    private struct Key: Hashable {
        let webhook: String
        let lane: Int
        let author: ExactText?
    }

    private struct Open {
        let batch: Timetoken
        let due: Timetoken
        var use = OutboxUse()
    }

    var webhooks: [Webhook]
    /// As of the open transaction; `nil`: to be counted.
    var uses: [String: OutboxUses]?
    private var open: [Key: Open] = [:]

    init(_ webhooks: [Webhook] = []) { self.webhooks = webhooks }

    /// Has the next event of each lane begin another batch.
    mutating func close() { open = [:] }

    /// Has nothing more join a batch.
    mutating func close(_ place: OutboxPlace) {
        open = open.filter { key, batch in
            key.webhook != place.webhook || key.lane != place.lane || batch.batch != place.batch
        }
    }

    /// Notes a row more.
    ///
    /// - Parameters:
    ///   - author: Whose messages it is about, where that is what is collected.
    ///   - event: As JSON.
    mutating func row(
        for envelope: Envelope, to webhook: Webhook, author: String?, event: String
    ) -> OutboxRow {
        let lane =
            author.map { WebhookLane.number(of: envelope.channel.keyset, $0) }
            ?? WebhookLane.number(of: envelope.channel.keyset, envelope.channel.name)
        // An author of two tenants is two authors.
        let owner = author.map { ExactText(envelope.channel.keyset + "\n" + $0) }
        let key = Key(webhook: webhook.name, lane: lane, author: owner)
        let use = OutboxUse(rows: 1, bytes: event.utf8.count)
        let batch = open[key].flatMap {
            Self.takes($0, use, at: envelope.timetoken, of: webhook) ? $0 : nil
        }
        if batch == nil, open.count >= Limits.webhookCollectionsMax { close() }
        let waiting = uses?[webhook.name]?.waiting.rows ?? 0
        var joined =
            batch
            ?? Open(
                batch: envelope.timetoken,
                due: envelope.timetoken.advanced(
                    by: webhook.window(isBehind: waiting >= webhook.eventsMax)))
        joined.use += use
        open[key] = joined
        uses?[webhook.name, default: OutboxUses()].waiting += use
        return OutboxRow(
            place: OutboxPlace(webhook: webhook.name, lane: lane, batch: joined.batch),
            timetoken: envelope.timetoken, due: joined.due, author: author, event: event)
    }

    private static func takes(
        _ batch: Open, _ use: OutboxUse, at timetoken: Timetoken, of webhook: Webhook
    ) -> Bool {
        let eventsMax = webhook.collecting == .nothing ? webhook.eventsMax : Limits.webhookEventsMax
        return timetoken <= batch.due && batch.use.rows < eventsMax
            && batch.use.bytes + use.bytes <= Limits.webhookBatchBytesMax
    }

    /// Whether a webhook has more waiting than it may.
    func isOver(_ webhook: String) -> Bool {
        guard let use = uses?[webhook]?.waiting else { return false }
        return use.rows > Limits.webhookRowsMax || use.bytes > Limits.webhookBytesMax
    }

    /// Whether it has more dead letters than it may.
    func isOverDead(_ webhook: String) -> Bool {
        guard let use = uses?[webhook]?.dead else { return false }
        return use.rows > Limits.deadLettersMax || use.bytes > Limits.deadLetterBytesMax
    }
}
