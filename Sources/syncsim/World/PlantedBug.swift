// Defects that are put in on purpose, to see whether the simulator finds them.

import EventModel

@testable import SyncDaemon

/// One mistake that somebody could make.
enum PlantedBug: String, CaseIterable {
    /// A device applies all removals of a batch, and then all adds.
    case removalsFirst = "removals-first"
    /// A catching-up device is not told of one removal.
    case droppedTombstone = "dropped-tombstone"
    /// A change of rows does not change the channel's digest.
    case skippedDigest = "skipped-digest"
    /// The store does not remember one mutation.
    case forgottenMutation = "forgotten-mutation"
    /// A cursor from before forgotten tombstones is served as if none were.
    case ignoredFloor = "ignored-floor"
    /// What is kept for a time goes by the clock on the wall.
    case steppedRetention = "stepped-retention"
    /// Some polls are answered as if their cursor were the present moment.
    case pollFromNow = "poll-from-now"
    /// What presence announces while a commit is under way goes nowhere.
    case presenceLostInCommit = "presence-lost-in-commit"
    /// A transaction that found no room counts as made.
    case acknowledgedOnFullDisk = "acknowledged-on-full-disk"
    /// Positions are handed out that the store does not know of after a power loss.
    case unkeptPosition = "unkept-position"
    /// A device that has nothing is told what was deleted before it came.
    case deletionForFreshDevice = "deletion-for-fresh-device"
    /// A reaction does not take the place of the user's former one.
    case keptRival = "kept-rival"
    /// What somebody adds by another name is stored by that name.
    case forgottenAlias = "forgotten-alias"
}

extension Write {
    /// What the ledger is asked by somebody who knows no rules.
    func spoilt(by bug: PlantedBug?) -> Write {
        guard case .add(let key, var rules) = operation else { return self }
        switch bug {
        case .keptRival: rules.mode = rules.mode == .unique ? .distinct : rules.mode
        case .forgottenAlias: rules.aliases = []
        default: return self
        }
        return Write(
            origin: origin, author: author, channel: channel,
            operation: .add(key, under: rules), mutation: mutation)
    }
}

extension Batch {
    /// What somebody does who applies removals at once, and adds after the loop.
    var withRemovalsFirst: Batch {
        let actions = envelopes.filter { $0.isAdd || $0.isRemoval }
        var shuffled = (actions.filter(\.isRemoval) + actions.filter(\.isAdd))[...]
        // Each takes the place of another one, or the cache would drop what comes late.
        let changed = envelopes.map { envelope -> Envelope in
            guard envelope.isAdd || envelope.isRemoval, let event = shuffled.popFirst() else {
                return envelope
            }
            return Envelope(
                channel: event.channel, timetoken: envelope.timetoken, uuid: event.uuid,
                event: event.event, isStored: event.isStored)
        }
        return Batch(channel: channel, cursor: cursor, envelopes: changed, state: state)
    }
}

extension Envelope {
    fileprivate var isAdd: Bool {
        if case .actionAdded = event { true } else { false }
    }

    fileprivate var isRemoval: Bool {
        if case .actionRemoved = event { true } else { false }
    }
}
