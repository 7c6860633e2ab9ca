// What a channel's rules make of an action that is to be added.

import EventModel

extension Ledger {
    /// Adds an action, and removes those of the user that it takes the place of: in one commit, and
    /// in the order in which everybody hears of it.
    func add(
        _ asked: MessageAction.Key, under rules: ReactionRules, for write: Write,
        at timetoken: Timetoken, into commit: inout Commit
    ) throws(StoreError) -> Result<Outcome, ProtocolError> {
        let key = rules.canonical(asked)
        let standing = try store.standingAction(key, in: write.channel)
        let rows = StoredActions(key: key, channel: write.channel, store: store)
        let decision: ReactionDecision
        switch try rules.decide(adding: key, standing: standing, to: rows) {
        case .success(let decided): decision = decided
        case .failure(let refusal): return .failure(ProtocolError(refusal))
        }
        var timetoken = timetoken
        for action in decision.dropped {
            try remove(action, for: write, at: timetoken, into: &commit)
            last = last.successor(at: wallTicks())
            timetoken = last
        }
        if let standing = decision.standing { return .success(.already(standing)) }
        let action = MessageAction(key: key, actionTimetoken: timetoken)
        try store.add(action, in: write.channel)
        try digests.insert(action, in: write.channel, of: store)
        commit.events.append(write.envelope(at: timetoken, .actionAdded(action)))
        return .success(.added(timetoken))
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

    func count(type: String, value: String) throws(StoreError) -> Int {
        try store.actionCount(
            type: type, value: value, on: key.messageTimetoken, in: channel)
    }

    func valueCount() throws(StoreError) -> Int {
        try store.valueCount(on: key.messageTimetoken, in: channel)
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
            case .own(let max): .tooManyActions("\(max) actions of one user")
            case .actions(let max): .tooManyActions("\(max) actions")
            }
    }
}
