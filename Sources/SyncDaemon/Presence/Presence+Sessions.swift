// Users who are where a session of theirs is: as long as it follows, and a while after it was cut.

import EventModel

extension Presence {
    /// A session follows these channels: until ``exit(_:channels:through:isCut:at:)`` its user is
    /// in each of them, however long that takes.
    ///
    /// - Parameter states: As ``beat(_:channels:seconds:isPoll:states:from:at:)`` has them.
    /// - Complexity: O(channels), amortised.
    @discardableResult
    func enter(
        _ member: Member, channels: [String], states: [ExactText: String] = [:],
        through session: PresenceSource, at now: Instant
    ) -> Refusal? {
        come(member, to: channels, states: states, from: session, at: now) { membership in
            membership.holders.insert(session)
            expiries.remove(membership)
            move(membership, to: session)
        }
    }

    /// A session follows these channels no more.
    ///
    /// The user stays where another session holds them, and for as long as a beat has promised.
    /// Else whoever went leaves, and whose connection was cut has a while to come back, after which
    /// they time out.
    ///
    /// - Parameter isCut: Whether the connection ended.
    /// - Complexity: O(channels), amortised.
    func exit(
        _ member: Member, channels: [String], through session: PresenceSource, isCut: Bool,
        at now: Instant
    ) {
        guard let tenant = tenants[ExactText(member.keyset)],
            let user = tenant.users[ExactText(member.userID)]
        else { return }
        for channel in channels {
            guard let membership = tenant.rooms[ExactText(channel)]?.membership(of: user),
                membership.holders.remove(session)
            else { continue }
            if let other = membership.holders.first {
                if membership.source == session { move(membership, to: other) }
                continue
            }
            let grace = isCut ? membership.room.settings.graceSeconds : 0
            let end = PresenceTick(notBefore: now.milliseconds + UInt64(grace) * 1000)
            guard isCut || end < membership.promise else {
                remove(membership, .left, at: now)
                continue
            }
            membership.deadline = max(end, membership.promise)
            expiries.schedule(membership)
        }
    }
}

extension ChannelSettings {
    /// Seconds in which whose connection was cut may come back unnoticed.
    var graceSeconds: Int {
        min(max(Limits.presenceGraceSeconds, presenceSecondsMin), presenceSeconds)
    }
}
