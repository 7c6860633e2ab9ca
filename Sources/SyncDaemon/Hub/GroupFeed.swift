// What happens in the channels of a group, once for all polls of one reactor that name it.

import EventModel

/// A group as polls name it: its channels, or the presence of these.
struct PolledGroup: Hashable, Sendable {
    let group: ChannelGroup
    let isPresence: Bool

    /// Its channels by the names that are in the group, in the order of their bytes.
    ///
    /// - Parameter names: In that order.
    func channels(_ names: [String]) -> [Channel] {
        let channels = names.map { Channel($0, keyset: group.keyset) }
        guard isPresence else { return channels }
        // "a" comes before "a-b", and "a-pnpres" after "a-b-pnpres".
        return channels.map(\.presence).sorted { ExactText($0.name) < ExactText($1.name) }
    }

    /// As the client spelled it: what its events are answered under.
    var subscription: String { isPresence ? group.name + Channel.presenceSuffix : group.name }
}

/// The interest of all polls of a group in its channels.
///
/// It holds each channel once, whatever the number of polls: a poll of a group costs as much as one
/// of a channel. Which channels have news it knows without a look at all of them.
final class GroupFeed {
    let name: PolledGroup
    let subscription: String
    /// In the order of the names' bytes; readers get this very array.
    let channels: [Channel]
    /// In the same order; empty once the feed is forgotten.
    private(set) var members: [GroupMember] = []
    private var recency: RecencyList
    /// Memory holds everything after it, of all channels.
    private(set) var floor = Timetoken.zero
    /// Those that wait.
    var polls = PlaceList<GroupPoll>()
    /// Its polls are served at the end of this turn.
    var isListed = false
    /// In the table's list of feeds that nobody polls.
    var isLingering = false
    /// Milliseconds; when that list may forget it.
    var lingersUntil: UInt64 = 0

    /// - Parameters:
    ///   - channels: Each once, in the order of the names' bytes.
    ///   - topics: Theirs, in the same order.
    init(of name: PolledGroup, _ channels: [Channel], in topics: [Topic]) {
        self.name = name
        self.channels = channels
        subscription = name.subscription
        let newest = topics.map(\.recent.newest)
        recency = RecencyList(topics.indices.sorted { newest[$0] < newest[$1] })
        for (index, topic) in topics.enumerated() {
            let member = GroupMember(of: self, in: topic, index: index, through: newest[index])
            topic.memberships.add(member)
            members.append(member)
            floor = max(floor, topic.recent.wholeFloor)
        }
    }

    /// Takes note that a topic has remembered what a turn brought.
    ///
    /// - Parameter position: Nothing of that turn is after it, and all of the next.
    func heard(of member: GroupMember, through position: Timetoken) {
        member.through = position
        floor = max(floor, member.topic.recent.wholeFloor)
        recency.touch(member.index)
    }

    /// The first event of one of its channels that this turn has not sent.
    ///
    /// - Complexity: O(channels).
    var firstPending: Timetoken? { members.compactMap(\.topic.firstPending).min() }

    /// Takes note that topics have forgotten what they remembered.
    func topicsForgot() {
        floor = members.reduce(floor) { max($0, $1.topic.recent.wholeFloor) }
    }

    /// Calls with each topic that may have something after a position.
    ///
    /// - Complexity: O(channels with news after the position), not O(channels).
    func forEachTopic(withNewsAfter position: Timetoken, _ body: (Topic) -> Void) {
        var index = recency.newest
        while let place = index, members[place].through > position {
            body(members[place].topic)
            index = recency.before(place)
        }
    }

    /// Whether an event of this channel is one of the group's, but for some of its channels.
    ///
    /// - Complexity: O(log channels), for each wildcard that the channel falls under.
    func concerns(_ channel: Channel, but hidden: Set<Channel> = []) -> Bool {
        ([channel] + channel.wildcards).contains { !hidden.contains($0) && holds($0) }
    }

    private func holds(_ channel: Channel) -> Bool {
        let name = ExactText(channel.name)
        var (low, high) = (0, channels.count)
        while low < high {
            let middle = (low + high) / 2
            if ExactText(channels[middle].name) < name { low = middle + 1 } else { high = middle }
        }
        return low < channels.count && channels[low] == channel
    }

    /// Takes it out of its topics.
    ///
    /// - Returns: The topics.
    func leave() -> [Topic] {
        let topics = members.map(\.topic)
        for member in members { member.topic.memberships.remove(member) }
        members = []
        recency = RecencyList([])
        return topics
    }

    func checkInvariants() {
        precondition(members.count == channels.count, "Each channel of a group has its topic.")
        precondition(
            zip(channels, channels.dropFirst()).allSatisfy {
                ExactText($0.name) < ExactText($1.name)
            }, "A group's channels are in order.")
        precondition(polls.elements.allSatisfy { $0.feed === self }, "A poll knows its feeds.")
        var (seen, through) = (0, Timetoken(rawValue: .max))
        var index = recency.newest
        while let place = index {
            precondition(members[place].through <= through, "What is newer comes later.")
            (seen, through) = (seen + 1, members[place].through)
            index = recency.before(place)
        }
        precondition(seen == members.count, "Each channel has a place among the newest.")
        for member in members {
            let topic = member.topic
            precondition(topic.channel == channels[member.index], "A member is in its order.")
            precondition(
                topic.memberships.elements[member.place] === member, "A member is where it says.")
            precondition(topic.recent.wholeFloor <= floor, "A feed promises what memory has.")
            // What a reader found is from before that floor: no poll wants it of memory.
            precondition(
                topic.recent.newest <= max(member.through, topic.recent.wholeFloor),
                "A feed knows of all news.")
        }
    }
}

/// A channel of a group that is polled.
final class GroupMember: Placed {
    unowned let feed: GroupFeed
    let topic: Topic
    /// In its feed.
    let index: Int
    /// Nothing that its topic has heard is after this.
    fileprivate(set) var through: Timetoken
    /// In its topic's list.
    var place = 0

    init(of feed: GroupFeed, in topic: Topic, index: Int, through: Timetoken) {
        self.feed = feed
        self.topic = topic
        self.index = index
        self.through = through
    }
}

/// A poll's interest in one group.
final class GroupPoll: Placed {
    unowned let poll: LongPoll
    let feed: GroupFeed
    /// In its feed's list.
    var place = 0

    init(of poll: LongPoll, in feed: GroupFeed) {
        self.poll = poll
        self.feed = feed
    }
}
