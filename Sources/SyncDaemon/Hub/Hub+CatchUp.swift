// Bringing sessions up to date: from memory when that is enough, else page by page from the
// readers.

import EventModel
import JSON

extension Hub {
    /// Takes a reader's page for a subscription that is behind.
    ///
    /// - Parameters:
    ///   - cursor: The store has nothing else up to here.
    ///   - through: Nothing else can come up to here; at or after `cursor`.
    func received(
        _ events: [EncodedEnvelope], cursor: Timetoken, through: Timetoken, for answer: ReadAnswer
    ) {
        guard let subscription = reading(answer) else { return }
        if !events.isEmpty {
            let before = subscription.position
            queue(
                frame(of: events[...], in: answer.channel, cursor: cursor), for: subscription,
                through: through)
            tally.deliveries += events.count
            // Without room it was set back already, and goes on from there.
            guard subscription.state == .reading || subscription.position > before else { return }
        }
        subscription.position = max(subscription.position, through)
        continueLater(subscription)
    }

    /// Hears that a reader could not read: the client's cursor still holds, so it may come again.
    func failedToRead(_ answer: ReadAnswer) {
        guard let subscription = reading(answer) else { return }
        close(subscription.session, .tryAgainLater, "The store could not be read. Reconnect.")
    }

    /// Asks again for sessions whose questions found no place; called about once a second.
    func retryStarved() {
        for session in starvedSessions { listForFlush(session) }
        starvedSessions = []
    }

    /// The subscription that a page is for, if it still wants it.
    private func reading(_ answer: ReadAnswer) -> Subscription? {
        guard let session = sessions[answer.origin.session] else { return nil }
        session.pagesInFlight -= 1
        guard let subscription = session.subscriptions[answer.channel],
            subscription.serial == answer.origin.command, subscription.state == .reading
        else {
            listForFlush(session)
            return nil
        }
        return subscription
    }

    private func continueLater(_ subscription: Subscription) {
        guard subscription.state != .cancelled else { return }
        subscription.state = .lagging
        subscription.session.lagging.append(subscription)
        listForFlush(subscription.session)
    }

    /// Brings a subscription further, from memory when that is enough.
    ///
    /// - Returns: `false` when it has to be tried again later.
    private func catchUp(_ subscription: Subscription) -> Bool {
        guard subscription.state == .lagging else { return true }
        let topic = subscription.topic
        if let events = topic.recent.events(after: subscription.position) {
            subscription.state = .live
            guard let last = events.last else { return true }
            // Signals and the like reach only those who are here when they are sent.
            let stored = summed(events.filter(\.isStored))
            guard let lastStored = stored.last else {
                subscription.position = last.timetoken
                return true
            }
            queue(
                frame(of: stored[...], in: topic.channel, cursor: lastStored.timetoken),
                for: subscription, through: last.timetoken)
            tally.deliveries += stored.count
            return true
        }
        let request = ReadRequest(
            origin: Origin(
                reactor: reactor, session: subscription.session.id, command: subscription.serial),
            channel: topic.channel, query: .changes(from: ChangeStart(after: subscription.position))
        )
        guard ask(request) else {
            starvedSessions.append(subscription.session)
            return false
        }
        subscription.state = .reading
        subscription.session.pagesInFlight += 1
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
            if !session.questions.isEmpty {
                forward(session.questions.removeFirst(), of: session)
            } else if !session.lagging.isEmpty {
                let subscription = session.lagging.removeFirst()
                guard catchUp(subscription) else {
                    session.lagging.insert(subscription, at: 0)
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
            let questions = session.questions
            session.questions = []
            for question in questions { refuse(question, of: session, .draining) }
        }
    }

    private func forward(_ question: ReadRequest, of session: Session) {
        guard ask(question) else { return refuse(question, of: session, .overloaded) }
        session.pagesInFlight += 1
    }

    private func refuse(
        _ question: ReadRequest, of session: Session, _ error: ProtocolError
    ) {
        session.commandsInFlight -= 1
        send(session) { json in
            ReplyEncoder.encode(error, to: question.origin.command, into: &json)
        }
    }
}
