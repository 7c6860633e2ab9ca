// The channels that somebody on this reactor follows, and those that somebody followed just now.

import Basis
import EventModel

/// Finds the topics that an event concerns, whatever the number of those it does not.
final class TopicTable {
    private var topics = ShardedDictionary<Channel, Topic>()
    /// Topics whose name ends with `.*`; while there are none, events need one look-up.
    private var wildcardCount = 0
    /// Topics that nobody follows any more, oldest first.
    private var lingering = Queue<Topic>()
    /// Bytes of all topics' recent events.
    private var recentByteCount = 0
    /// Subscriptions of sessions that are gone: still in their topics.
    private var ending = Queue<[Channel: Subscription]>()
    /// The rest of those whose turn it is.
    private var leaving: Dictionary<Channel, Subscription>.Values.Iterator?
    let ground: Ground
    private let repairs: Repairs
    private let attendance: Attendance

    init(ground: Ground, repairs: Repairs, attendance: Attendance) {
        self.ground = ground
        self.repairs = repairs
        self.attendance = attendance
    }

    /// The topic of a channel or wildcard, made when there is none.
    func topic(of channel: Channel) -> Topic {
        if let topic = topics[channel] { return topic }
        let entered = ground.engine.follow(channel)
        // What a wildcard brings came before, too, though the engine knows of it only now.
        let start = wildcard(over: channel).map { ($0.start, $0.durableStart) } ?? entered
        let topic = Topic(
            channel: channel, position: max(ground.position, start.0),
            durable: max(ground.durablePosition, start.1),
            window: ground.settings.window(channel))
        topics[channel] = topic
        if channel.isWildcard { wildcardCount += 1 }
        return topic
    }

    /// The topic to which every event of a channel has been brought for longest.
    private func wildcard(over channel: Channel) -> Topic? {
        guard wildcardCount > 0 else { return nil }
        return channel.wildcards.compactMap { topics[$0] }.min { $0.start < $1.start }
    }

    /// The topic of a channel or wildcard, if there is one.
    func existing(_ channel: Channel) -> Topic? { topics[channel] }

    /// Calls with every topic that an event of this channel concerns.
    ///
    /// - Complexity: O(1); O(dots in the name) while somebody follows a wildcard.
    func forEach(concernedBy channel: Channel, _ body: (Topic) -> Void) {
        if let topic = topics[channel] { body(topic) }
        forEachWildcard(over: channel, body)
    }

    /// Calls with every wildcard that is followed and under which a channel falls.
    func forEachWildcard(over channel: Channel, _ body: (Topic) -> Void) {
        guard wildcardCount > 0 else { return }
        for wildcard in channel.wildcards {
            if let topic = topics[wildcard] { body(topic) }
        }
    }

    /// Takes new settings.
    func settingsChanged() {
        for topic in topics.values {
            topic.window = ground.settings.window(topic.channel)
        }
    }

    /// Puts a new subscription into its topic and session, which has no other one to the channel.
    func add(_ subscription: Subscription, pace: Pace) {
        let topic = subscription.topic
        topic.add(subscription, pace: pace)
        subscription.session.subscriptions[topic.channel] = subscription
        subscription.session.account?.add(.subscriptions)
        ground.counters.subscriptions.add()
    }

    /// Ends a subscription that its session no longer holds.
    func cancel(_ subscription: Subscription) {
        subscription.state = .cancelled
        repairs.end(of: subscription)
        takeOut(subscription)
    }

    private func takeOut(_ subscription: Subscription) {
        subscription.topic.remove(subscription)
        subscription.session.account?.add(.subscriptions, -1)
        ground.counters.subscriptions.add(-1)
        release(subscription.topic)
    }

    /// Ends all subscriptions of a session that is closing: it gets nothing more, and in the turns
    /// to come they are taken out of their topics.
    func cancelAll(of session: Session) {
        attendance.end(session)
        // First: nobody is to be told what becomes of them.
        session.questions = Queue()
        session.lagging.removeAll()
        endQueries(of: session)
        guard !session.subscriptions.isEmpty else { return }
        if session.repairSymbolCount > 0 {
            for subscription in session.subscriptions.values { repairs.end(of: subscription) }
        }
        ending.append(session.subscriptions)
        session.subscriptions = [:]
    }

    /// Whether something that ended has to be taken out yet.
    var hasEnding: Bool {
        leaving != nil || !ending.isEmpty || lingering.first.map(isOver) ?? false
    }

    /// Takes subscriptions of sessions that are gone out of their topics, and forgets topics that
    /// nobody has followed for a while, so many per turn: a thousand devices of one network go at
    /// once, and nobody else is to wait for that.
    func endTurn() {
        var rest = Limits.endedPerTurnMax
        while rest > 0, let subscription = nextEnding() {
            subscription.state = .cancelled
            takeOut(subscription)
            rest -= 1
        }
        while rest > 0, let topic = lingering.popFirst(where: isOver) {
            forget(topic)
            rest -= 1
        }
    }

    private func isOver(_ topic: Topic) -> Bool { topic.lingersUntil <= ground.now }

    private func nextEnding() -> Subscription? {
        while true {
            if let next = leaving?.next() { return next }
            leaving = ending.popFirst()?.values.makeIterator()
            if leaving == nil { return nil }
        }
    }

    /// Remembers the newest events of a topic, within the reactor's budget.
    func remember(_ events: [EncodedEnvelope], in topic: Topic) {
        // It may have been forgotten in the very turn that brought it news.
        guard topics[topic.channel] === topic else { return }
        let before = topic.recent.byteCount
        let isTight = recentByteCount >= ground.settings.recentBytesMax
        let bytesMax = isTight ? 0 : Limits.recentBytesPerChannelMax
        for event in events { topic.recent.append(event, bytesMax: bytesMax) }
        recentByteCount += topic.recent.byteCount - before
    }

    /// Remembers what a reader found after `start`, too.
    func remember(
        _ found: [EncodedEnvelope], after start: Timetoken, state: Digest, in topic: Topic
    ) {
        guard recentByteCount < ground.settings.recentBytesMax else { return }
        let before = topic.recent.byteCount
        topic.recent.reach(
            back: start, with: found, state: state, bytesMax: Limits.recentBytesPerChannelMax)
        recentByteCount += topic.recent.byteCount - before
    }

    /// Forgets all recent events: who comes back is served by the readers.
    func forgetRecent() {
        for topic in topics.values where topic.recent.byteCount > 0 {
            recentByteCount -= topic.recent.byteCount
            topic.recent.forget()
            recentByteCount += topic.recent.byteCount
        }
    }

    /// Hears that a topic has lost a follower; without any it is kept for a while.
    ///
    /// A device that polls comes back in a moment, and must find what happened meanwhile.
    func release(_ topic: Topic) {
        guard topic.isDeserted, !topic.isLingering else { return }
        topic.isLingering = true
        topic.lingersUntil = ground.now + UInt64(Limits.topicLingerSeconds) * 1000
        lingering.append(topic)
        if lingering.count > Limits.lingeringTopicsMax, let oldest = lingering.popFirst() {
            forget(oldest)
        }
    }

    private func forget(_ topic: Topic) {
        topic.isLingering = false
        guard topic.isDeserted else { return }
        // Nobody will tell them, and they hold the topic.
        topic.state.waiting = []
        recentByteCount -= topic.recent.byteCount
        topics[topic.channel] = nil
        ground.engine.unfollow(topic.channel)
        if topic.channel.isWildcard { wildcardCount -= 1 }
    }

    func checkInvariants(of sessions: some Sequence<Session>) {
        for session in sessions {
            for (channel, subscription) in session.subscriptions {
                check(subscription, of: session, to: channel)
            }
        }
        var (byteCount, wildcards) = (0, 0)
        for (channel, topic) in topics.entries {
            precondition(topic.channel == channel, "A topic is found under its name.")
            precondition(topic.pending.isEmpty, "A turn sends all that it brought.")
            precondition(
                !topic.isDeserted || topic.isLingering, "What nobody follows is forgotten some day."
            )
            for lane in topic.lanes {
                precondition(!lane.subscriptions.isEmpty, "A lane has followers.")
                for subscription in lane.subscriptions.elements {
                    precondition(
                        subscription.session.subscriptions[channel] === subscription
                            || subscription.session.isClosing && hasEnding,
                        "Who follows has asked for it, and not taken it back.")
                }
            }
            byteCount += topic.recent.byteCount
            wildcards += topic.channel.isWildcard ? 1 : 0
        }
        precondition(recentByteCount == byteCount, "What is remembered is counted.")
        precondition(wildcardCount == wildcards, "Wildcards are counted.")
    }

    private func check(
        _ subscription: Subscription, of session: Session, to channel: Channel
    ) {
        precondition(subscription.session === session, "A subscription is its session's.")
        precondition(
            topics[channel] === subscription.topic, "What is followed is not forgotten.")
        guard let lane = subscription.lane else {
            preconditionFailure("A subscription has a lane until it is cancelled.")
        }
        precondition(lane.topic === subscription.topic, "A lane is of its topic.")
        precondition(
            lane.subscriptions.elements[subscription.place] === subscription,
            "A subscription is where it says.")
        precondition(subscription.state != .cancelled, "What is cancelled is taken out.")
    }
}
