// What each commit must do, decided a second time from nothing but its writes and the truth before.

import EventModel

@testable import SyncDaemon

/// Checks a commit's operations, events and answers against each other.
struct CommitModel {
    let truth: Truth
    var operations: ArraySlice<StoredOperation>
    private var events: ArraySlice<Envelope>
    /// What changed within the commit so far.
    var standing: [Channel: [MessageAction.Key: ActionMark?]] = [:]
    /// Likewise of messages: who wrote each; `nil`: it is gone.
    var authors: [Channel: [Timetoken: String?]] = [:]
    private var remembered: [Truth.MutationName: Outcome] = [:]
    private(set) var problems: [String] = []
    /// The newest position that the commit has used so far, as its events tell it.
    private(set) var reached: Timetoken
    /// The newest that it has used at its end.
    let last: Timetoken

    /// - Parameter truth: As it was before the commit.
    init(_ commit: Commit, _ operations: [StoredOperation], after truth: Truth) {
        self.truth = truth
        self.operations = operations[...]
        events = commit.events[...]
        reached = truth.last
        last = commit.last
    }

    mutating func check(_ commit: Commit, of writes: [Write]) {
        var answers = commit.answers[...]
        for write in writes {
            // What is large a later commit answers.
            if write.operation.mayBeLarge, answers.first?.origin != write.origin { continue }
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
        // There is room for some that are large.
        if write.operation.mayBeLarge, case .failure(.overloaded) = answer.result { return }
        if mayBeToCome(write), case .failure(.noSuchMessage) = answer.result { return }
        if let code = refusal(of: write) {
            guard case .failure(let error) = answer.result, error.code == code else {
                return fail("\(write.operation) was answered with \(answer.result)")
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
            authors[channel, default: [:]][timetoken] = .some(write.author.userID)
            return .published(timetoken)
        case .add(let asked, let score, let rules):
            let key = rules.canonical(asked)
            return key.type == MessageVersion.editedType && score ?? 1 == 1
                ? edit(key, in: channel) : add(key, score, under: rules, in: channel)
        case .remove(let asked, let observed, let rules):
            return remove(asked, observed, under: rules, in: channel)
        case .deleteMessages(let first, let last):
            // Its reply has the position, which nothing says if nothing was in the range: then the
            // next deletion, if there is one, is of another write.
            guard case .delete(channel, let start, let end, _)? = operations.first,
                first <= start, end <= last
            else { return .deleted(.zero) }
            return takeDeletion(in: channel) == nil ? nil : .deleted(.zero)
        case .edit(let key, let rules): return edit(rules.canonical(key), in: channel)
        case .deleteMessage(let message):
            guard author(of: message, in: channel) != nil else { return .absent }
            return takeDeletion(in: channel).map { .deleted($0) }
        case .changeGroup(let group, let change):
            // One that changes nothing is not written.
            if operations.first == .change(change, group) { operations = operations.dropFirst() }
            return .groupChanged
        case .clear(let clearing, _): return clear(clearing, in: channel)
        case .removeAction, .revoke, .grant, .markRead, .changeDirectory, .changeDevice,
            .changeFile:
            return nil
        }
    }

    mutating func takeEvent(
        _ event: Event, in channel: Channel, at timetoken: Timetoken
    ) -> Bool {
        guard let next = events.popFirst() else { return false }
        reached = max(reached, next.timetoken)
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
        case .actionAdded(let action, let addition): return action.outcome(addition)
        case .actionRemoved(.removed): return .removed
        case .actionRemoved(.absent): return .absent
        case .actionRemoved(.stale): return .stale
        case .messagesDeleted: return .deleted(.zero)
        case .actionsCleared(let timetoken?, let count): return .cleared(timetoken, count: count)
        case .actionsCleared(nil, _): return .absent
        case .messageDeleted(let timetoken?): return .deleted(timetoken)
        case .messageDeleted(nil): return .absent
        case .groupChanged: return .groupChanged
        default: return nil
        }
    }
}
