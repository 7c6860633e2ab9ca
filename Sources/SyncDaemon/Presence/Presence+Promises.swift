// What is kept of presence when another daemon comes to order: nobody joins or leaves by that.

import EventModel

/// That a user is in a channel for a while yet, whoever keeps who is where.
struct PresencePromise: Hashable, Sendable {
    let member: Presence.Member
    let channel: String
    /// Compact JSON text of an object with members.
    let state: String?
    /// Milliseconds in which the user does not time out.
    let rest: UInt64
    /// Of these, those that a heartbeat or a poll has promised.
    let promised: UInt64
    /// Whether the user named the time.
    let isTimed: Bool
}

extension Presence {
    /// Everybody who is anywhere, as if all connections were cut now.
    ///
    /// - Complexity: O(n log n) for the n memberships.
    func promises(at now: Instant) -> [PresencePromise] {
        tenants.values.flatMap { tenant in
            tenant.rooms.values.flatMap { room in
                room.members().map { promise(of: $0, in: tenant, at: now) }
            }
        }
    }

    private func promise(
        of membership: PresenceMembership, in tenant: PresenceTenant, at now: Instant
    ) -> PresencePromise {
        func rest(until tick: PresenceTick) -> UInt64 {
            tick.milliseconds > now.milliseconds ? tick.milliseconds - now.milliseconds : 0
        }
        let promised = rest(until: membership.promise)
        let grace = UInt64(membership.room.settings.graceSeconds) * 1000
        return PresencePromise(
            member: Member(userID: membership.user.id.string, keyset: tenant.key.string),
            channel: membership.room.channel.name, state: membership.state,
            rest: membership.holders.isEmpty
                ? rest(until: membership.deadline) : max(grace, promised),
            promised: promised, isTimed: membership.isTimed)
    }

    /// Has users be where another daemon promised that they are, unheard.
    ///
    /// Who came here meanwhile stays as they are, only not for less time. Those for whom there is
    /// no room leave unheard as well.
    ///
    /// - Complexity: O(promises), amortised.
    func keep(_ promises: [PresencePromise], at now: Instant) {
        for promise in promises {
            let states = promise.state.map { [ExactText(promise.channel): $0] } ?? [:]
            _ = come(
                promise.member, to: [promise.channel], states: states, from: nil, isNews: false,
                at: now
            ) { membership in
                let rest = min(promise.rest, UInt64(Limits.presenceSecondsMax) * 1000)
                let end = PresenceTick(notBefore: now.milliseconds + rest)
                let promised = PresenceTick(
                    notBefore: now.milliseconds + min(promise.promised, rest))
                membership.isTimed =
                    promised > membership.promise ? promise.isTimed : membership.isTimed
                membership.promise = max(membership.promise, promised)
                membership.deadline = max(membership.deadline, end)
                // Nobody times out whom a session holds.
                if membership.holders.isEmpty { expiries.schedule(membership) }
            }
        }
    }

    /// Others say that the user is in a channel no more; who a session holds there stays.
    func forget(_ member: Member, channel: String, at now: Instant) {
        guard let tenant = tenants[ExactText(member.keyset)],
            let user = tenant.users[ExactText(member.userID)],
            let membership = tenant.rooms[ExactText(channel)]?.membership(of: user),
            membership.holders.isEmpty
        else { return }
        remove(membership, .left, at: now)
    }
}
