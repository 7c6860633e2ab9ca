// Telling sessions what happens to the rows of their live queries: each change once, in order.

import EventModel

/// The live queries of one session.
final class SessionQueries {
    fileprivate(set) var all: [LiveID: LiveQuery] = [:]
    /// With changes to be told, in the order in which the first ones came.
    fileprivate var waiting: [LiveQuery] = []
    /// Of all that waits in them.
    var byteCount = 0
    fileprivate var lastID: LiveID = 0

    func checkInvariants() {
        for (id, query) in all {
            precondition(query.id == id, "A live query is found under its number.")
            query.checkInvariants()
            precondition(
                query.changes.isEmpty || waiting.contains { $0 === query },
                "Who has something to tell is listed.")
        }
        let bytes = all.values.reduce(0) { $0 + $1.byteCount }
        precondition(byteCount == bytes, "What waits for a session is counted.")
    }
}

/// The live queries of one reactor.
///
/// An event costs as much as there are queries of its message; without any in its topic one look.
final class LiveQueries {
    private let ground: Ground
    private let topics: TopicTable
    private let outlet: Outlet

    init(ground: Ground, topics: TopicTable, outlet: Outlet) {
        self.ground = ground
        self.topics = topics
        self.outlet = outlet
    }

    /// Opens a query; from now on what happens is kept for its page.
    ///
    /// - Parameters:
    ///   - asked: As the client did, with the page that it begins with.
    ///   - filter: The same by every name that what it asks for may stand under.
    ///   - command: Asks for that page.
    func begin(
        _ asked: ActionsQuery, filter: ActionsQuery, in channel: Channel, for session: Session,
        command: CommandID
    ) -> LiveID {
        let live = session.live ?? SessionQueries()
        session.live = live
        live.lastID += 1
        let query = LiveQuery(
            live.lastID, of: session, live, in: topics.topic(of: channel), asked, filter: filter,
            command: command)
        live.all[query.id] = query
        query.topic.liveQueries.add(query)
        session.account?.add(.subscriptions)
        ground.counters.liveQueries.add()
        return query.id
    }

    /// Nothing more comes of it; without effect when it is over.
    func end(_ id: LiveID, of session: Session) {
        session.live?.all[id].map(topics.remove)
    }

    /// Ends a query that its session did not end.
    func end(_ query: LiveQuery, because reason: LiveEnd) {
        topics.remove(query)
        // Who has no page yet does not know the number: the page will be refused.
        guard query.range.hasPage else { return }
        outlet.send(query.session) { $0.liveEnded(query.id, because: reason) }
    }

    // MARK: Pages

    /// Takes a reader's page; what happened since the commit that it is of is told behind it.
    func received(
        _ found: Result<DatedPage, ProtocolError>, for id: LiveID, to command: CommandID,
        of session: Session
    ) -> Result<ActionsPage, ProtocolError> {
        guard let query = session.live?.all[id], query.page?.command == command else {
            return found.flatMap { _ in .failure(.noLiveQuery) }
        }
        guard case .success(let dated) = found else {
            gotNoPage(for: id, of: session)
            return found.map(\.page)
        }
        var page = dated.page
        page.live = LivePage(id: id, position: dated.asOf)
        // A deletion that was told already takes rows of this page, too: it is told again.
        for event in query.takeKept() where event.timetoken > dated.asOf {
            let isNew =
                event.action.map {
                    query.range.isNew(query.filter.place(of: $0.action), to: page.next)
                } ?? true
            // Nothing of it may leave before the page, which has the query's number: so whether
            // there is room is seen with the next change.
            if isNew, let change = event.liveChange { wait(query, change) }
        }
        query.range.extend(to: page.next, at: dated.asOf, heard: heard(in: query.topic))
        return .success(page)
    }

    /// Up to where queries of a topic have looked at every change.
    private func heard(in topic: Topic) -> Timetoken {
        guard let next = topic.pending.first?.timetoken else { return ground.position }
        return min(ground.position, Timetoken(rawValue: next.rawValue - 1))
    }

    /// Hears that a page will not come: a query that has none is over, another stays as it is.
    func gotNoPage(for id: LiveID, of session: Session) {
        guard let query = session.live?.all[id] else { return }
        _ = query.takeKept()
        if !query.range.hasPage { topics.remove(query) }
    }

    // MARK: Changes

    /// Takes what happened in a topic, to be told at the end of the turn.
    func heard(_ events: [EncodedEnvelope], in topic: Topic) {
        let queries = topic.liveQueries
        for event in events {
            // Once, however many want it, and not at all for none.
            lazy var change = event.liveChange ?? []
            queries.forEach(concernedBy: event) { query in
                if query.page != nil {
                    query.keep(event)
                    guard hasRoom(query) else { return end(query, because: .tooSlow) }
                }
                if query.lacks(event) { tell(query, change) }
            }
        }
    }

    private func tell(_ query: LiveQuery, _ change: [UInt8]) {
        guard wait(query, change) else { return }
        // What came in this turn has not been offered to the socket yet: that is not the reader's
        // fault.
        if !hasRoom(query) { offer(to: query.session) }
        if !hasRoom(query) { end(query, because: .tooSlow) }
    }

    /// Has a change wait for the end of the turn.
    ///
    /// - Returns: Whether the query is open.
    @discardableResult
    private func wait(_ query: LiveQuery, _ change: [UInt8]) -> Bool {
        guard let live = query.session.live, live.all[query.id] === query else { return false }
        if query.changes.isEmpty { live.waiting.append(query) }
        query.add(change)
        outlet.listForFlush(query.session)
        return true
    }

    /// Writes what waits for a session, if its socket takes all that is before it.
    private func offer(to session: Session) {
        outlet.write(session)
        guard session.queue.isEmpty, !session.isBlocked else { return }
        tell(session)
        outlet.write(session)
    }

    /// Whether a session may have so much waiting; one change may be larger than all of it.
    private func hasRoom(_ query: LiveQuery) -> Bool {
        guard let live = query.session.live else { return false }
        let bytesMax = ground.settings.sendQueueBytesMax
        return live.byteCount <= (query.page == nil ? bytesMax / Limits.liveQueueShare : bytesMax)
            || live.waiting.count <= 1 && query.heldCount <= 1
    }

    /// Queues what a session has not been told; called when nothing else waits for its socket.
    func tell(_ session: Session) {
        guard let live = session.live, !live.waiting.isEmpty else { return }
        let waiting = live.waiting
        live.waiting = []
        for query in waiting {
            let changes = query.takeChanges()
            outlet.count(deliveries: changes.count)
            outlet.send(session) { $0.live(query.id, changes) }
        }
    }

    /// Ends what has something waiting: the memory is nearly used up.
    func shed(_ session: Session) {
        guard let live = session.live, live.byteCount > 0 else { return }
        for query in live.all.values where query.byteCount > 0 { end(query, because: .overloaded) }
    }
}

extension TopicTable {
    /// Takes a query out of its topic and session.
    func remove(_ query: LiveQuery) {
        guard let live = query.session.live, live.all.removeValue(forKey: query.id) != nil else {
            return
        }
        query.drop()
        live.waiting.removeAll { $0 === query }
        query.topic.liveQueries.remove(query)
        query.session.account?.add(.subscriptions, -1)
        ground.counters.liveQueries.add(-1)
        release(query.topic)
    }

    /// Ends all queries of a session that is closing.
    func endQueries(of session: Session) {
        guard let live = session.live else { return }
        for query in live.all.values { remove(query) }
        session.live = nil
    }
}
