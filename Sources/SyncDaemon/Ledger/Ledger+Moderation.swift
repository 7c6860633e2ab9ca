// Removing what others said: all of a message, of a value, of a user.

import EventModel

extension Ledger {
    /// Removes all actions that a clearing covers: one event, however many they are.
    ///
    /// - Parameter rows: What a large one, whose turn has come, takes away.
    /// - Returns: `nil` when the answer comes later.
    func clear(
        _ asked: Clearing, under rules: ReactionRules, for write: Write, at timetoken: Timetoken,
        deleting rows: DeletedRows?, into commit: inout Commit
    ) throws(StoreError) -> Result<Outcome, ProtocolError>? {
        let count: Int
        let clearing: Clearing
        if case .actions(let read)? = rows {
            clearing = read
            count = try digests.hide(clearing, at: timetoken, in: write.channel, of: store)
        } else {
            clearing = rules.canonical(asked)
            guard let few = try actions(coveredBy: clearing, in: write.channel) else {
                let deletion = LargeDeletion(
                    write: write, channel: write.channel, rows: .actions(clearing))
                return postpone(deletion) ? nil : .failure(.overloaded)
            }
            count = few.count
            if !few.isEmpty {
                try digests.clear(
                    few, coveredBy: clearing, at: timetoken, in: write.channel, of: store)
            }
        }
        guard count > 0 else { return .success(.absent) }
        commit.events.append(.clearing(clearing, at: timetoken, in: write.channel))
        return .success(.cleared(timetoken, count: count))
    }

    /// What a clearing covers; `nil` when it is too much for the open transaction to look at.
    private func actions(
        coveredBy clearing: Clearing, in channel: Channel
    ) throws(StoreError) -> [MessageAction]? {
        guard deletableRows > 0 else { return nil }
        var found: [MessageAction] = []
        let rest = try store.scanActions(
            coveredBy: clearing, from: .first(of: clearing), of: channel, limit: &deletableRows,
            body: { found.append($0) })
        return rest == nil ? found : nil
    }
}

extension ReactionRules {
    /// What is stored under the names that somebody used.
    fileprivate func canonical(_ asked: Clearing) -> Clearing {
        guard let type = asked.type else { return asked }
        let value = asked.value.map { canonical(type: type, value: $0).value }
        return Clearing(
            messageTimetoken: asked.messageTimetoken, type: canonical(type: type), value: value,
            userID: asked.userID)
    }
}
