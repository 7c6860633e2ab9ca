// Long polls: answered at once when anything is there, and costing nothing while they wait.

import EventModel

/// The long polls of one reactor.
final class Polls {
    weak var receiver: (any PollReceiver)?
    private var table = PollTable()
    /// Served at the end of this turn.
    private var listed: [LongPoll] = []
    /// The readers had no room for their questions.
    private var starved: [LongPoll] = []
    /// Of this turn's answers.
    private var answeredBytes = 0
    private let verdicts = Verdicts()
    private let ground: Ground
    private let topics: TopicTable
    private let outlet: Outlet

    init(ground: Ground, topics: TopicTable, outlet: Outlet) {
        self.ground = ground
        self.topics = topics
        self.outlet = outlet
    }

    /// How many wait.
    var count: Int { table.open.count }

    /// Whether a connection has a poll that waits.
    func isOpen(on connection: SessionID) -> Bool { table.open[connection] != nil }

    /// Takes a poll; its answer leaves at the end of this turn at the earliest.
    func open(_ request: PollRequest) {
        let poll = LongPoll(request)
        for interest in request.interests {
            let topic = topics.topic(of: interest.channel)
            let interest = PollInterest(
                of: poll, in: topic, subscription: interest.subscription)
            topic.interests.add(interest)
            poll.interests.append(interest)
        }
        table.add(poll, endsAt: ground.now + UInt64(Limits.pollSeconds) * 1000)
        ground.counters.polls.add()
        request.account?.add(.subscriptions, poll.interests.count)
        list(poll)
    }

    /// Starts to remember what happens in these channels: a poll will come for it in a moment.
    func expect(in interests: [PollRequest.Interest]) {
        for interest in interests { topics.release(topics.topic(of: interest.channel)) }
    }

    /// Forgets the poll of a connection that is gone.
    func forget(_ connection: SessionID) {
        table.open[connection].map(end)
    }

    /// Ends the polls that name a group whose channels are others now.
    ///
    /// Their answer is empty and leaves the cursor where it was: the next poll sees the new
    /// channels.
    func groupsChanged(_ groups: [ChannelGroup]) {
        for group in groups {
            for poll in table.polls(of: group) { answer(poll, [], from: poll.request.cursor) }
        }
    }

    /// Answers all polls: the daemon is stopping.
    func endAll() {
        for poll in table.open.values { answer(poll, []) }
    }

    /// Answers those whose time is over, and asks for those that the readers had no room for.
    func tick() {
        for poll in table.takeOverdue(at: ground.now) { answer(poll, []) }
        let starved = starved
        self.starved = []
        for poll in starved where poll.state == .starved {
            poll.state = .waiting
            list(poll)
        }
    }

    // MARK: Readers' answers

    /// The poll that a reader's answer is for, if it still waits.
    func poll(waitingFor origin: Origin) -> LongPoll? {
        table.open[origin.session].flatMap { $0.request.command == origin.command ? $0 : nil }
    }

    /// Takes a reader's page for a poll that asked for what memory does not hold.
    ///
    /// - Parameter through: Nothing else can come up to here.
    func received(_ events: [ChannelEvent], through: Timetoken, for poll: LongPoll) {
        guard poll.state == .reading else { return }
        poll.state = .waiting
        let first = Dictionary(
            poll.request.interests.enumerated().map { ($0.element.channel, $0.offset) },
            uniquingKeysWith: min)
        let found = events.compactMap { event -> PolledEvent? in
            let places = ([event.channel] + event.channel.wildcards).compactMap { first[$0] }
            guard event.envelope.isPolled, let place = places.min() else { return nil }
            return PolledEvent(
                envelope: event.envelope,
                subscription: poll.request.interests[place].subscription)
        }
        poll.page = PolledPage(events: found, through: through)
        list(poll)
    }

    /// Hears that a reader could not read.
    func failedToRead(for poll: LongPoll) {
        guard poll.state == .reading else { return }
        // Empty, with the same cursor: the client asks again.
        answer(poll, [])
    }

    /// Ends a poll that is answered otherwise.
    func giveUp(_ poll: LongPoll) {
        guard poll.state != .done else { return }
        end(poll)
    }

    /// Has a poll looked at when the turn ends.
    func list(_ poll: LongPoll) {
        guard !poll.isListed, poll.state == .waiting else { return }
        poll.isListed = true
        listed.append(poll)
    }

    /// Answers the listed polls for which something is there, as far as the filters' budget and
    /// that of answers reach: the others stay listed, and are the first of the next turn.
    func endTurn() {
        verdicts.beginTurn()
        answeredBytes = 0
        let listed = listed
        self.listed.removeAll(keepingCapacity: true)
        for (place, poll) in listed.enumerated() {
            guard poll.state == .waiting else {
                poll.isListed = false
                continue
            }
            guard answeredBytes < Limits.answeredBytesPerTurnMax, serve(poll) else {
                self.listed = Array(listed[place...]) + self.listed
                return
            }
            poll.isListed = false
        }
    }

    /// Whether some have to be looked at once more, at once.
    var areListed: Bool { !listed.isEmpty }

    /// - Returns: Whether all that there is for it was looked at.
    private func serve(_ poll: LongPoll) -> Bool {
        if let page = poll.page {
            guard serve(poll, page) else { return false }
            guard poll.state == .waiting else { return true }
            poll.page = nil
        }
        guard let events = remembered(for: poll) else {
            askReaders(for: poll)
            return true
        }
        return serve(poll, PolledPage(events: events, through: ground.position))
    }

    /// Answers with what the filter wants, or looks on behind it.
    private func serve(_ poll: LongPoll, _ page: PolledPage) -> Bool {
        var wanted: [PolledEvent] = []
        for event in page.events where event.envelope.timetoken > poll.position {
            let verdict = verdicts.verdict(of: poll.request.filter, on: event.envelope)
            guard let verdict else {
                guard wanted.isEmpty else { break }
                return false
            }
            if verdict { wanted.append(event) }
            if wanted.count == Limits.pollEventsMax { break }
            if wanted.isEmpty { poll.position = event.envelope.timetoken }
        }
        guard wanted.isEmpty else {
            answer(poll, wanted)
            return true
        }
        poll.position = max(poll.position, page.through)
        return true
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
        return sources > 1 ? merged(found) : found
    }

    private func askReaders(for poll: LongPoll) {
        // A client that wants next to nothing of a long past reads it in several polls.
        guard poll.readCount < Limits.pollReadsMax else { return answer(poll, []) }
        poll.readCount += 1
        let origin = Origin(
            reactor: ground.engine.reactor, session: poll.request.session,
            command: poll.request.command)
        let channels = poll.request.interests.map(\.channel)
        let request = ReadRequest(
            asker: .poll(origin), channel: channels[0],
            query: .backlog(channels, after: poll.position))
        if ground.engine.ask(request) {
            poll.state = .reading
        } else {
            poll.state = .starved
            starved.append(poll)
        }
    }

    /// - Parameter cursor: Where an empty answer leaves the client; `nil`: as far as was looked.
    private func answer(
        _ poll: LongPoll, _ events: [PolledEvent], from cursor: Timetoken? = nil
    ) {
        let cursor = cursor ?? poll.position
        guard poll.state != .done else { return }
        end(poll)
        outlet.count(deliveries: events.count)
        answeredBytes += events.reduce(0) { $0 + $1.envelope.json.count }
        receiver?.answer(
            poll.request, with: events, cursor: events.last?.envelope.timetoken ?? cursor)
    }

    private func end(_ poll: LongPoll) {
        poll.state = .done
        for interest in poll.interests {
            interest.topic.interests.remove(interest)
            topics.release(interest.topic)
        }
        poll.request.account?.add(.subscriptions, -poll.interests.count)
        poll.interests = []
        poll.page = nil
        table.remove(poll)
        ground.counters.polls.add(-1)
    }

    func checkInvariants() {
        precondition(
            listed.allSatisfy(\.isListed), "A poll that is to be looked at knows that it is.")
        for (connection, poll) in table.open {
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
