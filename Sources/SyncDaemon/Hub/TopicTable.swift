// The channels that somebody on this reactor follows, and those that somebody followed just now.

import Basis
import EventModel

/// Finds the topics that an event concerns, whatever the number of those it does not.
final class TopicTable {
    private var topics: [Channel: Topic] = [:]
    /// Topics whose name ends with `.*`; while there are none, events need one look-up.
    private(set) var wildcardCount = 0
    /// Topics that nobody follows any more, oldest first.
    private var lingering = Queue<Topic>()
    private(set) var recentByteCount = 0
    private let recentBytesMax: Int
    private let unfollow: (Channel) -> Void

    /// - Parameters:
    ///   - recentBytesMax: Bytes of all topics' recent events.
    ///   - unfollow: Called with the channel of a topic that was forgotten.
    init(recentBytesMax: Int, unfollow: @escaping (Channel) -> Void) {
        self.recentBytesMax = recentBytesMax
        self.unfollow = unfollow
    }

    /// The topic of a channel or wildcard, made when there is none.
    func topic(for channel: Channel, otherwise make: () -> Topic) -> Topic {
        if let topic = topics[channel] { return topic }
        let topic = make()
        topics[channel] = topic
        if channel.isWildcard { wildcardCount += 1 }
        return topic
    }

    /// The topic of a channel or wildcard, if there is one.
    func existing(_ channel: Channel) -> Topic? { topics[channel] }

    /// Calls with every topic.
    func forEach(_ body: (Topic) -> Void) {
        for topic in topics.values { body(topic) }
    }

    /// Calls with every topic that an event of this channel concerns.
    ///
    /// - Complexity: O(1); O(dots in the name) while somebody follows a wildcard.
    func forEach(concernedBy channel: Channel, _ body: (Topic) -> Void) {
        if let topic = topics[channel] { body(topic) }
        guard wildcardCount > 0 else { return }
        for wildcard in channel.wildcards {
            if let topic = topics[wildcard] { body(topic) }
        }
    }

    /// Remembers the newest events of a topic, within the reactor's budget.
    func remember(_ events: [EncodedEnvelope], in topic: Topic) {
        // It may have been forgotten in the very turn that brought it news.
        guard topics[topic.channel] === topic else { return }
        let before = topic.recent.byteCount
        let isTight = recentByteCount >= recentBytesMax
        let bytesMax = isTight ? 0 : Limits.recentBytesPerChannelMax
        for event in events { topic.recent.append(event, bytesMax: bytesMax) }
        recentByteCount += topic.recent.byteCount - before
    }

    /// Remembers what a reader found after `start`, too.
    func remember(
        _ found: [EncodedEnvelope], after start: Timetoken, state: Digest, in topic: Topic
    ) {
        guard recentByteCount < recentBytesMax else { return }
        let before = topic.recent.byteCount
        topic.recent.reach(
            back: start, with: found, state: state, bytesMax: Limits.recentBytesPerChannelMax)
        recentByteCount += topic.recent.byteCount - before
    }

    /// Hears that a topic has lost a follower; without any it is kept for a while.
    ///
    /// A device that polls comes back in a moment, and must find what happened meanwhile.
    func release(_ topic: Topic, at now: UInt64) {
        guard topic.isDeserted, !topic.isLingering else { return }
        topic.isLingering = true
        topic.lingersUntil = now + UInt64(Limits.topicLingerSeconds) * 1000
        lingering.append(topic)
        if lingering.count > Limits.lingeringTopicsMax, let oldest = lingering.popFirst() {
            forget(oldest)
        }
    }

    /// Forgets topics that nobody has followed for a while.
    func expire(at now: UInt64) {
        while let topic = lingering.popFirst(where: { $0.lingersUntil <= now }) { forget(topic) }
    }

    private func forget(_ topic: Topic) {
        topic.isLingering = false
        guard topic.isDeserted else { return }
        // Nobody will tell them, and they hold the topic.
        topic.state.waiting = []
        recentByteCount -= topic.recent.byteCount
        topics[topic.channel] = nil
        unfollow(topic.channel)
        if topic.channel.isWildcard { wildcardCount -= 1 }
    }
}
