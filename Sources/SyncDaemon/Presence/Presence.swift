// Who is in which channel, and what is announced about it: beats, leaves, states.
//
// Confined to one thread. It reads no clock and publishes nothing: time comes in with each call,
// and what is to be published comes out of `advance`. What all this means to an SDK is PubNub's
// presence; where that is silent, the comments say what was chosen.

import EventModel

/// Who is in which channel.
final class Presence {
    private(set) var keysets: Keysets
    let bounds: Bounds
    /// Those with at least one membership.
    private(set) var tenants: [ExactText: PresenceTenant] = [:]
    private(set) var membershipCount = 0
    /// Of these, those beyond their tenants' own places; see Presence+Shares.swift.
    var sharedCount = 0
    private(set) var absentStates = PresenceAbsentStates()
    /// Of the members; those of absent users count themselves.
    private var stateByteCount = 0
    private var lastSerial: UInt64 = 0

    // For announcing, see Presence+Announcing.swift.
    var expiries = PresenceWheel<PresenceMembership>()
    var intervals = PresenceWheel<PresenceRoom>()
    var outbox = PresenceOutbox()

    init(keysets: Keysets, bounds: Bounds = Bounds()) {
        self.keysets = keysets
        self.bounds = bounds
    }

    /// Whether users can be in a channel of this name.
    ///
    /// SDKs name presence channels and wildcards in heartbeats too; nobody is ever in those. A star
    /// elsewhere is a letter like others.
    static func canHoldUsers(_ name: String) -> Bool {
        let bytes = name.utf8
        return !bytes.isEmpty && name != "*" && !bytes.suffix(2).elementsEqual(".*".utf8)
            && !bytes.suffix(Channel.presenceSuffix.utf8.count)
                .elementsEqual(Channel.presenceSuffix.utf8)
    }

    /// Takes the tenants' new settings.
    ///
    /// Everybody leaves channels where presence is not wanted any more, and those of tenants that
    /// are gone.
    ///
    /// - Complexity: O(channels and those who leave).
    func apply(_ keysets: Keysets, at now: Instant) {
        self.keysets = keysets
        countShared()
        for room in tenants.values.flatMap(\.rooms.values) {
            let tenant = keysets.tenant(room.channel.keyset)
            if let settings = settings(of: room.channel, in: tenant) {
                room.settings = settings
                continue
            }
            for membership in room.members() { remove(membership, .left, at: now) }
        }
    }

    /// What holds for a channel; `nil` when nobody can be in it.
    func settings(of channel: Channel, in keyset: Keyset?) -> ChannelSettings? {
        guard let keyset, Self.canHoldUsers(channel.name) else { return nil }
        let settings = keyset.settings(of: channel)
        return settings.hasPresence ? settings : nil
    }

    // MARK: What users do

    /// A heartbeat or the start of a poll: the user is in each channel, from now for `seconds`.
    ///
    /// It replaces what an earlier beat promised, also by less. Only a poll that names no time does
    /// not prolong a membership whose time was named: whoever sends heartbeats is there for as long
    /// as these come, however often it polls meanwhile. A beat that comes before `advance`
    /// has noticed the end of the last one is in time: a daemon that stood still for a while does
    /// not throw everybody out.
    ///
    /// - Parameters:
    ///   - seconds: As the client named them; forced between the channel's least and
    ///     `Limits.presenceSecondsAskedMax`, or what the owner decided if that is longer.
    ///   - isPoll: Whether it is the start of a poll.
    ///   - states: By channel, as compact JSON objects; a channel without one keeps its state.
    ///   - source: The connection that says so.
    /// - Complexity: O(channels), amortised.
    @discardableResult
    func beat(
        _ member: Member, channels: [String], seconds: Int? = nil, isPoll: Bool = false,
        states: [ExactText: String] = [:], from source: PresenceSource? = nil, at now: Instant
    ) -> Refusal? {
        come(member, to: channels, states: states, from: source, at: now) { membership in
            guard seconds != nil || !isPoll || !membership.isTimed else { return }
            let settings = membership.room.settings
            let span = min(
                max(seconds ?? settings.presenceSeconds, settings.presenceSecondsMin),
                max(Limits.presenceSecondsAskedMax, settings.presenceSeconds))
            membership.promise = PresenceTick(notBefore: now.milliseconds + UInt64(span) * 1000)
            membership.deadline = membership.promise
            membership.isTimed = seconds != nil
            // Nobody times out whom a session holds.
            if membership.holders.isEmpty { expiries.schedule(membership) }
            move(membership, to: source)
        }
    }

    /// Has a user be in channels: who is not there joins.
    ///
    /// - Parameters:
    ///   - isNews: Whether anybody is to hear of it; else who is there keeps their state, too.
    ///   - stay: Says of each membership how long it lasts.
    func come(
        _ member: Member, to channels: [String], states: [ExactText: String],
        from source: PresenceSource?, isNews: Bool = true, at now: Instant,
        stay: (PresenceMembership) -> Void
    ) -> Refusal? {
        let key = ExactText(member.keyset)
        let id = ExactText(member.userID)
        guard !member.userID.isEmpty, let keyset = keysets[member.keyset] else { return nil }
        let tenant = tenants[key] ?? PresenceTenant(key: key)
        let user = tenant.users[id] ?? PresenceUser(id: id)
        let mayJoin = hasQuota(for: user, in: channels, of: tenant, keyset)
        var refusal: Refusal?
        for name in channels {
            let channel = Channel(name, keyset: member.keyset)
            let name = ExactText(name)
            let room = tenant.rooms[name]
            guard let settings = room?.settings ?? settings(of: channel, in: keyset) else {
                continue
            }
            let refused: Refusal?
            if let membership = room?.membership(of: user) {
                stay(membership)
                refused =
                    isNews ? states[name].flatMap { change(membership, to: $0, at: now) } : nil
            } else if !mayJoin {
                refused = .quotaExceeded
            } else {
                let room = room ?? PresenceRoom(channel, tenant: tenant, settings: settings)
                refused = join(
                    user, room, state: states[name], from: source, isNews: isNews, at: now)
                if let membership = room.membership(of: user) { stay(membership) }
            }
            refusal = refusal ?? refused
        }
        return refusal
    }

    /// The user leaves these channels and has no state there, but for what a session holds.
    ///
    /// - Complexity: O(channels).
    func leave(_ member: Member, channels: [String], at now: Instant) {
        for channel in channels where absentStates.count > 0 {
            absentStates.remove(absentKey(member, channel))
        }
        guard let tenant = tenants[ExactText(member.keyset)],
            let user = tenant.users[ExactText(member.userID)]
        else { return }
        for channel in channels {
            guard let membership = tenant.rooms[ExactText(channel)]?.membership(of: user)
            else { continue }
            membership.promise = .zero
            membership.isTimed = false
            if membership.holders.isEmpty { remove(membership, .left, at: now) }
        }
    }

    /// Sets what is known about a user in each channel, present there or not.
    ///
    /// - Parameter state: A compact JSON object; an empty one is no state.
    /// - Complexity: O(channels), amortised.
    @discardableResult
    func setState(
        _ member: Member, channels: [String], state: String, at now: Instant
    ) -> Refusal? {
        guard !member.userID.isEmpty, let keyset = keysets[member.keyset] else { return nil }
        let wanted = channels.filter {
            settings(of: Channel($0, keyset: member.keyset), in: keyset) != nil
        }
        guard wanted.isEmpty || state.utf8.count <= bounds.stateBytes else { return .stateTooLong }
        let tenant = tenants[ExactText(member.keyset)]
        let user = tenant?.users[ExactText(member.userID)]
        var refusal: Refusal?
        for channel in wanted {
            let refused: Refusal?
            if let user,
                let membership = tenant?.rooms[ExactText(channel)]?.membership(of: user)
            {
                refused = change(membership, to: state, at: now)
            } else {
                refused = keep(state, for: absentKey(member, channel))
            }
            refusal = refusal ?? refused
        }
        return refusal
    }

    func absentKey(_ member: Member, _ channel: String) -> PresenceAbsentStates.Key {
        PresenceAbsentStates.Key(
            channel: Channel(channel, keyset: member.keyset), userID: ExactText(member.userID))
    }

    // MARK: Memberships

    private func join(
        _ user: PresenceUser, _ room: PresenceRoom, state: String?, from source: PresenceSource?,
        isNews: Bool, at now: Instant
    ) -> Refusal? {
        guard hasRoom(for: source, in: room.tenant) else { return .tooManyMemberships }
        guard user.memberships.count < bounds.channelsPerUser else { return .tooManyChannels }
        guard outbox.count < bounds.announcements else { return .tooManyAnnouncements }
        let tenant = room.tenant
        lastSerial += 1
        let membership = PresenceMembership(user: user, room: room, serial: lastSerial)
        room.add(membership)
        tenants[tenant.key] = tenant
        tenant.add(room)
        tenant.users[user.id] = user
        move(membership, to: source)
        willAdd(to: tenant)
        tenant.membershipCount += 1
        membershipCount += 1
        let refusal = admit(state, of: membership)
        if isNews { announce(.joined, of: membership, at: now) }
        return refusal
    }

    /// Gives a newcomer the state that came along, or the one that waited for them.
    private func admit(_ state: String?, of membership: PresenceMembership) -> Refusal? {
        var waiting: String?
        if absentStates.count > 0 {
            waiting = absentStates.remove(
                PresenceAbsentStates.Key(
                    channel: membership.room.channel, userID: membership.user.id))
        }
        let isTooLong = state.map { $0.utf8.count > bounds.stateBytes } ?? false
        let isStored = store(isTooLong ? waiting : state ?? waiting, in: membership)
        return isTooLong ? .stateTooLong : isStored ? nil : .tooMuchState
    }

    /// Ends a membership and forgets whatever it was the last of.
    func remove(
        _ membership: PresenceMembership, _ change: PresenceDeltas.Change, at now: Instant
    ) {
        let user = membership.user
        let room = membership.room
        let tenant = room.tenant
        expiries.remove(membership)
        room.remove(membership)
        tenant.count(-1, of: membership.source)
        stateByteCount -= membership.state?.utf8.count ?? 0
        willRemove(from: tenant)
        tenant.membershipCount -= 1
        membershipCount -= 1
        announce(change, of: membership, at: now)
        if user.memberships.isEmpty { tenant.users[user.id] = nil }
        guard room.occupancy == 0 else { return }
        intervals.remove(room)
        tenant.remove(room)
        if tenant.rooms.isEmpty { tenants[tenant.key] = nil }
    }

    // MARK: States

    private func change(
        _ membership: PresenceMembership, to state: String, at now: Instant
    ) -> Refusal? {
        guard state.utf8.count <= bounds.stateBytes else { return .stateTooLong }
        guard ExactText(membership.state ?? "{}") != ExactText(state) else { return nil }
        guard outbox.count < bounds.announcements else { return .tooManyAnnouncements }
        guard store(state, in: membership) else { return .tooMuchState }
        announceState(of: membership, at: now)
        return nil
    }

    /// - Returns: Whether there was room for it; if not, the old one stays.
    private func store(_ state: String?, in membership: PresenceMembership) -> Bool {
        let state = state == "{}" ? nil : state
        let old = membership.state?.utf8.count ?? 0
        let new = state?.utf8.count ?? 0
        guard makeRoom(for: new - old) else { return false }
        stateByteCount += new - old
        membership.state = state
        return true
    }

    private func keep(_ state: String, for key: PresenceAbsentStates.Key) -> Refusal? {
        absentStates.remove(key)
        guard state != "{}", bounds.absentStates > 0 else { return nil }
        guard makeRoom(for: state.utf8.count) else { return .tooMuchState }
        if absentStates.count == bounds.absentStates { absentStates.removeOldest() }
        absentStates.set(state, for: key)
        return nil
    }

    /// Forgets states of absent users, those set longest ago first, until there is room.
    private func makeRoom(for byteCount: Int) -> Bool {
        func fits() -> Bool {
            stateByteCount + absentStates.byteCount + byteCount <= bounds.allStateBytes
        }
        guard byteCount > 0 else { return true }
        while !fits(), absentStates.count > 0 { absentStates.removeOldest() }
        return fits()
    }
}
