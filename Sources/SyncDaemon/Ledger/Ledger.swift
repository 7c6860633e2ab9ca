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
    private let store: any Store
    private let wallTicks: () -> UInt64
    private var last: Timetoken

    /// - Parameter wallTicks: Reads the wall clock, in 100 ns since 1970; it may step in either
    ///   direction.
    init(store: any Store, wallTicks: @escaping () -> UInt64) {
        self.store = store
        self.wallTicks = wallTicks
        last = store.last
    }

    /// Makes `writes` durable as one transaction, in their order.
    ///
    /// When the store fails, every write is answered with an error and none took place, as far as
    /// is known.
    ///
    /// - Parameters:
    ///   - reserved: All timetokens of the commit are after it.
    ///   - failure: Set when the store failed. After anything but ``StoreError/full`` the process
    ///     must stop: a disk that failed to sync once may claim success the next time.
    /// - Complexity: One sync, whatever the number of writes.
    func commit(
        _ writes: [Write], after reserved: Timetoken = .zero, failure: inout StoreError?
    ) -> Commit {
        let start = last
        last = max(last, reserved)
        var commit = Commit()
        do throws(StoreError) {
            try store.begin()
            for write in writes {
                let result = try apply(write, into: &commit)
                commit.answers.append(Answer(origin: write.origin, result: result))
            }
            try forgetOldMutations(after: writes.count)
            try store.commit(through: last)
        } catch {
            store.rollback()
            last = start
            failure = error
            let refusal = error == .full ? ProtocolError.storeFull : .storeUnavailable
            commit.events = []
            commit.answers = writes.map { Answer(origin: $0.origin, result: .failure(refusal)) }
        }
        commit.last = last
        commit.durable = last
        return commit
    }

    private func apply(
        _ write: Write, into commit: inout Commit
    ) throws(StoreError) -> Result<Reply, ProtocolError> {
        if let mutation = write.mutation,
            let record = try store.outcome(of: mutation, by: write.author)
        {
            guard record.fingerprint == write.fingerprint else { return .failure(.mutationReused) }
            guard let reply = write.reply(to: record.outcome) else {
                return .failure(.mutationReused)
            }
            return .success(reply)
        }
        // A mutation that changes nothing takes a timetoken too: its record needs a key.
        last = last.successor(at: wallTicks())
        let outcome = try decide(write, at: last, into: &commit)
        if let mutation = write.mutation {
            let record = MutationRecord(fingerprint: write.fingerprint, outcome: outcome)
            try store.remember(record, of: mutation, by: write.author, at: last)
        }
        guard let reply = write.reply(to: outcome) else {
            preconditionFailure("The ledger decided something else than it was asked.")
        }
        return .success(reply)
    }

    private func decide(
        _ write: Write, at timetoken: Timetoken, into commit: inout Commit
    ) throws(StoreError) -> Outcome {
        switch write.operation {
        case .publish(let message):
            try store.insert(message, at: timetoken, in: write.channel, by: write.author.userID)
            commit.events.append(write.envelope(at: timetoken, .message(message)))
            return .published(timetoken)

        case .add(let key):
            if let standing = try store.standingAction(key, in: write.channel) {
                return .already(standing)
            }
            let action = MessageAction(key: key, actionTimetoken: timetoken)
            try store.add(action, in: write.channel)
            commit.events.append(write.envelope(at: timetoken, .actionAdded(action)))
            return .added(timetoken)

        case .remove(let key, let observed):
            guard let standing = try store.standingAction(key, in: write.channel) else {
                return .absent
            }
            // Observed remove: a device that saw an older action must not take the newer one away.
            if let observed, observed != standing { return .stale }
            let action = MessageAction(key: key, actionTimetoken: standing)
            try store.remove(key, at: timetoken, in: write.channel)
            commit.events.append(write.envelope(at: timetoken, .actionRemoved(action)))
            return .removed
        }
    }

    /// Forgets faster than mutations come, so that what is kept stays within its time.
    private func forgetOldMutations(after writeCount: Int) throws(StoreError) {
        guard last.rawValue > Limits.mutationTicksKept else { return }
        try store.forgetMutations(
            before: Timetoken(rawValue: last.rawValue - Limits.mutationTicksKept),
            limit: 2 * writeCount + 16)
    }
}

extension Write {
    fileprivate func envelope(at timetoken: Timetoken, _ event: Event) -> Envelope {
        Envelope(channel: channel, timetoken: timetoken, uuid: author.userID, event: event)
    }

    /// The same words for a first answer and for a retry's; `nil` when the outcome is another
    /// operation's.
    fileprivate func reply(to outcome: Outcome) -> Reply? {
        switch (outcome, operation) {
        case (.published(let timetoken), .publish):
            .published(timetoken)
        case (.added(let timetoken), .add(let key)):
            .actionAdded(MessageAction(key: key, actionTimetoken: timetoken), .added)
        case (.already(let timetoken), .add(let key)):
            .actionAdded(MessageAction(key: key, actionTimetoken: timetoken), .already)
        case (.removed, .remove): .actionRemoved(.removed)
        case (.absent, .remove): .actionRemoved(.absent)
        case (.stale, .remove): .actionRemoved(.stale)
        default: nil  // Equal fingerprints of two operations: rare, but a client can look for them.
        }
    }
}
