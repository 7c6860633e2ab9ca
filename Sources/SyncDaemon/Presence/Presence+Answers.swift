// Questions about who is where, and in which state.

import EventModel

extension Presence {
    /// Everybody of a tenant, wherever they are.
    struct Survey: Hashable, Sendable {
        /// Ascending by name; as many as were asked for.
        var channels: [Occupancy] = []
        /// Channels with at least one user, however many are listed.
        var channelCount = 0
        /// Users in all channels; who is in two counts twice.
        var occupancy = 0
    }

    /// Which users of a channel an answer lists.
    struct Page: Hashable, Sendable {
        var includesUsers = true
        var includesState = false
        /// Users per channel, at most `Limits.presencePageMax`.
        var limit = Limits.presencePageMax
        /// Users per channel to skip.
        var offset = 0
    }

    /// Who is in each of these channels, in the order of the question; empty ones too.
    ///
    /// - Complexity: O(channels), and O(n log n) for each channel with n users that changed since
    ///   its users were last listed.
    func occupancy(of channels: [String], keyset: String, page: Page = Page()) -> [Occupancy] {
        let tenant = tenants[ExactText(keyset)]
        return channels.map { name in
            tenant?.rooms[ExactText(name)].map { answer($0, page) }
                ?? Occupancy(channel: name, count: 0)
        }
    }

    /// Who is in all channels of a tenant; the totals are complete, the list is as long as asked.
    ///
    /// - Complexity: As `occupancy(of:keyset:page:)`, and O(n log n) for the n names of channels.
    func occupancyEverywhere(
        keyset: String, page: Page = Page(), channelsMax: Int = .max
    ) -> Survey {
        guard let tenant = tenants[ExactText(keyset)] else { return Survey() }
        let names = tenant.rooms.keys.sorted().prefix(max(0, channelsMax))
        return Survey(
            channels: names.compactMap { tenant.rooms[$0].map { answer($0, page) } },
            channelCount: tenant.rooms.count, occupancy: tenant.membershipCount)
    }

    /// Where a user is, ascending.
    ///
    /// - Complexity: O(n log n) for the n channels.
    func channels(of member: Member) -> [String] {
        let user = tenants[ExactText(member.keyset)]?.users[ExactText(member.userID)]
        return (user?.memberships ?? []).map(\.room.name).sorted().map(\.string)
    }

    /// A user's states, in the order of the question; `nil` where none was set.
    ///
    /// - Complexity: O(channels).
    func state(
        of member: Member, channels: [String]
    ) -> [(channel: String, state: String?)] {
        let tenant = tenants[ExactText(member.keyset)]
        let user = tenant?.users[ExactText(member.userID)]
        return channels.map { channel in
            let membership = user.flatMap {
                tenant?.rooms[ExactText(channel)]?.membership(of: $0)
            }
            guard let membership else {
                return (channel, absentStates[absentKey(member, channel)])
            }
            return (channel, membership.state)
        }
    }

    private func answer(_ room: PresenceRoom, _ page: Page) -> Occupancy {
        var answer = Occupancy(channel: room.name.string, count: room.occupancy)
        guard page.includesUsers else { return answer }
        let limit = min(max(0, page.limit), Limits.presencePageMax)
        answer.users = room.membersInOrder().dropFirst(max(0, page.offset)).prefix(limit).map {
            Occupant(userID: $0.user.id.string, state: page.includesState ? $0.state : nil)
        }
        return answer
    }
}
