// Whether a store's digests are those of its rows, and a random life that they must survive.

import Basis
import EventModel

@testable import SyncDaemon

/// The digest of a channel, computed from nothing but its rows.
///
/// Here and below, a reader of the store's that is there already spares the making of one, which
/// prepares all its statements and takes longer than what it reads.
func recomputedDigest(
    of channel: Channel, in store: any Store, by reader: (any StoreReader)? = nil
) throws -> Digest {
    let key = store.secret.key(of: channel)
    var digest = Digest.empty
    let reader = try reader ?? store.makeReader()
    try reader.withSnapshot(of: channel) { snapshot throws(StoreError) in
        try snapshot.forEachAction { digest.insert($0, key: key) }
        try snapshot.forEachMessage(after: .zero) { message in
            digest.insert(message.row, key: key)
            return true
        }
    }
    return digest
}

/// A channel's segments, the newest first.
func storedSegments(
    of channel: Channel, in store: any Store, by reader: (any StoreReader)? = nil
) throws -> [Segment] {
    var segments: [Segment] = []
    let reader = try reader ?? store.makeReader()
    try reader.withSnapshot(of: channel) { snapshot throws(StoreError) in
        try snapshot.forEachSegment(before: .end) {
            segments.append($0)
            return true
        }
    }
    return segments
}

/// The same, cut in the same places, and computed from nothing but rows.
func recomputedSegments(
    of channel: Channel, in store: any Store, by reader: (any StoreReader)? = nil
) throws -> [Segment] {
    let key = store.secret.key(of: channel)
    let reader = try reader ?? store.makeReader()
    var segments = try storedSegments(of: channel, in: store, by: reader).map {
        Segment(after: $0.after)
    }
    func insert(_ row: CoveredRow) {
        let index = segments.firstIndex { $0.after < row.message } ?? segments.count - 1
        // One that no segment holds.
        guard index >= 0 else { return segments.append(Segment(after: .end)) }
        segments[index].insert(row, row.hash(key))
    }
    try reader.withSnapshot(of: channel) { snapshot throws(StoreError) in
        try snapshot.forEachAction { insert(.action($0)) }
        try snapshot.forEachMessage(after: .zero) { message in
            insert(.message(message.row))
            return true
        }
    }
    return segments
}

/// Where a channel's segments begin, by nothing but its messages: the newest first.
func recomputedCuts(
    of channel: Channel, in store: any Store, by reader: (any StoreReader)? = nil
) throws -> [Timetoken] {
    var cuts: [Timetoken] = []
    let reader = try reader ?? store.makeReader()
    try reader.withSnapshot(of: channel) { snapshot throws(StoreError) in
        try snapshot.forEachMessage(after: .zero) { message in
            if message.timetoken.beginsSegment(ofMessages: LedgerBench.segmentMessages) {
                cuts.append(message.timetoken.predecessor)
            }
            return true
        }
    }
    return cuts.reversed()
}

/// Writes of all kinds in some channels, and after each commit the truth.
struct DigestLife {
    let channels = [Channel("a"), Channel("b"), Channel("a", keyset: "k")]
    private(set) var choices: SeededGenerator
    private(set) var addCount = 0
    private(set) var clearingCount = 0
    private(set) var segmentsMax = 0
    private var published: [Timetoken] = [.zero]
    /// What the channels come to, by nothing but what the events said.
    private var told: [Channel: Digest] = [:]
    private let hour: UInt64 = 36_000_000_000

    init(seed: UInt64) {
        choices = SeededGenerator(seed: seed)
    }

    /// One commit, and what is wrong after it.
    mutating func step(_ bench: LedgerBench) throws -> [String] {
        bench.wall += UInt64(choices.below(100))
        if choices.chance(3) { bench.wall += 2 * hour }
        let writes = (0..<choices.below(8) + 1).map { _ in
            write(operation(at: bench.wall), channel: choices.pick(channels))
        }
        let commit: Commit
        if choices.chance(10) {
            guard let expired = bench.commitExpired() else { return [] }
            commit = expired
        } else {
            commit = bench.commit(writes)
        }
        for event in commit.events {
            if case .message = event.event { published.append(event.timetoken) }
            if case .actionAdded = event.event { addCount += 1 }
            if case .actionsCleared = event.event { clearingCount += 1 }
            let key = bench.store.secret.key(of: event.channel)
            told[event.channel, default: .empty].follow(event, key: key)
        }
        return try problems(after: commit, bench.store)
    }

    /// Mostly on recent messages, so that keys meet each other.
    private mutating func operation(at wall: UInt64) -> Write.Operation {
        let recent = Array(published.suffix(6))
        let message = choices.pick(recent)
        let key = MessageAction.Key(
            messageTimetoken: message, type: "reaction", value: choices.pick(["👍", "👎"]),
            uuid: choices.pick(["ada", "bob"]))
        switch choices.below(11) {
        case 10:
            return .clear(
                choices.chance(50)
                    ? Clearing(messageTimetoken: message) : Clearing(userID: key.uuid))
        case 0: return .publish(.numbered(wall), hoursKept: choices.pick([0, 1]))
        case 1: return .deleteMessages(after: choices.pick(recent), through: message)
        case 2: return .remove(key, observed: tick(wall))
        case 3..<6: return .remove(key, observed: nil)
        default: return .add(key)
        }
    }

    private mutating func problems(after commit: Commit, _ store: any Store) throws -> [String] {
        var problems: [String] = []
        let touched = Set(commit.events.map(\.channel))
        if Set(commit.digests.keys) != touched { problems.append("digests of other channels") }
        let reader = try store.makeReader()
        for channel in channels {
            let truth = try recomputedDigest(of: channel, in: store, by: reader)
            let stored = try reader.digest(of: channel)
            if stored.digest != truth { problems.append("\(channel) has another digest") }
            let segments = try storedSegments(of: channel, in: store, by: reader)
            segmentsMax = max(segmentsMax, segments.count)
            if try segments != recomputedSegments(of: channel, in: store, by: reader) {
                problems.append("\(channel) has other segments")
            }
            // What was never written to has none at zero.
            let cuts = segments.map(\.after).filter { $0 > .zero }
            if try cuts != recomputedCuts(of: channel, in: store, by: reader) {
                problems.append("\(channel) is cut elsewhere")
            }
            if told[channel, default: .empty] != truth {
                problems.append("\(channel) comes to something else by its events")
            }
            if let told = commit.digests[channel], told != truth {
                problems.append("\(channel) was told another digest")
            }
        }
        return problems
    }
}

extension Digest {
    /// Takes what happened into account, as a device does that does not hold the rows.
    fileprivate mutating func follow(_ event: Envelope, key: DigestKey) {
        switch event.event {
        case .message(let message):
            insert(
                MessageRow(timetoken: event.timetoken, uuid: event.uuid, type: message.type),
                key: key)
        case .actionAdded(let action): insert(action, key: key)
        case .actionRemoved(let action): remove(action, key: key)
        case .messagesDeleted, .actionsCleared: remove(event.gone ?? .empty)
        case .signal, .presence, .directory: break
        }
    }
}
