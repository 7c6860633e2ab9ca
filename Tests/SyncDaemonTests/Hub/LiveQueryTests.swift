// Live queries of a hub whose readers answer what the test says.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Live queries")
struct LiveQueryTests {
    private let bench: HubBench
    private var live: LiveQueries { bench.hub.live }

    init() {
        bench = HubBench(sendQueueBytesMax: 8000)
    }

    private func action(
        _ time: UInt64, on message: UInt64 = 5, _ value: String = "👍"
    ) -> MessageAction {
        MessageAction(
            key: .on(message, value, by: "u\(time)"), actionTimetoken: tick(time))
    }

    private func envelope(_ time: UInt64, on message: UInt64 = 5, _ value: String = "👍") -> Envelope
    {
        Envelope(
            channel: bench.room, timetoken: tick(time), uuid: "ada",
            event: .actionAdded(action(time, on: message, value)))
    }

    private func begin(
        _ query: ActionsQuery = ActionsQuery(channel: "room"), for session: Session,
        command: CommandID = 1
    ) -> LiveID {
        live.begin(query, filter: query, in: bench.room, for: session, command: command)
    }

    /// A reader's answer to a page.
    private func answer(
        _ id: LiveID, _ command: CommandID, of session: Session, asOf: UInt64,
        next: UInt64? = nil, _ actions: [MessageAction] = []
    ) -> Result<ActionsPage, ProtocolError> {
        let page = ActionsPage(actions: actions, next: next.map { .time(tick($0)) })
        return live.received(
            .success(DatedPage(page: page, asOf: tick(asOf))), for: id, to: command, of: session)
    }

    /// The texts that a session was sent since the last call.
    private func told(_ session: Session) throws -> [String] {
        try bench.transport.takeTexts(of: session.id)
    }

    private func added(_ times: UInt64...) -> String {
        let list = times.map { time in
            #"{"add":{"messageTimetoken":"5","type":"reaction","value":"👍","uuid":"u\#(time)","#
                + #""actionTimetoken":"\#(time)"}}"#
        }
        return #"{"live":1,"changes":[\#(list.joined(separator: ","))]}"#
    }

    @Test("what happens before the page is there comes behind it, once, and only what is later")
    func beginning() throws {
        let session = bench.open()
        let id = begin(for: session)
        bench.deliver([envelope(10), envelope(11)])
        bench.hub.endTurn()
        #expect(try told(session) == [])
        let page = try answer(id, 1, of: session, asOf: 10).get()
        #expect(page.live == LivePage(id: 1, position: tick(10)))
        bench.deliver([envelope(12)])
        bench.hub.endTurn()

        #expect(try told(session) == [added(11, 12)])
        bench.hub.checkInvariants()
    }

    @Test(
        "two pages of two commits: each part hears what it lacks, also when it comes in this turn")
    func parts() throws {
        let session = bench.open()
        let id = begin(for: session)
        _ = try answer(id, 1, of: session, asOf: 20, next: 15).get()
        let query = try #require(session.live?.all[id])
        query.page = LiveQuery.Page(command: 2)
        // Removed by the commit at 25, which this reactor hears of in the turn of the page.
        let gone = Envelope(
            channel: bench.room, timetoken: tick(25), uuid: "ada",
            event: .actionRemoved(action(12)))
        bench.deliver([gone])
        _ = try answer(id, 2, of: session, asOf: 30, next: 18).get()
        bench.hub.endTurn()

        #expect(try told(session).count == 1)
        // What the second page knows already is not told again.
        let second = Envelope(
            channel: bench.room, timetoken: tick(28), uuid: "ada",
            event: .actionRemoved(action(17)))
        bench.deliver([second])
        bench.hub.endTurn()
        #expect(try told(session) == [])
        // Behind the window nothing is its business.
        bench.deliver([envelope(40)])
        bench.hub.endTurn()
        #expect(try told(session) == [])
        #expect(query.range.end == .time(tick(18)))
    }

    @Test("a deletion that was told while a page was read is told again behind the page")
    func deletion() throws {
        let session = bench.open()
        let id = begin(for: session)
        _ = try answer(id, 1, of: session, asOf: 20, next: 15).get()
        let query = try #require(session.live?.all[id])
        query.page = LiveQuery.Page(command: 2)
        let deletion = Envelope(
            channel: bench.room, timetoken: tick(25), uuid: "ada",
            event: .messagesDeleted(after: .zero, through: tick(5)))
        bench.deliver([deletion])
        bench.hub.endTurn()
        let text = #"{"live":1,"changes":[{"delete":{"after":"0","through":"5","t":"25"}}]}"#
        #expect(try told(session) == [text])
        _ = try answer(id, 2, of: session, asOf: 20, [action(17)]).get()
        bench.hub.endTurn()
        #expect(try told(session) == [text])
    }

    @Test("too much while the first page is read: it is refused, and nothing else is said")
    func overflowBeforeThePage() throws {
        let session = bench.open()
        bench.transport.full.insert(session.id)
        let id = begin(for: session)
        for time in 10..<60 as Range<UInt64> {
            bench.deliver([envelope(time)])
            bench.hub.endTurn()
        }
        #expect(throws: ProtocolError.noLiveQuery) {
            try answer(id, 1, of: session, asOf: 9).get()
        }
        bench.hub.endTurn()
        #expect(try told(session) == [])
        #expect(bench.counters.liveQueries.value == 0)
        bench.hub.checkInvariants()
    }

    private static let long = String(repeating: "x", count: 1000)

    /// A query without its page, for which more is kept than may wait for a socket.
    private func keeping() -> (session: Session, id: LiveID) {
        let session = bench.open()
        let id = begin(for: session)
        for time in 10..<12 as Range<UInt64> {
            bench.deliver([envelope(time, Self.long)])
            bench.hub.endTurn()
        }
        return (session, id)
    }

    @Test("nothing of what is kept for a page leaves before the page, however much it is")
    func keptBehind() throws {
        let (session, id) = keeping()
        _ = try answer(id, 1, of: session, asOf: 9).get()

        #expect(try told(session) == [])
        bench.hub.endTurn()
        let texts = try told(session)
        #expect(texts.joined().split(separator: #"{"add""#).count == 3)
        #expect(bench.counters.liveQueries.value == 1)
        bench.hub.checkInvariants()
    }

    @Test("what was kept for a page counts when more comes that is not read")
    func keptCounts() throws {
        let (session, id) = keeping()
        session.isBlocked = true
        _ = try answer(id, 1, of: session, asOf: 9).get()
        #expect(session.live?.all[id] != nil)
        bench.deliver([envelope(12, Self.long)])
        bench.hub.endTurn()
        #expect(session.live?.all[id] == nil)
        #expect(bench.counters.liveQueries.value == 0)
    }

    @Test("who reads nothing is told that it is over, behind what was told; who reads is not")
    func slow() throws {
        let (slow, fast) = (bench.open(), bench.open())
        for session in [slow, fast] {
            let id = begin(for: session)
            _ = try answer(id, 1, of: session, asOf: 9).get()
        }
        bench.transport.full.insert(slow.id)
        for time in 10..<70 as Range<UInt64> {
            bench.deliver([envelope(time)])
            bench.hub.endTurn()
            bench.hub.checkInvariants()
        }
        #expect(slow.live?.all.isEmpty == true)
        #expect(bench.transport.makeRoom(slow.id))
        bench.hub.outlet.canWrite(slow)
        bench.hub.endTurn()
        // Nothing of what waited comes: it is asked for anew.
        #expect(try told(slow) == [added(10), #"{"live":1,"ended":"too_slow"}"#])
        #expect(try told(fast).count == 60)
        #expect(bench.counters.liveQueries.value == 1)
    }

    @Test("a burst in one turn is no fault of who reads")
    func burst() throws {
        let session = bench.open()
        let id = begin(for: session)
        _ = try answer(id, 1, of: session, asOf: 9).get()
        bench.deliver((10..<200 as Range<UInt64>).map { envelope($0) })
        bench.hub.endTurn()

        let texts = try told(session)
        #expect(texts.count > 1)
        #expect(texts.joined().split(separator: #"{"add""#).count == 191)
    }

    @Test("short of memory what waits is given up, and whoever waits is told")
    func memory() throws {
        let (slow, fast) = (bench.open(), bench.open())
        for session in [slow, fast] {
            let id = begin(for: session)
            _ = try answer(id, 1, of: session, asOf: 9).get()
        }
        slow.isBlocked = true
        bench.deliver([envelope(10)])
        bench.hub.endTurn()
        bench.hub.shed()
        slow.isBlocked = false
        bench.hub.outlet.listForFlush(slow)
        bench.hub.endTurn()

        #expect(try told(slow) == [#"{"live":1,"ended":"overloaded"}"#])
        #expect(fast.live?.all.count == 1)
    }

    @Test("only queries of its message are asked about an event, and of none where none is open")
    func found() throws {
        let session = bench.open()
        let topic = bench.hub.topics.topic(of: bench.room)
        var asked = 0
        func ask(_ event: Envelope) -> Int {
            asked = 0
            topic.liveQueries.forEach(concernedBy: EncodedEnvelope(event)) { _ in asked += 1 }
            return asked
        }
        #expect(ask(envelope(10)) == 0)
        for message in 1...10 as ClosedRange<UInt64> {
            let query = ActionsQuery(channel: "room", messageTimetoken: tick(message))
            _ = begin(query, for: session, command: CommandID(message))
        }
        _ = begin(ActionsQuery(channel: "room", values: ["🎉"]), for: session, command: 11)
        #expect(ask(envelope(10)) == 1)
        #expect(ask(envelope(10, on: 5, "🎉")) == 2)
        #expect(ask(envelope(10, on: 50)) == 0)
        let message = Envelope(
            channel: bench.room, timetoken: tick(9), uuid: "a", event: .message(.sized(10)))
        #expect(ask(message) == 0)
        let deletion = Envelope(
            channel: bench.room, timetoken: tick(25), uuid: "ada",
            event: .messagesDeleted(after: tick(2), through: tick(4)))
        #expect(ask(deletion) == 3)
        #expect(topic.liveQueries.count == 11)

        bench.hub.forget(session.id)
        #expect(topic.liveQueries.isEmpty && topic.isDeserted)
        #expect(bench.counters.liveQueries.value == 0)
        bench.hub.checkInvariants()
    }

    @Test("a query that was ended while its page was read has none")
    func ended() throws {
        let session = bench.open()
        let id = begin(for: session)
        live.end(id, of: session)
        #expect(throws: ProtocolError.noLiveQuery) {
            try answer(id, 1, of: session, asOf: 9).get()
        }
        // A page that fails is the end of a query that has none, and of no other.
        let other = begin(for: session, command: 2)
        #expect(throws: ProtocolError.overloaded) {
            try live.received(.failure(.overloaded), for: other, to: 2, of: session).get()
        }
        #expect(session.live?.all.isEmpty == true)
        let third = begin(for: session, command: 3)
        _ = try answer(third, 3, of: session, asOf: 9, next: 7).get()
        session.live?.all[third]?.page = LiveQuery.Page(command: 4)
        #expect(throws: ProtocolError.overloaded) {
            try live.received(.failure(.overloaded), for: third, to: 4, of: session).get()
        }
        bench.deliver([envelope(6)])
        #expect(session.live?.all[third]?.range.end == .time(tick(7)))
    }
}
