// A channel that somebody on this reactor follows.

import EventModel

/// The followers of one channel, or of a wildcard, and its most recent events.
final class Topic {
    let channel: Channel
    /// Every later event was brought here.
    let start: Timetoken
    /// Every later stored event was, too.
    let durableStart: Timetoken
    /// How long events of the channel wait for more at least, in milliseconds; for who follows it
    /// from now on.
    var window: Int
    /// Followers, by the pace at which they want their batches.
    private(set) var lanes: [Lane] = []
    /// Interests of long polls that are open.
    var interests = PlaceList<PollInterest>()
    /// The groups among whose channels it is, as far as they are polled.
    var memberships = PlaceList<GroupMember>()
    /// Questions about its actions that are open.
    var liveQueries = TopicQueries()
    /// Sessions that follow all channels of this wildcard.
    var watchers = Watchers()
    /// Events of this turn that have not been sent yet.
    var pending: [EncodedEnvelope] = []
    var recent: RecentEvents
    var state = TopicState()
    var summaries = TopicSummaries()
    /// The store has nothing up to here that lanes which begin now would have to be sent.
    private(set) var storedPosition: Timetoken
    /// In the table's list of topics that nobody follows.
    var isLingering = false
    /// Milliseconds; when that list may forget it.
    var lingersUntil: UInt64 = 0

    /// - Parameters:
    ///   - position: Every later event will be brought here.
    ///   - durable: The newest commit that the reactor has seen.
    init(channel: Channel, position: Timetoken, durable: Timetoken, window: Int = 0) {
        self.channel = channel
        self.window = window
        start = position
        durableStart = durable
        storedPosition = durable
        recent = RecentEvents(floor: position)
    }

    /// Sessions and polls that follow it by its name; the polls of a group count as one.
    var followerCount: Int {
        lanes.reduce(interests.count + memberships.count) { $0 + $1.subscriptions.count }
    }

    /// Whether nobody follows it.
    var isDeserted: Bool {
        lanes.isEmpty && interests.isEmpty && memberships.isEmpty && watchers.isEmpty
            && liveQueries.isEmpty
    }

    /// The first event that this turn has not sent.
    var firstPending: Timetoken? { pending.first?.timetoken }

    /// Takes the events of this turn, to be sent to every lane.
    func takePending() -> [EncodedEnvelope] {
        let events = pending
        pending.removeAll(keepingCapacity: true)
        storedPosition = events.last(where: \.isStored)?.timetoken ?? storedPosition
        return events
    }

    /// - Complexity: O(lanes), of which there are few.
    func add(_ subscription: Subscription, pace: Pace = Pace()) {
        var pace = pace
        pace.milliseconds = max(window, pace.milliseconds)
        let lane = lanes.first { $0.pace == pace } ?? addLane(pace)
        lane.subscriptions.add(subscription)
        subscription.lane = lane
    }

    private func addLane(_ pace: Pace) -> Lane {
        let lane = Lane(of: self, pace: pace, storedPosition: storedPosition)
        lanes.append(lane)
        return lane
    }

    /// - Complexity: O(lanes).
    func remove(_ subscription: Subscription) {
        guard let lane = subscription.lane else { return }
        subscription.lane = nil
        lane.subscriptions.remove(subscription)
        if lane.subscriptions.isEmpty { lanes.removeAll { $0 === lane } }
    }
}
