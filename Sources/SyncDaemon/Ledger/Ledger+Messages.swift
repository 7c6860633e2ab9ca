// What somebody may make of a message of their own: another text, or nothing.

import EventModel

extension Ledger {
    /// A retry of an edit with the text that stands since the first time: an interceptor may have
    /// made another of it than it would now.
    func asWritten(_ write: Write, _ outcome: Outcome) throws(StoreError) -> Write {
        guard case .edit(let key, let rules) = write.operation else { return write }
        switch outcome {
        case .added(let timetoken, _), .already(let timetoken, _):
            let standing = try store.action(
                onMessage: key.messageTimetoken, addedAt: timetoken, in: write.channel)
            return standing.map { write.changed(to: .edit($0.key, under: rules)) } ?? write
        default: return write
        }
    }

    /// Gives a message another text: an action like any other, by its author alone.
    func edit(
        _ asked: MessageAction.Key, under rules: ReactionRules, for write: Write,
        at timetoken: Timetoken, into commit: inout Commit
    ) throws(StoreError) -> Result<Outcome, ProtocolError> {
        if let refusal = try refusal(changing: asked.messageTimetoken, for: write) {
            return .failure(refusal)
        }
        return try say(asked, under: rules, for: write, at: timetoken, into: &commit)
    }

    /// Adds a text of a message.
    ///
    /// One that its user said before, and something else since, is said again: its action is
    /// removed and added, so that it is the newest.
    func say(
        _ asked: MessageAction.Key, _ score: Int? = nil, under rules: ReactionRules,
        for write: Write, at timetoken: Timetoken, into commit: inout Commit
    ) throws(StoreError) -> Result<Outcome, ProtocolError> {
        let key = rules.canonical(asked)
        var timetoken = timetoken
        if let standing = try store.action(under: key, in: write.channel) {
            let newest = try store.newest(
                .edited, by: key.uuid, on: key.messageTimetoken, in: write.channel)
            if let newest, newest.actionTimetoken > standing.actionTimetoken {
                try remove(standing, for: write, at: timetoken, into: &commit)
                last = last.successor(at: wallTicks())
                timetoken = last
            }
        }
        return try add(asked, score, under: rules, for: write, at: timetoken, into: &commit)
    }

    /// Deletes one message, with the actions on it.
    ///
    /// - Parameter rows: The same message, when that was too large and its turn has come.
    /// - Returns: `nil` when the answer comes later.
    func deleteOwn(
        _ message: Timetoken, for write: Write, at timetoken: Timetoken,
        deleting rows: DeletedRows?, into commit: inout Commit
    ) throws(StoreError) -> Result<Outcome, ProtocolError>? {
        switch try refusal(changing: message, for: write) {
        case nil: break
        case ProtocolError.noSuchMessage?: return .success(.absent)
        case let refusal?: return .failure(refusal)
        }
        let only = MessageRange(
            after: message.predecessor, through: message)
        return try delete(only, for: write, at: timetoken, deleting: rows, into: &commit)
    }

    /// Why a message is not the author's of a write to change; `nil` when it is.
    private func refusal(
        changing message: Timetoken, for write: Write
    ) throws(StoreError) -> ProtocolError? {
        guard let author = try store.author(ofMessage: message, in: write.channel) else {
            return .noSuchMessage
        }
        return ExactText(author) == ExactText(write.author.userID) ? nil : .notOwner
    }
}
