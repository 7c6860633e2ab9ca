// Who listens on this reactor, and getting every event to them: exactly once, in order.
//
// Confined to its reactor's thread. It knows no store: what is no longer in memory it asks the
// engine for, and hears about in `received`.

import Basis
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
    let topics: TopicTable
    var topicsWithNews: [Topic] = []
    var windows = OpenWindows()
    /// Each session gets at most one frame in this turn: nothing is gained by queueing it.
    var writesAtOnce = false
    var tally = Tally()
    var polls = PollTable()
    var sessionsToFlush: [Session] = []
    /// Behind, but the readers had no room for their questions.
    var starvedSessions: [Session] = []
    /// Found to read too slowly, and given a while.
    var slowSessions: [SessionID: Session] = [:]
    var lastSerial: Int64 = 0
    var flights = Flights()
    /// Topics whose state is known, with subscriptions that still have to be told of it.
    var topicsToTell: [Topic] = []
    /// Topics whose state the readers had no room to be asked for.
    var topicsToAskFor: [Topic] = []
    /// Coded symbols that all sessions keep.
    var repairSymbolCount = 0
    var json = JSONWriter(reserving: 4096)
    var scratch: [UInt8] = []

    let engine: any Engine
    private(set) var settings: HubSettings
    let counters: Counters
    weak var pollReceiver: (any PollReceiver)?
    private(set) var transport: (any Transport)?

    init(engine: any Engine, settings: HubSettings = HubSettings(), counters: Counters) {
        self.engine = engine
        // The newest commit before the reactor started.
        position = engine.newest
        durablePosition = position
        self.settings = settings
        self.counters = counters
        topics = TopicTable(
            recentBytesMax: settings.recentBytesMax, unfollow: { engine.unfollow($0) })
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

    /// Hears that everything up to these positions has been accepted.
    ///
    /// - Parameter durable: A cursor that survives a restart; at or before `visible`.
    func settle(visible: Timetoken, durable: Timetoken) {
        position = max(position, visible)
        durablePosition = max(durablePosition, durable)
    }

    /// Does what is due by the clock; called about once a second.
    func tick() {
        topics.expire(at: now)
        endOverduePolls()
        retryStarved()
        askForStates()
        closeStuckSessions()
    }

    /// Takes what an administrator decided anew.
    ///
    /// Subscriptions that there are keep their pace.
    func apply(sendQueueBytesMax: Int, window: @escaping (String) -> Int) {
        settings.sendQueueBytesMax = sendQueueBytesMax
        settings.window = window
        topics.forEach { $0.window = window($0.channel.keyset) }
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
    func subscribe(
        _ session: Session, to channel: Channel, from cursor: Timetoken?, pace: Pace = Pace()
    ) -> Bool {
        let topic = topic(of: channel)
        let subscription = begin(
            session, in: topic, at: cursor ?? max(position, topic.start), .live, pace)
        let isCurrent = cursor.map { topic.recent.hasNoneStored(after: $0) } ?? true
        if !isCurrent {
            subscription.lacksState = true
            lag(subscription)
        }
        return !isCurrent
    }

    /// Puts a subscription in the place of an earlier one of the session.
    func begin(
        _ session: Session, in topic: Topic, at position: Timetoken, _ state: Subscription.State,
        _ pace: Pace
    ) -> Subscription {
        unsubscribe(session, from: topic.channel)
        lastSerial += 1
        let subscription = Subscription(
            session: session, topic: topic, serial: lastSerial, position: position, state: state)
        topic.add(subscription, pace: pace)
        session.subscriptions[topic.channel] = subscription
        counters.subscriptions.add()
        return subscription
    }

    /// Has a subscription read on from its position, when its session has room.
    func lag(_ subscription: Subscription) {
        subscription.state = .lagging
        subscription.session.lagging.append(subscription)
        listForFlush(subscription.session)
    }

    /// The topic of a channel or wildcard, made when there is none.
    func topic(of channel: Channel) -> Topic {
        topics.topic(for: channel) {
            let start = engine.follow(channel)
            return Topic(
                channel: channel, position: max(position, start.visible),
                durable: max(durablePosition, start.durable),
                window: settings.window(channel.keyset))
        }
    }

    /// A cursor for who follows a channel from now on: every stored event after it will come.
    func freshCursor(in channel: Channel) -> Timetoken {
        max(durablePosition, topic(of: channel).storedPosition)
    }

    func unsubscribe(_ session: Session, from channel: Channel) {
        guard let subscription = session.subscriptions.removeValue(forKey: channel) else { return }
        cancel(subscription)
    }

    private func unsubscribeAll(_ session: Session) {
        // First: nobody is to be told what becomes of them.
        session.questions = Queue()
        for subscription in session.subscriptions.values { cancel(subscription) }
        session.subscriptions = [:]
        session.lagging.removeAll()
    }

    private func cancel(_ subscription: Subscription) {
        subscription.state = .cancelled
        endRepair(of: subscription)
        let topic = subscription.topic
        topic.remove(subscription)
        counters.subscriptions.add(-1)
        topics.release(topic, at: now)
    }
}

/// What an administrator decided for a hub.
struct HubSettings {
    /// Bytes that may wait for one session's socket.
    var sendQueueBytesMax = Limits.sendQueueBytesMax
    /// Bytes of recent events, of all topics.
    var recentBytesMax = Limits.recentBytesMax
    /// How long events of a keyset wait for more, in milliseconds.
    var window: (String) -> Int = { _ in 0 }
}

/// What a turn did, for the counters, which all threads share: each is touched once per turn.
struct Tally {
    var deliveries = 0
    var frames = 0
    var bytes = 0
}
