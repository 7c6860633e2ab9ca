// What a commit must do to the actions on a message, in every mode.

import EventModel

@testable import SyncDaemon

extension CommitModel {
    mutating func add(
        _ key: MessageAction.Key, _ asked: Int?, under rules: ReactionRules, in channel: Channel
    ) -> Outcome? {
        guard dropOthers(than: key, under: rules, in: channel) else { return nil }
        let before = mark(of: key, in: channel)
        let isCounted = rules.countsTaps && key.type == ReactionRules.type
        let score =
            isCounted ? (before?.score ?? 0) + (asked ?? 1) : asked ?? before?.score ?? 1
        if let before, before.score == score {
            return .already(before.added, score: score)
        }
        if let before, !takeRemoval(of: key, before, in: channel) { return nil }
        guard let action = takeAdd(of: key, in: channel), action.score == score else { return nil }
        return before == nil
            ? .added(action.actionTimetoken, score: score)
            : .updated(action.actionTimetoken, score: score)
    }

    /// Whether an action would count for more than it may.
    func countsTooMuch(_ write: Write) -> Bool {
        guard case .add(let asked, let score, let rules) = write.operation, rules.countsTaps,
            let before = mark(of: rules.canonical(asked), in: write.channel)
        else { return false }
        return before.score + (score ?? 1) > Limits.actionScoreMax
    }

    mutating func remove(
        _ asked: MessageAction.Key, _ observed: Timetoken?, under rules: ReactionRules,
        in channel: Channel
    ) -> Outcome? {
        let key = mark(of: asked, in: channel) == nil ? rules.canonical(asked) : asked
        guard let before = mark(of: key, in: channel) else { return .absent }
        let isTakenOff = rules.mode == .total && key.type == ReactionRules.type
        guard isTakenOff || observed ?? before.added == before.added else { return .stale }
        guard takeRemoval(of: key, before, in: channel) else { return nil }
        guard isTakenOff, before.score > 1 else { return .removed }
        guard let left = takeAdd(of: key, in: channel), left.score == before.score - 1 else {
            return nil
        }
        return .removed
    }

    /// Everything that stands and is covered goes, and is counted, by one event.
    mutating func clear(_ clearing: Clearing, in channel: Channel) -> Outcome? {
        let covered = keys(in: channel, where: clearing.covers)
        guard !covered.isEmpty else { return .absent }
        guard case .clear(channel, clearing, let timetoken)? = operations.popFirst(),
            takeEvent(.actionsCleared(clearing), in: channel, at: timetoken)
        else { return nil }
        for key in covered { standing[channel, default: [:]][key] = .some(nil) }
        return .cleared(timetoken, count: covered.count)
    }

    mutating func takeAdd(
        of key: MessageAction.Key, in channel: Channel
    ) -> MessageAction? {
        guard case .add(channel, let action)? = operations.popFirst(), action.key == key,
            takeEvent(.actionAdded(action), in: channel, at: action.actionTimetoken)
        else { return nil }
        standing[channel, default: [:]][key] = .some(ActionMark(action))
        return action
    }

    mutating func takeRemoval(
        of key: MessageAction.Key, _ mark: ActionMark, in channel: Channel
    ) -> Bool {
        guard case .remove(channel, key, let timetoken)? = operations.popFirst(),
            takeEvent(.actionRemoved(mark.action(under: key)), in: channel, at: timetoken)
        else { return false }
        standing[channel, default: [:]][key] = .some(nil)
        return true
    }

    /// Takes the removals of what an action takes the place of.
    private mutating func dropOthers(
        than key: MessageAction.Key, under rules: ReactionRules, in channel: Channel
    ) -> Bool {
        guard rules.keepsOne, key.type == ReactionRules.type else { return true }
        var others = keys(in: channel) {
            $0 != key && $0.type == key.type && $0.uuid == key.uuid
                && $0.messageTimetoken == key.messageTimetoken
        }
        while !others.isEmpty {
            guard case .remove(channel, let other, _)? = operations.first,
                others.remove(other) != nil, let mark = mark(of: other, in: channel),
                takeRemoval(of: other, mark, in: channel)
            else { return false }
        }
        return true
    }

    /// Those of the actions that stand.
    func keys(
        in channel: Channel, where isMeant: (MessageAction.Key) -> Bool
    ) -> Set<MessageAction.Key> {
        let before = truth.channels[channel].map { Array($0.actions.keys) } ?? []
        return Set(before + Array(standing[channel, default: [:]].keys)).filter {
            isMeant($0) && mark(of: $0, in: channel) != nil
        }
    }

    func mark(of key: MessageAction.Key, in channel: Channel) -> ActionMark? {
        if let changed = standing[channel]?[key] { return changed }
        return truth.channels[channel]?.actions[key]
    }
}

extension Write.Operation {
    /// Whether it may be too much for one commit.
    var mayBeLarge: Bool {
        switch self {
        case .deleteMessages, .deleteMessage, .clear: true
        default: false
        }
    }
}

extension ReactionRules {
    /// Whether a user has one reaction to a message at most; written again, as the rest of this is.
    var keepsOne: Bool { mode == .unique || mode == .flag }

    /// Whether each tap counts.
    var countsTaps: Bool { mode == .multiple || mode == .total }
}

extension MessageAction {
    /// What a client was told, as the ledger's decision.
    func outcome(_ addition: Addition) -> Outcome {
        switch addition {
        case .added: .added(actionTimetoken, score: score)
        case .already: .already(actionTimetoken, score: score)
        case .updated: .updated(actionTimetoken, score: score)
        }
    }
}
