// Deleting messages: at once when they are few, else in steps between which others write.

import EventModel

extension Ledger {
    /// Whether ``work(after:failure:)`` has something to do.
    var hasWork: Bool {
        guard store.hasHiddenRows else { return !deletions.isEmpty }
        return isAwaited || !quarantine.holds(.housekeeping)
    }

    /// Whether somebody waits for the answer to a large deletion.
    var isAwaited: Bool { deletions.contains { $0.write != nil } }

    /// Does a bounded part of what is too large for one commit; call it between commits.
    ///
    /// On a full disk, too: to hide rows takes no more room than any small write, and it is what
    /// makes room. What cannot be done now is refused: nobody waits for a disk.
    ///
    /// - Parameter reserved: Asked for only when there is something to tell.
    /// - Returns: The commit in which a large deletion took place, answered and told; or the
    ///   refusals of those that cannot.
    func work(
        after reserved: @autoclosure () -> Timetoken = .zero, failure: inout StoreError?
    ) -> Commit? {
        // First, so that there is never more than one range to hide.
        if store.hasHiddenRows {
            guard !quarantine.holds(.housekeeping) else {
                return giveUp(.storeDamaged)
            }
            removeSome(failure: &failure)
            return failure.flatMap { giveUp($0.refusal) }
        }
        guard let deletion = deletions.first else { return nil }
        do throws(StoreError) {
            let isRead = try digests.read(
                deletion.rows, in: deletion.channel, of: store,
                limit: min(Limits.deletionReadRowsMax, 4 * deletedRowsMax))
            guard isRead else { return nil }
        } catch {
            let place = Quarantine.Place.channel(deletion.channel)
            guard case .damaged = error,
                quarantine.isolate(place, error) || quarantine.holds(place)
            else {
                failure = error
                return giveUp(error.refusal)
            }
        }
        let writes = deletion.write.map { [$0] } ?? []
        // Nothing at once: it may be here because there was no room for that.
        let commit = transact(writes, after: reserved(), rowsMax: 0, failure: &failure) {
            commit throws(StoreError) in
            try finish(deletion, into: &commit)
        }
        digests.endReading()
        deletions.removeFirst()
        return commit
    }

    /// Removes some of the rows that are hidden: fewer, when there is no room to do it in.
    ///
    /// Where there is none for one of them, the disk gets pages first that are free in the file:
    /// each of those takes less room than a row.
    private func removeSome(failure: inout StoreError?) {
        var hasGivenBack = false
        while true {
            var found: StoreError?
            _ = transact([], after: .zero, failure: &found) { _ throws(StoreError) in
                guard !quarantine.holds(.housekeeping) else { return }
                try suspecting(.housekeeping) { () throws(StoreError) in
                    try store.removeHiddenRows(limit: removal.rows)
                }
            }
            guard found == .full else {
                failure = found
                return
            }
            if removal.shrink() { continue }
            var isGiven = false
            if !hasGivenBack { isGiven = giveSpaceBack(toFullDisk: true, failure: &failure) }
            guard isGiven else {
                failure = failure ?? found
                return
            }
            hasGivenBack = true
        }
    }

    /// Refuses what somebody waits for; nothing of it took place.
    private func giveUp(_ refusal: ProtocolError) -> Commit? {
        let given = deletions.compactMap(\.write)
        guard !given.isEmpty else { return nil }
        deletions.removeAll { $0.write != nil }
        digests.endReading()
        var commit = Commit(last: last)
        commit.durable = last
        commit.ceiling = store.clock.ceiling
        commit.answers = given.map { Answer(origin: $0.origin, result: .failure(refusal)) }
        return commit
    }

    /// Deletes messages now, or puts that off.
    ///
    /// - Parameter rows: What a large deletion, whose turn has come, deletes.
    /// - Returns: `nil` when the answer comes later.
    func delete(
        _ asked: MessageRange, for write: Write, at timetoken: Timetoken,
        deleting rows: DeletedRows?, into commit: inout Commit
    ) throws(StoreError) -> Result<Outcome, ProtocolError>? {
        if case .messages(let range)? = rows {
            try hide(range, in: write.channel, for: write, at: timetoken, into: &commit)
            return .success(.deleted(timetoken))
        }
        if try deleteIfSmall(
            asked, in: write.channel, for: write, at: timetoken, into: &commit)
        {
            return .success(.deleted(timetoken))
        }
        let deletion = LargeDeletion(
            write: write, channel: write.channel, rows: .messages(asked))
        return postpone(deletion) ? nil : .failure(.overloaded)
    }

    private func finish(
        _ deletion: LargeDeletion, into commit: inout Commit
    ) throws(StoreError) {
        guard let write = deletion.write else {
            // Of itself nothing ends but messages.
            guard case .messages(let range) = deletion.rows else { return }
            guard !quarantine.holds(.channel(deletion.channel)) else { return }
            last = last.successor(at: wallTicks())
            return try suspecting(.channel(deletion.channel)) { () throws(StoreError) in
                try hide(range, in: deletion.channel, for: nil, at: last, into: &commit)
            }
        }
        // A clearing that found nothing by one name may be as large by another: its turn comes
        // again.
        guard let result = try apply(write, deleting: deletion.rows, into: &commit) else { return }
        commit.answers.append(Answer(origin: write.origin, result: result))
    }

    /// - Returns: `false` when too many wait.
    func postpone(_ deletion: LargeDeletion) -> Bool {
        let keyset = deletion.channel.keyset
        // One after the other: those of a tenant are not to hold up all others for long.
        let own = deletions.count { $0.write != nil && $0.channel.keyset == keyset }
        guard deletions.count < Limits.deletionsWaitingMax,
            own < Limits.deletionsWaitingPerKeysetMax
        else { return false }
        deletions.append(deletion)
        return true
    }

    /// Deletes messages, if these and their actions are few enough for the open transaction.
    ///
    /// - Parameter write: Who asks for it; nobody, when their time is over.
    /// - Returns: `false` when they are too many; then nothing was changed.
    func deleteIfSmall(
        _ range: MessageRange, in channel: Channel, for write: Write?, at timetoken: Timetoken,
        into commit: inout Commit
    ) throws(StoreError) -> Bool {
        let count = try store.rowCount(in: range, of: channel, limit: deletableRows + 1)
        guard count <= deletableRows else {
            return try !store.hasRows(in: range, of: channel)
        }
        deletableRows -= count
        if let gone = try digests.delete(range, at: timetoken, in: channel, of: store) {
            tell(range, of: gone, in: channel, for: write, at: timetoken, &commit)
        }
        return true
    }

    /// Deletes messages whose actions were read.
    private func hide(
        _ range: MessageRange, in channel: Channel, for write: Write?, at timetoken: Timetoken,
        into commit: inout Commit
    ) throws(StoreError) {
        if let gone = try digests.hide(range, at: timetoken, in: channel, of: store) {
            tell(range, of: gone, in: channel, for: write, at: timetoken, &commit)
        }
    }

    private func tell(
        _ range: MessageRange, of gone: Digest, in channel: Channel, for write: Write?,
        at timetoken: Timetoken, _ commit: inout Commit
    ) {
        if let write {
            commit.deleted.append(
                DeletionRecord(
                    range: range, isOwn: write.isOwnDeletion, channel: channel,
                    author: write.author))
        }
        commit.events.append(
            .deletion(
                after: range.after, through: range.through, at: timetoken, in: channel, gone: gone))
    }

    /// Deletes messages whose time is over, as many as the open transaction may.
    ///
    /// Each is a deletion of its own: they expire in no order of their channels.
    func deleteExpired(_ limit: Int, into commit: inout Commit) throws(StoreError) {
        for message in try store.expired(before: Timetoken(rawValue: age), limit: limit)
        where !quarantine.holds(.channel(message.channel)) {
            let range = MessageRange(
                after: message.timetoken.predecessor,
                through: message.timetoken)
            guard !isPostponed(range, in: message.channel) else { continue }
            let place = last.successor(at: wallTicks())
            let isDone = try suspecting(.channel(message.channel)) { () throws(StoreError) in
                try deleteIfSmall(
                    range, in: message.channel, for: nil, at: place, into: &commit)
            }
            if isDone {
                last = place
            } else if deletableRows < deletedRowsMax {
                // The next commit has room again.
                return
            } else if !postpone(
                LargeDeletion(write: nil, channel: message.channel, rows: .messages(range)))
            {
                return
            }
        }
    }

    private func isPostponed(_ range: MessageRange, in channel: Channel) -> Bool {
        deletions.contains {
            $0.write == nil && $0.channel == channel && $0.rows == .messages(range)
        }
    }
}

extension Write {
    /// Whether it is about a message of the author's own.
    fileprivate var isOwnDeletion: Bool {
        if case .deleteMessage = operation { true } else { false }
    }
}

/// What somebody deleted, for the operator's log.
struct DeletionRecord: Sendable, Hashable {
    let range: MessageRange
    /// Whether it is one message, and its author's own doing.
    let isOwn: Bool
    let channel: Channel
    let author: Author
}

extension Log {
    func tell(of record: DeletionRecord) {
        let (channel, author) = (record.channel, record.author)
        if record.isOwn {
            return notice(
                "An author deletes a message.",
                [
                    "keyset": channel.keyset, "channel": channel.name,
                    "message": record.range.through, "user": author.userID,
                    "device": author.deviceID,
                ])
        }
        notice(
            "Messages are deleted.",
            [
                "keyset": channel.keyset, "channel": channel.name, "after": record.range.after,
                "through": record.range.through, "user": author.userID,
                "device": author.deviceID,
            ])
    }
}
