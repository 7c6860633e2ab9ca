// The ledger's thread: takes what waits, commits it, tells the reactors. Its sync forms the next
// batch.

import Basis
import EventModel
import Synchronization

/// The ledger's own thread; everybody else knows its ``LedgerDoor``.
final class LedgerThread: DoorKeeper {
    let door: LedgerDoor
    private let thread: Locked<OSThread?>
    private let log: Log

    var order: EventOrder { door.order }

    /// Starts committing.
    ///
    /// - Parameters:
    ///   - store: Made on the calling thread and handed over: nothing else may hold it.
    ///   - door: Made from what that is.
    ///   - tombstoneTicksKept: How long a removed action is remembered, in timetoken ticks.
    ///   - mutationTicksKept: How long a mutation is remembered, likewise.
    ///   - webhooks: Whom it is to keep events for.
    ///   - quarantine: What is left alone in a damaged store.
    ///   - accounts: How much each tenant may have.
    ///   - troubles: Told of what the store refuses.
    ///   - fail: Called when the store is beyond use. It must end the process.
    init(
        store: sending any Store, door: LedgerDoor, tombstoneTicksKept: UInt64,
        mutationTicksKept: UInt64 = Limits.mutationTicksKept,
        webhooks: [Webhook] = [], counters: Counters, log: Log, quarantine: Quarantine,
        accounts: Accounts, troubles: StoreTroubles, fail: @escaping @Sendable (StoreError) -> Void
    ) {
        (self.door, self.log) = (door, log)
        thread = Locked(nil)
        let handover = Handover(store)
        thread.withLock { thread in
            thread = OSThread(name: "ledger") { [self] in
                let ledger = Ledger(
                    store: handover.take(), tombstoneTicksKept: tombstoneTicksKept,
                    mutationTicksKept: mutationTicksKept, quarantine: quarantine,
                    accounts: accounts, anchor: door.clock.anchor, wallTicks: door.clock.ticks)
                ledger.outbox.webhooks = webhooks
                ledger.store.onWait {
                    door.heartbeat.beat()
                    door.waited.add()
                }
                door.outbox.tell(ledger.countOutbox())
                var chores = Chores()
                while let taken = take(waiting: !chores.areLeft) {
                    door.beat()
                    door.observeClock(log)
                    serve(taken, &chores, with: ledger, counters, log, troubles, fail: fail)
                }
            }
        }
    }

    /// Commits what was taken, and does some of what is done between writes.
    private func serve(
        _ taken: [LedgerDoor.Request], _ chores: inout Chores, with ledger: Ledger,
        _ counters: Counters, _ log: Log, _ troubles: StoreTroubles, fail: (StoreError) -> Void
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
            case .announcement, .position, .mark:
                preconditionFailure("The order beside the ledger gives places itself.")
            }
        }
        // On a full disk also amid writes, which are refused quickly.
        if writes.isEmpty || troubles.isFull, chores.hasBeat { chores.isDue = true }
        if chores.hasBeat {
            door.outbox.tell(ledger.retryOutbox())
            report(tellUse(of: ledger), of: 0, ledger, troubles, fail: fail)
            report(renewSeat(of: ledger), of: 0, ledger, troubles, fail: fail)
            report(tellFree(of: ledger, counters), of: 0, ledger, troubles, fail: fail)
            ledger.store.passTime()
        }
        chores.hasBeat = false
        // On a full disk these go by themselves, with what makes room.
        if !writes.isEmpty || ledger.hasOutboxSteps && !troubles.isFull {
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

    /// Commits everything that waits, and ends the thread.
    func stop() {
        door.requests.close()
        thread.withLock { $0.take() }?.join()
    }

    /// - Returns: `nil` once the thread is to end.
    private func take(waiting: Bool) -> [LedgerDoor.Request]? {
        guard waiting else { return door.requests.takeWaiting(atMost: Limits.commitWritesMax) }
        let taken = door.requests.take(atMost: Limits.commitWritesMax)
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
        // Of those that a rule refuses nothing is there either.
        counters.writesCommitted.add(writes.count - commit.answers.count(where: \.isRefused))
        commit.made = Clock.monotonicMicroseconds()
        let microseconds = Int(commit.made - start)
        counters.commitTimes.add(UInt64(microseconds))
        if failure == nil { counters.syncTimes.add(ledger.store.syncMicroseconds) }
        note(writes, in: &commit, from: start)
        counters.writeTimes.add(writes.compactMap { $0.asked > 0 ? commit.made - $0.asked : nil })
        if microseconds >= Limits.slowCommitMilliseconds * 1000 {
            log.warning(
                door.term > 0
                    ? "A commit was slow: the database server, or a standby that it waits for."
                    : "A commit was slow: the disk or the machine is busy.",
                ["milliseconds": microseconds / 1000, "writes": writes.count])
        }
        note(commit, of: ledger, failure)
        order.finish(commit)
        report(failure, of: refused ?? 0, ledger, troubles, fail: fail)
    }

    /// Tells the traces of writes that their commit is there.
    private func note(_ writes: [Write], in commit: inout Commit, from start: UInt64) {
        for write in writes {
            guard let trace = write.trace else { continue }
            let answer = commit.answers.first { $0.origin == write.origin }
            trace.committed(
                from: start, to: commit.made, isRefused: answer?.isRefused ?? false)
            commit.traces.append(trace)
        }
    }

    /// Before anyone is told of a commit; see ``LedgerDoor/note(_:)``.
    func note(_ commit: Commit, of ledger: Ledger, _ failure: StoreError?) {
        #if DEBUG
        if failure == nil { ledger.checkInvariants() }
        order.checkInvariants()
        #endif
        for record in commit.cleared { log.tell(of: record) }
        for record in commit.deleted { log.tell(of: record) }
        door.note(commit)
        door.outbox.tell(commit.outbox)
        door.mutations.store(ledger.store.mutationCount, ordering: .relaxed)
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
        case .damaged, .unreadable: troubles.refused(writeCount)
        case .some(.unstorable):
            troubles.refused(writeCount)
            log.error(
                "A write was refused: the database server cannot hold it.",
                ["error": failure?.description ?? ""])
        case .some(let failure): fail(failure)
        }
    }
}
