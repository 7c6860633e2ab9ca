// What always holds between two turns; a breach is our own bug, and ends the process.

import EventModel

extension Hub {
    /// Whether looking at everything once a second costs nothing that a test could measure.
    var isSmall: Bool { sessions.count + polls.open.count <= 500 }

    /// Looks whether everything that points at something else is pointed back at, and every sum is
    /// one.
    ///
    /// Called after each turn by the simulator, and once a second by debug builds if ``isSmall``.
    ///
    /// - Complexity: O(sessions, subscriptions, polls and topics).
    func checkInvariants() {
        precondition(durablePosition <= position, "A commit is visible when it is durable.")
        precondition(topicsWithNews.isEmpty, "A turn sends all that it brought.")
        var symbolCount = 0
        for (id, session) in sessions {
            precondition(session.id == id, "A session is found under its own name.")
            precondition(session.commandsInFlight >= 0, "No command is answered twice.")
            precondition(session.pagesInFlight >= 0, "No page lands twice.")
            var own = 0
            for (channel, subscription) in session.subscriptions {
                check(subscription, of: session, to: channel)
                own += subscription.repair?.symbols.count ?? 0
            }
            precondition(session.repairSymbolCount == own, "A session's symbols are counted.")
            symbolCount += own
        }
        precondition(repairSymbolCount == symbolCount, "All sessions' symbols are counted.")
        for (id, poll) in polls.open { check(poll, of: id) }
        topics.checkInvariants()
    }

    private func check(
        _ subscription: Subscription, of session: Session, to channel: Channel
    ) {
        precondition(subscription.session === session, "A subscription is its session's.")
        precondition(
            topics.existing(channel) === subscription.topic, "What is followed is not forgotten.")
        guard let lane = subscription.lane else {
            preconditionFailure("A subscription has a lane until it is cancelled.")
        }
        precondition(lane.topic === subscription.topic, "A lane is of its topic.")
        precondition(
            lane.subscriptions.elements[subscription.place] === subscription,
            "A subscription is where it says.")
        precondition(subscription.state != .cancelled, "What is cancelled is taken out.")
        precondition(
            subscription.repair == nil || subscription.state == .held,
            "Only who is held sends symbols.")
    }

    private func check(_ poll: LongPoll, of connection: SessionID) {
        precondition(poll.request.session == connection, "A poll is found at its connection.")
        precondition(poll.state != .done, "What is answered is taken out.")
        precondition(poll.position >= poll.request.cursor, "No poll looks back.")
        for interest in poll.interests {
            precondition(
                topics.existing(interest.topic.channel) === interest.topic,
                "What a poll waits for is not forgotten.")
            precondition(
                interest.topic.interests.elements[interest.place] === interest,
                "An interest is where it says.")
        }
    }
}

extension TopicTable {
    /// What always holds of topics between two turns.
    func checkInvariants() {
        var (byteCount, wildcards) = (0, 0)
        forEach { topic in
            precondition(existing(topic.channel) === topic, "A topic is found under its name.")
            precondition(topic.pending.isEmpty, "A turn sends all that it brought.")
            precondition(
                !topic.isDeserted || topic.isLingering, "What nobody follows is forgotten some day."
            )
            for lane in topic.lanes {
                precondition(!lane.subscriptions.isEmpty, "A lane has followers.")
            }
            byteCount += topic.recent.byteCount
            wildcards += topic.channel.isWildcard ? 1 : 0
        }
        precondition(recentByteCount == byteCount, "What is remembered is counted.")
        precondition(wildcardCount == wildcards, "Wildcards are counted.")
    }
}
