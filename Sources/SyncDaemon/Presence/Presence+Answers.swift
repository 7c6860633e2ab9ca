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
    /// It lists `Limits.presenceNamesPerAnswerMax` users at most, those of the first channels.
    ///
    /// - Complexity: O(channels and users listed), and O(n log n) for a channel with n users that
    ///   was never asked about.
    func occupancy(of channels: [String], keyset: String, page: Page = Page()) -> [Occupancy] {
        let tenant = tenants[ExactText(keyset)]
        var namesLeft = bounds.namesPerAnswer
        return channels.map { name in
            tenant?.rooms[ExactText(name)].map { answer($0, page, &namesLeft) }
                ?? Occupancy(channel: name, count: 0)
        }
    }

    /// Who is in all channels of a tenant; the totals are complete, the list is as long as asked.
    ///
    /// - Complexity: As `occupancy(of:keyset:page:)`.
    func occupancyEverywhere(
        keyset: String, page: Page = Page(), channelsMax: Int = .max
    ) -> Survey {
        guard let tenant = tenants[ExactText(keyset)] else { return Survey() }
        let rooms = tenant.roomsInOrder.page(from: 0, limit: max(0, channelsMax))
        var namesLeft = bounds.namesPerAnswer
        return Survey(
            channels: rooms.map { answer($0, page, &namesLeft) },
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

    /// - Parameter namesLeft: Users that the answer may still list.
    private func answer(
        _ room: PresenceRoom, _ page: Page, _ namesLeft: inout Int
    ) -> Occupancy {
        var answer = Occupancy(channel: room.name.string, count: room.occupancy)
        guard page.includesUsers else { return answer }
        let limit = min(max(0, page.limit), Limits.presencePageMax, namesLeft)
        guard limit > 0 else { return answer }
        answer.users = room.members(from: page.offset, limit: limit).map {
            Occupant(userID: $0.user.id.string, state: page.includesState ? $0.state : nil)
        }
        namesLeft -= answer.users.count
        return answer
    }
}
