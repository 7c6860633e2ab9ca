// What a token allows where: rights per name, and per pattern of names.

import EventModel

/// Rights on named things of one kind, and on those whose names match.
struct PermissionTable: Hashable, Sendable {
    private let exact: [ExactText: Rights]
    private let patterns: [(pattern: AccessPattern, rights: Rights)]

    init(
        exact: [ExactText: Rights] = [:],
        patterns: [(pattern: AccessPattern, rights: Rights)] = []
    ) {
        self.exact = exact
        self.patterns = patterns
    }

    /// What it keeps in memory, roughly, besides its names.
    var bytes: Int {
        64 * exact.count + patterns.reduce(0) { $0 + 128 + 32 * $1.pattern.size }
    }

    /// Rights that are granted to this very name.
    func exactRights(on name: String) -> Rights { exact[ExactText(name)] ?? [] }

    /// Rights of the name and of all patterns that match it, together.
    ///
    /// - Parameters:
    ///   - wanted: Looks no further when it has these.
    ///   - steps: What patterns may cost, less what they did: without any left they are not asked,
    ///     and allow nothing.
    /// - Complexity: O(length of the name × states of all patterns).
    func rights(on name: String, wanted: Rights, within steps: inout Int) -> Rights {
        var rights = exactRights(on: name)
        for entry in patterns where !rights.isSuperset(of: wanted) && steps > 0 {
            guard !rights.isSuperset(of: entry.rights) else { continue }
            var taken = 0
            if entry.pattern.matches(name, steps: &taken) { rights.formUnion(entry.rights) }
            steps -= taken
        }
        return rights
    }

    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.exact == rhs.exact
            && lhs.patterns.elementsEqual(rhs.patterns) {
                $0.pattern == $1.pattern && $0.rights == $1.rights
            }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(exact)
        hasher.combine(patterns.map(\.rights))
    }
}

/// Everything that a token allows; without an entry nothing is allowed.
///
/// Rights do not cascade: those on a group say nothing of its channels, nor the other way round.
struct Permissions: Hashable, Sendable {
    var channels = PermissionTable()
    var groups = PermissionTable()
    var users = PermissionTable()

    /// What it keeps in memory, roughly, besides its names.
    var bytes: Int { channels.bytes + groups.bytes + users.bytes }

    /// - A wildcard (`room.*`) stands for many channels, so only an entry with exactly this name
    ///   counts: a pattern may match its text, and not the channels that it covers.
    /// - The presence of a channel may be followed by who has ``Rights/presence`` on the channel,
    ///   or what was granted to the name `room-pnpres` itself.
    /// - Parameter steps: As ``PermissionTable/rights(on:wanted:within:)`` has it.
    /// - A list of members may be followed by who has ``Rights/get`` on its channel, and one of
    ///   memberships by who has that on its user; a wildcard of such lists likewise.
    func rights(on channel: Channel, wanted: Rights, within steps: inout Int) -> Rights {
        var rights = rights(
            on: channel.name, isWildcard: channel.isWildcard, in: channels, wanted, &steps)
        guard !rights.isSuperset(of: wanted) else { return rights }
        func get(_ name: String, _ table: PermissionTable) -> Rights {
            own(name, isWildcard: channel.isWildcard, in: table, .get, &steps)
        }
        let listed: Rights =
            switch Directory(channelName: channel.name) {
            case .members(let channel): get(channel, channels)
            case .memberships(let user): get(user, users)
            case .users, .channels, nil: []
            }
        if listed.contains(.get) { rights.formUnion([.read, .history]) }
        return rights
    }

    func rights(on group: ChannelGroup, wanted: Rights, within steps: inout Int) -> Rights {
        rights(on: group.name, isWildcard: false, in: groups, wanted, &steps)
    }

    private func rights(
        on name: String, isWildcard: Bool, in table: PermissionTable, _ wanted: Rights,
        _ steps: inout Int
    ) -> Rights {
        func own(_ name: String, _ wanted: Rights) -> Rights {
            self.own(name, isWildcard: isWildcard, in: table, wanted, &steps)
        }
        guard let followed = Self.name(followedBy: name) else { return own(name, wanted) }
        var rights = own(name, wanted)
        if !rights.contains(.read), own(followed, .presence).contains(.presence) {
            rights.insert(.read)
        }
        return rights
    }

    /// What is granted to a name: to a wildcard only what names it.
    private func own(
        _ name: String, isWildcard: Bool, in table: PermissionTable, _ wanted: Rights,
        _ steps: inout Int
    ) -> Rights {
        isWildcard
            ? table.exactRights(on: name)
            : table.rights(on: name, wanted: wanted, within: &steps)
    }

    /// `room` of `room-pnpres`.
    static func name(followedBy presence: String) -> String? {
        let suffix = Channel.presenceSuffix.utf8
        guard presence.utf8.count > suffix.count, presence.utf8.ends(with: suffix) else {
            return nil
        }
        return String(presence.utf8.dropLast(suffix.count))
    }
}
