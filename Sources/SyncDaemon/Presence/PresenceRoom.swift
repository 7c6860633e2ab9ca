// Who is where: tenants hold users and channels, and a membership joins one of each.

import EventModel

/// One keyset's users and channels; nothing in it knows another keyset.
final class PresenceTenant {
    /// The keyset's name as clients spell it.
    let key: ExactText
    var users: [ExactText: PresenceUser] = [:]
    var rooms: [ExactText: PresenceRoom] = [:]
    var membershipCount = 0

    init(key: ExactText) {
        self.key = key
    }
}

/// A user who is in at least one channel.
final class PresenceUser {
    let id: ExactText
    fileprivate(set) var memberships: [PresenceMembership] = []

    init(id: ExactText) {
        self.id = id
    }
}

/// A channel with at least one user.
final class PresenceRoom: Timed {
    unowned let tenant: PresenceTenant
    let name: ExactText
    let channel: Channel
    /// As long as it has users, presence is wanted there.
    var settings: ChannelSettings
    private var members: [ObjectIdentifier: PresenceMembership] = [:]
    /// `nil` after a change; asking twice for pages of a quiet channel sorts once.
    private var sorted: [PresenceMembership]?

    /// What was not announced one by one and waits for the next interval announcement.
    var news: PresenceDeltas?
    /// When that announcement is due.
    var deadline = PresenceTick(notBefore: 0)
    var place: WheelPlace?

    init(_ channel: Channel, tenant: PresenceTenant, settings: ChannelSettings) {
        self.tenant = tenant
        self.channel = channel
        self.settings = settings
        name = ExactText(channel.name)
    }

    var occupancy: Int { members.count }

    func membership(of user: PresenceUser) -> PresenceMembership? {
        members[ObjectIdentifier(user)]
    }

    /// - Complexity: O(1).
    func add(_ membership: PresenceMembership) {
        members[ObjectIdentifier(membership.user)] = membership
        membership.indexOfUser = membership.user.memberships.count
        membership.user.memberships.append(membership)
        sorted = nil
    }

    /// - Complexity: O(1).
    func remove(_ membership: PresenceMembership) {
        let user = membership.user
        members[ObjectIdentifier(user)] = nil
        sorted = nil
        let last = user.memberships.removeLast()
        guard last !== membership else { return }
        user.memberships[membership.indexOfUser] = last
        last.indexOfUser = membership.indexOfUser
    }

    /// All members, ascending by the bytes of their ids.
    ///
    /// - Complexity: O(n log n) after a change of the n members, else O(1).
    func membersInOrder() -> [PresenceMembership] {
        if let sorted { return sorted }
        // With the ids at hand a comparison follows no references: three times as fast.
        let list = members.values.map { (id: $0.user.id, membership: $0) }
            .sorted { $0.id < $1.id }.map(\.membership)
        sorted = list
        return list
    }
}

/// One user's presence in one channel.
final class PresenceMembership: Timed {
    // Tenants hold users and rooms for as long as these have memberships.
    unowned let user: PresenceUser
    unowned let room: PresenceRoom
    /// Orders those who vanish at one moment: first come, first gone.
    let serial: UInt64
    /// Compact JSON text of an object with members.
    var state: String?
    var deadline: PresenceTick
    /// Its user named the time: a poll that names none does not prolong it.
    var isTimed = false
    var place: WheelPlace?
    fileprivate var indexOfUser = 0

    init(user: PresenceUser, room: PresenceRoom, serial: UInt64, deadline: PresenceTick) {
        self.user = user
        self.room = room
        self.serial = serial
        self.deadline = deadline
    }
}
