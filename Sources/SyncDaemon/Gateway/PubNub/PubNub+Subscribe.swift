// subscribe: a handshake, or a long poll that waits for an event.

import EventModel

extension PubNubRouter {
    static func subscribe(
        _ poll: PubNubRequest.Poll, in context: PubNubContext
    ) -> HTTPResponse? {
        // Each start of a poll is a beat; an open poll is none.
        // Who may only read is seen by nobody.
        let presence = Need.having(.presence, on: poll.channels, groups: poll.groups)
        if context.allows(presence) {
            Operations.tellPresence(beat(poll.beat, isPoll: true, in: context), for: context)
        }
        let interests = interests(of: poll, in: context)
        let groups = groups(of: poll, in: context)
        guard poll.cursor != .zero else {
            let outcome = Operations.beginPolling(
                interests, groups, in: context.hub, for: context)
            return response(to: outcome, in: context)
        }
        if let error = context.refusal(following: interests.count + groups.count, besides: 0) {
            return context.refusal(error)
        }
        let request = PollRequest(
            session: context.origin.session, command: context.origin.command,
            interests: interests, groups: groups, cursor: poll.cursor, filter: poll.filter)
        return Operations.poll(request, isOfDaemon: poll.hasRegion, in: context.hub, for: context)
            .map { PubNubReplyEncoder.poll(events: [], cursor: $0, for: poll) }
    }

    /// The channels and wildcards that the client listed.
    ///
    /// JavaScript drops an event whose `b` is none of the names that it subscribed to: so each
    /// interest keeps the client's own spelling.
    private static func interests(
        of poll: PubNubRequest.Poll, in context: PubNubContext
    ) -> [PollRequest.Interest] {
        var seen: Set<Channel> = []
        return poll.channels.compactMap { name in
            let channel = context.channel(name)
            guard seen.insert(channel).inserted else { return nil }
            return PollRequest.Interest(
                channel: channel, subscription: channel.isWildcard ? name : nil)
        }
    }

    private static func groups(
        of poll: PubNubRequest.Poll, in context: PubNubContext
    ) -> [PolledGroup] {
        var seen: Set<PolledGroup> = []
        return poll.groups.compactMap { spelling in
            let group = PolledGroup(following: spelling, in: context.keyset.subscribeKey)
            return seen.insert(group).inserted ? group : nil
        }
    }

    /// The group that a spelling such as `friends-pnpres` is about.
    static func groupName(_ spelling: String) -> String {
        PolledGroup(following: spelling, in: "").group.name
    }
}
