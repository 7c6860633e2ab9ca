// What webhooks are to get of a commit, in the same commit; and what becomes of it.

import EventModel

/// What became of requests to webhooks, on its way to the store.
enum OutboxStep: Sendable, Hashable {
    /// The receiver has it.
    case delivered(OutboxPlace)
    /// It is given up.
    case buried(OutboxPlace, reason: String)
    /// Nothing more is to join it, though the clock does not say that it is due: it went back.
    case sealed(OutboxPlace)
    /// All dead letters of a webhook are to be sent once more.
    case revived(webhook: String)
}

/// What a commit did about webhooks.
struct OutboxNews: Sendable {
    /// Where there are rows that were not there before.
    var lanes: Set<LaneID> = []
    /// Whose rows are gone.
    var settled: [OutboxPlace] = []
    /// What nothing joins any more.
    var sealed: [OutboxPlace] = []
    /// Requests that became dead letters because more waits than may.
    var overflown = 0
    /// Events of which webhooks never hear: the store is damaged where they would wait.
    var missed: [String: Int] = [:]
    /// What each webhook has; `nil`: as before.
    var uses: [String: OutboxUses]?
}

extension Ledger {
    /// Writes what webhooks are to get, and what became of what they got.
    ///
    /// Damage there has webhooks left alone, and nothing else, once it has lasted: see
    /// ``passing(_:in:)``.
    func writeOutbox(into commit: inout Commit) throws(StoreError) {
        // On a full disk they would take the room that others may find.
        let steps = outboxRows == nil || isSettlingOutbox ? outboxSteps : []
        unfinishedSteps = steps.isEmpty ? outboxSteps : []
        // What concerns no webhook meets no damage of theirs.
        guard !steps.isEmpty || commit.events.contains(where: outbox.isConcerned(by:)) else {
            return
        }
        guard !quarantine.holds(.outbox) else {
            leaveOutboxAlone(in: &commit)
            return
        }
        let news = try suspecting(.outbox) { () throws(StoreError) in
            if outbox.uses == nil { outbox.uses = try store.outboxUse() }
            var news = OutboxNews()
            try take(steps, &news)
            var devices: [Channel: String?] = [:]
            for event in commit.events {
                try takeBack(event, &news)
                try writeOutbox(event, &devices, &news)
            }
            if !news.lanes.isEmpty { try trimOutbox(&news) }
            news.uses = outbox.uses
            return news
        }
        commit.outbox = news
    }

    /// What an earlier process left, also for webhooks that are none any more.
    func countOutbox() -> OutboxNews? {
        do throws(StoreError) {
            outbox.uses = try store.outboxUse()
            return OutboxNews(uses: outbox.uses)
        } catch {
            // It is tried again: see ``retryOutbox()``.
            return nil
        }
    }

    /// Keeps what steps a commit took, or what it did not.
    func endOutbox(isCommitted: Bool, before uses: [String: OutboxUses]?) {
        if outboxRows == nil || isSettlingOutbox {
            hasOutboxWork =
                isCommitted && !unfinishedSteps.isEmpty && !quarantine.holds(.outbox)
        }
        if isCommitted {
            outboxSteps = unfinishedSteps
        } else {
            outbox.uses = uses
            outbox.close()
        }
        unfinishedSteps = []
    }

    /// On a full disk: removes some of what receivers have, a row at first, and more for as long as
    /// that finds room.
    ///
    /// A page for each row and its like is more than a full disk has for a whole batch. Who dies
    /// amid one sends what is left of it again, under the id that its receiver knows.
    func settleOutbox(after reserved: Timetoken, failure: inout StoreError?) -> Commit {
        let rows = outboxRows ?? 1
        (outboxRows, isSettlingOutbox) = (rows, true)
        var found: StoreError?
        let commit = transact([], after: reserved, failure: &found) { _ in }
        isSettlingOutbox = false
        outboxRows = found == nil ? min(2 * rows, Limits.webhookEventsMax) : 1
        failure = found
        return commit
    }

    /// - Parameter devices: Who hears of the channels of the commit by push, as far as is known.
    private func writeOutbox(
        _ event: Envelope, _ devices: inout [Channel: String?], _ news: inout OutboxNews
    ) throws(StoreError) {
        var text: String?
        for webhook in outbox.webhooks where webhook.wants(event) {
            var author: String?
            if webhook.collecting == .author {
                author = try self.author(of: event)
                guard author != nil else { continue }
            }
            var json = text ?? String(decoding: EncodedEnvelope(event).json, as: UTF8.self)
            text = json
            if webhook.devices != .no, author == nil {
                if devices[event.channel] == nil {
                    devices[event.channel] = .some(try devicesText(of: event.channel))
                }
                let found = devices[event.channel] ?? nil
                guard found != nil || webhook.devices == .yes else { continue }
                json = json.dropLast() + #","devices":\#(found ?? "[]")}"#
            }
            let (row, isLast) = outbox.row(for: event, to: webhook, author: author, event: json)
            try store.put(row)
            news.lanes.insert(row.place.laneID)
            if isLast { news.sealed.append(row.place) }
        }
    }

    /// Tells collections that something of theirs went, by a clearing or with its message.
    private func takeBack(_ event: Envelope, _ news: inout OutboxNews) throws(StoreError) {
        let collections = outbox.collections(concernedBy: event)
        guard !collections.isEmpty else { return }
        let json = String(decoding: EncodedEnvelope(event).json, as: UTF8.self)
        for collection in collections.prefix(Limits.webhookCollectionsTakenBackMax) {
            guard let row = outbox.row(for: event, in: collection, event: json) else { continue }
            try store.put(row)
            news.lanes.insert(row.place.laneID)
        }
    }

    /// Notes whose messages reactions are to, while these are there; for webhooks that collect.
    func noteAuthors(of events: [Envelope]) throws(StoreError) {
        guard outbox.collectsReactions, !quarantine.holds(.outbox) else { return }
        for event in events[authorsNoted...] {
            reactionAuthors[event.timetoken] = try reactedTo(by: event)
        }
        authorsNoted = events.count
    }

    private func author(of event: Envelope) throws(StoreError) -> String? {
        if let known = reactionAuthors[event.timetoken] { return known }
        return try reactedTo(by: event)
    }

    /// Whose message a reaction is to; `nil` when it is the user's own, not there, or no reaction.
    private func reactedTo(by event: Envelope) throws(StoreError) -> String? {
        let key: MessageAction.Key
        switch event.event {
        case .actionAdded(let action), .actionRemoved(let action): key = action.key
        default: return nil
        }
        // A receipt that a message was read is no news for its author, nor is an edit.
        guard ExactText(key.type) == ExactText(ReactionRules.type) else { return nil }
        let author = try store.author(ofMessage: key.messageTimetoken, in: event.channel)
        return author.flatMap { ExactText($0) == ExactText(key.uuid) ? nil : $0 }
    }

    private func take(_ steps: [OutboxStep], _ news: inout OutboxNews) throws(StoreError) {
        var rowsLeft = outboxRows
        // What takes another place needs the room that is made by what goes.
        let isWaited =
            rowsLeft != nil
            && steps.contains { if case .delivered = $0 { true } else { false } }
        for step in steps {
            switch step {
            case .delivered(let place):
                if try remove(place, &rowsLeft) {
                    news.settled.append(place)
                } else {
                    unfinishedSteps.append(step)
                }
            case .buried where isWaited, .revived where isWaited: unfinishedSteps.append(step)
            case .buried(let place, let reason):
                try bury(place, reason)
                news.settled.append(place)
            case .sealed(let place):
                outbox.close(place)
                news.sealed.append(place)
            case .revived(let webhook):
                try revive(webhook, &news)
            }
        }
    }

    /// - Parameter left: Rows that may go; `nil`: all.
    /// - Returns: Whether the whole batch is gone.
    private func remove(_ place: OutboxPlace, _ left: inout Int?) throws(StoreError) -> Bool {
        guard let rowsMax = left else {
            outbox.uses?[place.webhook]?.waiting -= try store.remove(place)
            return true
        }
        guard rowsMax > 0 else { return false }
        let use = try store.removeSome(of: place, rowsMax: rowsMax)
        outbox.uses?[place.webhook]?.waiting -= use
        left = rowsMax - use.rows
        return use.rows < rowsMax
    }

    private func bury(_ place: OutboxPlace, _ reason: String) throws(StoreError) {
        let use = try store.bury(place, reason, at: last)
        outbox.uses?[place.webhook]?.waiting -= use
        outbox.uses?[place.webhook]?.dead += use
        try forgetDead(of: place.webhook)
    }

    /// Some of them; the rest in the next commit.
    private func revive(_ webhook: String, _ news: inout OutboxNews) throws(StoreError) {
        for _ in 0..<Limits.revivedPerCommitMax {
            // What is over the limit would die again at once.
            guard !outbox.isOver(webhook), let place = try store.oldestDead(of: webhook) else {
                return
            }
            let use = try store.revive(place)
            outbox.uses?[webhook]?.waiting += use
            outbox.uses?[webhook]?.dead -= use
            news.lanes.insert(place.laneID)
        }
        unfinishedSteps.append(.revived(webhook: webhook))
    }

    /// Makes dead letters of what is too much, the oldest first.
    private func trimOutbox(_ news: inout OutboxNews) throws(StoreError) {
        for webhook in outbox.webhooks {
            while outbox.isOver(webhook.name),
                let place = try store.oldestBatch(of: webhook.name)
            {
                try bury(place, "More waited than may.")
                // Its id stands for what died.
                outbox.close(place)
                news.overflown += 1
            }
        }
    }

    private func forgetDead(of webhook: String) throws(StoreError) {
        while outbox.isOverDead(webhook), let place = try store.oldestDead(of: webhook) {
            outbox.uses?[webhook]?.dead -= try store.forgetDead(place)
        }
    }
}
