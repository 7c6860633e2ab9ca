// The channel groups of the embedded store: one row for each channel of a group.

import EventModel
import SQL

extension SQLStore {
    func channels(of group: ChannelGroup) throws(StoreError) -> [String] {
        var channels: [String] = []
        try statements.channelsOfGroup.query(.text(group.keyset), .text(group.name)) { row in
            channels.append(row.text(0))
            return true
        }
        return channels
    }

    func change(_ change: GroupChange, of group: ChannelGroup) throws(StoreError) {
        let (keyset, name) = (SQLValue.text(group.keyset), SQLValue.text(group.name))
        switch change {
        case .add(let channels):
            for channel in channels {
                try statements.addToGroup.run(keyset, name, .text(channel))
            }
        case .remove(let channels):
            for channel in channels {
                try statements.removeFromGroup.run(keyset, name, .text(channel))
            }
        case .delete:
            try statements.deleteGroup.run(keyset, name)
        }
    }

    func allGroups() throws(StoreError) -> [GroupMembership] { try connection.allGroups() }

    func groupUse(ofKeyset keyset: String?) throws(StoreError) -> GroupUse {
        // A row of the inner one is a group.
        let groups =
            "SELECT count(*) AS channels FROM channel_group"
            + (keyset == nil ? "" : " WHERE keyset = ?") + " GROUP BY keyset, name"
        let use = try connection.prepare(
            """
            SELECT count(*), CAST(coalesce(sum(channels), 0) AS BIGINT) FROM (\(groups)) AS found
            """
        ).first(keyset.map { [.text($0)] } ?? []) {
            GroupUse(groups: Int($0.integer(0)), channels: Int($0.integer(1)))
        }
        return use ?? GroupUse()
    }
}

extension StoreConnection {
    /// As ``Store/allGroups()`` has it.
    func allGroups() throws(StoreError) -> [GroupMembership] {
        var groups: [GroupMembership] = []
        try prepare(
            "SELECT keyset, name, channel FROM channel_group ORDER BY keyset, name, channel"
        ).query { row in
            let group = ChannelGroup(row.text(1), keyset: row.text(0))
            if groups.last?.group != group {
                groups.append(GroupMembership(group: group, channels: []))
            }
            groups[groups.count - 1].channels.append(row.text(2))
            return true
        }
        return groups
    }
}
