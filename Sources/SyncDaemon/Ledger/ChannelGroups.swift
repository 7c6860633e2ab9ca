// Who is in which channel group, in memory, for every thread.

import Basis
import EventModel

/// All memberships, as of the newest commit that was applied.
final class ChannelGroups: Sendable {
    private struct State: Sendable {
        var channels: [ChannelGroup: [String]] = [:]
        var names: [ExactText: Set<ExactText>] = [:]

        mutating func apply(_ membership: GroupMembership) {
            let group = membership.group
            let (keyset, name) = (ExactText(group.keyset), ExactText(group.name))
            if membership.channels.isEmpty {
                channels[group] = nil
                names[keyset]?.remove(name)
                if names[keyset]?.isEmpty ?? false { names[keyset] = nil }
            } else {
                channels[group] = membership.channels
                names[keyset, default: []].insert(name)
            }
        }
    }

    private let state = Locked(State())

    /// - Parameter memberships: What the store holds at the start.
    init(_ memberships: [GroupMembership] = []) {
        apply(memberships)
    }

    /// A group's channels, in the order of their bytes; empty when there is no such group.
    ///
    /// - Complexity: O(1).
    func channels(of group: ChannelGroup) -> [String] {
        state.withLock { $0.channels[group, default: []] }
    }

    /// Channels that a change puts into a group or takes out, at most.
    func channelCount(of request: GroupRequest, in keyset: String) -> Int {
        switch request.change {
        case .add(let names), .remove(let names): names.count
        case .delete: channels(of: ChannelGroup(request.group, keyset: keyset)).count
        }
    }

    /// Whether a channel is in a group.
    ///
    /// - Complexity: O(log channels).
    func contains(_ channel: Channel, in group: ChannelGroup) -> Bool {
        let (channels, name) = (channels(of: group), ExactText(channel.name))
        var (low, high) = (0, channels.count)
        while low < high {
            let middle = (low + high) / 2
            if ExactText(channels[middle]) < name { low = middle + 1 } else { high = middle }
        }
        return low < channels.count && ExactText(channels[low]) == name
    }

    /// The names of a keyset's groups, in the order of their bytes; `nil` when there are more than
    /// ``Limits/groupsListedMax``.
    ///
    /// - Complexity: O(n log n) in the groups of the keyset, without the lock.
    func groups(inKeyset keyset: String) -> [String]? {
        let names = state.withLock { $0.names[ExactText(keyset), default: []] }
        guard names.count <= Limits.groupsListedMax else { return nil }
        return names.sorted().map(\.string)
    }

    /// Takes over what a commit changed; commits come in their order.
    func apply(_ memberships: [GroupMembership]) {
        guard !memberships.isEmpty else { return }
        state.withLock { state in
            for membership in memberships { state.apply(membership) }
        }
    }
}
