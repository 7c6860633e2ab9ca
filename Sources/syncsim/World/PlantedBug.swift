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
    /// A device that was away is not told which messages were deleted.
    case forgottenDeletion = "forgotten-deletion"
    /// A reaction does not take the place of the user's former one.
    case keptRival = "kept-rival"
    /// What somebody adds by another name is stored by that name.
    case forgottenAlias = "forgotten-alias"
    /// What somebody takes back by another name is not found.
    case aliasOnAddOnly = "alias-on-add-only"
    /// Another tap does not count.
    case uncountedTap = "uncounted-tap"
    /// A device adds the score of what takes a reaction's place to that of the former one.
    case doubleCount = "double-count"
    /// A score that is too large for its place is cut off.
    case narrowScore = "narrow-score"
    /// A device that was away is not told what a moderator removed.
    case clearingForgetsLate = "clearing-forgets-late"
    /// A question for summaries is never answered.
    case laggingSummary = "lagging-summary"
    /// A page of a live query counts as of some seconds after it was read.
    case lateLivePage = "late-live-page"
    /// A text that a message had before stays where it is when it is said again.
    case earlierTextStays = "earlier-text-stays"
    /// The state of a channel keeps messages that are deleted.
    case messageLeftInState = "message-left-in-state"
    /// A device has what is on the first message of its window in what is before it.
    case wrongSide = "wrong-side"
    /// A page says that it goes further back than it does.
    case windowTooLong = "window-too-long"
    /// What happens before a window does not count.
    case uncountedBefore = "uncounted-before"
    /// A deletion says that nothing went by it.
    case nothingGone = "nothing-gone"
    /// A segment has the rows twice that it has when it ends.
    case segmentTwice = "segment-twice"
    /// A page is taken for one of later, and so put over what came meanwhile.
    case pageOverPushes = "page-over-pushes"
    /// A term begins behind what was committed, and not behind what was handed out.
    case noCeiling = "no-ceiling"
    /// A daemon whose term is over goes on committing.
    case noFence = "no-fence"
    /// What a server commits counts, whether a standby has it or not.
    case noStandbyCheck = "no-standby-check"

    /// A daemon that follows takes cursors that are ahead of it for those of a store that was lost.
    case judgeByVisible = "judge-by-visible"
    /// A daemon that follows reads the database, and is let in a while later.
    case gapAtStart = "gap-at-start"

    /// Whether it is found where a daemon follows another.
    var isAboutLinks: Bool { self == .judgeByVisible || self == .gapAtStart }

    /// Whether it is found where daemons take turns at a database server.
    var isAboutServers: Bool {
        switch self {
        case .noCeiling, .noFence, .noStandbyCheck, .judgeByVisible, .gapAtStart: true
        default: false
        }
    }

    /// Whether it is found by devices that hold a part of a channel.
    var isAboutWindows: Bool {
        switch self {
        case .wrongSide, .windowTooLong, .uncountedBefore, .nothingGone, .segmentTwice,
            .pageOverPushes:
            true
        default: false
        }
    }
}

extension Write {
    /// What the ledger is asked by somebody who knows no rules.
    func spoilt(by bug: PlantedBug?) -> Write {
        var operation = operation
        switch (operation, bug) {
        case (.add(let key, let score, var rules), .keptRival):
            rules.mode = rules.mode == .unique ? .distinct : rules.mode
            operation = .add(key, score: score, under: rules)
        case (.add(let key, let score, var rules), .forgottenAlias):
            rules.aliases = []
            operation = .add(key, score: score, under: rules)
        case (.add(let key, let score, var rules), .uncountedTap):
            rules.mode = rules.mode == .multiple ? .distinct : rules.mode
            operation = .add(key, score: score, under: rules)
        case (.remove(let key, let observed, var rules), .aliasOnAddOnly):
            rules.aliases = []
            operation = .remove(key, observed: observed, under: rules)
        case (.edit(let key, let rules), .earlierTextStays):
            operation = .add(key, under: rules)
        default: return self
        }
        return Write(
            origin: origin, author: author, channel: channel, operation: operation,
            mutation: mutation)
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

extension Batch {
    /// What somebody does who counts what took a reaction's place, and the reaction, too.
    var withDoubleCounts: Batch {
        var removed: [MessageAction.Key: Int] = [:]
        let changed = envelopes.map { envelope -> Envelope in
            if case .actionRemoved(let action) = envelope.event {
                removed[action.key] = action.score
            }
            guard case .actionAdded(let action) = envelope.event, let old = removed[action.key]
            else { return envelope }
            let both = MessageAction(
                key: action.key, actionTimetoken: action.actionTimetoken,
                score: action.score + old)
            return Envelope(
                channel: envelope.channel, timetoken: envelope.timetoken, uuid: envelope.uuid,
                event: .actionAdded(both), isStored: envelope.isStored)
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
