// The groups that are polled on one reactor, and those that were polled just now.

import Basis
import EventModel

/// Finds the feed of a group, and keeps it for the next poll.
final class GroupFeeds {
    private var feeds: [PolledGroup: GroupFeed] = [:]
    /// Feeds that nobody polls any more, oldest first.
    private var lingering = Queue<GroupFeed>()
    /// What those keep: a place for each, and one for each channel.
    private var lingeringPlaces = 0
    /// Channels of feeds that this turn made, or forgot.
    private var turnedOver = 0
    /// What streams name, and how it changed.
    private var streamed = StreamedGroups()
    private let ground: Ground
    private let topics: TopicTable

    init(ground: Ground, topics: TopicTable) {
        self.ground = ground
        self.topics = topics
    }

    /// The feed of a group, made when there is none; `nil` when this turn has made enough.
    ///
    /// - Complexity: O(1); O(n log n) in the channels of the group when it is made.
    func feed(of name: PolledGroup) -> GroupFeed? {
        if let feed = feeds[name] { return feed }
        guard turnedOver < Limits.groupedPerTurnMax else { return nil }
        let channels = channels(of: name)
        let feed = GroupFeed(of: name, channels, in: channels.map(topics.topic))
        feeds[name] = feed
        turnedOver += feed.places
        return feed
    }

    /// In the order of the names' bytes.
    ///
    /// Of a group that a stream names they are as of this reactor's position: the engine may have
    /// heard of more.
    private func channels(of name: PolledGroup) -> [Channel] {
        streamed.channels(of: name) ?? ground.channels(of: name)
    }

    /// Hears which groups a stream's poll names, and has it see what these had at its cursor.
    func enter(_ request: inout PollRequest) {
        streamed.enter(request, channels: ground.channels)
        streamed.bound(&request)
    }

    /// Hears that a connection is gone.
    func leave(_ connection: SessionID) { streamed.leave(connection) }

    /// Hears that a feed has lost a poll; without any it is kept for a while.
    func release(_ feed: GroupFeed) {
        guard feed.polls.isEmpty, !feed.isLingering, feeds[feed.name] === feed else { return }
        feed.isLingering = true
        feed.lingersUntil = ground.now + UInt64(Limits.topicLingerSeconds) * 1000
        lingering.append(feed)
        lingeringPlaces += feed.places
        while lingeringPlaces > Limits.lingeringTopicsMax, let oldest = lingering.popFirst() {
            look(at: oldest)
        }
    }

    /// Whether some that nobody has polled for a while are still to be forgotten.
    var hasOverdue: Bool { lingering.first.map(isOverdue) ?? false }

    /// Forgets feeds that nobody has polled for a while, a few per turn.
    func endTurn() {
        while turnedOver < Limits.groupedPerTurnMax,
            let feed = lingering.popFirst(where: isOverdue)
        {
            turnedOver += feed.places
            look(at: feed)
        }
        turnedOver = 0
    }

    private func isOverdue(_ feed: GroupFeed) -> Bool { feed.lingersUntil <= ground.now }

    /// Hears that topics have forgotten what they remembered.
    ///
    /// - Complexity: O(channels of all feeds); called once a second at most.
    func topicsForgot() {
        for feed in feeds.values { feed.topicsForgot() }
    }

    private func look(at feed: GroupFeed) {
        feed.isLingering = false
        lingeringPlaces -= feed.places
        if feed.polls.isEmpty { forget(feed) }
    }

    /// Hears that groups have other channels from this reactor's position on.
    ///
    /// - Returns: The feeds that end by it, which still have to be forgotten.
    func changed(_ groups: [GroupMembership]) -> [GroupFeed] {
        for membership in groups { streamed.changed(membership, at: ground.position) }
        return groups.flatMap { membership in
            [false, true].compactMap {
                feeds[PolledGroup(group: membership.group, isPresence: $0)]
            }
        }
    }

    /// Ends a feed, as when its group has other channels: the next poll makes a new one.
    func forget(_ feed: GroupFeed) {
        guard feeds[feed.name] === feed else { return }
        feeds[feed.name] = nil
        for topic in feed.leave() { topics.release(topic) }
    }

    func checkInvariants() {
        var places = 0
        for (name, feed) in feeds {
            if feed.isLingering { places += feed.places }
            precondition(feed.name == name, "A feed is found under its name.")
            precondition(!feed.polls.isEmpty || feed.isLingering, "What nobody polls is forgotten.")
            feed.checkInvariants()
        }
        // Those whose group has changed meanwhile are in the list, too.
        precondition(lingeringPlaces >= places, "What lingers is counted.")
    }
}

extension Ground {
    /// As far as the engine has heard.
    fileprivate func channels(of name: PolledGroup) -> [Channel] {
        name.channels(engine.groups.channels(of: name.group))
    }
}

extension GroupFeed {
    fileprivate var places: Int { channels.count + 1 }
}
