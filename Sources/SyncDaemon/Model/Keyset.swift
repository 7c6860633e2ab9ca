// A tenant and what its owner decided: nothing crosses from one keyset to another.

import EventModel

/// The settings of one tenant.
///
/// Without a configured keyset, every subscribe key names the one tenant `default`, with these
/// defaults.
struct Keyset: Hashable, Sendable {
    /// Names the tenant on the wire and in the store.
    var subscribeKey: String
    /// What publishers must name; `nil` accepts any.
    var publishKey: String?
    /// Signs administrators' requests; nothing is signed without it.
    var secretKey: String?
    /// Whether published messages are stored unless a publisher says otherwise.
    var keepsMessages = true
    /// Hours after which messages are deleted; 0 keeps them.
    var hoursKept = 0
    /// Milliseconds that events wait for more before they leave, if that is longer than what holds
    /// for the whole daemon.
    var batchWindow = 0
    /// Whether clients may delete messages.
    var allowsDeleting = true
    /// Whether who is in a channel is known.
    var hasPresence = true
    /// Seconds that a user is in a channel after a heartbeat or a poll that does not say how long.
    var presenceSeconds = Limits.presenceSecondsDefault
    /// The shortest time that a heartbeat or a poll may ask for, in seconds; less is taken for it.
    var presenceSecondsMin = Limits.presenceSecondsMin
    /// Users in a channel above which single joins and leaves are no longer announced.
    var announceMax = 20
    /// Seconds between two announcements above that; 10 or more.
    var intervalSeconds = 10
    /// Whether those say who came and left.
    var sendsDeltas = false
    /// Everyone is refused who shows no token.
    var isAccessControlled = false
}

/// The tenants of a daemon.
struct Keysets: Hashable, Sendable {
    /// By subscribe key; empty when every key names the default one.
    let configured: [String: Keyset]
    /// The tenant of a client that names none.
    let defaultKey: String

    /// - Parameter keysets: The configured ones, the default first. Without any there is one
    ///   tenant, and every key names it: so whoever tries the daemon out meets all the others, and
    ///   no client can make tenants.
    init(_ keysets: [Keyset] = []) {
        configured = Dictionary(
            keysets.map { ($0.subscribeKey, $0) }, uniquingKeysWith: { first, _ in first })
        defaultKey = keysets.first?.subscribeKey ?? Channel.defaultKeyset
    }

    /// The tenant of a subscribe key; `nil` when there is none.
    subscript(subscribeKey: String) -> Keyset? {
        if configured.isEmpty { return Keyset(subscribeKey: defaultKey) }
        // A dictionary of strings takes some texts for equal that are not, byte for byte.
        guard let keyset = configured[subscribeKey],
            keyset.subscribeKey.utf8.elementsEqual(subscribeKey.utf8)
        else { return nil }
        return keyset
    }
}
