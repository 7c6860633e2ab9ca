// The thread of all webhooks: waits for news of the ledger and answers of receivers.

import Basis
import EventModel

/// The part of webhooks that any thread may hold.
final class WebhookThread: Sendable {
    private struct State {
        var newWebhooks: [Webhook]?
        /// Whether it has been told of those.
        var ledgerKnows = false
        var revived: [String] = []
        var retried: Set<String> = []
        var figures: [String: WebhookFigures] = [:]
        var isStopping = false
    }

    private let state = Locked(State())
    private let waker: Locked<SenderWaker?> = Locked(nil)
    private let thread: Locked<OSThread?> = Locked(nil)
    private let ledger: LedgerDoor
    private let health: Health

    /// Starts the thread.
    ///
    /// - Parameter makeReader: Of the ledger's store; called on the thread, and again a moment
    ///   after the store could not be read.
    init(
        _ webhooks: [Webhook], ledger: LedgerDoor,
        makeReader: @escaping @Sendable () throws(StoreError) -> any StoreReader,
        health: Health, log: Log
    ) {
        (self.ledger, self.health) = (ledger, health)
        // Whoever asks before the first turn is to find those that there are.
        state.withLock { state in
            for webhook in webhooks { state.figures[webhook.name] = WebhookFigures() }
        }
        thread.withLock { thread in
            thread = OSThread(name: "webhooks") { [self] in
                run(webhooks, StoreReading(makeReader: makeReader), log)
            }
        }
    }

    /// Changes the webhooks, here and for what is written from now on.
    func apply(_ webhooks: [Webhook]) {
        // Not by the thread, which may be late: whoever hears of the reload may write at once.
        let isTold = ledger.requests.put(.webhooks(webhooks))
        state.withLock { ($0.newWebhooks, $0.ledgerKnows) = (webhooks, isTold) }
        wake()
    }

    /// Has the dead letters of a webhook sent once more.
    func revive(_ webhook: String) {
        state.withLock { state in
            if !state.revived.contains(webhook) { state.revived.append(webhook) }
        }
        wake()
    }

    /// Has a receiver that failed asked again at once.
    func retry(_ webhook: String) {
        state.withLock { _ = $0.retried.insert(webhook) }
        wake()
    }

    /// As of the last turn.
    var figures: [String: WebhookFigures] { state.withLock { $0.figures } }

    /// Whether the store has no room for what becomes of deliveries.
    var isStoreFull: Bool { health.troubles.contains { $0.cause == .diskFull } }

    /// Ends the thread; what is under way is sent again after the next start, under the same id.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake()
        thread.withLock { $0.take() }?.join()
    }

    private func wake() { waker.withLock { $0 }?.wake() }

    private func run(_ webhooks: [Webhook], _ reading: StoreReading, _ log: Log) {
        let sender = HTTPSender<LaneID>()
        let waking = sender.waker
        waker.withLock { $0 = waking }
        ledger.outbox.onNews { waking.wake() }
        let deliveries = Deliveries(
            webhooks, reader: nil, world: World(ledger: ledger, sender: sender),
            using: SystemRandomNumberGenerator(), log: log)
        var reading = reading
        var told: UInt64 = 0
        var missed = MissedEvents()
        while !state.withLock({ $0.isStopping }) {
            deliveries.hear(ledger.outbox.take())
            takeOrders(deliveries)
            let now = Clock.monotonicMilliseconds()
            let isTime = now >= told + 1000
            let wait = turn(deliveries, &reading, all: isTime, at: now, log)
            let figures = deliveries.figures
            state.withLock { $0.figures = figures }
            if isTime {
                told = now
                Self.tell(missed.news(figures, at: now), log)
                if !reading.isFailing { tell(figures, at: now) }
            }
            ledger.outbox.want(deliveries.wanted)
            for (lane, outcome) in sender.wait(atMost: wait) {
                deliveries.finish(lane, outcome, at: Clock.monotonicMilliseconds())
            }
        }
        deliveries.hear(ledger.outbox.take())
        let now = Clock.monotonicMilliseconds()
        Self.tell(missed.news(deliveries.figures, at: now, isLast: true), log)
        ledger.outbox.onNews {}
        waker.withLock { $0 = nil }
    }

    private static func tell(_ missed: [String: Int], _ log: Log) {
        for (name, count) in missed.sorted(by: { $0.key < $1.key }) {
            log.error(
                "A webhook never hears of what was written while the database was damaged where"
                    + " events wait for it.",
                ["webhook": name, "events": count])
        }
    }

    /// Does what can be done now, also while the store cannot be read.
    ///
    /// - Returns: Milliseconds until there may be something to do, if nothing happens before.
    private func turn(
        _ deliveries: Deliveries<World>, _ reading: inout StoreReading, all: Bool, at now: UInt64,
        _ log: Log
    ) -> UInt64 {
        do throws(StoreError) {
            if deliveries.reader == nil, now >= reading.next {
                deliveries.reader = try reading.makeReader()
            }
            let wait = try deliveries.turn(at: now)
            // What was looked for in vain is looked for again.
            try deliveries.readDead(all: all || reading.isFailing)
            guard deliveries.reader != nil else {
                return min(wait, reading.next - min(now, reading.next))
            }
            if reading.isFailing {
                reading.isFailing = false
                log.notice("Webhooks go on.")
            }
            return wait
        } catch {
            deliveries.reader = nil
            reading.next = Clock.monotonicMilliseconds() + Self.readingPause
            if !reading.isFailing {
                reading.isFailing = true
                // What waits is not lost, and everything else goes on.
                let text = "\(error) Webhooks wait until the store can be read."
                health.report(.webhooksFailing, text)
                log.error(text)
            }
            return 0
        }
    }

    /// Milliseconds between attempts to read a store that cannot be read.
    private static let readingPause: UInt64 = 1000

    private func takeOrders(_ deliveries: Deliveries<World>) {
        let (webhooks, ledgerKnows, revived, retried) = state.withLock { state in
            defer { (state.newWebhooks, state.revived, state.retried) = (nil, [], []) }
            return (state.newWebhooks, state.ledgerKnows, state.revived, state.retried)
        }
        // Whoever wants dead letters sent once more says that it is mended, too.
        for webhook in retried.union(revived) { deliveries.retry(webhook) }
        if let webhooks {
            deliveries.apply(webhooks)
            if !ledgerKnows, !ledger.requests.put(.webhooks(webhooks)) {
                state.withLock { $0.newWebhooks = $0.newWebhooks ?? webhooks }
            }
        }
        for webhook in revived where !ledger.requests.put(.outbox(.revived(webhook: webhook))) {
            revive(webhook)
        }
    }

    private func tell(_ figures: [String: WebhookFigures], at now: UInt64) {
        let troubles = figures.sorted { $0.key < $1.key }.compactMap { name, figures -> String? in
            let limit = UInt64(Limits.webhookTroubleSeconds) * 1000
            let isLong = figures.failingSince.map { now - min(now, $0) >= limit } ?? false
            guard isLong else { return nil }
            return "\(name) (\(figures.reason), \(figures.uses.waiting.rows) events wait)"
        }
        health.set(
            .webhooksFailing, !troubles.isEmpty,
            "Receivers of webhooks fail: \(troubles.joined(separator: ", ")). Mend them: what "
                + "waits is sent again by itself, and becomes dead letters after a day.")
    }
}

extension WebhookThread {
    /// Whether the store can be read, and how.
    fileprivate struct StoreReading {
        let makeReader: @Sendable () throws(StoreError) -> any StoreReader
        /// Whether it could not be read when it was last asked.
        var isFailing = false
        /// No reader is made before this moment, in milliseconds of the monotonic clock.
        var next: UInt64 = 0
    }

    /// The ledger and libcurl.
    fileprivate struct World: DeliveryWorld {
        let ledger: LedgerDoor
        let sender: HTTPSender<LaneID>

        func position() -> Timetoken {
            if case .at(let position) = ledger.order.now() { position } else { .zero }
        }

        func ticks() -> UInt64 { ledger.clock.ticks() }

        func send(_ request: DeliveryRequest, for lane: LaneID) { sender.send(request, for: lane) }

        func report(_ step: OutboxStep) -> Bool { ledger.requests.put(.outbox(step)) }
    }
}
