// What is seen of the daemon: its commits, what its reactors are told, and what is on its disk.

import EventModel

@testable import SyncDaemon

/// Compares the daemon's storage and order with the ``Truth``, which it keeps.
struct DaemonWitness {
    typealias Finding = (invariant: String, text: String)

    private(set) var truth = Truth()
    /// The newest event that reactors were told of, in whatever life of the daemon.
    private var visible = Timetoken.zero
    /// Where the newest term began.
    private var began = Timetoken.zero
    /// A transaction of which only the next start tells whether it is durable.
    private var doubt: [StoredOperation] = []

    /// The daemon starts.
    mutating func begin(with store: SimulatedStore) throws(StoreError) -> [Finding] {
        defer { (doubt, began) = ([], store.last) }
        // A transaction is there as a whole, or not at all.
        guard let last = doubt.last, try last.isDone(in: store) else { return [] }
        return truth.apply(doubt).map { ("I1", $0) }
    }

    /// Another store is in the place of the present one.
    mutating func begin(with truth: Truth) {
        self = DaemonWitness()
        self.truth = truth
    }

    /// A transaction ended, well or not.
    mutating func see(
        _ commit: Commit, of writes: [Write], _ store: SimulatedStore, failed: Bool
    ) -> [Finding] {
        var found: [Finding] = []
        if !failed {
            var model = CommitModel(commit, store.operations, after: truth)
            model.check(commit, of: writes)
            found += model.problems.map { ("I1", $0) }
        } else if !commit.events.isEmpty {
            found.append(("I5", "a failed commit has events"))
        }
        switch store.outcome {
        case .durable: found += truth.apply(store.operations).map { ("I1", $0) }
        case .gone: break
        case .unknown: doubt = store.operations
        }
        return found
    }

    /// The reactors are told of a step.
    mutating func see(_ step: Commit) -> [Finding] {
        var found: [Finding] = []
        for event in step.events {
            if event.timetoken <= visible {
                found.append(("I1", "\(event.timetoken) became visible after \(visible)"))
            }
            visible = event.timetoken
            if event.isStored, !truth.timetokens.contains(event.timetoken) {
                found.append(("I5", "\(event.timetoken) became visible before it was durable"))
            }
        }
        if step.last < visible { found.append(("I1", "a step ends before its events")) }
        visible = max(visible, step.last)
        return found
    }

    /// The same of a daemon whose term is over, and who may not know that yet.
    func seeLate(_ step: Commit) -> [Finding] {
        var found: [Finding] = []
        for event in step.events {
            if event.timetoken > began {
                found.append(("I1", "\(event.timetoken) is of the term that began at \(began)"))
            }
            if event.isStored && !truth.timetokens.contains(event.timetoken) {
                found.append(("I5", "\(event.timetoken) became visible, and is not durable"))
            }
        }
        return found
    }

    /// Everything that is durable is in the store, and nothing else.
    func check(
        _ reader: any StoreReader, _ channels: [String], secret: DigestSecret
    ) throws(StoreError) -> [Finding] {
        var found: [Finding] = []
        for name in channels {
            let channel = Channel(name)
            let rows = truth.rows(of: name)
            let stored = try StoredChannel(channel, from: reader)
            if stored.actions != rows.actions {
                found.append(("I9", "the store has other actions in \(name)"))
            }
            if stored.messages != rows.messages {
                found.append(("I9", "the store has other messages in \(name)"))
            }
            if digest(of: channel, secret) != stored.digest {
                found.append(("I2", "the store's digest of \(name) is not that of its rows"))
            }
            if segments(of: channel, cutAs: stored.segments, secret) != stored.segments {
                found.append(("I2", "the segments of \(name) are not those of its rows"))
            }
        }
        return found
    }

    /// No user has reactions that cannot stand beside each other, or by other names than they have.
    func check(_ rules: ReactionRules) -> [Finding] {
        var found: [Finding] = []
        for (channel, rows) in truth.channels {
            let keys = rows.actions.keys.filter { $0.type == ReactionRules.type }
            for key in keys where rules.canonical(key) != key {
                found.append(("I12", "\(key) in \(channel.name) is not its canonical name"))
            }
            let users = Dictionary(grouping: keys) { "\($0.messageTimetoken) \($0.uuid)" }
            for (user, own) in users where rules.keepsOne && own.count > 1 {
                found.append(("I12", "\(user) has \(own.count) reactions in \(channel.name)"))
            }
        }
        return found
    }

    /// The groups are as they were left.
    func check(_ groups: ChannelGroups) -> [Finding] {
        PollInterests.groups.compactMap { name in
            let group = ChannelGroup(name, keyset: Channel.defaultKeyset)
            let channels = truth.groups[group, default: []].sorted()
            guard groups.channels(of: group) != channels else { return nil }
            return ("I9", "the group \(name) is not \(channels)")
        }
    }

    /// What a commit says of its channels is so.
    func check(_ digests: [Channel: Digest], secret: DigestSecret) -> [Finding] {
        digests.compactMap { channel, digest in
            guard digest != self.digest(of: channel, secret) else { return nil }
            return ("I2", "the digest of \(channel.name) is not that of its rows")
        }
    }

    /// The same of its segments.
    ///
    /// - Parameter cut: Where they start, the newest first.
    private func segments(
        of channel: Channel, cutAs cut: [Segment], _ secret: DigestSecret
    ) -> [Segment] {
        let key = secret.key(of: channel)
        var segments = cut.map { Segment(after: $0.after) }
        func insert(_ row: CoveredRow) {
            let index = segments.firstIndex { $0.after < row.message } ?? segments.count - 1
            // One that no segment holds.
            guard index >= 0 else { return segments.append(Segment(after: .end)) }
            segments[index].insert(row, row.hash(key))
        }
        let rows = truth.rows(of: channel.name)
        for (action, mark) in rows.actions { insert(.action(mark.action(under: action))) }
        for (timetoken, entry) in rows.messages { insert(.message(entry.row(at: timetoken))) }
        return segments
    }

    /// From the rows of the truth.
    private func digest(of channel: Channel, _ secret: DigestSecret) -> Digest {
        let key = secret.key(of: channel)
        var digest = Digest.empty
        let rows = truth.rows(of: channel.name)
        for (action, mark) in rows.actions { digest.insert(mark.action(under: action), key: key) }
        for (timetoken, entry) in rows.messages {
            digest.insert(entry.row(at: timetoken), key: key)
        }
        return digest
    }
}
