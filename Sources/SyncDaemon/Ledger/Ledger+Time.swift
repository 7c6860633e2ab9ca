// What the ledger knows of time: how far positions may go, and what has been there for long enough.

import EventModel

extension Ledger {
    /// Deletes messages whose time is over, and forgets old tombstones: for when no writes come.
    ///
    /// - Parameter reserved: Asked for only when there is something to delete.
    /// - Returns: A commit like any other; `nil` when there is nothing. Call again until then.
    func commitExpired(
        after reserved: @autoclosure () -> Timetoken = .zero, failure: inout StoreError?
    ) -> Commit? {
        guard !quarantine.holds(.housekeeping) else { return nil }
        do throws(StoreError) {
            _ = try readClocks()
            var isNeeded = store.hasRowsWithoutSum
            if !isNeeded {
                isNeeded = try !store.expired(before: Timetoken(rawValue: age), limit: 1).isEmpty
            }
            if !isNeeded { isNeeded = try hasOldTombstones() }
            if !isNeeded { isNeeded = try hasOldDeletions() }
            if !isNeeded { isNeeded = try hasOldMutations() }
            if !isNeeded { isNeeded = try hasForgettableRevoked() }
            if !isNeeded { isNeeded = try hasForgettableKeyGrants() }
            guard isNeeded else { return nil }
        } catch {
            if case .damaged = error, quarantine.isolate(.housekeeping, error) { return nil }
            failure = error
            return nil
        }
        return commit(
            [], after: reserved(), deletingExpired: Limits.commitWritesMax, failure: &failure)
    }

    func readClocks() throws(StoreError) -> ClockAnchor {
        let now = anchor()
        age = max(age, now.age)
        if ages == nil {
            ages = AgeTable(
                try store.ages(),
                newest: AgeMark(through: store.last, ticks: store.clock.anchor?.age ?? age),
                kept: min(
                    tombstoneTicksKept, mutationTicksKept)...max(
                        tombstoneTicksKept, mutationTicksKept))
        }
        return now
    }

    /// What a commit through `last` says of time: positions may go on for a while after it.
    func record(of now: ClockAnchor, above last: Timetoken) -> ClockRecord {
        let ceiling = max(last, Timetoken(rawValue: now.ticks)).advanced(by: Limits.ceilingTicks)
        return ClockRecord(ceiling: max(ceiling, store.clock.ceiling), anchor: now)
    }

    /// Raises the ceiling though there is nothing to write.
    ///
    /// - Parameter visible: The newest position that was handed out.
    /// - Returns: The ceiling that is durable now; `nil` when the store failed.
    func raiseCeiling(above visible: Timetoken, failure: inout StoreError?) -> Timetoken? {
        do throws(StoreError) {
            let now = try readClocks()
            try store.begin()
            try markAge()
            try store.commit(through: last, record(of: now, above: max(last, visible)))
            return store.clock.ceiling
        } catch {
            store.rollback()
            ages = nil
            failure = error
            return nil
        }
    }

    func markAge() throws(StoreError) {
        guard let (mark, forgettable) = ages?.see(last, at: age) else { return }
        try store.add(mark)
        try store.forgetAges(before: forgettable)
    }

    /// So many hours after now, on the retention clock.
    func expiry(after hours: Int) -> Timetoken? {
        let (ticks, isTooLong) = UInt64(hours).multipliedReportingOverflow(by: 3600 * 10_000_000)
        guard !isTooLong, ticks < Timetoken.end.rawValue - age else { return nil }
        return Timetoken(rawValue: age + ticks)
    }

    /// What is before this has been there for so long.
    func moment(ticksBefore kept: UInt64) -> Timetoken {
        ages?.moment(ticksBefore: kept, now: age) ?? .zero
    }

    /// Before when rows are over.
    var oldRows: OldRows {
        OldRows(
            age: Timetoken(rawValue: age), seconds: seconds,
            mutations: moment(ticksBefore: mutationTicksKept),
            tombstones: moment(ticksBefore: tombstoneTicksKept))
    }

    /// Forgets faster than mutations come, so that what is kept stays within its time.
    func forgetOldMutations(after writeCount: Int) throws(StoreError) {
        let moment = moment(ticksBefore: mutationTicksKept)
        guard moment > .zero else { return }
        let limit = writeCount == 0 ? deletedRowsMax : 2 * writeCount + 16
        try store.forgetMutations(before: moment, limit: limit)
    }

    func hasOldMutations() throws(StoreError) -> Bool {
        try store.hasMutations(before: moment(ticksBefore: mutationTicksKept))
    }

    /// Forgets removed actions and deletions.
    func forgetOldTombstones(_ limit: Int) throws(StoreError) {
        let moment = moment(ticksBefore: tombstoneTicksKept)
        try store.forgetTombstones(before: moment, limit: limit)
        try store.forgetDeletions(before: moment, limit: limit)
    }

    func hasOldDeletions() throws(StoreError) -> Bool {
        try store.hasDeletions(before: moment(ticksBefore: tombstoneTicksKept))
    }

    func hasOldTombstones() throws(StoreError) -> Bool {
        try store.hasTombstones(before: moment(ticksBefore: tombstoneTicksKept))
    }
}
