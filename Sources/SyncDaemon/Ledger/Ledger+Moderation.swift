// Removing what others said: all of a message, of a value, of a user.

import EventModel

extension Ledger {
    /// Removes all actions that a clearing covers: one event, however many they are.
    ///
    /// As a single one goes: what stands by exactly the names that somebody used, as before there
    /// were rules, or else by what these mean now.
    ///
    /// - Parameter rows: What a large one, whose turn has come, takes away.
    /// - Returns: `nil` when the answer comes later.
    func clear(
        _ asked: Clearing, under rules: ReactionRules, for write: Write, at timetoken: Timetoken,
        deleting rows: DeletedRows?, into commit: inout Commit
    ) throws(StoreError) -> Result<Outcome, ProtocolError>? {
        let meant = rules.canonical(asked)
        var names = asked == meant ? [asked] : [asked, meant]
        if case .actions(let read)? = rows {
            let gone = try digests.hide(read, at: timetoken, in: write.channel, of: store)
            if gone.count > 0 {
                return tell(read, of: gone, at: timetoken, for: write, into: &commit)
            }
            names.removeFirst(read == meant ? names.count : 1)
        }
        for clearing in names {
            guard let few = try actions(coveredBy: clearing, in: write.channel) else {
                let deletion = LargeDeletion(
                    write: write, channel: write.channel, rows: .actions(clearing))
                return postpone(deletion) ? nil : .failure(.overloaded)
            }
            guard !few.isEmpty else { continue }
            let gone = try digests.clear(
                few, coveredBy: clearing, at: timetoken, in: write.channel, of: store)
            return tell(clearing, of: gone, at: timetoken, for: write, into: &commit)
        }
        return .success(.absent)
    }

    private func tell(
        _ clearing: Clearing, of gone: Digest, at timetoken: Timetoken, for write: Write,
        into commit: inout Commit
    ) -> Result<Outcome, ProtocolError> {
        let count = Int(gone.count)
        commit.events.append(.clearing(clearing, at: timetoken, in: write.channel, gone: gone))
        commit.cleared.append(
            ClearingRecord(
                clearing: clearing, count: count, channel: write.channel, author: write.author))
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

/// What a moderator took away, for the operator's log: nobody else is told whose doing it was.
struct ClearingRecord: Sendable, Hashable {
    let clearing: Clearing
    /// Actions that are gone.
    let count: Int
    let channel: Channel
    let author: Author
}

extension Log {
    func tell(of record: ClearingRecord) {
        let clearing = record.clearing
        notice(
            "A moderator removes actions.",
            [
                "keyset": record.channel.keyset, "channel": record.channel.name,
                "message": clearing.messageTimetoken?.description ?? "any",
                "type": clearing.type ?? "any", "value": clearing.value ?? "any",
                "of": clearing.userID ?? "any", "count": record.count,
                "user": record.author.userID, "device": record.author.deviceID,
            ])
    }
}
