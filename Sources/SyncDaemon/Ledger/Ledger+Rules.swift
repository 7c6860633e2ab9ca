// What a channel's rules make of an action that is to be added.

import EventModel

extension Ledger {
    /// Adds an action, and removes those of the user that it takes the place of: in one commit, and
    /// in the order in which everybody hears of it.
    func add(
        _ asked: MessageAction.Key, _ score: Int?, under rules: ReactionRules, for write: Write,
        at timetoken: Timetoken, into commit: inout Commit
    ) throws(StoreError) -> Result<Outcome, ProtocolError> {
        let key = rules.canonical(asked)
        let standing = try store.action(under: key, in: write.channel)
        let rows = StoredActions(key: key, channel: write.channel, store: store)
        let decision: ReactionDecision
        switch try rules.decide(adding: key, score: score, standing: standing, to: rows) {
        case .success(let decided): decision = decided
        case .failure(let refusal): return .failure(ProtocolError(refusal))
        }
        var timetoken = timetoken
        for action in decision.dropped {
            try remove(action, for: write, at: timetoken, into: &commit)
            timetoken = nextPlace()
        }
        if let standing = decision.standing {
            return .success(.already(standing.actionTimetoken, score: standing.score))
        }
        let action = MessageAction(
            key: key, actionTimetoken: timetoken, score: decision.score)
        try put(action, for: write, into: &commit)
        return .success(
            standing == nil
                ? .added(timetoken, score: action.score)
                : .updated(timetoken, score: action.score))
    }

    /// Removes an action by its key, or takes one off what it counts for.
    func remove(
        _ asked: MessageAction.Key, observed: Timetoken?, under rules: ReactionRules,
        for write: Write, at timetoken: Timetoken, into commit: inout Commit
    ) throws(StoreError) -> Result<Outcome, ProtocolError> {
        var key = rules.canonical(asked)
        // What stood before the rules may be taken back by the name that it has.
        if key != asked, try store.action(under: asked, in: write.channel) != nil { key = asked }
        guard let standing = try store.action(under: key, in: write.channel) else {
            return .success(.absent)
        }
        // Observed remove: a device that saw an older action must not take the newer one away. What
        // is only counted down is taken off whatever stands.
        if let observed, observed != standing.actionTimetoken, !rules.takesOff(key.type) {
            return .success(.stale)
        }
        try takeBack(standing, under: rules, for: write, at: timetoken, into: &commit)
        return .success(.removed)
    }

    /// Removes an action, and adds what is left of it where the channel counts.
    func takeBack(
        _ action: MessageAction, under rules: ReactionRules, for write: Write,
        at timetoken: Timetoken, into commit: inout Commit
    ) throws(StoreError) {
        try remove(action, for: write, at: timetoken, into: &commit)
        guard let rest = rules.score(removingFrom: action.score, action.key.type) else { return }
        try put(
            MessageAction(key: action.key, actionTimetoken: nextPlace(), score: rest), for: write,
            into: &commit)
    }

    private func put(
        _ action: MessageAction, for write: Write, into commit: inout Commit
    ) throws(StoreError) {
        try store.add(action, in: write.channel)
        try digests.insert(.action(action), in: write.channel, of: store)
        commit.events.append(write.envelope(at: action.actionTimetoken, .actionAdded(action)))
    }

    /// For a further event of one write.
    private func nextPlace() -> Timetoken {
        last = last.successor(at: wallTicks())
        return last
    }
}

/// The message of an action, as the store has it.
private struct StoredActions: ReactionRows {
    let key: MessageAction.Key
    let channel: Channel
    let store: any Store

    func own() throws(StoreError) -> [MessageAction] {
        try store.ownActions(of: key.uuid, on: key.messageTimetoken, in: channel)
    }

    func hasMessage() throws(StoreError) -> Bool {
        try store.hasMessage(key.messageTimetoken, in: channel)
    }

    func isAuthor() throws(StoreError) -> Bool {
        let author = try store.author(ofMessage: key.messageTimetoken, in: channel)
        return author.map { ExactText($0) == ExactText(key.uuid) } ?? false
    }

    func totals(type: String, value: String) throws(StoreError) -> ActionTotals {
        try store.totals(type: type, value: value, on: key.messageTimetoken, in: channel)
    }

    func values() throws(StoreError) -> ActionValues {
        try store.values(on: key.messageTimetoken, in: channel)
    }

    func actionCount() throws(StoreError) -> Int {
        try store.actionCount(on: key.messageTimetoken, in: channel)
    }
}

extension ProtocolError {
    /// In what words a client hears of it.
    init(_ refusal: ReactionRefusal) {
        self =
            switch refusal {
            case .off: .reactionsOff
            case .value: .valueNotAllowed
            case .noMessage: .noSuchMessage
            case .values(let max): .tooManyActions("\(max) different actions")
            case .bytes(let max): .tooManyActions("\(max) bytes of different actions")
            case .own(let max): .tooManyActions("\(max) actions of one user")
            case .actions(let max): .tooManyActions("\(max) actions")
            case .score(let max): .scoreTooLarge(max)
            }
    }
}
