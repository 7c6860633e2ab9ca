// Long polls: answered at once when anything is there, and costing nothing while they wait.

import EventModel

extension Hub {
    /// Takes a poll; its answer leaves at the end of this turn at the earliest.
    func open(_ request: PollRequest) {
        let poll = LongPoll(request)
        for interest in request.interests {
            let topic = topic(of: interest.channel)
            let interest = PollInterest(
                of: poll, in: topic, subscription: interest.subscription)
            topic.interests.add(interest)
            poll.interests.append(interest)
        }
        polls.add(poll, endsAt: now + UInt64(Limits.pollSeconds) * 1000)
        counters.polls.add()
        listToServe(poll)
    }

    /// Starts to remember what happens in these channels: a poll will come for it in a moment.
    func expectPoll(in interests: [PollRequest.Interest]) {
        for interest in interests { topics.release(topic(of: interest.channel), at: now) }
    }

    /// Forgets the poll of a connection that is gone.
    func forgetPoll(of session: SessionID) {
        guard let poll = polls.open[session] else { return }
        end(poll)
    }

    /// Ends the polls that name a group whose channels are others now.
    ///
    /// Their answer is empty and leaves the cursor where it was: the next poll sees the new
    /// channels.
    func groupsChanged(_ groups: [ChannelGroup]) {
        for group in groups {
            for poll in polls.polls(of: group) { answer(poll, [], from: poll.request.cursor) }
        }
    }

    /// Answers all polls: the daemon is stopping.
    func endPolls() {
        for poll in polls.open.values { answer(poll, []) }
    }

    func endOverduePolls() {
        for poll in polls.takeOverdue(at: now) { answer(poll, []) }
        let starved = polls.starved
        polls.starved = []
        for poll in starved where poll.state == .starved {
            poll.state = .waiting
            listToServe(poll)
        }
    }

    /// The poll that a reader's answer is for, if it still waits.
    func poll(waitingFor origin: Origin) -> LongPoll? {
        polls.open[origin.session].flatMap { $0.request.command == origin.command ? $0 : nil }
    }

    /// Takes a reader's page for a poll that asked for what memory does not hold.
    ///
    /// - Parameter through: Nothing else can come up to here.
    func received(_ events: [ChannelEvent], through: Timetoken, for poll: LongPoll) {
        guard poll.state == .reading else { return }
        poll.state = .waiting
        var found: [PolledEvent] = []
        let first = Dictionary(
            poll.request.interests.enumerated().map { ($0.element.channel, $0.offset) },
            uniquingKeysWith: min)
        for event in events where event.envelope.isPolled {
            let places = ([event.channel] + event.channel.wildcards).compactMap { first[$0] }
            guard let place = places.min(), poll.request.accepts(event.envelope) else { continue }
            found.append(
                PolledEvent(
                    envelope: event.envelope,
                    subscription: poll.request.interests[place].subscription))
            if found.count == Limits.pollEventsMax { break }
        }
        guard found.isEmpty else { return answer(poll, found) }
        poll.position = max(poll.position, through)
        listToServe(poll)
    }

    /// Hears that a reader could not read.
    func failedToReadForPoll(_ poll: LongPoll) {
        guard poll.state == .reading else { return }
        // Empty, with the same cursor: the client asks again.
        answer(poll, [])
    }

    /// Ends a poll that is answered otherwise.
    func giveUp(_ poll: LongPoll) {
        guard poll.state != .done else { return }
        end(poll)
    }

    func listToServe(_ poll: LongPoll) {
        guard !poll.isListed, poll.state == .waiting else { return }
        poll.isListed = true
        polls.listed.append(poll)
    }

    /// Answers the listed polls for which something is there.
    func servePolls() {
        let listed = polls.listed
        polls.listed.removeAll(keepingCapacity: true)
        for poll in listed {
            poll.isListed = false
            if poll.state == .waiting { serve(poll) }
        }
    }

    private func serve(_ poll: LongPoll) {
        guard let events = remembered(for: poll) else { return askReaders(for: poll) }
        guard events.isEmpty else { return answer(poll, events) }
        poll.position = max(poll.position, position)
    }

    /// What memory holds for a poll; `nil` when some of it may be gone from there.
    private func remembered(for poll: LongPoll) -> [PolledEvent]? {
        var found: [PolledEvent] = []
        var sources = 0
        for interest in poll.interests {
            guard let events = interest.topic.recent.wholeEvents(after: poll.position) else {
                return nil
            }
            if !events.isEmpty { sources += 1 }
            for event in events where event.isPolled {
                found.append(PolledEvent(envelope: event, subscription: interest.subscription))
            }
        }
        if sources > 1 { found = merged(found) }
        found.removeAll { !poll.request.accepts($0.envelope) }
        return found
    }

    private func askReaders(for poll: LongPoll) {
        // A client that wants next to nothing of a long past reads it in several polls.
        guard poll.readCount < Limits.pollReadsMax else { return answer(poll, []) }
        poll.readCount += 1
        let origin = Origin(
            reactor: engine.reactor, session: poll.request.session, command: poll.request.command)
        let channels = poll.request.interests.map(\.channel)
        let request = ReadRequest(
            asker: .poll(origin), channel: channels[0],
            query: .backlog(channels, after: poll.position))
        if engine.ask(request) {
            poll.state = .reading
        } else {
            poll.state = .starved
            polls.starved.append(poll)
        }
    }

    /// - Parameter cursor: Where an empty answer leaves the client; `nil`: as far as was looked.
    private func answer(
        _ poll: LongPoll, _ events: [PolledEvent], from cursor: Timetoken? = nil
    ) {
        let cursor = cursor ?? poll.position
        guard poll.state != .done else { return }
        end(poll)
        let batch = events.prefix(Limits.pollEventsMax)
        tally.deliveries += batch.count
        pollReceiver?.answer(
            poll.request, with: Array(batch), cursor: batch.last?.envelope.timetoken ?? cursor)
    }

    private func end(_ poll: LongPoll) {
        poll.state = .done
        for interest in poll.interests {
            interest.topic.interests.remove(interest)
            topics.release(interest.topic, at: now)
        }
        poll.interests = []
        polls.remove(poll)
        counters.polls.add(-1)
    }
}

/// Puts events of several topics in order, each once: an event that two interests cover keeps the
/// first.
private func merged(_ events: [PolledEvent]) -> [PolledEvent] {
    let order = events.indices.sorted {
        let (one, other) = (events[$0].envelope.timetoken, events[$1].envelope.timetoken)
        return one == other ? $0 < $1 : one < other
    }
    var merged: [PolledEvent] = []
    merged.reserveCapacity(events.count)
    for index in order
    where merged.last?.envelope.timetoken != events[index].envelope.timetoken {
        merged.append(events[index])
    }
    return merged
}
