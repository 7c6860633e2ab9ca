// Brings what waits in the store to its receivers, in order per channel, until they have it.
//
// The deciding half: no thread, clock or socket of its own, so tests drive it directly.

import EventModel

/// All lanes of all webhooks.
///
/// What a receiver does not take waits in the store: here there is one place for each lane, and the
/// bodies of requests that are under way.
final class Deliveries<World: DeliveryWorld> {
    private var webhooks: [Webhook] = []
    private var lanes: [LaneID: DeliveryLane] = [:]
    private(set) var figures: [String: WebhookFigures] = [:]
    /// What the store has, also for names that no webhook has.
    private var uses: [String: OutboxUses] = [:]
    /// Webhooks with other dead letters than ``readDead()`` has seen.
    private var changedDead: Set<String> = []
    /// Names that have no lanes, and other events waiting than ``readOldest()`` has seen.
    private var changedRemoved: Set<String> = []
    /// Of the store; `nil` while it cannot be read: what needs it waits then.
    var reader: (any OutboxReader)?
    private let world: World
    private var generator: any RandomNumberGenerator
    private let log: Log

    init(
        _ webhooks: [Webhook], reader: (any OutboxReader)?, world: World,
        using generator: any RandomNumberGenerator, log: Log
    ) {
        (self.reader, self.world, self.log) = (reader, world, log)
        self.generator = generator
        apply(webhooks)
    }

    /// There are others from now on; a request that is under way goes on.
    ///
    /// One that is another now may have been mended, and its receiver has asked for no pause.
    func apply(_ webhooks: [Webhook]) {
        let changed = Set(webhooks).subtracting(self.webhooks)
        self.webhooks = webhooks
        let all = webhooks.flatMap { webhook in
            (0..<Limits.webhookLanes).map { LaneID(webhook: webhook.name, number: $0) }
        }
        lanes = Dictionary(
            uniqueKeysWithValues: all.map { ($0, lanes[$0] ?? DeliveryLane()) })
        for webhook in changed { retry(webhook.name) }
        let before = figures
        figures = Dictionary(
            uniqueKeysWithValues: webhooks.map { webhook in
                var figures = before[webhook.name] ?? WebhookFigures()
                figures.isRemoved = false
                return (webhook.name, figures)
            })
        keepRemoved(before)
    }

    /// Goes on showing what there is for webhooks that are none any more.
    private func keepRemoved(_ before: [String: WebhookFigures]) {
        for (name, use) in uses where figures[name]?.isRemoved ?? true {
            guard use.waiting.rows + use.dead.rows > 0 else {
                figures[name] = nil
                continue
            }
            if before[name]?.isRemoved != true {
                log.warning(
                    "Events wait for a webhook that is none any more: they stay until there is one "
                        + "of this name again.",
                    [
                        "webhook": name, "waiting": use.waiting.rows,
                        "dead_letters": use.dead.rows,
                    ])
                changedDead.insert(name)
                changedRemoved.insert(name)
            }
            figures[name] = figures[name] ?? WebhookFigures()
            figures[name]?.isRemoved = true
            figures[name]?.uses = use
        }
    }

    /// Ends the pauses of a webhook's lanes: an operator says that its receiver is mended.
    func retry(_ webhook: String) {
        for number in 0..<Limits.webhookLanes {
            lanes[LaneID(webhook: webhook, number: number)]?.retry()
        }
    }

    /// Takes what the ledger has done.
    func hear(_ news: OutboxNews) {
        for place in news.settled {
            if case .settling(place)? = lanes[place.laneID]?.state {
                lanes[place.laneID]?.state = .unknown
            }
        }
        for place in news.sealed {
            lanes[place.laneID]?.seal(place)
        }
        for id in news.lanes where lanes[id]?.state == .empty { lanes[id]?.state = .unknown }
        if news.overflown > 0 {
            log.warning(
                "More waits for a webhook than may: the oldest become dead letters.",
                ["requests": news.overflown])
        }
        for (name, count) in news.missed { figures[name]?.missed += count }
        guard let uses = news.uses else { return }
        for name in figures.keys {
            let use = uses[name] ?? OutboxUses()
            if figures[name]?.uses.dead != use.dead { changedDead.insert(name) }
            if figures[name]?.isRemoved == true, figures[name]?.uses.waiting != use.waiting {
                changedRemoved.insert(name)
            }
            figures[name]?.uses = use
        }
        self.uses = uses
        keepRemoved(figures)
    }

    /// Looks at what was given up, where that is something else.
    ///
    /// - Parameter all: Also where there is a list, of a moment ago: for now and then.
    func readDead(all: Bool) throws(StoreError) {
        guard let reader else { return }
        for name in changedDead {
            let isNone = figures[name]?.uses.dead.rows ?? 0 == 0
            guard all || isNone || figures[name]?.oldestDead.isEmpty == true else { continue }
            figures[name]?.oldestDead =
                isNone ? [] : try reader.deadBatches(of: name, limit: Limits.deadRequestsListedMax)
            changedDead.remove(name)
        }
    }

    /// Does what can be done now; where it throws, all the same, and the rest waits as it was.
    ///
    /// - Parameter now: In milliseconds of the monotonic clock.
    /// - Returns: Milliseconds until there may be something to do, if nothing happens before.
    func turn(at now: UInt64) throws(StoreError) -> UInt64 {
        var wait: UInt64 = 1000
        var position: Timetoken?
        var failure: StoreError?
        for webhook in webhooks {
            for number in 0..<Limits.webhookLanes {
                let id = LaneID(webhook: webhook.name, number: number)
                guard var lane = lanes[id] else { continue }
                do throws(StoreError) {
                    wait = min(wait, try step(&lane, id, webhook, &position, at: now))
                    lanes[id] = lane
                } catch {
                    failure = failure ?? error
                    // What is damaged may be of this lane alone; of a server that does not answer
                    // each question would be waited for.
                    if case .damaged = error { continue }
                    reader = nil
                }
            }
            figures[webhook.name]?.oldest = oldest(of: webhook.name)
            // One that has nothing to get fails no longer.
            figures[webhook.name]?.failingSince =
                lanes(of: webhook.name).compactMap(\.failingSince).min()
        }
        if let failure { throw failure }
        try readOldest()
        return wait
    }

    /// Looks what waits first for names that have no lanes which would know.
    private func readOldest() throws(StoreError) {
        guard let reader else { return }
        while let name = changedRemoved.first {
            if figures[name]?.isRemoved == true {
                var oldest: Timetoken?
                for number in 0..<Limits.webhookLanes {
                    let first = try reader.firstBatch(of: name, lane: number)?.place.batch
                    oldest = [oldest, first].compactMap(\.self).min()
                }
                figures[name]?.oldest = oldest
            }
            changedRemoved.remove(name)
        }
    }

    /// Takes what became of a request.
    func finish(_ id: LaneID, _ outcome: DeliveryOutcome, at now: UInt64) {
        guard var lane = lanes[id], case .sending(let place, let events) = lane.state else {
            return
        }
        let wasFailing = isFailing(id.webhook)
        let reason = lane.take(
            outcome, of: place, age: age(of: place.batch), at: now, using: &generator)
        lanes[id] = lane
        figures[id.webhook]?.requests += 1
        if let reason {
            figures[id.webhook]?.failed += 1
            figures[id.webhook]?.reason = reason
            if !wasFailing {
                log.warning(
                    "A webhook's receiver fails: what it is to get waits.",
                    ["webhook": id.webhook, "reason": reason])
            }
            if case .ending(.buried) = lane.state {
                log.error(
                    "A webhook's receiver does not take a request: its events become dead letters.",
                    ["webhook": id.webhook, "id": DeliveryBody.id(of: place), "reason": reason])
            }
        } else {
            figures[id.webhook]?.delivered += events
            if wasFailing, !isFailing(id.webhook) {
                log.notice("A webhook's receiver answers again.", ["webhook": id.webhook])
            }
        }
        figures[id.webhook]?.failingSince = lanes(of: id.webhook).compactMap(\.failingSince).min()
    }

    private func lanes(of webhook: String) -> [DeliveryLane] {
        (0..<Limits.webhookLanes).compactMap { lanes[LaneID(webhook: webhook, number: $0)] }
    }

    private func isFailing(_ webhook: String) -> Bool {
        lanes(of: webhook).contains { $0.failingSince != nil }
    }

    private func oldest(of webhook: String) -> Timetoken? {
        lanes(of: webhook).compactMap(\.place?.batch).min()
    }

    /// Seconds since an event.
    private func age(of timetoken: Timetoken) -> Int {
        Int(max(0, Int64(clamping: world.ticks()) - Int64(clamping: timetoken.rawValue)))
            / 10_000_000
    }

    /// - Returns: Milliseconds until its next one.
    private func step(
        _ lane: inout DeliveryLane, _ id: LaneID, _ webhook: Webhook,
        _ position: inout Timetoken?, at now: UInt64
    ) throws(StoreError) -> UInt64 {
        guard let reader else { return tellEnd(of: &lane) }
        if case .pausing = lane.state, now >= lane.notBefore { lane.state = .unknown }
        if lane.state == .unknown {
            lane.begin(try reader.firstBatch(of: id.webhook, lane: id.number), at: now)
        }
        if case .forming(let place, let due) = lane.state {
            guard now >= lane.notBefore else { return lane.notBefore - now }
            if due > .zero, let wait = wait(for: place, due, &lane, webhook, &position, at: now) {
                return wait
            }
            try begin(place, of: &lane, id, webhook, from: reader)
        }
        switch lane.state {
        case .ending: return tellEnd(of: &lane)
        case .pausing where now < lane.notBefore: return lane.notBefore - now
        case .unknown: return 0
        default: return .max
        }
    }

    /// Has the ledger told of a request that is over.
    ///
    /// - Returns: As above.
    private func tellEnd(of lane: inout DeliveryLane) -> UInt64 {
        guard case .ending(let step) = lane.state else { return .max }
        guard world.report(step), let place = lane.place else { return Self.shortWait }
        lane.state = .settling(place)
        return .max
    }

    /// Milliseconds until nothing can join a batch any more; `nil`: nothing can.
    private func wait(
        for place: OutboxPlace, _ due: Timetoken, _ lane: inout DeliveryLane, _ webhook: Webhook,
        _ position: inout Timetoken?, at now: UInt64
    ) -> UInt64? {
        let ticks = world.ticks()
        if ticks >= due.rawValue {
            // Its events may be in a commit that is under way.
            let known = position ?? world.position()
            position = known
            return known >= due ? nil : Self.shortWait
        }
        // What was before it is gone, and with it why others were awaited for longer.
        let own = min(due, place.batch.advanced(by: webhook.window(isBehind: false)))
        if !lane.isSealing, lane.isHurried || ticks >= own.rawValue, world.report(.sealed(place)) {
            lane.isSealing = true
        }
        // So long it can only take by a clock that went back, which may be for hours.
        // (In a sound file a batch is due after its first event.)
        let window = due.rawValue - min(due, place.batch).rawValue
        let longest = window / 10_000 + Self.sealWait
        if now >= lane.formingSince + longest, world.report(.sealed(place)) {
            lane.formingSince = now
        }
        let end = lane.isSealing ? due : lane.isHurried ? .zero : own
        return min((end.rawValue - min(end.rawValue, ticks)) / 10_000 + 1, longest)
    }

    /// The lanes of which rows that come are a reason to look, as of the last turn.
    ///
    /// What comes to others waits behind what they have: a receiver that is away costs no turn.
    var wanted: Set<LaneID> { Set(lanes.filter { $0.value.state == .empty }.keys) }

    private static var sealWait: UInt64 { 2000 }

    /// Milliseconds after which a look is worth it for what should be there by now.
    private static var shortWait: UInt64 { 5 }

    private func begin(
        _ place: OutboxPlace, of lane: inout DeliveryLane, _ id: LaneID, _ webhook: Webhook,
        from reader: any OutboxReader
    ) throws(StoreError) {
        let rows = try reader.rows(of: place)
        // More waited than may, and it was the oldest.
        guard !rows.isEmpty else { return lane.state = .unknown }
        guard let body = DeliveryBody.bytes(of: rows, at: place) else {
            return lane.state = .ending(.delivered(place))
        }
        (lane.state, lane.isHurried) = (.sending(place, events: rows.count), false)
        let seconds = Int(world.ticks() / 10_000_000)
        world.send(
            DeliveryRequest(
                url: webhook.url,
                headers: WebhookSignature.headers(
                    id: DeliveryBody.id(of: place), seconds: seconds, body: body,
                    secrets: webhook.secrets),
                body: body, timeoutMilliseconds: webhook.timeoutSeconds * 1000),
            for: id)
    }
}
