// Bringing sessions up to date: from memory when that is enough, else page by page from the
// readers.

import Basis
import EventModel
import JSON

extension Hub {
    /// Takes a reader's page for the subscriptions that wait for it: one frame for all of them.
    func received(_ found: EncodedPage, for number: PageNumber) {
        guard let (page, waiting) = flights.land(number) else { return }
        if let state = found.state {
            learn(state, at: found.cursor, of: page.channel)
            remember(found, state, of: page)
        }
        let hasNews = !found.events.isEmpty || found.state != nil
        var shared: Frame?
        for subscription in stillReading(waiting) {
            if hasNews {
                let before = subscription.position
                let frame =
                    shared
                    ?? frame(
                        of: found.events[...], in: page.channel, cursor: found.cursor,
                        state: found.state)
                shared = frame
                queue(frame, for: subscription, through: found.through)
                tally.deliveries += found.events.count
                // Without room it was set back already, and goes on from there.
                guard subscription.state == .reading || subscription.position > before else {
                    continue
                }
            }
            subscription.position = max(subscription.position, found.through)
            if page.start == .ofNothing { subscription.tombstonesFrom = found.asOf }
            subscription.lacksState = found.state == nil
            if subscription.state != .cancelled { lag(subscription) }
        }
    }

    /// Keeps a last page in memory: after a restart everybody asks for much the same.
    private func remember(_ found: EncodedPage, _ state: Digest, of page: Flights.Page) {
        // It has to end where memory begins, or later, to be of a commit that was heard of here,
        // and to have all removals: who is served from memory would never hear that some lack.
        let start = page.start.messages
        guard let topic = topics.existing(page.channel), found.through >= topic.recent.floor,
            found.cursor <= durablePosition, topic.pending.isEmpty,
            page.start == ChangeStart(after: start), start >= engine.tombstoneFloor,
            start >= engine.deletionFloor
        else { return }
        topics.remember(found.events, after: start, state: state, in: topic)
    }

    /// Hears that a page could not be read: the clients' cursors still hold, so they may come
    /// again.
    func failedToRead(_ page: PageNumber) {
        guard let (_, waiting) = flights.land(page) else { return }
        for subscription in stillReading(waiting) {
            close(subscription.session, .tryAgainLater, "The store could not be read. Reconnect.")
        }
    }

    /// Asks again for sessions whose questions found no place; called about once a second.
    func retryStarved() {
        for session in starvedSessions { listForFlush(session) }
        starvedSessions = []
    }

    /// Those who still want the page that they waited for.
    private func stillReading(_ waiting: [Flights.Passenger]) -> [Subscription] {
        waiting.compactMap { passenger in
            let subscription = passenger.subscription
            subscription.session.pagesInFlight -= 1
            guard subscription.serial == passenger.serial, subscription.state == .reading else {
                listForFlush(subscription.session)
                return nil
            }
            return subscription
        }
    }

    /// Brings a subscription further, from memory when that is enough.
    ///
    /// - Returns: `false` when it has to be tried again later.
    private func catchUp(_ subscription: Subscription) -> Bool {
        guard subscription.state == .lagging else { return true }
        let topic = subscription.topic
        if let events = remembered(for: subscription) {
            subscription.state = .live
            // Signals and the like reach only those who are here when they are sent.
            guard let lastStored = events.last(where: \.isStored) else {
                tellMissingState(subscription)
                subscription.position = events.last?.timetoken ?? subscription.position
                return true
            }
            let missing = summed(events.filter { $0.isStored && subscription.lacks($0) })
            let through = events.last?.timetoken ?? lastStored.timetoken
            queue(
                frame(
                    of: missing[...], in: topic.channel, cursor: lastStored.timetoken,
                    state: lastStored.state),
                for: subscription, through: through)
            subscription.lacksState = lastStored.state == nil
            tally.deliveries += missing.count
            return true
        }
        guard board(subscription) else {
            starvedSessions.append(subscription.session)
            return false
        }
        subscription.state = .reading
        subscription.session.pagesInFlight += 1
        return true
    }

    /// Has a subscription wait for the page that it needs, which is asked for once for all who need
    /// the same.
    private func board(_ subscription: Subscription) -> Bool {
        let page = Flights.Page(channel: subscription.topic.channel, start: subscription.start)
        if flights.join(page, subscription) { return true }
        let flight = flights.next
        let request = ReadRequest(
            asker: .page(flight, reactor: engine.reactor), channel: page.channel,
            query: .changes(from: page.start))
        guard engine.ask(request) else { return false }
        flights.begin(page, with: subscription)
        return true
    }

    // MARK: One page after the other

    /// Writes what is queued, and then asks for more of what the session waits for.
    func flush(_ session: Session) {
        write(session)
        if session.queue.isEmpty, !session.isBlocked { session.mustReadBy = nil }
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

    /// Answers every question that no reader has yet: the daemon is stopping.
    func refuseQuestions() {
        for session in sessions.values {
            while let question = session.questions.popFirst() {
                refuse(question, of: session, .draining)
            }
        }
    }

    /// - Returns: `false` when it has to be tried again later.
    private func forward(_ question: ReadRequest, of session: Session) -> Bool {
        if engine.ask(question) {
            session.pagesInFlight += 1
        } else if case .repair = question.query {
            // Its symbols are here: sending them again would only cost more.
            session.questions.prepend(question)
            starvedSessions.append(session)
            return false
        } else {
            refuse(question, of: session, .overloaded)
        }
        return true
    }

    func refuse(
        _ question: ReadRequest, of session: Session, _ error: ProtocolError
    ) {
        session.commandsInFlight -= 1
        send(session) { json in
            ReplyEncoder.encode(error, to: question.asker.origin?.command, into: &json)
        }
    }
}
