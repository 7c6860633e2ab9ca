// Who may have how many of presence's places.

import EventModel

extension Presence {
    /// Places that are each tenant's own: half of all, in equal parts.
    ///
    /// The other half is for whoever comes first: of many tenants few are large.
    private var placesPerTenant: Int { bounds.memberships / (2 * tenantCount) }

    private var tenantCount: Int { max(1, keysets.configured.count) }

    /// Whether one more may come of a tenant, through one connection.
    ///
    /// A connection has no more than a part of what its tenant may still get: so there is room for
    /// another one, which has less.
    func hasRoom(for source: PresenceSource?, in tenant: PresenceTenant) -> Bool {
        guard membershipCount < bounds.memberships,
            tenant.membershipCount < keysets[tenant.key.string]?.quotas.memberships ?? 0
        else { return false }
        let own = max(0, placesPerTenant - tenant.membershipCount)
        let shared = bounds.memberships - placesPerTenant * tenantCount - sharedCount
        let count = source.flatMap { tenant.countBySource[$0] } ?? 0
        return count * Limits.presenceConnectionShare < own + max(0, shared)
    }

    /// Whether the tenant was given as many places as there are channels that a user is not in yet:
    /// of a beat all come, or none.
    func hasQuota(
        for user: PresenceUser, in channels: [String], of tenant: PresenceTenant, _ keyset: Keyset
    ) -> Bool {
        let rest = keyset.quotas.memberships - tenant.membershipCount
        guard rest < channels.count else { return true }
        var new: Set<ExactText> = []
        for name in channels {
            let room = tenant.rooms[ExactText(name)]
            let channel = Channel(name, keyset: keyset.subscribeKey)
            guard room?.membership(of: user) == nil,
                room != nil || settings(of: channel, in: keyset) != nil
            else { continue }
            new.insert(ExactText(name))
        }
        return new.count <= rest
    }

    /// Counts a membership that comes, before its tenant does.
    func willAdd(to tenant: PresenceTenant) {
        if tenant.membershipCount >= placesPerTenant { sharedCount += 1 }
    }

    /// Counts a membership that goes, before its tenant does.
    func willRemove(from tenant: PresenceTenant) {
        if tenant.membershipCount > placesPerTenant { sharedCount -= 1 }
    }

    /// Counts anew, as there are other tenants.
    func countShared() {
        sharedCount = tenants.values.reduce(0) {
            $0 + max(0, $1.membershipCount - placesPerTenant)
        }
    }

    /// Has a connection count for a membership that it prolonged.
    func move(_ membership: PresenceMembership, to source: PresenceSource?) {
        guard let source, membership.source != source else { return }
        let tenant = membership.room.tenant
        tenant.count(-1, of: membership.source)
        tenant.count(1, of: source)
        membership.source = source
    }

    /// Says in the accounts what tenants have.
    func tell(_ accounts: Accounts) {
        for account in accounts.all {
            let tenant = tenants[ExactText(account.subscribeKey)]
            account.set(.memberships, tenant?.membershipCount ?? 0)
        }
    }
}
