// What an administrator decided for the sessions of a reactor, and may decide anew at any time.

import EventModel

/// Settings that a running reactor takes as one value.
struct ReactorSettings: Hashable, Sendable {
    /// The tenants.
    var keysets = Keysets()
    /// Which pages may ask, and by which names.
    var transport = TransportSettings()
    /// Bytes that may wait for one session's socket.
    var sendQueueBytesMax = Limits.sendQueueBytesMax
    /// Milliseconds that events wait for more, in every tenant.
    var batchWindow = 0
    var commandsPerSecondMax = Limits.commandsPerSecondMax

    /// How long events of a channel wait for more, in milliseconds.
    func window(of channel: Channel) -> Int {
        max(batchWindow, keysets.settings(of: channel).batchWindow)
    }

    /// What reactions there are in a channel.
    func rules(of channel: Channel) -> ReactionRules { keysets.settings(of: channel).reactions }
}
