// A channel that somebody on this reactor follows.

import EventModel

/// The followers of one channel and its most recent events.
final class Topic {
    let channel: Channel
    private(set) var subscriptions: [Subscription] = []
    /// Events of this turn that have not been sent yet.
    var pending: [Envelope] = []
    var recent: RecentEvents

    /// - Parameter position: The newest commit that the reactor has seen.
    init(channel: Channel, position: Timetoken) {
        self.channel = channel
        recent = RecentEvents(floor: position)
    }

    /// - Complexity: O(1).
    func add(_ subscription: Subscription) {
        subscription.index = subscriptions.count
        subscriptions.append(subscription)
    }

    /// - Complexity: O(1): the last one takes the free place.
    func remove(_ subscription: Subscription) {
        let last = subscriptions.removeLast()
        guard last !== subscription else { return }
        subscriptions[subscription.index] = last
        last.index = subscription.index
    }
}
