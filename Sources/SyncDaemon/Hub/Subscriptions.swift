// Sessions' interests in channels: how one begins, and how it ends.

import EventModel

/// Begins and ends subscriptions.
final class Subscriptions {
    private let ground: Ground
    private let repairs: Repairs
    private let topics: TopicTable
    private let outlet: Outlet
    private let catchUp: CatchUp

    init(
        ground: Ground, repairs: Repairs, topics: TopicTable, outlet: Outlet, catchUp: CatchUp
    ) {
        self.ground = ground
        self.repairs = repairs
        self.topics = topics
        self.outlet = outlet
        self.catchUp = catchUp
    }

    /// Starts to follow a channel; an earlier subscription of the session to it ends.
    ///
    /// - Parameters:
    ///   - cursor: What the device has; `nil` to follow from now on.
    ///   - window: Where the part starts that the device holds; `nil`: it holds everything.
    ///   - isNamed: Whether it goes on without any selection that brings the channel.
    /// - Returns: Whether anything older comes first.
    func begin(
        _ session: Session, on channel: Channel, from cursor: Timetoken?, pace: Pace,
        window: Timetoken?, isNamed: Bool
    ) -> Bool {
        let subscription = put(session, on: channel, at: cursor, .live, pace, isNamed)
        subscription.window = window.map { cursor == nil ? .zero : $0 }
        let recent = subscription.topic.recent
        let isCurrent = cursor.map { recent.hasNoneStored(after: $0) } ?? true
        if !isCurrent {
            subscription.lacksState = true
            outlet.lag(subscription)
        }
        return !isCurrent
    }

    /// Starts to follow a channel, and sends nothing of it before its device is repaired.
    ///
    /// - Parameter cursor: The device has all messages up to here.
    func hold(
        _ session: Session, on channel: Channel, at cursor: Timetoken, pace: Pace, isNamed: Bool
    ) {
        _ = put(session, on: channel, at: cursor, .held, pace, isNamed)
    }

    /// Puts a subscription in the place of an earlier one of the session.
    private func put(
        _ session: Session, on channel: Channel, at cursor: Timetoken?,
        _ state: Subscription.State, _ pace: Pace, _ isNamed: Bool
    ) -> Subscription {
        let topic = topics.topic(of: channel)
        end(session, on: channel)
        let subscription = Subscription(
            session: session, topic: topic,
            position: cursor ?? max(ground.position, topic.start), state: state)
        subscription.isNamed = isNamed
        topics.add(subscription, pace: pace)
        return subscription
    }

    /// A cursor for who follows a channel from now on: every stored event after it will come.
    func freshCursor(in channel: Channel) -> Timetoken {
        max(ground.durablePosition, topics.topic(of: channel).storedPosition)
    }

    func end(_ session: Session, on channel: Channel) {
        guard let subscription = session.subscriptions.removeValue(forKey: channel) else { return }
        endRepair(of: subscription)
        topics.cancel(subscription)
    }

    func endRepair(of subscription: Subscription) {
        for question in repairs.end(of: subscription) {
            catchUp.refuse(question, of: subscription.session, .noRepair)
        }
    }
}
