// What the ledger's thread does between writes: deletes what is over, makes room, gives space back.

import EventModel
import Synchronization

extension LedgerThread {
    /// What is done between writes.
    struct Chores {
        /// Whether a heartbeat came with what was taken last.
        var hasBeat = false
        /// Whether what is over is to be deleted.
        var isDue = false
        /// Since when nothing was written.
        var idleSince = Clock.monotonicMicroseconds()
        /// Whether space is to be given back, once it was idle for long enough.
        var hasSpace = true
        /// What operators want of the files.
        var orders = UpkeepOrders()
        /// Whether something is done on a full disk that makes room.
        var makesRoom = false
        /// Whether what receivers of webhooks have cannot go there, until the next heartbeat.
        var isOutboxStuck = false
        /// Whether the next one is to be done without waiting for a request.
        var areLeft = false

        /// Whether it is time to give space back.
        var givesSpace: Bool { hasSpace && (isIdle || orders.compacts) }

        var isIdle: Bool {
            Clock.monotonicMicroseconds() - idleSince >= UInt64(Limits.idleSeconds) * 1_000_000
        }

        mutating func wasBusy() {
            idleSince = Clock.monotonicMicroseconds()
            hasSpace = true
        }
    }

    /// Does one step of a large deletion, or else deletes some of what is over.
    func doChore(
        _ chores: inout Chores, with ledger: Ledger, _ troubles: StoreTroubles
    ) -> StoreError? {
        var failure: StoreError?
        ledger.outboxRows = nil
        if ledger.hasWork {
            chores.wasBusy()
            failure = doStep(with: ledger, troubles)
        } else if chores.isDue {
            let commit = ledger.commitExpired(after: order.reserve(), failure: &failure)
            if let commit {
                note(commit, of: ledger, failure)
                order.finish(commit)
                chores.wasBusy()
            }
            chores.isDue = commit != nil
        } else if chores.givesSpace {
            chores.hasSpace = ledger.giveSpaceBack(failure: &failure)
        }
        if failure == nil, order.asksForCeiling {
            order.raise(to: ledger.raiseCeiling(above: order.visible, failure: &failure))
        }
        // After a failure the next heartbeat tries again.
        if failure != nil { (chores.isDue, chores.hasSpace) = (false, false) }
        chores.areLeft =
            failure == nil
            && (chores.isDue || ledger.hasWork || ledger.hasOutboxWork
                || chores.givesSpace)
        if failure != nil || !chores.hasSpace { chores.orders.compacted(failure == nil) }
        return failure
    }

    /// Does one step of a large deletion.
    private func doStep(with ledger: Ledger, _ troubles: StoreTroubles) -> StoreError? {
        var failure: StoreError?
        let start = Clock.monotonicMicroseconds()
        // Also on a full disk: a step that had to be small makes room for a larger one.
        defer { ledger.removal.lasted(microseconds: Clock.monotonicMicroseconds() - start) }
        if let commit = ledger.work(after: order.reserve(), failure: &failure) {
            if failure != nil { troubles.refused(commit.answers.count) }
            note(commit, of: ledger, failure)
            order.finish(commit)
        }
        return failure
    }

    /// On a full disk: answers who waits for a large deletion; finds out by an empty commit whether
    /// there is room again, for nobody may be writing any more; and makes some of what is deleted.
    ///
    /// The log is emptied first: what was freed must not be eaten by a log that begins to grow
    /// before it was copied.
    func seekRoom(
        _ chores: inout Chores, with ledger: Ledger, _ troubles: StoreTroubles
    ) -> StoreError? {
        var failure: StoreError?
        chores.areLeft = false
        if ledger.isAwaited {
            failure = doStep(with: ledger, troubles)
            chores.areLeft = ledger.isAwaited
            return failure
        }
        failure = settleOutbox(&chores, with: ledger)
        guard failure == nil else { return failure }
        defer { chores.areLeft = chores.areLeft || ledger.hasOutboxWork }
        guard chores.isDue || chores.makesRoom else { return nil }
        if chores.isDue {
            chores.isDue = false
            ledger.emptyLog(failure: &failure)
            // Before anything else takes what the log gave back.
            var found: StoreError?
            if failure == nil, ledger.hasWork { found = doStep(with: ledger, troubles) }
            if found != .full { failure = failure ?? found }
            if failure == nil {
                order.raise(to: ledger.raiseCeiling(above: order.visible, failure: &failure))
            }
            if failure == nil { troubles.foundRoom() }
        }
        if failure == nil { chores.makesRoom = makeRoom(with: ledger, troubles, &failure) }
        // Whoever waits for more room is not to wait for as long as there is none.
        if failure != nil || !chores.makesRoom { chores.orders.compacted(failure == nil) }
        // After a failure the next heartbeat tries again.
        if failure != nil { chores.makesRoom = false }
        chores.areLeft = chores.makesRoom
        return failure
    }

    /// Removes some of what receivers of webhooks have: it waits in the way of others.
    private func settleOutbox(_ chores: inout Chores, with ledger: Ledger) -> StoreError? {
        if chores.isDue { chores.isOutboxStuck = false }
        guard ledger.hasOutboxSteps, !chores.isOutboxStuck else { return nil }
        var failure: StoreError?
        let commit = ledger.settleOutbox(after: order.reserve(), failure: &failure)
        note(commit, of: ledger, failure)
        order.finish(commit)
        chores.isOutboxStuck = failure != nil
        return failure == .full ? nil : failure
    }

    /// Removes some of what is deleted already, and then gives the space back.
    ///
    /// - Returns: Whether there is more.
    private func makeRoom(
        with ledger: Ledger, _ troubles: StoreTroubles, _ failure: inout StoreError?
    ) -> Bool {
        guard ledger.hasWork else {
            return ledger.giveSpaceBack(toFullDisk: true, failure: &failure)
        }
        failure = doStep(with: ledger, troubles)
        return true
    }

    func renewSeat(of ledger: Ledger) -> StoreError? {
        do throws(StoreError) {
            try ledger.store.renewSeat()
            return nil
        } catch {
            return error
        }
    }

    /// Tells what of the store's file holds nothing.
    func tellFree(of ledger: Ledger, _ counters: Counters) -> StoreError? {
        do throws(StoreError) {
            if let bytes = try ledger.store.freeBytes() {
                counters.storeFreeBytes.store(bytes, ordering: .relaxed)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Tells what tenants keep in the store.
    func tellUse(of ledger: Ledger) -> StoreError? {
        do throws(StoreError) {
            try ledger.tellUse()
            return nil
        } catch {
            return error
        }
    }
}
