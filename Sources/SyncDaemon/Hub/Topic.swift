// A channel that somebody on this reactor follows.

import EventModel

/// The followers of one channel, or of a wildcard, and its most recent events.
final class Topic {
    let channel: Channel
    private(set) var subscriptions: [Subscription] = []
    /// Interests of long polls that are open.
    private(set) var interests: [PollInterest] = []
    /// Events of this turn that have not been sent yet.
    var pending: [EncodedEnvelope] = []
    var recent: RecentEvents
    var state = TopicState()
    /// The store has nothing for its followers up to here that they were not sent.
    var storedPosition: Timetoken
    /// In the table's list of topics that nobody follows.
    var isLingering = false
    /// Milliseconds; when that list may forget it.
    var lingersUntil: UInt64 = 0

    /// - Parameters:
    ///   - position: The newest event that the reactor has seen.
    ///   - durable: The newest commit that it has seen.
    init(channel: Channel, position: Timetoken, durable: Timetoken) {
        self.channel = channel
        storedPosition = durable
        recent = RecentEvents(floor: position)
    }

    /// Whether nobody follows it.
    var isDeserted: Bool { subscriptions.isEmpty && interests.isEmpty }

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

    /// - Complexity: O(1).
    func add(_ interest: PollInterest) {
        interest.index = interests.count
        interests.append(interest)
    }

    /// - Complexity: O(1).
    func remove(_ interest: PollInterest) {
        let last = interests.removeLast()
        guard last !== interest else { return }
        interests[interest.index] = last
        last.index = interest.index
    }
}
