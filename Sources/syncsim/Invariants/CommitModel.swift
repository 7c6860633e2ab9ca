// What each commit must do, decided a second time from nothing but its writes and the truth before.

import EventModel

@testable import SyncDaemon

/// Checks a commit's operations, events and answers against each other.
struct CommitModel {
    private let truth: Truth
    private var operations: ArraySlice<StoredOperation>
    private var events: ArraySlice<Envelope>
    /// What changed within the commit so far.
    private var standing: [Channel: [MessageAction.Key: Timetoken?]] = [:]
    private var remembered: [Truth.MutationName: Outcome] = [:]
    private(set) var problems: [String] = []

    /// - Parameter truth: As it was before the commit.
    init(_ commit: Commit, _ operations: [StoredOperation], after truth: Truth) {
        self.truth = truth
        self.operations = operations[...]
        events = commit.events[...]
    }

    mutating func check(_ commit: Commit, of writes: [Write]) {
        var answers = commit.answers[...]
        for write in writes {
            if case .deleteMessages = write.operation, answers.first?.origin != write.origin {
                // It is large: a later commit answers.
                continue
            }
            guard let answer = answers.popFirst() else { return fail("\(write) has no answer") }
            check(write, answer)
        }
        if let answer = answers.first { fail("nobody asked for the answer \(answer)") }
        // What is left are messages whose time was over.
        while let operation = operations.popFirst() {
            guard case .delete(let channel, let start, let end, let timetoken) = operation,
                takeEvent(
                    .messagesDeleted(after: start, through: end), in: channel, at: timetoken)
            else { return fail("nobody asked for \(operation)") }
        }
        if let event = events.first { fail("nobody asked for the event \(event)") }
    }

    private mutating func fail(_ text: String) {
        problems.append(text)
    }

    private mutating func check(_ write: Write, _ answer: Answer) {
        if answer.origin != write.origin { fail("I5: an answer went to \(answer.origin)") }
        let name = write.mutation.map { Truth.MutationName(author: write.author, name: $0) }
        if let name, let earlier = remembered[name] ?? truth.mutations[name]?.outcome {
            guard answer.result.outcome(of: write) == earlier else {
                return fail("I5: a retry of \(name.name) was answered with \(answer.result)")
            }
            return
        }
        let outcome = decide(write)
        guard let outcome, answer.result.outcome(of: write) == outcome else {
            return fail("\(write.operation) was answered with \(answer.result)")
        }
        guard let name else { return }
        guard case .remember(_, name.name, let record)? = operations.popFirst(),
            record.outcome == outcome
        else { return fail("I5: \(name.name) is not remembered") }
        remembered[name] = outcome
    }

    /// What must become of a write; takes its operation and its event.
    private mutating func decide(_ write: Write) -> Outcome? {
        let channel = write.channel
        switch write.operation {
        case .publish(let message, _):
            guard
                case .insert(channel, let timetoken, write.author.userID, message, _)? =
                    operations.popFirst(), takeEvent(.message(message), in: channel, at: timetoken)
            else { return nil }
            return .published(timetoken)
        case .add(let asked, let rules):
            let key = rules.canonical(asked)
            guard dropOthers(than: key, under: rules, in: channel) else { return nil }
            if let added = since(key, in: channel) { return .already(added) }
            guard case .add(channel, let action)? = operations.popFirst(), action.key == key,
                takeEvent(.actionAdded(action), in: channel, at: action.actionTimetoken)
            else { return nil }
            standing[channel, default: [:]][key] = .some(action.actionTimetoken)
            return .added(action.actionTimetoken)
        case .remove(let asked, let observed, let rules):
            let key = since(asked, in: channel) == nil ? rules.canonical(asked) : asked
            guard let added = since(key, in: channel) else { return .absent }
            guard observed ?? added == added else { return .stale }
            let action = MessageAction(key: key, actionTimetoken: added)
            guard case .remove(channel, key, let timetoken)? = operations.popFirst(),
                takeEvent(.actionRemoved(action), in: channel, at: timetoken)
            else { return nil }
            standing[channel, default: [:]][key] = .some(nil)
            return .removed
        case .deleteMessages:
            guard case .delete(channel, let start, let end, let timetoken)? = operations.first
            else {
                // Nothing was in the range.
                return .deleted(.zero)
            }
            operations = operations.dropFirst()
            guard
                takeEvent(.messagesDeleted(after: start, through: end), in: channel, at: timetoken)
            else { return nil }
            let rows = truth.channels[channel] ?? Truth.Rows()
            for key in Array(rows.actions.keys) + Array(standing[channel, default: [:]].keys)
            where start < key.messageTimetoken && key.messageTimetoken <= end {
                standing[channel, default: [:]][key] = .some(nil)
            }
            return .deleted(.zero)
        case .changeGroup(let group, let change):
            // One that changes nothing is not written.
            if operations.first == .change(change, group) { operations = operations.dropFirst() }
            return .groupChanged
        case .edit, .deleteMessage, .removeAction, .revoke, .grant:
            return nil
        }
    }

    /// Takes the removals of what an action takes the place of.
    private mutating func dropOthers(
        than key: MessageAction.Key, under rules: ReactionRules, in channel: Channel
    ) -> Bool {
        guard rules.mode != .distinct, key.type == ReactionRules.type else { return true }
        let before = truth.channels[channel].map { Array($0.actions.keys) } ?? []
        var others = Set(before + Array(standing[channel, default: [:]].keys)).filter {
            $0 != key && $0.type == key.type && $0.uuid == key.uuid
                && $0.messageTimetoken == key.messageTimetoken && since($0, in: channel) != nil
        }
        while !others.isEmpty {
            guard case .remove(channel, let other, let timetoken)? = operations.popFirst(),
                others.remove(other) != nil, let added = since(other, in: channel),
                takeEvent(
                    .actionRemoved(MessageAction(key: other, actionTimetoken: added)), in: channel,
                    at: timetoken)
            else { return false }
            standing[channel, default: [:]][other] = .some(nil)
        }
        return true
    }

    private func since(_ key: MessageAction.Key, in channel: Channel) -> Timetoken? {
        if let changed = standing[channel]?[key] { return changed }
        return truth.channels[channel]?.actions[key]
    }

    private mutating func takeEvent(
        _ event: Event, in channel: Channel, at timetoken: Timetoken
    ) -> Bool {
        guard let next = events.popFirst() else { return false }
        return next.event == event && next.channel == channel && next.timetoken == timetoken
            && next.isStored
    }
}

extension Result<Reply, ProtocolError> {
    /// The ledger's decision, read back from what the client is told.
    fileprivate func outcome(of write: Write) -> Outcome? {
        guard case .success(let reply) = self else { return nil }
        switch reply {
        case .published(let timetoken): return .published(timetoken)
        case .actionAdded(let action, .added): return .added(action.actionTimetoken)
        case .actionAdded(let action, .already): return .already(action.actionTimetoken)
        case .actionRemoved(.removed): return .removed
        case .actionRemoved(.absent): return .absent
        case .actionRemoved(.stale): return .stale
        case .messagesDeleted: return .deleted(.zero)
        case .groupChanged: return .groupChanged
        default: return nil
        }
    }
}
