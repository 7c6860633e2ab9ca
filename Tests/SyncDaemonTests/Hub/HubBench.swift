// A hub that a test drives by hand: its sockets, its readers and its commits.

import EventModel
import Testing

@testable import SyncDaemon

/// A hub, its transport, a store with everything committed, and the questions nobody answered yet.
final class HubBench {
    let hub: Hub
    let transport = FakeTransport()
    let counters = Counters()
    let room = Channel("room")
    private let store = MemoryStore()
    private let questions: Questions
    private var sessionCount: UInt32 = 0

    /// What the hub asked, in a class because the hub's closure outlives the initializer.
    final class Questions {
        var waiting: [ReadRequest] = []
        var asked = 0
        var isFull = false
        var floor = Timetoken.zero
    }

    init(
        sendQueueBytesMax: Int = 1 << 20, recentBytesMax: Int = Limits.recentBytesMax,
        polledPagesBytesMax: Int = Limits.polledPagesBytesMax, window: Int = 0
    ) {
        let questions = Questions()
        self.questions = questions
        let engine = StandInEngine(
            reactor: 3,
            onAsk: { question in
                guard !questions.isFull else { return false }
                questions.waiting.append(question)
                questions.asked += 1
                return true
            },
            onTombstoneFloor: { questions.floor })
        hub = Hub(
            engine: engine,
            settings: HubSettings(
                sendQueueBytesMax: sendQueueBytesMax, recentBytesMax: recentBytesMax,
                polledPagesBytesMax: polledPagesBytesMax, window: { _ in window }),
            counters: counters)
        hub.outlet.attach(transport)
    }

    var waiting: [ReadRequest] { questions.waiting }
    var asked: Int { questions.asked }

    func refuseQuestions(_ refuses: Bool) { questions.isFull = refuses }

    /// Removals up to here may be forgotten.
    func raiseFloor(to floor: Timetoken) { questions.floor = floor }

    func open() -> Session {
        sessionCount += 1
        let session = Session(
            id: SessionID(slot: 0, generation: sessionCount),
            bucket: TokenBucket(ratePerSecond: 1, at: 0))
        hub.open(session)
        return session
    }

    /// Makes messages durable; the hub hears of them with ``deliver(_:)``.
    func store(_ timetokens: ClosedRange<UInt64>, bytes: Int = 10) throws -> [Envelope] {
        try store.commit(through: timetokens.upperBound) {
            for number in timetokens {
                try $0.insert(.sized(bytes), at: tick(number), in: room, by: "ada")
            }
        }
        return timetokens.map {
            Envelope(
                channel: room, timetoken: tick($0), uuid: "ada", event: .message(.sized(bytes)))
        }
    }

    /// Makes a deletion durable; the hub hears of it with ``deliver(_:)``.
    func delete(after start: UInt64, through end: UInt64, at number: UInt64) throws -> Envelope {
        try store.commit(through: number) {
            _ = try $0.deleteMessages(
                after: tick(start), through: tick(end), at: tick(number), in: room)
        }
        return Envelope(
            channel: room, timetoken: tick(number), uuid: "ada",
            event: .messagesDeleted(after: tick(start), through: tick(end)))
    }

    func deliver(_ events: [Envelope]) {
        let last = events.last?.timetoken ?? hub.ground.position
        hub.accept(Commit(events: events, last: last, durable: last))
    }

    /// One commit of messages, delivered in a turn of its own.
    func publish(_ timetokens: ClosedRange<UInt64>, bytes: Int = 10) throws {
        deliver(try store(timetokens, bytes: bytes))
        hub.endTurn()
    }

    /// Takes the oldest question and finds its answer, without delivering it.
    func read() throws -> () -> Void {
        var question = try #require(questions.waiting.first)
        questions.waiting.removeFirst()
        // It is on its way, whoever still waits for it.
        question.demand = nil
        let order = EventOrder(
            after: store.last, ceiling: .end, wallTicks: { 1 }, receiver: Steps(),
            askForCeiling: {})
        if case .backlog(let channels, let cursor, _, _) = question.query {
            let answer = question.answer(
                from: try store.makeReader(), order, secret: store.secret)
            guard case .backlog(let events, let through) = answer.result else {
                Issue.record("no backlog of \(channels) after \(cursor)")
                return {}
            }
            return { [hub] in
                guard let origin = question.asker.origin,
                    let poll = hub.polls.poll(waitingFor: origin)
                else { return }
                hub.polls.received(events, through: through, for: poll)
                hub.endTurn()
            }
        }
        guard case .changes = question.query, case .page(let number, _) = question.asker
        else {
            return { [hub] in
                guard let origin = question.asker.origin,
                    let session = hub.sessions[origin.session]
                else { return }
                hub.catchUp.answer(session) { json in
                    ReplyEncoder.encode(
                        .history(HistoryPage(messages: [], next: nil)),
                        to: origin.command, into: &json)
                }
                hub.endTurn()
            }
        }
        let answer = question.answer(from: try store.makeReader(), order, secret: store.secret)
        guard case .changes(let page) = answer.result else {
            Issue.record("no changes of \(question.channel)")
            return {}
        }
        return { [hub] in
            hub.catchUp.received(page, for: number)
            hub.endTurn()
        }
    }

    /// Has a reader fail with a question that belongs to nobody alone.
    func fail(_ question: ReadRequest) {
        if case .page(let page, _) = question.asker {
            hub.catchUp.failedToRead(page)
        } else {
            hub.states.failedToLearn(of: question.channel)
        }
    }

    /// Answers every question until none is left.
    func answerAll() throws {
        while !questions.waiting.isEmpty { try read()() }
    }

    /// The timetokens that a session was sent since the last call.
    func seen(_ session: Session) throws -> [UInt64] {
        try transport.takeBatches(of: session.id).flatMap { batch in
            #expect(batch.envelopes.allSatisfy { $0.timetoken <= batch.cursor })
            return batch.envelopes.map(\.timetoken.rawValue)
        }
    }

    /// Makes a message durable in any channel; the hub hears of it in a turn of its own.
    func publish(
        _ number: UInt64, in channel: Channel, _ message: Message = .sized(10)
    ) throws {
        try keep(number, in: channel, message)
        deliver([
            Envelope(
                channel: channel, timetoken: tick(number), uuid: "ada", event: .message(message))
        ])
        hub.endTurn()
    }

    /// Makes a message durable in any channel, of which the hub has not heard.
    func keep(
        _ number: UInt64, in channel: Channel, _ message: Message = .sized(10)
    ) throws {
        try store.commit(through: number) {
            try $0.insert(message, at: tick(number), in: channel, by: "ada")
        }
    }

    /// An event that no store knows.
    func signal(_ number: UInt64, in channel: Channel) {
        let event = Envelope(
            channel: channel, timetoken: tick(number), uuid: "ada",
            event: .signal(Message(payload: "1")), isStored: false)
        hub.accept(Commit(events: [event], last: tick(number)))
        hub.endTurn()
    }
}
