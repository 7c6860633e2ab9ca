// Changes of channel groups: what they may grow to, and what everybody who remembers them is told.

import EventModel

extension Ledger {
    /// Changes a group, unless it would grow too large.
    func change(
        _ group: ChannelGroup, _ change: GroupChange, into commit: inout Commit
    ) throws(StoreError) -> Result<Outcome, ProtocolError> {
        let before = Set(try store.channels(of: group).map(ExactText.init))
        let after = change.applied(to: before)
        guard after != before else { return .success(.groupChanged) }
        guard after.count <= max(before.count, Limits.channelsPerGroupMax) else {
            return .failure(.tooManyChannels(Limits.channelsPerGroupMax, per: "group"))
        }
        let keyset = ExactText(group.keyset)
        if before.isEmpty {
            let count = try count(inKeyset: group.keyset)
            let account = accounts.account(of: group.keyset)
            account.set(.groups, count)
            do throws(QuotaRefusal) {
                try account.take(.groups)
            } catch {
                return .failure(ProtocolError(error))
            }
            groupCounts[keyset] = count + 1
        } else if after.isEmpty {
            groupCounts[keyset]? -= 1
            if let count = groupCounts[keyset] {
                accounts.account(of: group.keyset).set(.groups, count)
            }
        }
        try store.change(change, of: group)
        let membership = GroupMembership(group: group, channels: after.sorted().map(\.string))
        commit.groups.removeAll { $0.group == group }
        commit.groups.append(membership)
        return .success(.groupChanged)
    }

    private func count(inKeyset keyset: String) throws(StoreError) -> Int {
        if let count = groupCounts[ExactText(keyset)] { return count }
        return try store.groupCount(inKeyset: keyset)
    }
}

extension GroupChange {
    fileprivate func applied(to channels: Set<ExactText>) -> Set<ExactText> {
        switch self {
        case .add(let names): channels.union(names.map(ExactText.init))
        case .remove(let names): channels.subtracting(names.map(ExactText.init))
        case .delete: []
        }
    }
}
