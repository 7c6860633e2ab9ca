// Who listens on this reactor, and getting every event to them: exactly once, in order.
//
// Confined to its reactor's thread. It knows no store: what is no longer in memory it asks for
// through `ask`, and hears about in `received`.

import EventModel
import JSON

/// The sessions and topics of one reactor.
final class Hub {
    private(set) var sessions: [SessionID: Session] = [:]
    /// The newest commit that this reactor has seen.
    private(set) var position: Timetoken
    private var topics: [Channel: Topic] = [:]
    private var topicsWithNews: [Topic] = []
    private var sessionsToFlush: [Session] = []
    /// Behind, but the readers had no room for their questions.
    var starvedSessions: [Session] = []
    private var lastSerial: Int64 = 0
    private var recentByteCount = 0
    private var json = JSONWriter(reserving: 4096)
    private var scratch: [UInt8] = []

    let reactor: Int
    private let sendQueueBytesMax: Int
    let counters: Counters
    let ask: (ReadRequest) -> Bool
    private var transport: (any Transport)?

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
        let topic = topics[channel] ?? Topic(channel: channel, position: position)
        topics[channel] = topic
        lastSerial += 1
        let isCurrent = cursor.map { topic.recent.events(after: $0)?.isEmpty ?? false } ?? true
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
        let topic = subscription.topic
        topic.remove(subscription)
        counters.subscriptions.add(-1)
        guard topic.subscriptions.isEmpty else { return }
        recentByteCount -= topic.recent.byteCount
        topics[topic.channel] = nil
    }

    // MARK: Events

    /// Takes the events of a commit; they leave at the end of the turn.
    func accept(_ events: [Envelope], last: Timetoken) {
        for event in events {
            guard let topic = topics[event.channel] else { continue }
            if topic.pending.isEmpty { topicsWithNews.append(topic) }
            topic.pending.append(event)
        }
        position = last
    }

    /// Sends what this turn brought: one frame per channel, shared by all its followers.
    func endTurn() {
        for topic in topicsWithNews { publish(topic) }
        topicsWithNews.removeAll(keepingCapacity: true)
        // Flushing may list sessions again, for what they catch up on.
        while let session = sessionsToFlush.popLast() {
            session.isListedForFlush = false
            flush(session)
        }
    }

    private func publish(_ topic: Topic) {
        let events = topic.pending.map(EncodedEnvelope.init)
        topic.pending.removeAll(keepingCapacity: true)
        guard !topic.subscriptions.isEmpty else { return }
        remember(events, in: topic)
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
        let frame = frame(of: events, in: topic.channel, cursor: last.timetoken)
        for subscription in topic.subscriptions where subscription.state == .live {
            if subscription.position < first.timetoken {
                queue(frame, for: subscription.session)
            } else {
                // It has some of these: it subscribed from a cursor that another reactor had
                // served.
                let missing = events.drop { $0.timetoken <= subscription.position }
                if missing.isEmpty { continue }
                queue(
                    self.frame(of: missing, in: topic.channel, cursor: last.timetoken),
                    for: subscription.session)
            }
            subscription.position = last.timetoken
            counters.deliveries.add(events.count)
        }
    }

    private func remember(_ events: [EncodedEnvelope], in topic: Topic) {
        let before = topic.recent.byteCount
        let isTight = recentByteCount >= Limits.recentBytesPerReactorMax
        let bytesMax = isTight ? 0 : Limits.recentBytesPerChannelMax
        for event in events { topic.recent.append(event, bytesMax: bytesMax) }
        recentByteCount += topic.recent.byteCount - before
    }

    func frame(
        of events: ArraySlice<EncodedEnvelope>, in channel: Channel, cursor: Timetoken
    ) -> Frame {
        json.removeAll()
        json.push(events, of: channel, cursor: cursor)
        return Frame(text: json.bytes)
    }

    // MARK: Writing

    /// The socket takes bytes again.
    func canWrite(_ session: Session) {
        session.isBlocked = false
        listForFlush(session)
    }

    func queue(_ frame: Frame, for session: Session) {
        guard !session.isClosing else { return }
        // What came in this turn has not been offered to the socket yet: that is not the reader's
        // fault.
        if session.queue.byteCount + frame.bytes.count > sendQueueBytesMax { write(session) }
        let size = session.queue.byteCount + frame.bytes.count
        // One frame alone may be larger: nor is it the reader's fault how long a reply is.
        guard session.queue.isEmpty || size <= sendQueueBytesMax else {
            session.queue.removeAll()
            counters.slowConsumersClosed.add()
            close(session, .tryAgainLater, "You read too slowly. Reconnect with your cursors.")
            return
        }
        session.queue.append(frame)
        listForFlush(session)
    }

    func listForFlush(_ session: Session) {
        guard !session.isListedForFlush else { return }
        session.isListedForFlush = true
        sessionsToFlush.append(session)
    }

    func write(_ session: Session) {
        guard let transport else { return }
        while !session.isBlocked, !session.isClosing, !session.queue.isEmpty {
            session.queue.takeNext(atMost: Limits.writeBytesMax, scratch: &scratch) { bytes in
                session.isBlocked = !transport.write(bytes, to: session.id)
                counters.framesWritten.add()
                counters.bytesWritten.add(bytes.count)
            }
        }
    }
}
