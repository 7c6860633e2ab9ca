// Which batch of a webhook an event joins. Pure: time comes with the events.

import EventModel

/// The webhooks that there are, what each has in the store, and the batches that are open.
///
/// A batch is what one request will hold. Whoever looks at rows later can tell from `due` alone
/// that no further one will come; so ids of requests are the same after a crash.
struct OutboxBatches {
    fileprivate struct Key: Hashable {
        let webhook: String
        let lane: Int
        let author: ExactText?
    }

    private struct Open {
        let batch: Timetoken
        let due: Timetoken
        let author: String?
        var use = OutboxUse()
    }

    /// A batch of collected reactions that speaks of a message.
    struct Collection: Hashable {
        fileprivate let key: Key
        fileprivate let batch: Timetoken
    }

    var webhooks: [Webhook]
    /// As of the open transaction; `nil`: to be counted.
    var uses: [String: OutboxUses]?
    private var open: [Key: Open] = [:]
    /// Which collections speak of which messages, also some that are open no more.
    private var mentions = OutboxMentions<Collection>()

    /// Whether a webhook has reactions collected by whose messages they are to.
    var collectsReactions: Bool { webhooks.contains { $0.collecting == .author } }

    init(_ webhooks: [Webhook] = []) { self.webhooks = webhooks }

    /// Has the next event of each lane begin another batch.
    mutating func close() { (open, mentions) = ([:], OutboxMentions()) }

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
    /// - Returns: Also whether nothing joins its batch any more, since that is full.
    mutating func row(
        for envelope: Envelope, to webhook: Webhook, author: String?, event: String
    ) -> (row: OutboxRow, isLast: Bool) {
        makeRoom(at: envelope.timetoken)
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
        let waiting = uses?[webhook.name]?.waiting.rows ?? 0
        var joined =
            batch
            ?? Open(
                batch: envelope.timetoken,
                due: envelope.timetoken.advanced(
                    by: webhook.window(isBehind: waiting >= webhook.eventsMax)),
                author: author)
        joined.use += use
        // Whatever the next configuration says: somebody may begin to send it.
        let isLast = webhook.collecting == .nothing && joined.use.rows >= webhook.eventsMax
        open[key] = isLast ? nil : joined
        if author != nil, let message = envelope.event.reactedTo {
            mentions.add(
                Collection(key: key, batch: joined.batch), of: message, in: envelope.channel)
        }
        return (note(envelope, use, key, joined, event), isLast)
    }

    /// Whether anything is written of an event, or of what it took back.
    func isConcerned(by envelope: Envelope) -> Bool {
        webhooks.contains { $0.wants(envelope) } || !collections(concernedBy: envelope).isEmpty
    }

    /// The open collections that may have something of what a clearing or a deletion took away.
    func collections(concernedBy envelope: Envelope) -> Set<Collection> {
        mentions.places(concernedBy: envelope.event, in: envelope.channel).filter {
            open[$0.key]?.batch == $0.batch
        }
    }

    /// Notes that something of a collection went by a clearing or a deletion.
    ///
    /// - Returns: `nil` when nothing joins it any more: it tells what it has.
    mutating func row(
        for envelope: Envelope, in collection: Collection, event: String
    ) -> OutboxRow? {
        let use = OutboxUse(rows: 1, bytes: event.utf8.count)
        guard var batch = open[collection.key], envelope.timetoken <= batch.due,
            batch.use.bytes + use.bytes <= Limits.webhookBatchBytesMax
        else { return nil }
        batch.use += use
        open[collection.key] = batch
        return note(envelope, use, collection.key, batch, event)
    }

    private mutating func note(
        _ envelope: Envelope, _ use: OutboxUse, _ key: Key, _ batch: Open, _ event: String
    ) -> OutboxRow {
        uses?[key.webhook, default: OutboxUses()].waiting += use
        return OutboxRow(
            place: OutboxPlace(webhook: key.webhook, lane: key.lane, batch: batch.batch),
            timetoken: envelope.timetoken, due: batch.due, author: batch.author, event: event)
    }

    /// Where there are many, forgets batches whose time is over; and all, when that is not enough.
    private mutating func makeRoom(at timetoken: Timetoken) {
        guard
            open.count >= Limits.webhookCollectionsMax
                || mentions.count >= Limits.webhookMessagesCollectedMax
        else { return }
        open = open.filter { $0.value.due >= timetoken }
        mentions.keep { open[$0.key]?.batch == $0.batch }
        // Half of the room at least: so it is made seldom.
        if open.count > Limits.webhookCollectionsMax / 2
            || mentions.count > Limits.webhookMessagesCollectedMax / 2
        {
            close()
        }
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

extension Event {
    /// The message that an action is on; `nil`: it is about no single one.
    fileprivate var reactedTo: Timetoken? {
        switch self {
        case .actionAdded(let action), .actionRemoved(let action): action.key.messageTimetoken
        default: nil
        }
    }
}
