// From a group or a wildcard to its channels: sessions follow each as if they had named it.
//
// So whatever holds for a channel holds for one that a selection brings: what a slow reader missed
// is read from the store, and a digest proves that its device has everything.

import Basis
import EventModel

/// Which sessions follow which groups and wildcards, and telling them of their channels.
final class Selections {
    private var groups: [ChannelGroup: (channels: Set<ExactText>, followers: [FollowedSelection])] =
        [:]
    /// With channels to be followed, or news for their devices.
    private var listed: [FollowedSelection] = []
    /// Sessions' interests in wildcards: while there are none, events cost no look-up.
    private var watcherCount = 0
    /// Channels that this turn had sessions follow.
    private var followedCount = 0
    let searches: WildcardSearches
    private let ground: Ground
    private let topics: TopicTable
    private let outlet: Outlet
    private let subscriptions: Subscriptions

    init(ground: Ground, topics: TopicTable, outlet: Outlet, subscriptions: Subscriptions) {
        self.ground = ground
        self.topics = topics
        self.outlet = outlet
        self.subscriptions = subscriptions
        searches = WildcardSearches(ground: ground)
    }

    /// Whether some wait for the next turn.
    var areListed: Bool { !listed.isEmpty }

    // MARK: Sessions

    /// Has a session follow all channels of a selection; what it followed of it before ends.
    ///
    /// - Parameters:
    ///   - since: Where its channels start; `nil`: from now on.
    ///   - mode: How those start of which something is older.
    /// - Returns: From where to follow it when the connection is gone.
    func follow(
        _ session: Session, _ request: FollowRequest, in keyset: String, pace: Pace,
        _ mode: SubscribedChannel.Mode, since: Timetoken?
    ) -> Timetoken {
        unfollow(session, request.selection)
        let followed = FollowedSelection(
            of: session, request, keyset: keyset, pace: pace, mode: mode, since: since,
            cursor: since ?? ground.durablePosition)
        session.selections[request.selection] = followed
        if let group = followed.group {
            if groups[group.group] == nil {
                let names = ground.engine.groups.channels(of: group.group)
                groups[group.group] = (Set(names.map(ExactText.init)), [])
            }
            groups[group.group]?.followers.append(followed)
            followed.since = nil
            for channel in channels(of: group) { followed.waiting.append((channel, since)) }
        } else if let wildcard = followed.wildcard {
            let topic = topics.topic(of: wildcard)
            topic.watchers.add(followed)
            watcherCount += 1
            // Nothing is stored of presence.
            if wildcard.isPresence { followed.since = nil }
            if followed.since == nil {
                followed.cursor = max(followed.cursor, topic.storedPosition)
            } else {
                searches.begin(for: followed)
            }
        }
        list(followed)
        return followed.cursor
    }

    /// Ends what a session follows by a selection, and by nothing else.
    func unfollow(_ session: Session, _ selection: Selection) {
        guard let followed = session.selections.removeValue(forKey: selection) else { return }
        leave(followed)
        // Also what the session named with no right of its own but this selection's.
        let channels = session.subscriptions.lazy.filter { !$0.value.isNamed }.map(\.key)
        for channel in Array(channels) { end(channel, of: session) }
    }

    /// Ends a channel that no selection of the session has, unless the session may follow it by
    /// name.
    private func end(_ channel: Channel, of session: Session) {
        guard let subscription = session.subscriptions[channel], !subscription.isNamed,
            self.selection(over: channel, of: session) == nil
        else { return }
        subscriptions.end(session, on: channel)
    }

    /// Hears that a session follows a channel no more that it named.
    ///
    /// Its selections do not begin it, also when nothing was in it yet: not before they are
    /// followed anew.
    func leave(_ channel: Channel, of session: Session) {
        for followed in session.selections.values
        where has(followed, channel) && session.selectedCount < Self.selectedMax {
            if followed.add(channel) { session.selectedCount += 1 }
        }
    }

    /// Hears that a session is gone.
    func endAll(of session: Session) {
        for followed in session.selections.values { leave(followed) }
        session.selections = [:]
        searches.end(of: session)
    }

    private func leave(_ followed: FollowedSelection) {
        followed.isEnded = true
        followed.waiting.removeAll()
        followed.session.selectedCount -= followed.channels.count
        if let group = followed.group?.group {
            groups[group]?.followers.removeAll { $0 === followed }
            if groups[group]?.followers.isEmpty == true { groups[group] = nil }
        } else if let topic = followed.wildcard.flatMap(topics.existing) {
            topic.watchers.remove(followed)
            watcherCount -= 1
            topics.release(topic)
        }
    }

    /// A selection that a session follows, and that has a channel.
    ///
    /// - Complexity: O(selections of the session × log channels of a group).
    func selection(over channel: Channel, of session: Session) -> Selection? {
        session.selections.values.first { has($0, channel) }?.selection
    }

    private func has(_ followed: FollowedSelection, _ channel: Channel) -> Bool {
        if let wildcard = followed.wildcard {
            return channel != wildcard && channel.wildcards.contains(wildcard)
        }
        guard let group = followed.group, group.isPresence == channel.isPresence else {
            return false
        }
        let name = channel.name.dropLast(group.isPresence ? Channel.presenceSuffix.count : 0)
        if let heard = groups[group.group] {
            return heard.channels.contains(ExactText(String(name)))
        }
        return ground.engine.groups.contains(
            Channel(String(name), keyset: channel.keyset), in: group.group)
    }

    /// How many channels a session would begin at once; what a reader has to look for counts as
    /// some.
    func channelCount(of request: FollowRequest, for session: Session) -> Int {
        guard let keyset = session.author?.keyset else { return 0 }
        guard request.selection.kind == .group else {
            return request.cursor == nil ? 0 : Limits.searchNames
        }
        let name = PolledGroup(following: request.selection.name, in: keyset)
        return ground.engine.groups.channels(of: name.group).count
    }

    private func channels(of group: PolledGroup) -> [Channel] {
        ground.engine.groups.channels(of: group.group).compactMap(group.channel)
    }

    // MARK: Channels that come and go

    /// Hears of an event before its channel does.
    func heard(_ event: Envelope) {
        guard watcherCount > 0 else { return }
        topics.forEachWildcard(over: event.channel) { topic in
            guard !topic.watchers.isEmpty else { return }
            for followed in topic.watchers.unaware(of: event.channel) {
                if followedCount < Limits.selectedPerTurnMax {
                    extend(followed, to: event.channel, from: followed.since)
                } else {
                    let before = event.timetoken.predecessor
                    followed.waiting.append((event.channel, followed.since ?? before))
                    list(followed)
                }
            }
        }
    }

    /// Hears which groups a commit changed.
    ///
    /// - Parameter position: What came into a new channel after it is sent.
    func groupsChanged(_ changed: [GroupMembership], at position: Timetoken) {
        for membership in changed {
            let group = membership.group
            guard let followers = groups[group]?.followers else { continue }
            let before = groups[group]?.channels ?? []
            let now = Set(membership.channels.map(ExactText.init))
            groups[group]?.channels = now
            let (gone, new) = (before.subtracting(now), now.subtracting(before).sorted())
            for followed in followers { change(followed, gone, new, at: position) }
        }
    }

    private func change(
        _ followed: FollowedSelection, _ gone: Set<ExactText>, _ new: [ExactText],
        at position: Timetoken
    ) {
        guard let group = followed.group else { return }
        for name in gone {
            guard let channel = group.channel(name.string) else { continue }
            if followed.remove(channel) {
                followed.session.selectedCount -= 1
                followed.news.ended.append(channel.name)
            }
            end(channel, of: followed.session)
        }
        for name in new {
            if let channel = group.channel(name.string) {
                followed.waiting.append((channel, position))
            }
        }
        list(followed)
    }

    /// Has a session follow a channel of a selection, unless it does.
    private func extend(
        _ followed: FollowedSelection, to channel: Channel, from since: Timetoken?
    ) {
        let session = followed.session
        guard !session.isClosing, !followed.isEnded, !followed.channels.contains(channel),
            has(followed, channel)
        else { return }
        let isNamed = session.subscriptions[channel] != nil || !followed.starts
        if isNamed, session.selectedCount < Self.selectedMax {
            followed.news.known.append(channel.name)
        } else if let error = refusal(of: session) {
            return giveUp(followed, because: error)
        } else {
            followedCount += 1
            followed.news.channels.append(start(channel, of: followed, from: since))
        }
        if followed.add(channel) { session.selectedCount += 1 }
        list(followed)
    }

    /// Channels that all selections of a session have, one in two counted twice.
    private static var selectedMax: Int { 2 * Limits.channelsPerSessionMax }

    private func start(
        _ channel: Channel, of followed: FollowedSelection, from since: Timetoken?
    ) -> SubscribedChannel {
        let isBehind = subscriptions.begin(
            followed.session, on: channel, from: since, pace: followed.pace, window: nil,
            isNamed: false)
        let mode = isBehind || followed.mode == .snapshot ? followed.mode : .current
        return SubscribedChannel(
            channel: channel.name, mode: since == nil ? .current : mode,
            cursor: since ?? subscriptions.freshCursor(in: channel),
            key: followed.pace.actions == .none ? nil : ground.engine.digestKey(of: channel),
            rules: ground.settings.rules(channel))
    }

    /// Why a session may not follow one more channel.
    private func refusal(of session: Session) -> ProtocolError? {
        let count = session.subscriptions.count
        guard count < Limits.channelsPerSessionMax, session.selectedCount < Self.selectedMax else {
            return .tooManyChannels(Limits.channelsPerSessionMax, per: "session")
        }
        do throws(QuotaRefusal) {
            try session.account?.check(subscriptions: 1, besides: count)
            return nil
        } catch {
            return ProtocolError(error)
        }
    }

    /// Ends a selection with more channels than the session may follow: what it follows already
    /// goes on as if it had been named, so that nothing is silently incomplete.
    private func giveUp(_ followed: FollowedSelection, because error: ProtocolError) {
        let session = followed.session
        for channel in followed.channels { session.subscriptions[channel]?.isNamed = true }
        tell(followed)
        session.selections[followed.selection] = nil
        leave(followed)
        outlet.send(session) { json in json.end(of: followed.selection, because: error) }
    }

    // MARK: What a wildcard has already

    /// Takes a reader's answer.
    ///
    /// - Parameter channels: `nil`: they are more than any session may follow.
    func received(_ channels: [Channel]?, for number: PageNumber) {
        guard let followed = searches.found(number), !followed.isEnded else { return }
        guard let channels else {
            return giveUp(
                followed,
                because: .tooManyChannels(Limits.channelsPerSessionMax, per: "session"))
        }
        for channel in channels { followed.waiting.append((channel, followed.since)) }
        // All others had nothing before this turn: what comes now is told when it comes.
        followed.since = nil
        list(followed)
    }

    // MARK: The end of a turn

    private func list(_ followed: FollowedSelection) {
        guard !followed.isListed, !followed.isEnded else { return }
        followed.isListed = true
        listed.append(followed)
    }

    /// Has sessions follow what waits, and tells their devices.
    func endTurn() {
        let turn = listed
        listed = []
        // To each its part: a large group is not in the way of others.
        let room = Limits.selectedPerTurnMax - followedCount
        let share = (room + turn.count) / max(1, turn.count)
        var served: [FollowedSelection] = []
        for followed in turn {
            followed.isListed = false
            let before = followedCount
            while followedCount < min(before + share, Limits.selectedPerTurnMax),
                !followed.isEnded, let (channel, since) = followed.waiting.popFirst()
            {
                extend(followed, to: channel, from: since)
            }
            if !followed.isEnded { tell(followed) }
            guard !followed.waiting.isEmpty else { continue }
            // Who got nothing is the first of the next turn.
            if followedCount > before { served.append(followed) } else { list(followed) }
        }
        for followed in served { list(followed) }
        followedCount = 0
    }

    /// Tells a device which channels it is sent from now on.
    private func tell(_ followed: FollowedSelection) {
        if followed.isComplete { followed.cursor = max(followed.cursor, ground.durablePosition) }
        let news = followed.news
        followed.news = SelectionNews(followed.selection, cursor: followed.cursor)
        guard !news.isEmpty || followed.isComplete && news.cursor < followed.cursor else { return }
        for part in news.parts(through: followed.cursor) {
            outlet.send(followed.session) { json in json.news(part) }
        }
    }

    func checkInvariants(of sessions: some Sequence<Session>) {
        for session in sessions {
            let count = session.selections.values.reduce(0) { $0 + $1.channels.count }
            precondition(session.selectedCount == count, "What selections have is counted.")
            for (selection, followed) in session.selections {
                precondition(followed.selection == selection, "It is found under its name.")
                precondition(!followed.isEnded, "What ended is no session's.")
                precondition(
                    followed.waiting.isEmpty || followed.isListed, "What waits has its turn.")
            }
        }
    }
}
