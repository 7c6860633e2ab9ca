// What a tenant may have of the daemon at most.

import EventModel

/// Something of which every tenant has an account.
enum Quota: Int, CaseIterable, Sendable {
    /// Sessions, and connections that ask over HTTP.
    case connections
    /// Channels that sessions and long polls follow; a group counts as one.
    case subscriptions
    /// Users in channels.
    case memberships
    case groups
    /// Channels that have a place in the store.
    case channels
    /// Bytes of messages and standing actions there.
    case storedBytes

    /// As it is called in the configuration, in metrics and in refusals.
    var name: String {
        switch self {
        case .connections: "connections"
        case .subscriptions: "subscriptions"
        case .memberships: "memberships"
        case .groups: "groups"
        case .channels: "channels"
        case .storedBytes: "stored_bytes"
        }
    }
}

/// How much of each a tenant's owner was given.
struct Quotas: Hashable, Sendable {
    var connections = Limits.connectionsPerKeysetMax
    var subscriptions = Limits.subscriptionsPerKeysetMax
    var memberships = Limits.presenceMembershipsMax
    var groups = Limits.groupsPerKeysetMax
    var channels = Limits.channelsPerKeysetMax
    var storedBytes = Limits.storedBytesPerKeysetMax
    /// Commands and requests, each by what it costs, of all clients; after a burst of as many.
    var commandsPerSecond = Limits.commandsPerSecondPerKeysetMax

    /// Whether there is any bound to what may be stored.
    var boundsStore: Bool {
        channels < Limits.channelsPerKeysetMax || storedBytes < Limits.storedBytesPerKeysetMax
    }

    var hasRate: Bool { commandsPerSecond < Limits.commandsPerSecondPerKeysetMax }

    subscript(quota: Quota) -> Int {
        switch quota {
        case .connections: connections
        case .subscriptions: subscriptions
        case .memberships: memberships
        case .groups: groups
        case .channels: channels
        case .storedBytes: storedBytes
        }
    }
}
