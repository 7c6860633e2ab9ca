// One channel that a client follows.

import EventModel

/// What is known of a subscription, and how it starts again.
struct Subscription: Sendable {
    /// `nil` until the daemon has confirmed it for the first time.
    var cache: DeviceCache?
    /// The store that issued the cache's cursor.
    var epoch: String?
    /// The newest event of this session that is not stored: it may come again, and is told once.
    var announcedThrough = Timetoken.zero
    /// The command that starts it where its user asked; while one waits nothing else resumes it.
    var start: CommandID?

    /// How a new session goes on with it; `nil` when nothing is there to go on from.
    func resumption(of channel: String) -> SubscribeRequest? {
        guard start == nil, let cache else { return nil }
        return SubscribeRequest(channel: channel, cursor: cache.cursor, epoch: epoch)
    }
}
