// Who is where: tenants hold users and channels, and a membership joins one of each.

import EventModel

/// One keyset's users and channels; nothing in it knows another keyset.
final class PresenceTenant {
    /// The keyset's name as clients spell it.
    let key: ExactText
    var users: [ExactText: PresenceUser] = [:]
    private(set) var rooms: [ExactText: PresenceRoom] = [:]
    /// The same rooms; kept in order, as sorting all of them takes long.
    private(set) var roomsInOrder = OrderedChunks<ExactText, PresenceRoom>()
    var membershipCount = 0
    /// Memberships by the connection that last prolonged them.
    private(set) var countBySource: [PresenceSource: Int] = [:]

    init(key: ExactText) {
        self.key = key
    }

    func add(_ room: PresenceRoom) {
        guard rooms.updateValue(room, forKey: room.name) == nil else { return }
        roomsInOrder.insert(room, as: room.name)
    }

    func remove(_ room: PresenceRoom) {
        rooms[room.name] = nil
        roomsInOrder.remove(room.name)
    }

    func count(_ change: Int, of source: PresenceSource?) {
        guard let source else { return }
        let count = countBySource[source, default: 0] + change
        countBySource[source] = count > 0 ? count : nil
    }
}

/// The connection through which a user was last said to be in a channel.
struct PresenceSource: Hashable, Sendable {
    let reactor: Int
    let connection: SessionID
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
    /// `nil` before anybody asked, and for few users: sorting those costs little.
    private var order: OrderedChunks<ExactText, PresenceMembership>?

    /// Users from whose number on their order is kept once somebody asked for it.
    private static let orderedMin = 256

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
        order?.insert(membership, as: membership.user.id)
    }

    /// - Complexity: O(1).
    func remove(_ membership: PresenceMembership) {
        let user = membership.user
        members[ObjectIdentifier(user)] = nil
        if members.count < Self.orderedMin / 2 { order = nil }
        order?.remove(user.id)
        let last = user.memberships.removeLast()
        guard last !== membership else { return }
        user.memberships[membership.indexOfUser] = last
        last.indexOfUser = membership.indexOfUser
    }

    /// Members, ascending by the bytes of their ids.
    ///
    /// - Complexity: O(limit) where many are in the channel, but for the first time:
    ///   O(n log n) for the n members.
    func members(from offset: Int = 0, limit: Int = .max) -> [PresenceMembership] {
        if let order { return order.page(from: offset, limit: limit) }
        // With the ids at hand a comparison follows no references: three times as fast.
        let list = members.values.map { (id: $0.user.id, membership: $0) }
            .sorted { $0.id < $1.id }.map(\.membership)
        if list.count >= Self.orderedMin {
            var order = OrderedChunks<ExactText, PresenceMembership>()
            for membership in list { order.insert(membership, as: membership.user.id) }
            self.order = order
        }
        return Array(list.dropFirst(max(0, offset)).prefix(limit))
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
    /// When it ends unless a session holds it.
    var deadline = PresenceTick.zero
    /// Until when a heartbeat or a poll said that the user is there.
    var promise = PresenceTick.zero
    /// The sessions that follow the channel for the user: as long as there is one it does not end.
    var holders = PresenceHolders()
    /// Its user named the time: a poll that names none does not prolong it.
    var isTimed = false
    /// Who counts for it.
    var source: PresenceSource?
    var place: WheelPlace?
    fileprivate var indexOfUser = 0

    init(user: PresenceUser, room: PresenceRoom, serial: UInt64) {
        self.user = user
        self.room = room
        self.serial = serial
    }
}
