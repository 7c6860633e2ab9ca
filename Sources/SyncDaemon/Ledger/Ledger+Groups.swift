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
            return .failure(
                .tooManyChannels(
                    Limits.channelsPerGroupMax, per: "group", or: "take some out of it"))
        }
        if let refusal = try count(after.count - before.count, in: group, isNew: before.isEmpty) {
            return .failure(refusal)
        }
        if after.isEmpty, let count = groupUse[ExactText(group.keyset)]?.groups {
            groupUse[ExactText(group.keyset)]?.groups = count - 1
            accounts.account(of: group.keyset).set(.groups, count - 1)
        }
        try store.change(change, of: group)
        let membership = GroupMembership(group: group, channels: after.sorted().map(\.string))
        commit.groups.removeAll { $0.group == group }
        commit.groups.append(membership)
        return .success(.groupChanged)
    }

    /// Counts channels that come into a group or leave it.
    ///
    /// All groups are in memory, and are loaded at each start: there is only so much room, and no
    /// keyset has more of it than is free for the others.
    ///
    /// - Returns: Why there is no room for them.
    private func count(
        _ more: Int, in group: ChannelGroup, isNew: Bool
    ) throws(StoreError) -> ProtocolError? {
        let keyset = ExactText(group.keyset)
        var use = try use(ofKeyset: group.keyset)
        let all = try allChannels()
        if more > 0 {
            let room = Limits.fitting(
                Limits.groupedChannelsMax, each: Limits.groupedChannelMemoryBytes,
                within: accounts.pressure.max)
            let most = min(
                Limits.groupedChannelsPerKeysetMax, (room - (all - use.channels)) / 2)
            guard use.channels + more <= most else { return .tooManyGrouped(max(0, most)) }
        }
        if isNew {
            let account = accounts.account(of: group.keyset)
            account.set(.groups, use.groups)
            do throws(QuotaRefusal) {
                try account.take(.groups)
            } catch {
                return ProtocolError(error)
            }
            use.groups += 1
        }
        use.channels += more
        groupUse[keyset] = use
        groupChannels = all + more
        return nil
    }

    private func use(ofKeyset keyset: String) throws(StoreError) -> GroupUse {
        if let use = groupUse[ExactText(keyset)] { return use }
        return try store.groupUse(ofKeyset: keyset)
    }

    private func allChannels() throws(StoreError) -> Int {
        if let groupChannels { return groupChannels }
        return try store.groupUse(ofKeyset: nil).channels
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
