// The one order point: gives each change its place, drops what was done before, and makes it
// durable.
//
// The deciding half: no thread and no clock of its own, so tests and simulations drive it directly.

import EventModel

/// Orders, deduplicates and stores.
///
/// Nothing leaves it before it is durable: a commit's answers and events exist only after the store
/// said so.
final class Ledger {
    let store: any Store
    let wallTicks: () -> UInt64
    var last: Timetoken
    /// Revoked tokens of each keyset that was asked for, counted once.
    var revokedCounts: [ExactText: Int] = [:]
    /// The same of what is granted to auth keys.
    var keyGrantCounts: [ExactText: Int] = [:]
    /// Of all keysets; `nil`: to be counted.
    var allKeyGrants: Int?
    /// What the groups of each keyset that was asked for take up, counted once.
    var groupUse: [ExactText: GroupUse] = [:]
    /// Channels in all groups of all keysets; `nil`: to be counted.
    var groupChannels: Int?
    var digests: ChannelDigests
    /// Too large for one commit; the first one is being worked on.
    var deletions: [LargeDeletion] = []
    /// Rows that the open transaction may still delete.
    var deletableRows = 0
    let deletedRowsMax: Int
    /// How much of a large deletion is removed between two commits.
    var removal: RemovalStep
    let tombstoneTicksKept: UInt64
    let mutationTicksKept: UInt64
    let quarantine: Quarantine
    /// How much each tenant may have.
    let accounts: Accounts
    /// What webhooks are to get.
    var outbox = OutboxBatches()
    /// Whose messages reactions of the open transaction are to that may be deleted in it.
    var reactionAuthors: [Timetoken: String] = [:]
    /// Events of it of which that is known.
    var authorsNoted = 0
    /// What became of what they got, and is not in the store yet.
    var outboxSteps: [OutboxStep] = []
    /// Whether the last commit left some of these, though it took them.
    var hasOutboxWork = false
    /// What the open transaction leaves of these for the next.
    var unfinishedSteps: [OutboxStep] = []
    /// On a full disk: rows of what was delivered that go at a time, in commits of their own.
    ///
    /// `nil`: whole batches go, with whatever else is committed.
    var outboxRows: Int?
    /// Whether the open transaction is one of these.
    var isSettlingOutbox = false
    /// When damage was met where events wait for webhooks.
    var outboxDamage = OutboxDamage()
    /// Where the present attempt met damage.
    private var suspect: Quarantine.Place?
    let anchor: () -> ClockAnchor
    /// Now, on the retention clock; read once per commit.
    var age: UInt64 = 0
    /// `nil`: to be read.
    var ages: AgeTable?

    /// - Parameters:
    ///   - tombstoneTicksKept: How long a removed action is remembered, in timetoken ticks.
    ///   - mutationTicksKept: How long a mutation is remembered, likewise.
    ///   - deletedRowsMax: Rows that one commit deletes.
    ///   - segments: Where channels are cut into segments.
    ///   - quarantine: What is left alone, and is told of more.
    ///   - accounts: How much each tenant may have.
    ///   - anchor: Reads all clocks; `nil`: there is one, which never steps.
    ///   - wallTicks: Reads the daemon's time, in 100 ns since 1970; it may step in either
    ///     direction.
    init(
        store: any Store, tombstoneTicksKept: UInt64,
        mutationTicksKept: UInt64 = Limits.mutationTicksKept,
        deletedRowsMax: Int = Limits.deletedRowsPerCommitMax,
        segments: SegmentBounds = SegmentBounds(),
        quarantine: Quarantine = Quarantine(), accounts: Accounts = Accounts(),
        anchor: (() -> ClockAnchor)? = nil, wallTicks: @escaping () -> UInt64
    ) {
        self.deletedRowsMax = deletedRowsMax
        removal = RemovalStep(rowsMax: deletedRowsMax)
        self.mutationTicksKept = mutationTicksKept
        self.quarantine = quarantine
        self.accounts = accounts
        self.store = store
        self.tombstoneTicksKept = tombstoneTicksKept
        self.wallTicks = wallTicks
        self.anchor =
            anchor ?? {
                let now = wallTicks()
                return ClockAnchor(boot: "", uptime: now, ticks: now, age: now)
            }
        digests = ChannelDigests(secret: store.secret, segments: segments)
        last = store.last
    }

    /// Makes `writes` durable as one transaction, in their order.
    ///
    /// When the store fails, every write is answered with an error and none took place, as far as
    /// is known. A deletion that is too large, or finds no room to remove its rows at once, is
    /// answered by a later ``work(after:failure:)``. A write that meets damage is refused alone,
    /// and what it met is left alone from then on.
    ///
    /// - Parameters:
    ///   - reserved: All timetokens of the commit are after it.
    ///   - expiredMax: Messages that are deleted because their time is over; `nil`: more than can
    ///     have come with as many writes.
    ///   - rowsMax: Rows that are deleted at once; `nil`: as many as usual, and none once these
    ///     found no room.
    ///   - failure: Set when the store failed. After ``StoreError/broken(code:reason:)`` the
    ///     process must stop: a disk that failed to sync once may claim success the next time.
    /// - Complexity: One sync, whatever the number of writes.
    func commit(
        _ writes: [Write], after reserved: Timetoken = .zero,
        deletingExpired expiredMax: Int? = nil, rowsMax: Int? = nil,
        failure: inout StoreError?
    ) -> Commit {
        var found: StoreError?
        let commit = transact(writes, after: reserved, rowsMax: rowsMax, failure: &found) {
            commit throws(StoreError) in
            try store.foresee(writes.flatMap(\.lookups) + [.old(oldRows)])
            for write in writes {
                guard let result = try apply(write, into: &commit) else { continue }
                commit.answers.append(Answer(origin: write.origin, result: result))
            }
            guard !quarantine.holds(.housekeeping) else { return }
            try suspecting(.housekeeping) { () throws(StoreError) in
                try deleteExpired(expiredMax ?? 2 * writes.count + 16, into: &commit)
                try markAge()
                try forgetOldMutations(after: writes.count)
                try forgetOldTombstones(expiredMax.map { 8 * $0 } ?? 2 * writes.count + 16)
                try forgetRevoked(expiredMax ?? 2 * writes.count + 16, into: &commit)
                try forgetKeyGrants(expiredMax ?? 2 * writes.count + 16, into: &commit)
                if writes.isEmpty, store.hasRowsWithoutSum {
                    try store.sumUpOldRows(limit: Limits.oldRowsPerCommitMax)
                }
            }
        }
        guard found == .full, rowsMax == nil, !writes.isEmpty, deletableRows < deletedRowsMax else {
            failure = found ?? failure
            return commit
        }
        return hideInstead(writes, after: reserved, failure: &failure)
    }

    /// Runs `body` as one transaction of the store, and refuses `writes` when that fails.
    ///
    /// Again, when it met damage that is left alone from then on: each time it is another place,
    /// and there are not many in one commit. Once again, when the disk was full and the log had
    /// room to give.
    ///
    /// - Parameter rowsMax: Rows that it deletes; `nil`: as many as usual.
    func transact(
        _ writes: [Write], after reserved: Timetoken, rowsMax: Int? = nil,
        failure: inout StoreError?, _ body: (inout Commit) throws(StoreError) -> Void
    ) -> Commit {
        let start = (last: last, deletions: deletions.count, reading: digests.reading)
        let uses = outbox.uses
        var hasMadeRoom = false
        while true {
            var commit = Commit()
            do throws(StoreError) {
                last = max(start.last, reserved)
                deletableRows = rowsMax ?? deletedRowsMax
                (suspect, reactionAuthors, authorsNoted) = (nil, [:], 0)
                let now = try readClocks()
                try store.begin()
                try body(&commit)
                try writeDigests(into: &commit)
                try writeOutbox(into: &commit)
                try store.commit(through: last, record(of: now, above: last))
                endOutbox(isCommitted: true, before: uses)
                commit.ceiling = store.clock.ceiling
            } catch {
                store.rollback()
                endOutbox(isCommitted: false, before: uses)
                last = start.last
                deletions.removeLast(deletions.count - start.deletions)
                (revokedCounts, keyGrantCounts, allKeyGrants) = ([:], [:], nil)
                (groupUse, groupChannels) = ([:], nil)
                digests.rollBack(to: start.reading)
                ages = nil
                let found = passing(error, in: suspect) ?? error
                if case .damaged = found, quarantine.isolate(suspect, error) { continue }
                failure = found
                if !hasMadeRoom, makesRoom(after: &failure) {
                    hasMadeRoom = true
                    continue
                }
                commit = Commit()
                commit.answers = writes.map {
                    Answer(origin: $0.origin, result: .failure(found.refusal))
                }
            }
            commit.last = last
            commit.durable = last
            commit.floors = StoreFloors(
                tombstones: store.tombstoneFloor, deletions: store.deletionFloor)
            return commit
        }
    }

    private func writeDigests(into commit: inout Commit) throws(StoreError) {
        do throws(StoreError) {
            commit.digests = try digests.write(to: store)
        } catch {
            suspect = digests.written.map { .channel($0) }
            throw error
        }
    }

    /// - Parameter rows: What a large deletion, whose turn has come, deletes.
    /// - Returns: `nil` when the answer comes later.
    func apply(
        _ write: Write, deleting rows: DeletedRows? = nil, into commit: inout Commit
    ) throws(StoreError) -> Result<Reply, ProtocolError>? {
        guard !quarantine.holds(write) else { return .failure(.storeDamaged) }
        if let earlier = try earlierAnswer(to: write) { return earlier }
        if let refusal = try suspecting(
            write.place, { () throws(StoreError) in try quotaRefusal(of: write) })
        {
            return .failure(refusal)
        }
        // A mutation that changes nothing takes a timetoken too: its record needs a key.
        last = last.successor(at: wallTicks())
        let outcome: Outcome
        let decision = try suspecting(write.place) { () throws(StoreError) in
            if case .deleteMessage = write.operation { try noteAuthors(of: commit.events) }
            if case .deleteMessages = write.operation { try noteAuthors(of: commit.events) }
            return try decide(write, at: last, deleting: rows, into: &commit)
        }
        switch decision {
        case nil: return nil
        case .success(let decided): outcome = decided
        // Not remembered: the same may succeed later.
        case .failure(let refusal): return .failure(refusal)
        }
        if let mutation = write.mutation {
            let record = MutationRecord(fingerprint: write.fingerprint, outcome: outcome)
            try suspecting(.author(write.author)) { () throws(StoreError) in
                try store.remember(record, of: mutation, by: write.author, at: last)
            }
        }
        guard let reply = write.reply(to: outcome) else {
            preconditionFailure("The ledger decided something else than it was asked.")
        }
        return .success(reply)
    }

    /// What a write is answered that was carried out before; `nil`: it is new.
    private func earlierAnswer(
        to write: Write
    ) throws(StoreError) -> Result<Reply, ProtocolError>? {
        guard let mutation = write.mutation,
            let record = try suspecting(
                .author(write.author),
                { () throws(StoreError) in try store.outcome(of: mutation, by: write.author) })
        else { return nil }
        guard write.hasFingerprint(record.fingerprint) else { return .failure(.mutationReused) }
        let first = try suspecting(
            write.place, { () throws(StoreError) in try asWritten(write, record.outcome) })
        return first.reply(to: record.outcome).map { .success($0) } ?? .failure(.mutationReused)
    }

    /// The same, between two commits; also `nil` where that cannot be read, which the write itself
    /// will meet.
    func recall(_ write: Write) -> Result<Reply, ProtocolError>? {
        guard !quarantine.holds(write) else { return nil }
        return try? earlierAnswer(to: write)
    }

    /// Notes where it was if the store fails.
    func suspecting<Result>(
        _ place: @autoclosure () -> Quarantine.Place, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            // The innermost place is the one to leave alone.
            suspect = suspect ?? place()
            throw error
        }
    }

    private func decide(
        _ write: Write, at timetoken: Timetoken, deleting rows: DeletedRows?,
        into commit: inout Commit
    ) throws(StoreError) -> Result<Outcome, ProtocolError>? {
        switch write.operation {
        case .publish(let message, let hoursKept):
            try store.insert(
                message, at: timetoken, in: write.channel, by: write.author.userID,
                expires: hoursKept > 0 ? expiry(after: hoursKept) : nil)
            let row = MessageRow(
                timetoken: timetoken, uuid: write.author.userID, type: message.type)
            try digests.insert(.message(row), in: write.channel, of: store)
            commit.events.append(write.envelope(at: timetoken, .message(message)))
            return .success(.published(timetoken))

        case .add(let key, let score, let rules):
            // Nobody can have seen it. (What stands there would belong to every segment to come.)
            guard key.messageTimetoken <= timetoken else { return .failure(.noSuchMessage) }
            return key.type == VersionKind.edited.type
                ? try say(key, score, under: rules, for: write, at: timetoken, into: &commit)
                : try add(key, score, under: rules, for: write, at: timetoken, into: &commit)

        case .remove(let asked, let observed, let rules):
            return try remove(
                asked, observed: observed, under: rules, for: write, at: timetoken, into: &commit)

        case .removeAction(let message, let added, let userID, let rules):
            guard
                let action = try store.action(onMessage: message, addedAt: added, in: write.channel)
            else { return .success(.absent) }
            guard ExactText(action.key.uuid) == ExactText(userID) else {
                return .success(.notOwner)
            }
            try takeBack(action, under: rules, for: write, at: timetoken, into: &commit)
            return .success(.removed)

        case .edit(let key, let rules):
            return try edit(key, under: rules, for: write, at: timetoken, into: &commit)

        case .deleteMessage(let message):
            return try deleteOwn(
                message, for: write, at: timetoken, deleting: rows, into: &commit)

        case .deleteMessages(let start, let end):
            // Nothing that is still to come is deleted.
            let asked = MessageRange(after: start, through: min(end, timetoken))
            return try delete(asked, for: write, at: timetoken, deleting: rows, into: &commit)

        case .clear(let clearing, let rules):
            return try clear(
                clearing, under: rules, for: write, at: timetoken, deleting: rows, into: &commit)

        case .changeGroup(let group, let change):
            return try self.change(group, change, into: &commit)

        case .revoke(let token):
            return try revoke(token, into: &commit)

        case .grant(let grants):
            return try grant(grants, into: &commit)

        case .markRead(let through):
            return try markRead(through: through, for: write, into: &commit)
        case .changeFile(let change): return try self.change(change, for: write, at: timetoken)
        case .changeDevice(let device, let change, let owner):
            return try self.change(device, change, by: owner)
        case .changeDirectory(let request):
            return try change(request, for: write, at: timetoken, into: &commit)
        }
    }
}
