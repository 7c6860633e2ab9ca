// Who listens on this reactor, and getting every event to them: exactly once, in order.
//
// Confined to its reactor's thread. It knows no store: what is no longer in memory it asks for
// through `ask`, and hears about in `received`.

import EventModel
import JSON

/// The sessions and topics of one reactor.
final class Hub {
    private(set) var sessions: [SessionID: Session] = [:]
    /// The newest event that this reactor has seen.
    private(set) var position: Timetoken
    /// The newest commit of the store that this reactor has seen: a cursor that survives a restart.
    private(set) var durablePosition: Timetoken
    /// Milliseconds on a clock that never steps back, as of the start of this turn.
    private(set) var now: UInt64 = 0
    let topics = TopicTable()
    private var topicsWithNews: [Topic] = []
    var polls = PollTable()
    var sessionsToFlush: [Session] = []
    /// Behind, but the readers had no room for their questions.
    var starvedSessions: [Session] = []
    /// Found to read too slowly, and given a while.
    var slowSessions: [SessionID: Session] = [:]
    var lastSerial: Int64 = 0
    /// Topics whose state is known, with subscriptions that still have to be told of it.
    var topicsToTell: [Topic] = []
    /// Topics whose state the readers had no room to be asked for.
    var topicsToAskFor: [Topic] = []
    /// Coded symbols that all sessions keep.
    var repairSymbolCount = 0
    private var json = JSONWriter(reserving: 4096)
    var scratch: [UInt8] = []

    let reactor: Int
    let sendQueueBytesMax: Int
    let counters: Counters
    let ask: (ReadRequest) -> Bool
    /// Answers a poll: its events, and the cursor to go on from.
    var answerPoll: (PollRequest, [PolledEvent], Timetoken) -> Void = { _, _, _ in }
    private(set) var transport: (any Transport)?

    /// - Parameters:
    ///   - position: The newest commit before the reactor started.
    ///   - sendQueueBytesMax: Bytes that may wait for one session's socket.
    ///   - ask: Asks a reader thread; `false` when too many questions wait.
    init(
        reactor: Int, position: Timetoken, sendQueueBytesMax: Int, counters: Counters,
        ask: @escaping (ReadRequest) -> Bool
    ) {
        self.reactor = reactor
        self.position = position
        durablePosition = position
        self.sendQueueBytesMax = sendQueueBytesMax
        self.counters = counters
        self.ask = ask
    }

    /// Connects the hub to the transport, which cannot exist before its delegate.
    func attach(_ transport: any Transport) {
        self.transport = transport
    }

    /// Answers a connection that is no session.
    func respond(_ response: HTTPResponse, to connection: SessionID) {
        transport?.respond(response, to: connection)
    }

    /// Whether sockets have not taken all of their responses yet.
    var hasUnsentResponses: Bool { transport?.hasUnsentResponses ?? false }

    /// Takes the time for this turn.
    func beginTurn(at milliseconds: UInt64) {
        now = milliseconds
    }

    /// Does what is due by the clock; called about once a second.
    func tick() {
        topics.expire(at: now)
        endOverduePolls()
        retryStarved()
        askForStates()
        closeStuckSessions()
    }

    // MARK: Sessions

    func open(_ session: Session) {
        sessions[session.id] = session
        counters.sessions.add()
    }

    func forget(_ id: SessionID) {
        guard let session = sessions.removeValue(forKey: id) else { return }
        unsubscribeAll(session)
        session.isClosing = true
        counters.sessions.add(-1)
    }

    /// Closes a session after what is queued for it has left.
    func close(_ session: Session, _ code: CloseCode, _ reason: String) {
        guard !session.isClosing else { return }
        write(session)
        session.isClosing = true
        unsubscribeAll(session)
        transport?.close(session.id, code, reason)
    }

    /// Queues a reply or an error.
    func send(_ session: Session, _ write: (inout JSONWriter) -> Void) {
        json.removeAll()
        write(&json)
        queue(Frame(text: json.bytes), for: session)
    }

    /// Takes a session's question to the readers, as soon as the session has room for the answer.
    func ask(_ request: ReadRequest, for session: Session) {
        session.questions.append(request)
        listForFlush(session)
    }

    /// Queues the answer to a question.
    func answer(_ session: Session, _ write: (inout JSONWriter) -> Void) {
        session.pagesInFlight -= 1
        send(session, write)
        listForFlush(session)
    }

    // MARK: Subscriptions

    /// Starts to follow a channel; an earlier subscription of the session to it ends.
    ///
    /// - Parameter cursor: What the device has; `nil` to follow from now on.
    /// - Returns: Whether anything older comes first.
    @discardableResult
    func subscribe(_ session: Session, to channel: Channel, from cursor: Timetoken?) -> Bool {
        unsubscribe(session, from: channel)
        let topic = topic(of: channel)
        lastSerial += 1
        let isCurrent = cursor.map { topic.recent.hasNoneStored(after: $0) } ?? true
        let subscription = Subscription(
            session: session, topic: topic, serial: lastSerial, position: cursor ?? position,
            state: isCurrent ? .live : .lagging)
        topic.add(subscription)
        session.subscriptions[channel] = subscription
        counters.subscriptions.add()
        if !isCurrent {
            session.lagging.append(subscription)
            listForFlush(session)
        }
        return !isCurrent
    }

    /// The topic of a channel or wildcard, made when there is none.
    func topic(of channel: Channel) -> Topic {
        topics.topic(for: channel, position: position, durable: durablePosition)
    }

    func unsubscribe(_ session: Session, from channel: Channel) {
        guard let subscription = session.subscriptions.removeValue(forKey: channel) else { return }
        cancel(subscription)
    }

    private func unsubscribeAll(_ session: Session) {
        for subscription in session.subscriptions.values { cancel(subscription) }
        session.subscriptions = [:]
        session.lagging = []
        session.questions = []
    }

    private func cancel(_ subscription: Subscription) {
        subscription.state = .cancelled
        endRepair(of: subscription)
        let topic = subscription.topic
        topic.remove(subscription)
        counters.subscriptions.add(-1)
        topics.release(topic, at: now)
    }

    // MARK: Events

    /// Takes the events of a step; they leave at the end of the turn.
    func accept(_ step: Commit) {
        for event in step.events {
            var encoded: EncodedEnvelope?
            topics.forEach(concernedBy: event.channel) { topic in
                // Once, however many topics it concerns, and not at all for none.
                let text = encoded ?? EncodedEnvelope(event)
                encoded = text
                if topic.pending.isEmpty { topicsWithNews.append(topic) }
                topic.pending.append(text)
            }
        }
        attach(step.digests)
        position = step.last
        durablePosition = step.durable ?? durablePosition
    }

    /// Sends what this turn brought: one frame per channel, shared by all its followers.
    func endTurn() {
        for topic in topicsWithNews { publish(topic) }
        topicsWithNews.removeAll(keepingCapacity: true)
        // After every topic has its news: a poll's cursor stands for all its channels.
        servePolls()
        tellStates()
        // Flushing may list sessions again, for what they catch up on.
        while let session = sessionsToFlush.popLast() {
            session.isListedForFlush = false
            flush(session)
        }
    }

    private func publish(_ topic: Topic) {
        let events = topic.pending
        topic.pending.removeAll(keepingCapacity: true)
        topics.remember(events, in: topic)
        topic.noteState(after: events)
        for interest in topic.interests { listToServe(interest.poll) }
        var rest = events[...]
        while !rest.isEmpty {
            let batch = rest.prefix(fitting(in: rest))
            rest = rest.dropFirst(batch.count)
            deliver(batch, of: topic)
        }
    }

    /// How many of `events` one frame carries: at least one, and about as many as a page.
    private func fitting(in events: ArraySlice<EncodedEnvelope>) -> Int {
        var bytes = 0
        let count = events.prefix { event in
            bytes += event.json.count
            return bytes <= Limits.catchUpBytesMax
        }.count
        return max(1, count)
    }

    private func deliver(_ events: ArraySlice<EncodedEnvelope>, of topic: Topic) {
        guard let first = events.first, let last = events.last else { return }
        // What is not stored moves no cursor: a restarted daemon knows nothing of it.
        topic.storedPosition = events.last(where: \.isStored)?.timetoken ?? topic.storedPosition
        guard !topic.subscriptions.isEmpty else { return }
        let frame = frame(of: events, in: topic.channel, cursor: topic.storedPosition)
        for subscription in topic.subscriptions where subscription.state == .live {
            if subscription.position < first.timetoken {
                queue(frame, for: subscription, through: last.timetoken)
            } else {
                // It has some of these: it subscribed from a cursor that another reactor had
                // served.
                let missing = events.drop { $0.timetoken <= subscription.position }
                if missing.isEmpty { continue }
                queue(
                    self.frame(of: missing, in: topic.channel, cursor: topic.storedPosition),
                    for: subscription, through: last.timetoken)
            }
            counters.deliveries.add(events.count)
        }
    }

    func frame(
        of events: ArraySlice<EncodedEnvelope>, in channel: Channel, cursor: Timetoken
    ) -> Frame {
        frame(of: events, in: channel, cursor: cursor, state: events.state)
    }

    func frame(
        of events: ArraySlice<EncodedEnvelope>, in channel: Channel, cursor: Timetoken,
        state: Digest?
    ) -> Frame {
        json.removeAll()
        json.push(events, of: channel, cursor: cursor, state: state)
        return Frame(text: json.bytes)
    }
}
