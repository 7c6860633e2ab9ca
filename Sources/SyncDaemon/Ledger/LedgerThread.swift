// The ledger's thread: takes what waits, commits it, tells the reactors. Its sync forms the next
// batch.

import Basis
import EventModel
import Synchronization

/// The part of the ledger that any thread may hold.
final class LedgerThread: Sendable {
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
    /// What cursors are worth.
    let epochs: Epochs
    let secret: DigestSecret
    let clock: DaemonClock
    /// Where this run began: every event of it is after this.
    let began: Timetoken
    private let floor: Atomic<UInt64>
    private let deletions: Atomic<UInt64>
    private let mutations: Atomic<Int>
    /// As ``Store/term`` has it.
    let term: Int
    /// Seconds that the present turn has waited for a database server.
    let waited = Atomic(0)
    /// What waits for the thread; writes wait for somebody to wake it.
    let requests = WorkQueue<Request>(
        capacity: Limits.ledgerQueueMax, costMax: Limits.ledgerQueueBytesMax
    ) { request in
        switch request {
        case .write(let write), .recall(let write, _): write.size
        default: 0
        }
    }
    private let thread: Locked<OSThread?>
    private let log: Log

    /// Starts committing.
    ///
    /// - Parameters:
    ///   - store: Made on the calling thread and handed over: nothing else may hold it.
    ///   - clock: The daemon's time.
    ///   - memberships: All channel groups of the store.
    ///   - revoked: All its revoked tokens.
    ///   - granted: All its grants to auth keys.
    ///   - tombstoneTicksKept: How long a removed action is remembered, in timetoken ticks.
    ///   - mutationTicksKept: How long a mutation is remembered, likewise.
    ///   - webhooks: Whom it is to keep events for.
    ///   - quarantine: What is left alone in a damaged store.
    ///   - accounts: How much each tenant may have.
    ///   - troubles: Told of what the store refuses.
    ///   - receiver: Told of each visible step, in order; see ``EventOrder``.
    ///   - fail: Called when the store is beyond use. It must end the process.
    init(
        store: sending any Store, clock: DaemonClock, memberships: [GroupMembership],
        revoked: [RevokedToken], granted: [KeyGrant], tombstoneTicksKept: UInt64,
        mutationTicksKept: UInt64 = Limits.mutationTicksKept,
        webhooks: [Webhook] = [], counters: Counters, log: Log, quarantine: Quarantine,
        accounts: Accounts, troubles: StoreTroubles, receiver: any CommitReceiver,
        fail: @escaping @Sendable (StoreError) -> Void
    ) {
        let requests = self.requests
        order = EventOrder(
            after: store.last, ceiling: store.clock.ceiling, wallTicks: clock.ticks,
            unstoredBytesMax: Limits.cacheBytes(
                Limits.unstoredBytesMax, within: accounts.pressure.max),
            receiver: receiver, askForCeiling: { _ = requests.put(.ceiling) })
        self.clock = clock
        self.log = log
        began = store.last
        term = store.term
        groups = ChannelGroups(memberships)
        revocations = Revocations(revoked)
        keyGrants = KeyGrants(granted)
        epochs = Epochs(store: store.epoch, runs: store.runs)
        secret = store.secret
        floor = Atomic(store.tombstoneFloor.rawValue)
        deletions = Atomic(store.deletionFloor.rawValue)
        mutations = Atomic(store.mutationCount)
        thread = Locked(nil)
        let handover = Handover(store)
        thread.withLock { thread in
            thread = OSThread(name: "ledger") { [self] in
                let ledger = Ledger(
                    store: handover.take(), tombstoneTicksKept: tombstoneTicksKept,
                    mutationTicksKept: mutationTicksKept, quarantine: quarantine,
                    accounts: accounts, anchor: clock.anchor, wallTicks: clock.ticks)
                ledger.outbox.webhooks = webhooks
                ledger.store.onWait {
                    self.heartbeat.beat()
                    self.waited.add()
                }
                outbox.tell(ledger.countOutbox())
                var chores = Chores()
                while let taken = take(waiting: !chores.areLeft) {
                    heartbeat.beat()
                    turns.beat()
                    waited.store(0, ordering: .relaxed)
                    observeClock(log)
                    serve(taken, &chores, with: ledger, counters, log, troubles, fail: fail)
                }
            }
        }
    }

    /// Commits what was taken, and does some of what is done between writes.
    private func serve(
        _ taken: [Request], _ chores: inout Chores, with ledger: Ledger, _ counters: Counters,
        _ log: Log, _ troubles: StoreTroubles, fail: (StoreError) -> Void
    ) {
        var writes: [Write] = []
        var recalls: [(Write, told: (Result<Reply, ProtocolError>?) -> Void)] = []
        for request in taken {
            switch request {
            case .write(let write): writes.append(write)
            case .recall(let write, let told): recalls.append((write, told))
            case .outbox(let step): ledger.outboxSteps.append(step)
            case .webhooks(let webhooks): ledger.outbox.webhooks = webhooks
            case .upkeep(let work, let told):
                chores.hasSpace = chores.hasSpace || work == .compact
                chores.orders.add(work, told)
            // About once a second: time to delete what is over.
            case .heartbeat, .ceiling: chores.hasBeat = true
            }
        }
        // On a full disk also amid writes, which are refused quickly.
        if writes.isEmpty || troubles.isFull, chores.hasBeat { chores.isDue = true }
        if chores.hasBeat {
            report(tellUse(of: ledger), of: 0, ledger, troubles, fail: fail)
            report(renewSeat(of: ledger), of: 0, ledger, troubles, fail: fail)
        }
        chores.hasBeat = false
        // On a full disk these go by themselves, with what makes room.
        if !writes.isEmpty || !ledger.outboxSteps.isEmpty && !troubles.isFull {
            chores.wasBusy()
            commit(writes, with: ledger, counters, log, troubles, fail: fail)
        }
        for (write, told) in recalls { told(ledger.recall(write)) }
        report(chores.orders.copyLog(of: ledger), of: 0, ledger, troubles, fail: fail)
        // Between two commits, so that no write waits for more than one step.
        let failure =
            troubles.isFull
            ? seekRoom(&chores, with: ledger, troubles)
            : doChore(&chores, with: ledger, troubles)
        report(failure, of: 0, ledger, troubles, fail: fail)
    }

    /// Removed actions that changed up to here may be forgotten.
    var tombstoneFloor: Timetoken { Timetoken(rawValue: floor.load(ordering: .acquiring)) }

    /// Deletions of messages up to here may be forgotten.
    var deletionFloor: Timetoken { Timetoken(rawValue: deletions.load(ordering: .acquiring)) }

    /// Mutations that are remembered.
    var mutationCount: Int { mutations.value }

    /// Asks the thread to beat once.
    func requestHeartbeat() {
        _ = requests.put(.heartbeat)
    }

    /// Whether a database server lets it wait, so that nobody knows when writes will be answered.
    var isKeptWaiting: Bool { waited.value >= Limits.stalledSeconds }

    /// Writes that wait now.
    var backlog: Int { requests.count }

    /// Commits everything that waits, and ends the thread.
    func stop() {
        requests.close()
        thread.withLock { $0.take() }?.join()
    }

    /// - Returns: `nil` once the thread is to end.
    private func take(waiting: Bool) -> [Request]? {
        guard waiting else { return requests.takeWaiting(atMost: Limits.commitWritesMax) }
        let taken = requests.take(atMost: Limits.commitWritesMax)
        return taken.isEmpty ? nil : taken
    }

    private func commit(
        _ writes: [Write], with ledger: Ledger, _ counters: Counters, _ log: Log,
        _ troubles: StoreTroubles, fail: (StoreError) -> Void
    ) {
        let start = Clock.monotonicMicroseconds()
        var failure: StoreError?
        var commit = ledger.commit(writes, after: order.reserve(), failure: &failure)
        if case .unstorable = failure, writes.count > 1 {
            // One of them is what no row can be: the others are not to suffer for it.
            commit.answers = []
            order.finish(commit)
            for half in [writes[..<(writes.count / 2)], writes[(writes.count / 2)...]] {
                self.commit(
                    Array(half), with: ledger, counters, log, troubles, fail: fail)
            }
            return
        }
        counters.commits.add()
        // On a full disk deletions may be taken while others are refused.
        let refused = failure.map { failure in
            commit.answers.count { $0.result == .failure(failure.refusal) }
        }
        counters.writesCommitted.add(writes.count - (refused ?? 0))
        let microseconds = Int(Clock.monotonicMicroseconds() - start)
        counters.commitMicroseconds.add(microseconds)
        if microseconds >= Limits.slowCommitMilliseconds * 1000 {
            log.warning(
                term > 0
                    ? "A commit was slow: the database server, or a standby that it waits for."
                    : "A commit was slow: the disk or the machine is busy.",
                ["milliseconds": microseconds / 1000, "writes": writes.count])
        }
        note(commit, of: ledger, failure)
        order.finish(commit)
        report(failure, of: refused ?? 0, ledger, troubles, fail: fail)
    }

    /// Before anyone is told of a commit: who then asks sees the new members, and who then shows a
    /// token that was taken back is refused.
    func note(_ commit: Commit, of ledger: Ledger, _ failure: StoreError?) {
        #if DEBUG
        if failure == nil { ledger.checkInvariants() }
        order.checkInvariants()
        #endif
        for record in commit.cleared { log.tell(of: record) }
        for record in commit.deleted { log.tell(of: record) }
        groups.apply(commit.groups)
        revocations.apply(commit.revoked, forgotten: commit.forgottenRevoked)
        keyGrants.apply(commit.keyGrants, forgotten: commit.forgottenKeyGrants)
        outbox.tell(commit.outbox)
        floor.store(ledger.store.tombstoneFloor.rawValue, ordering: .releasing)
        deletions.store(ledger.store.deletionFloor.rawValue, ordering: .releasing)
        mutations.store(ledger.store.mutationCount, ordering: .relaxed)
    }

    /// Follows the wall clock; a jump is told once.
    private func observeClock(_ log: Log) {
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

    private func report(
        _ failure: StoreError?, of writeCount: Int, _ ledger: Ledger, _ troubles: StoreTroubles,
        fail: (StoreError) -> Void
    ) {
        switch failure {
        case nil: return
        case .full:
            troubles.full(refusing: writeCount, missing: ledger.store.roomMissing)
        case .lost(let path): troubles.lost(.lost(path: path), refusing: writeCount)
        // The quarantine has told of it.
        case .damaged: troubles.refused(writeCount)
        case .some(.unstorable):
            troubles.refused(writeCount)
            log.error(
                "A write was refused: the database server cannot hold it.",
                ["error": failure?.description ?? ""])
        case .some(let failure): fail(failure)
        }
    }
}
