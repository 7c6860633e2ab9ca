// Bringing sessions up to date: from memory when that is enough, else page by page from the
// readers.

import Basis
import EventModel
import JSON

/// What sessions wait for from the readers.
final class CatchUp {
    private var flights = Flights()
    /// Behind, but the readers had no room for their questions.
    private var starved: [Session] = []
    private let ground: Ground
    private let topics: TopicTable
    private let outlet: Outlet
    private let states: States
    private let summaries: Summaries

    private let live: LiveQueries

    init(
        ground: Ground, topics: TopicTable, outlet: Outlet, states: States, summaries: Summaries,
        live: LiveQueries
    ) {
        self.summaries = summaries
        self.ground = ground
        self.topics = topics
        self.outlet = outlet
        self.states = states
        self.live = live
    }

    /// Takes a session's question to the readers, as soon as the session has room for the answer.
    func ask(_ request: ReadRequest, for session: Session) {
        session.questions.append(request)
        outlet.listForFlush(session)
    }

    /// Queues the answer to a question.
    func answer(_ session: Session, _ write: (inout JSONWriter) -> Void) {
        session.pagesInFlight -= 1
        outlet.send(session, write)
        outlet.listForFlush(session)
    }

    /// Answers a question that no reader gets.
    func refuse(_ question: ReadRequest, of session: Session, _ error: ProtocolError) {
        session.commandsInFlight -= 1
        if case .liveActions(_, let id) = question.query { live.gotNoPage(for: id, of: session) }
        outlet.send(session) { json in
            ReplyEncoder.encode(error, to: question.asker.origin?.command, into: &json)
        }
    }

    /// Takes a reader's page for the subscriptions that wait for it: one frame for all of them.
    func received(_ found: EncodedPage, for number: PageNumber) {
        guard let (page, waiting) = flights.land(number) else { return }
        if let state = found.state {
            states.learn(state, at: found.cursor, of: page.channel)
            remember(found, state, of: page)
        }
        let hasNews = !found.events.isEmpty || found.state != nil
        var shared: [PageFrameKind: PageFrame] = [:]
        var summed: [Subscription] = []
        for subscription in stillReading(waiting, for: number) {
            // It has no digest that would tell it that removals are missing: it comes again, and
            // gets everything.
            if subscription.actions == .summary,
                page.start.tombstones < ground.engine.tombstoneFloor
            {
                outlet.close(subscription.session, .tooSlow)
                continue
            }
            if hasNews {
                let before = subscription.position
                let kind = PageFrameKind(
                    detail: subscription.actions, unseen: subscription.unseen)
                let frame = shared[kind] ?? frame(of: found, page, kind)
                shared[kind] = frame
                outlet.queue(
                    frame.frame, of: frame.count, for: subscription, through: found.through)
                // Without room it was set back already, and goes on from there.
                guard subscription.state == .reading || subscription.position > before else {
                    continue
                }
            }
            subscription.position = max(subscription.position, found.through)
            if page.start == .ofNothing { subscription.tombstonesFrom = found.asOf }
            subscription.read(
                leavingOut: subscription.unseen
                    ?? Unseen(after: page.start.messages, asOf: found.asOf))
            subscription.lacksState = found.state == nil
            if page.window != nil {
                subscription.exactFrom = found.state == nil ? .end : found.through
            }
            if subscription.actions == .summary { summed.append(subscription) }
            outlet.lag(subscription)
        }
        summaries.tell(
            summed, of: messages(withActionsIn: found.events[...]), since: page.start.messages,
            through: found.cursor)
    }

    /// Messages whose actions changed.
    private func messages(
        withActionsIn events: ArraySlice<EncodedEnvelope>
    ) -> Set<Timetoken> {
        Set(events.compactMap(\.changedMessage))
    }

    private typealias PageFrame = (frame: Frame, count: Int)

    /// Who is sent the same frame of a page.
    private struct PageFrameKind: Hashable {
        let detail: ActionsDetail
        let unseen: Unseen?
    }

    /// A page for whoever wants to be sent the same; an empty one moves the cursor at least.
    private func frame(
        of found: EncodedPage, _ page: Flights.Page, _ kind: PageFrameKind
    ) -> PageFrame {
        let detail = kind.detail
        // Who holds a part may have been brought more by a page, and who gets summaries may have
        // to read again what there was.
        let told =
            page.window != nil || detail == .summary
            ? found.events[...]
            : withoutVainDeletions(found.events[...], kind.unseen, after: page.start.messages)
        guard detail != .rows else {
            let frame = outlet.frame(
                of: told, in: page.channel, cursor: found.cursor, state: found.state,
                window: found.window)
            return (frame, told.count)
        }
        let events = withoutActions(told, for: detail)
        // Where summaries are to come, the cursor comes with them.
        let isWhole = detail == .none || found.events.allSatisfy { $0.changedMessage == nil }
        let cursor = isWhole ? found.cursor : page.start.messages
        // And those of the page before this one may be still to come.
        let owed = detail == .none ? nil : topics.existing(page.channel)?.summaries.bound
        let frame = outlet.frame(
            of: events, in: page.channel, cursor: min(cursor, owed ?? cursor), state: nil)
        return (frame, events.count)
    }

    /// Keeps a last page in memory: after a restart everybody asks for much the same.
    private func remember(_ found: EncodedPage, _ state: Digest, of page: Flights.Page) {
        // It has to end where memory begins, or later, to be of a commit that was heard of here,
        // and to have all removals: who is served from memory would never hear that some lack.
        let start = page.start.messages
        guard page.window == nil, let topic = topics.existing(page.channel),
            found.through >= topic.recent.floor,
            found.cursor <= ground.durablePosition, topic.pending.isEmpty,
            page.start == ChangeStart(after: start), start >= ground.engine.tombstoneFloor,
            start >= ground.engine.deletionFloor
        else { return }
        topics.remember(found.events, after: start, state: state, in: topic)
    }

    /// Hears that a page could not be read: the clients' cursors still hold, so they may come
    /// again.
    func failedToRead(_ number: PageNumber) {
        guard let (_, waiting) = flights.land(number) else { return }
        for subscription in stillReading(waiting, for: number) {
            outlet.close(subscription.session, .storeFailed)
        }
    }

    /// Those who still want the page that they waited for.
    private func stillReading(
        _ waiting: [Flights.Passenger], for flight: PageNumber
    ) -> [Subscription] {
        waiting.compactMap { passenger in
            let subscription = passenger.subscription
            subscription.session.pagesInFlight -= 1
            subscription.session.flights.removeAll { $0 == flight }
            guard subscription.serial == passenger.serial, subscription.state == .reading,
                !subscription.session.isClosing
            else {
                outlet.listForFlush(subscription.session)
                return nil
            }
            return subscription
        }
    }

    // MARK: One page after the other

    /// Asks again for sessions whose questions found no place; called about once a second.
    func retryStarved() {
        for session in starved { outlet.listForFlush(session) }
        starved = []
    }

    /// Brings all on that are listed; flushing may list them again, for what they catch up on.
    func endTurn() {
        while let session = outlet.takeListed() { flush(session) }
    }

    /// Writes what is queued, and then asks for more of what the session waits for.
    private func flush(_ session: Session) {
        outlet.write(session)
        if session.queue.isEmpty, !session.isBlocked {
            session.mustReadBy = nil
            live.tell(session)
        }
        // Only a session that reads gets further pages: so its queue stays short, however much it
        // asks for.
        while !session.isBlocked, !session.isClosing, session.queue.isEmpty,
            session.pagesInFlight < Limits.pagesInFlightMax
        {
            if let question = session.questions.popFirst() {
                guard forward(question, of: session) else { return }
            } else if let subscription = session.lagging.popFirst() {
                guard catchUp(subscription) else {
                    session.lagging.prepend(subscription)
                    return
                }
            } else {
                return
            }
        }
    }

    /// - Returns: `false` when it has to be tried again later.
    private func forward(_ question: ReadRequest, of session: Session) -> Bool {
        if ground.engine.ask(question) {
            session.pagesInFlight += 1
        } else if case .repair = question.query {
            // Its symbols are here: sending them again would only cost more.
            session.questions.prepend(question)
            starved.append(session)
            return false
        } else {
            refuse(question, of: session, .overloaded)
        }
        return true
    }

    /// Brings a subscription further, from memory when that is enough.
    ///
    /// - Returns: `false` when it has to be tried again later.
    private func catchUp(_ subscription: Subscription) -> Bool {
        guard subscription.state == .lagging else { return true }
        goOnBehindRepair(subscription)
        if let events = remembered(for: subscription) {
            subscription.state = .live
            bring(events, to: subscription)
            subscription.read(leavingOut: nil)
            return true
        }
        guard board(subscription) else {
            starved.append(subscription.session)
            return false
        }
        subscription.state = .reading
        subscription.session.pagesInFlight += 1
        return true
    }

    /// Has a repaired subscription go on behind its repair, once this reactor has heard of all
    /// commits up to it and sent what they brought.
    private func goOnBehindRepair(_ subscription: Subscription) {
        guard ground.durablePosition >= subscription.rowsFrom, subscription.topic.pending.isEmpty
        else { return }
        subscription.position = max(subscription.position, subscription.rowsFrom)
    }

    /// The events that a subscription needs to be up to date; `nil` when memory does not reach back
    /// far enough, or does not reach up to its repair.
    private func remembered(for subscription: Subscription) -> ArraySlice<EncodedEnvelope>? {
        let topic = subscription.topic
        guard subscription.rowsFrom <= subscription.position else { return nil }
        if subscription.window != nil { return exact(for: subscription) }
        let events = topic.recent.events(after: subscription.position)
        // A device that began with nothing is to hear of no deletion from before: of what it never
        // had, or is about to lose again. The readers leave both out.
        let isFresh = subscription.position == .zero
        let isKnown = events?.contains { event in
            event.isDeletion && (isFresh || event.timetoken <= subscription.tombstonesFrom)
        }
        if isKnown ?? false { return nil }
        return events
    }

    /// The same for who holds a part of the channel: all that happened as it happened, from which
    /// it learns what the rest comes to; `nil` where that is much, too.
    private func exact(for subscription: Subscription) -> ArraySlice<EncodedEnvelope>? {
        guard subscription.position >= subscription.exactFrom else { return nil }
        let events = subscription.topic.recent.wholeEvents(after: subscription.position)
        return events.flatMap { $0.count <= Limits.windowEventsMax ? $0 : nil }
    }

    private func bring(_ events: ArraySlice<EncodedEnvelope>, to subscription: Subscription) {
        // Signals and the like reach only those who are here when they are sent.
        guard let lastStored = events.last(where: \.isStored) else {
            states.tellIfMissing(subscription)
            subscription.position = events.last?.timetoken ?? subscription.position
            return
        }
        let hidesActions = subscription.hidesActions
        let before = min(subscription.position, ground.durablePosition)
        let owed =
            subscription.actions == .summary
            ? messages(withActionsIn: events.filter(\.isStored)[...]) : []
        let bound = subscription.topic.summaries.bound
        let cursor =
            subscription.actions == .summary
            ? min(owed.isEmpty ? lastStored.timetoken : before, bound) : lastStored.timetoken
        let told = events.filter { $0.isStored && $0.isTold(subscription.actions) }
        let missing = missing(of: told, for: subscription)
        let frame = outlet.frame(
            of: missing[...], in: subscription.topic.channel, cursor: cursor,
            state: hidesActions ? nil : lastStored.state)
        outlet.queue(
            frame, of: missing.count, for: subscription,
            through: events.last?.timetoken ?? lastStored.timetoken)
        subscription.lacksState = lastStored.state == nil
        // Without room it was set back, and comes to these events again.
        guard subscription.state == .live else { return }
        summaries.tell([subscription], of: owed, since: before, through: lastStored.timetoken)
    }

    /// What a subscription is sent of what it missed, as far as it is told of it.
    private func missing(
        of events: [EncodedEnvelope], for subscription: Subscription
    ) -> [EncodedEnvelope] {
        if subscription.window != nil { return events }
        // Who gets summaries may have messages of these already.
        if subscription.actions == .summary { return summed(events) }
        return summed(
            withoutPassing(events, subscription.unseen, after: subscription.position))
    }

    /// Has a subscription wait for the page that it needs, which is asked for once for all who need
    /// the same.
    private func board(_ subscription: Subscription) -> Bool {
        let page = Flights.Page(
            channel: subscription.topic.channel, start: subscription.start,
            window: subscription.window)
        if flights.join(page, subscription) { return true }
        let demand = Demand()
        let request = ReadRequest(
            asker: .page(flights.next, reactor: ground.engine.reactor), channel: page.channel,
            query: .changes(from: page.start, window: page.window), demand: demand)
        guard ground.engine.ask(request) else { return false }
        flights.begin(page, with: subscription, demand)
        return true
    }

    /// Hears that a session is gone: pages for which only it waited are not read.
    func leave(_ session: Session) {
        for flight in session.flights { flights.leave(flight) }
        session.flights = []
    }

    func checkInvariants() { flights.checkInvariants() }
}
