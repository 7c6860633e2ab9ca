// subscribe: a handshake, or a long poll that waits for an event.

import EventModel

extension PubNubRouter {
    static func subscribe(
        _ poll: PubNubRequest.Poll, in context: PubNubContext
    ) -> HTTPResponse? {
        // Each start of a poll is a beat; an open poll is none.
        Operations.tellPresence(beat(poll.beat, isPoll: true, in: context), for: context)
        guard poll.cursor != .zero else {
            context.hub.polls.expect(in: interests(of: poll, in: context))
            return response(to: Operations.position(for: context), in: context)
        }
        guard let cursor = known(poll, in: context) else {
            return PubNubReplyEncoder.poll(
                events: [], cursor: max(context.engine.began, Timetoken(rawValue: 1)), for: poll)
        }
        context.hub.polls.open(
            PollRequest(
                session: context.origin.session, command: context.origin.command,
                interests: interests(of: poll, in: context),
                groups: poll.groups.map {
                    ChannelGroup(groupName($0), keyset: context.keyset.subscribeKey)
                },
                cursor: cursor,
                accepts: { [filter = poll.filter] in filter?.matches($0) ?? true }))
        return nil
    }

    /// From where to wait; `nil`: it must read again what this run of the daemon has.
    private static func known(
        _ poll: PubNubRequest.Poll, in context: PubNubContext
    ) -> Timetoken? {
        let newest = context.engine.newest
        guard poll.cursor > newest else { return poll.cursor }
        // This store never handed it out. With a region it comes from a daemon: from one whose
        // store was replaced by an older copy, and whatever this one did since may be unknown to
        // the client. Without one somebody made it from a clock, and wants what comes.
        let clock = context.engine.wallTicks()
        let isOfClock =
            !poll.hasRegion && poll.cursor.rawValue <= clock + Limits.clockStepTicksMax
        return isOfClock ? newest : nil
    }

    /// What the client listed, groups resolved.
    ///
    /// JavaScript drops an event whose `b` is none of the names that it subscribed to: so each
    /// interest keeps the client's own spelling.
    private static func interests(
        of poll: PubNubRequest.Poll, in context: PubNubContext
    ) -> [PollRequest.Interest] {
        var interests = poll.channels.map { name in
            let channel = context.channel(name)
            return PollRequest.Interest(
                channel: channel, subscription: channel.isWildcard ? name : nil)
        }
        for group in poll.groups {
            let isPresence = group.hasSuffix(Channel.presenceSuffix)
            for name in context.channels(of: groupName(group)) {
                let channel = context.channel(name)
                interests.append(
                    PollRequest.Interest(
                        channel: isPresence ? channel.presence : channel, subscription: group))
            }
        }
        var seen: Set<Channel> = []
        return interests.filter { seen.insert($0.channel).inserted }
    }

    /// The group that a spelling such as `friends-pnpres` is about.
    static func groupName(_ spelling: String) -> String {
        spelling.hasSuffix(Channel.presenceSuffix)
            ? String(spelling.dropLast(Channel.presenceSuffix.count)) : spelling
    }
}
