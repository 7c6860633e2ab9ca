// What all threads of a daemon know of the ledger, and how they reach it, wherever it is.

import Basis
import EventModel
import Synchronization

/// Who serves a door: the ledger's thread, or a link to another daemon's.
protocol DoorKeeper: Sendable {
    /// Ends it, once what waits is through.
    func stop()
}

/// Marks that go to the daemon that orders and come back behind everything that it had then.
final class CatchUpMarks: Sendable {
    private let asked = Atomic(0)
    private let reached = Atomic(0)

    /// Sends a mark.
    ///
    /// - Returns: Its number; one that could not be sent is never reached, but by a later one.
    func ask(_ send: (Int) -> Bool) -> Int {
        let mark = asked.wrappingAdd(1, ordering: .relaxed).newValue
        _ = send(mark)
        return mark
    }

    /// The newest that has come back.
    var newest: Int { reached.load(ordering: .acquiring) }

    /// Hears that one has come back; called in their order.
    func reach(_ mark: Int) { reached.store(mark, ordering: .releasing) }
}

/// The ledger as everybody but itself sees it.
final class LedgerDoor: Sendable {
    enum Request: Sendable {
        case write(Write)
        /// Somebody asks what a write was answered, if it was carried out before; told behind all
        /// writes that were queued earlier.
        case recall(Write, told: @Sendable (Result<Reply, ProtocolError>?) -> Void)
        /// Wakes the thread so that it can show that it runs.
        case heartbeat
        /// The order needs a higher ceiling.
        case ceiling
        /// Something became of a request to a webhook.
        case outbox(OutboxStep)
        /// There are other webhooks from now on.
        case webhooks([Webhook])
        /// An operator wants something done about the store's files; told whether it was.
        case upkeep(Upkeep, told: @Sendable (Bool) -> Void)
        /// An event needs a place of another daemon's order.
        case announcement(Announcement)
        /// Somebody needs a position of another daemon's order.
        case position(Origin)
        /// Somebody wants to know when all is here that is there now; see ``CatchUpMarks``.
        case mark(Int)
    }

    let order: EventOrder
    let groups: ChannelGroups
    let revocations: Revocations
    let keyGrants: KeyGrants
    /// What is new for webhooks.
    let outbox = OutboxDoor()
    let heartbeat = Heartbeat()
    /// Beats with each turn, and not while the store is waited for.
    let turns = Heartbeat()
    /// What another daemon was asked, and has not answered.
    let awaited = Atomic(0)
    /// Milliseconds that what another daemon says is late by, there and back.
    let lag = Atomic(0)
    /// How far this daemon has caught up with the one that orders.
    let marks = CatchUpMarks()
    /// What cursors are worth.
    let epochs: Epochs
    let secret: DigestSecret
    let clock: DaemonClock
    /// Where this run began: every event of it is after this.
    let began: Timetoken
    /// As ``Store/term`` has it.
    let term: Int
    /// Whether another daemon orders, and this one hears of its steps.
    let isElsewhere: Bool
    private let floors: KnownFloors
    let mutations: Atomic<Int>
    /// Seconds that the present turn has waited for a database server.
    let waited = Atomic(0)
    /// What waits for the thread; writes wait for somebody to wake it.
    let requests = WorkQueue<Request>(
        capacity: Limits.ledgerQueueMax, costMax: Limits.ledgerQueueBytesMax
    ) { request in
        switch request {
        case .write(let write), .recall(let write, _): write.size
        case .announcement(let announcement): announcement.size
        default: 0
        }
    }

    /// - Parameters:
    ///   - start: What the store is.
    ///   - clock: The daemon's time.
    ///   - isElsewhere: Whether whoever serves the door asks another daemon.
    ///   - floors: Those of the store, if somebody else raises them, too.
    ///   - unstoredBytesMax: As ``EventOrder`` has it.
    ///   - receiver: Told of each visible step, in order; see ``EventOrder``.
    init(
        _ start: StoreStart, clock: DaemonClock, isElsewhere: Bool = false,
        floors: KnownFloors = KnownFloors(),
        unstoredBytesMax: Int = Limits.unstoredBytesMax, receiver: any CommitReceiver
    ) {
        let requests = self.requests
        let forward: @Sendable (EventOrder.Wanted) -> Bool = { wanted in
            switch wanted {
            case .event(let announcement): requests.put(.announcement(announcement))
            case .position(let origin): requests.put(.position(origin))
            }
        }
        order = EventOrder(
            after: start.last, ceiling: start.ceiling, wallTicks: clock.ticks,
            unstoredBytesMax: unstoredBytesMax, forward: isElsewhere ? forward : nil,
            receiver: receiver, askForCeiling: { _ = requests.put(.ceiling) })
        (self.clock, self.isElsewhere) = (clock, isElsewhere)
        (began, term, secret) = (start.began, start.term, start.secret)
        groups = ChannelGroups(start.memberships)
        revocations = Revocations(start.revoked)
        keyGrants = KeyGrants(start.granted)
        epochs = Epochs(store: start.epoch, runs: start.runs)
        self.floors = floors
        floors.raise(to: start.floors)
        mutations = Atomic(start.mutationCount)
    }

    /// Takes what a step says, before anyone is told of it: who then asks sees the new members, and
    /// who then shows a token that was taken back is refused.
    func note(_ step: Commit) {
        groups.apply(step.groups)
        revocations.apply(step.revoked, forgotten: step.forgottenRevoked)
        keyGrants.apply(step.keyGrants, forgotten: step.forgottenKeyGrants)
        if let raised = step.floors { floors.raise(to: raised) }
    }

    /// Follows the wall clock; a jump is told once.
    func observeClock(_ log: Log) {
        switch clock.observe() {
        case nil: break
        case .jumped(let seconds):
            log.warning(
                "The wall clock jumped. Timetokens follow when it has stood there for a while; "
                    + "set the clock right if it is wrong.",
                ["seconds": "\(seconds)"])
        case .followed(let seconds):
            log.warning(
                "Timetokens follow the wall clock, which has stood where it jumped to.",
                ["seconds": "\(seconds)"])
        case .returned: log.notice("The wall clock came back; nothing had followed it.")
        }
    }

    /// Shows that whoever serves the door has come round.
    func beat() {
        heartbeat.beat()
        turns.beat()
        waited.store(0, ordering: .relaxed)
    }

    /// Removed actions that changed up to here may be forgotten.
    var tombstoneFloor: Timetoken { floors.now.tombstones }

    /// Deletions of messages up to here may be forgotten.
    var deletionFloor: Timetoken { floors.now.deletions }

    /// Mutations that are remembered.
    var mutationCount: Int { mutations.value }

    /// Asks whoever serves the door to beat once.
    func requestHeartbeat() {
        _ = requests.put(.heartbeat)
    }

    /// Whether a database server lets it wait, so that nobody knows when writes will be answered.
    var isKeptWaiting: Bool { waited.value >= Limits.stalledSeconds }

    /// Writes that wait now.
    var backlog: Int { requests.count }

    /// The same, with those that wait at another daemon.
    var waiting: Int { requests.count + awaited.value }
}
