// Long polls: answered at once when anything is there, and costing nothing while they wait.

import Basis
import EventModel

/// The long polls of one reactor.
final class Polls {
    weak var receiver: (any PollReceiver)?
    private var table = PollTable()
    /// Whose groups are watched one after the other.
    private var opening = Queue<LongPoll>()
    /// Served at the end of this turn.
    private var listed: [LongPoll] = []
    /// For which readers are asked.
    private var pages: PolledPages
    /// The readers had no room for their questions.
    private var starved: [LongPoll] = []
    /// Of this turn's answers.
    private var answeredBytes = 0
    private let verdicts = Verdicts()
    private let ground: Ground
    private let topics: TopicTable
    private let feeds: GroupFeeds
    /// Whose polls are served at the end of this turn.
    private var listedFeeds: [GroupFeed] = []
    private let outlet: Outlet

    init(ground: Ground, topics: TopicTable, outlet: Outlet) {
        self.ground = ground
        self.topics = topics
        feeds = GroupFeeds(ground: ground, topics: topics)
        pages = PolledPages(bytesMax: ground.settings.polledPagesBytesMax)
        self.outlet = outlet
    }

    /// How many wait.
    var count: Int { table.open.count }

    /// Whether a connection has a poll that waits.
    func isOpen(on connection: SessionID) -> Bool { table.open[connection] != nil }

    /// What a connection's poll asks for, if it has one that waits.
    func request(on connection: SessionID) -> PollRequest? { table.open[connection]?.request }

    /// Takes a poll; its answer leaves at the end of this turn at the earliest.
    func open(_ request: PollRequest) {
        var request = request
        if request.isOfStream { feeds.enter(&request) }
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
        if !watchGroups(of: poll) { opening.append(poll) }
    }

    /// Has a poll watch its groups, as far as this turn makes feeds; one that watches all waits.
    private func watchGroups(of poll: LongPoll) -> Bool {
        for group in poll.request.groups.dropFirst(poll.groups.count) {
            guard let feed = feeds.feed(of: group) else { return false }
            let interest = GroupPoll(of: poll, in: feed)
            feed.polls.add(interest)
            poll.groups.append(interest)
            poll.request.account?.add(.subscriptions)
        }
        poll.state = .waiting
        list(poll)
        return true
    }

    /// Starts to remember what happens in these channels: a poll will come for it in a moment, and
    /// asks the readers for what was not remembered.
    func expect(in interests: [PollRequest.Interest], _ groups: [PolledGroup]) {
        for interest in interests { topics.release(topics.topic(of: interest.channel)) }
        for group in groups { if let feed = feeds.feed(of: group) { feeds.release(feed) } }
    }

    /// Lets polls go on that wait for their groups' feeds.
    func beginTurn() {
        while let poll = opening.first, poll.state != .opening || watchGroups(of: poll) {
            _ = opening.popFirst()
        }
    }

    /// Forgets the poll of a connection that is gone.
    func forget(_ connection: SessionID) {
        feeds.leave(connection)
        table.open[connection].map(end)
    }

    /// Ends the polls that name a group whose channels are others now.
    ///
    /// Their answer is empty. The next poll of a stream sees what the groups had until now, and one
    /// behind it the new channels. An SDK's sees these at once, and its cursor is after all that
    /// the poll that ends could know of: so nothing that was in the new ones before.
    ///
    /// - Complexity: O(channels of the groups + interests of the polls that end).
    func groupsChanged(_ groups: [GroupMembership]) {
        for feed in feeds.changed(groups) {
            let unsent = feed.firstPending
            let ends = feed.polls.elements.map(\.poll).map {
                ($0, $0.known(at: ground.position, lacking: unsent, of: feed))
            }
            feeds.forget(feed)
            for (poll, cursor) in ends { answer(poll, [], from: cursor) }
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
        // What is behind it comes by itself, and groups may be others by then.
        let through = min(through, max(ground.position, poll.position))
        let heard = events.filter { $0.envelope.timetoken <= through }
        poll.page = PolledPage(events: poll.matched(heard), through: through)
        list(poll)
    }

    /// Hears that a reader could not read.
    func failedToRead(for poll: LongPoll) {
        guard poll.state == .reading else { return }
        // Empty, with the same cursor: the client asks again.
        answer(poll, [])
    }

    /// Answers the poll of a connection, if one waits, with nothing: its client asks again from
    /// where it is.
    func sendBack(_ connection: SessionID) {
        if let poll = table.open[connection] { answer(poll, [], from: poll.request.cursor) }
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

    /// Has the polls looked at that a topic's events of this turn concern, which it remembers.
    func heard(in topic: Topic) {
        for interest in topic.interests.elements { list(interest.poll) }
        for member in topic.memberships.elements {
            let feed = member.feed
            feed.heard(of: member, through: ground.position)
            guard !feed.isListed else { continue }
            feed.isListed = true
            listedFeeds.append(feed)
        }
    }

    /// Hears that topics have forgotten what they remembered.
    func topicsForgot() { feeds.topicsForgot() }

    /// Answers the listed polls for which something is there, as far as the filters' budget and
    /// that of answers reach: the others stay listed, and are the first of the next turn.
    func endTurn() {
        // Places that their answers left are taken at once.
        defer { askReaders() }
        verdicts.beginTurn()
        feeds.endTurn()
        answeredBytes = 0
        for feed in listedFeeds {
            feed.isListed = false
            for interest in feed.polls.elements { list(interest.poll) }
        }
        listedFeeds.removeAll(keepingCapacity: true)
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

    /// Whether something is left for the next turn, which has to be at once.
    var areListed: Bool { !listed.isEmpty || !opening.isEmpty || feeds.hasOverdue }

    /// - Returns: Whether all that there is for it was looked at.
    private func serve(_ poll: LongPoll) -> Bool {
        if let page = poll.page {
            guard serve(poll, page) else { return false }
            guard poll.state == .waiting else { return true }
            poll.page = nil
            pages.leave(poll)
        }
        guard let events = poll.remembered else {
            waitForReaders(poll)
            return true
        }
        return serve(poll, PolledPage(events: events, through: ground.position))
    }

    /// Answers with what the filter wants, or looks on behind it.
    private func serve(_ poll: LongPoll, _ page: PolledPage) -> Bool {
        var wanted: [PolledEvent] = []
        var bytes = 0
        let through = poll.request.through ?? .end
        for event in page.events where event.envelope.timetoken > poll.position {
            guard event.envelope.timetoken <= through else { break }
            let verdict = verdicts.verdict(of: poll.request.filter, on: event.envelope)
            guard let verdict else {
                guard wanted.isEmpty else { break }
                return false
            }
            if verdict {
                bytes += event.envelope.json.count
                guard bytes <= poll.request.bytesMax || wanted.isEmpty else { break }
                wanted.append(event)
            }
            if wanted.count == Limits.pollEventsMax { break }
            if wanted.isEmpty { poll.position = event.envelope.timetoken }
        }
        guard wanted.isEmpty else {
            answer(poll, wanted)
            return true
        }
        poll.position = max(poll.position, min(page.through, through))
        // All of it was looked at, and what is behind it is the next poll's.
        if poll.position == poll.request.through { answer(poll, []) }
        return true
    }

    private func waitForReaders(_ poll: LongPoll) {
        // A client that wants next to nothing of a long past reads it in several polls.
        guard poll.readCount < Limits.pollReadsMax else { return answer(poll, []) }
        poll.readCount += 1
        poll.state = .queued
        pages.wait(poll)
    }

    /// Asks readers for those whose turn it is.
    private func askReaders() {
        while let poll = pages.next() {
            if ask(for: poll) {
                poll.state = .reading
            } else {
                pages.leave(poll)
                poll.state = .starved
                starved.append(poll)
            }
        }
    }

    private func ask(for poll: LongPoll) -> Bool {
        let origin = Origin(
            reactor: ground.engine.reactor, session: poll.request.session,
            command: poll.request.command)
        let channels = poll.channels
        // Whoever wants little of it reads on in few pages.
        let bytesMax =
            poll.request.filter == nil ? poll.request.bytesMax : Limits.catchUpBytesMax
        return ground.engine.ask(
            ReadRequest(
                asker: .poll(origin), channel: channels[0][0],
                query: .backlog(
                    channels, after: poll.position, bringsDeletions: poll.request.isOfStream,
                    bytesMax: bytesMax),
                demand: poll.demand))
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
        let wasQueued = poll.state == .queued
        poll.state = .done
        pages.leave(poll)
        if wasQueued { pages.ended() }
        poll.demand.end()
        for interest in poll.interests {
            interest.topic.interests.remove(interest)
            topics.release(interest.topic)
        }
        for interest in poll.groups {
            interest.feed.polls.remove(interest)
            feeds.release(interest.feed)
        }
        poll.request.account?.add(
            .subscriptions, -(poll.interests.count + poll.groups.count))
        (poll.interests, poll.groups) = ([], [])
        poll.page = nil
        table.remove(poll)
        ground.counters.polls.add(-1)
    }

    func checkInvariants() {
        precondition(
            listed.allSatisfy(\.isListed), "A poll that is to be looked at knows that it is.")
        precondition(listedFeeds.isEmpty, "A turn looks at all polls of a group with news.")
        feeds.checkInvariants()
        pages.checkInvariants(of: table.open)
        for (connection, poll) in table.open {
            precondition(poll.request.session == connection, "A poll is found at its connection.")
            poll.checkInvariants(in: topics)
        }
    }
}
