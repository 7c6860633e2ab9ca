// Grants of version 2 as they stand now; in memory, for every thread.

import Basis
import EventModel

/// All that was granted by version 2 in all tenants, as of the newest commit that was applied.
///
/// It holds what the store holds: at most ``Limits/keyGrantsMax`` of a tenant.
final class KeyGrants: Sendable {
    private let tables = Locked<[ExactText: KeyGrantTable]>([:])

    /// - Parameter granted: What the store holds at the start.
    init(_ granted: [KeyGrant] = []) {
        apply(granted)
    }

    /// Takes over what a commit changed; commits come in their order.
    ///
    /// - Parameter forgotten: Those whose time is over.
    func apply(_ granted: [KeyGrant], forgotten: [KeyGrantSubject] = []) {
        guard !granted.isEmpty || !forgotten.isEmpty else { return }
        // Hashed before others have to wait.
        let changes = granted.map { ($0, $0.subject.authKey.map(AuthKeyID.init)) }
        let ends = forgotten.map { ($0, $0.authKey.map(AuthKeyID.init)) }
        tables.withLock { tables in
            for (subject, key) in ends { tables[subject.keyset]?.forget(subject, of: key) }
            for (grant, key) in changes {
                tables[grant.subject.keyset, default: KeyGrantTable()].put(grant, of: key)
            }
        }
    }

    // MARK: Who may do what

    /// Who shows a text, or nothing, in a tenant; `nil` when nothing is granted to them.
    func bearer(of text: String?, in tenant: String) -> AuthKeyBearer? {
        let tenant = ExactText(tenant)
        let isKey = text.map { (1...Limits.authKeyBytesMax).contains($0.utf8.count) } ?? false
        let shown = isKey ? text.map { AuthKeyID(ExactText($0)) } : nil
        return tables.withLock { tables in
            guard let table = tables[tenant] else { return nil }
            let key = shown.flatMap { table.isHolder($0) ? $0 : nil }
            guard key != nil || table.isHolder(nil) else { return nil }
            return AuthKeyBearer(tenant: tenant, key: key, mark: table.mark(of: key))
        }
    }

    /// Whether nothing was taken from somebody since they showed their key.
    func areUnchanged(for bearer: AuthKeyBearer) -> Bool {
        let mark = tables.withLock { $0[bearer.tenant]?.mark(of: bearer.key) }
        return mark == bearer.mark
    }

    /// What somebody may do where an operation needs something, in the form that the gate asks.
    ///
    /// - Parameter now: Unix seconds.
    /// - Returns: Also when the first of the grants ends that it rests on.
    /// - Complexity: A few lookups for each place.
    func grant(
        to bearer: AuthKeyBearer, for need: Need, at now: Int64
    ) -> (grant: Grant, end: Int64) {
        var end = KeyGrant.never
        var channels: [ExactText: Rights] = [:]
        var groups: [ExactText: Rights] = [:]
        var users: [ExactText: Rights] = [:]
        for place in need.places {
            // The presence of a channel is asked for by the channel's rights, too.
            let followed = Permissions.name(followedBy: place.name)
            // And a list of members by those of its channel.
            var listed: String?
            if case .members(let channel) = Directory(channelName: place.name) { listed = channel }
            for case let name? in [place.name, followed, listed] {
                let bits = bits(of: bearer, on: name, place.kind, at: now, end: &end)
                switch place.kind {
                case .channel: channels[ExactText(name)] = Rights(pubNub: bits)
                case .group: groups[ExactText(name)] = Rights(pubNub: bits)
                case .user: users[ExactText(name)] = Rights(pubNub: bits)
                }
            }
        }
        let permissions = Permissions(
            channels: PermissionTable(exact: channels), groups: PermissionTable(exact: groups),
            users: PermissionTable(exact: users))
        let grant = Grant(
            tenant: bearer.tenant, user: nil, device: nil, expiry: KeyGrant.never,
            permissions: permissions, id: Self.tokenID)
        return (grant, end)
    }

    /// Of no token.
    private static let tokenID = TokenID(of: [])

    private func bits(
        of bearer: AuthKeyBearer, on name: String, _ kind: Need.Kind, at now: Int64,
        end: inout Int64
    ) -> UInt8 {
        var places = [KeyGrantTable.Place.keyset]
        switch kind {
        case .group: places.append(.init(level: .group, name: ExactText(name)))
        // Only what is granted to all of the keyset: version 2 has no users.
        case .user: break
        case .channel:
            let channel = Channel(name)
            places.append(.init(level: .channel, name: ExactText(name)))
            // A wildcard is granted by its own name alone, as with tokens.
            for wildcard in channel.isWildcard ? [] : channel.wildcards {
                places.append(.init(level: .channel, name: ExactText(wildcard.name)))
            }
        }
        return tables.withLock { tables in
            guard let table = tables[bearer.tenant] else { return 0 }
            return places.reduce(0) { $0 | table.bits(at: $1, of: bearer.key, at: now, end: &end) }
        }
    }

    // MARK: What is granted

    /// Whether something is granted so, or was until its time was over.
    func stands(_ subject: KeyGrantSubject) -> Bool {
        let key = subject.authKey.map(AuthKeyID.init)
        let place = KeyGrantTable.Place(level: subject.level, name: subject.name)
        return tables.withLock { $0[subject.keyset]?.stands(at: place, of: key) ?? false }
    }

    /// What stands of what a backend asks for, sorted.
    ///
    /// - Parameter now: Unix seconds.
    /// - Returns: `nil` when it is more than ``Limits/keyGrantsPerAuditMax``.
    /// - Complexity: O(grants of the tenant) when no channel or group is named.
    func granted(_ query: KeyGrantQuery, in keyset: String, at now: Int64) -> [KeyGrant]? {
        let keyset = ExactText(keyset)
        let named =
            query.channels.map { KeyGrantTable.Place(level: .channel, name: ExactText($0)) }
            + query.groups.map { KeyGrantTable.Place(level: .group, name: ExactText($0)) }
        let keys = query.authKeys.map { AuthKeyID(ExactText($0)) }
        let found = tables.withLock { tables in
            guard let table = tables[keyset] else { return [] as [KeyGrant]? }
            return table.granted(
                in: keyset, at: named, to: keys, limit: Limits.keyGrantsPerAuditMax, at: now)
        }
        return found?.sorted { ($0.subject.name, $0.authKey) < ($1.subject.name, $1.authKey) }
    }
}

extension KeyGrant {
    /// For sorting: what everybody has comes first.
    fileprivate var authKey: ExactText { subject.authKey ?? ExactText("") }
}
