// A reader's answer reaches whoever asked, and nobody who happens to have the same number.

import EventModel
import Testing

@testable import SyncDaemon

/// A reactor's core, and the questions that its readers have.
private final class CoreBench {
    private final class Questions {
        var waiting: [ReadRequest] = []
    }

    let core: ReactorCore
    let transport = FakeTransport()
    private let questions = Questions()
    var waiting: [ReadRequest] { questions.waiting }

    init(rate: Int = 1000) {
        let questions = questions
        let engine = StandInEngine(
            onAsk: { question in
                questions.waiting.append(question)
                return true
            },
            onNewest: { tick(1_000_000) })
        core = ReactorCore(
            engine: engine, settings: ReactorSettings(commandsPerSecondMax: rate),
            mailbox: Mailbox(capacity: 1), counters: Counters())
        core.attach(transport, at: 0)
    }

    func say(_ text: String, _ session: SessionID) {
        let bytes = Array(text.utf8)
        unsafe core.native.session(session, didReceive: bytes.span.bytes)
        core.turn(at: 0)
    }

    func greeted(_ number: UInt32) -> SessionID {
        let session = SessionID(slot: 0, generation: number)
        core.native.sessionDidOpen(session, query: ["userId": "ada", "deviceId": "phone"])
        return session
    }
}

@Suite("Askers")
struct AskerTests {
    @Test("a closed poll's failed read ends no session whose page has the poll's number")
    func closedPoll() throws {
        let bench = CoreBench()
        let session = bench.greeted(1)
        bench.say(#"{"id":1,"op":"subscribe","channels":[{"name":"room","cursor":"5"}]}"#, session)
        let poller = SessionID(slot: 1, generation: 1)
        bench.core.http.connection(
            poller, didRequest: HTTPRequest(method: .get, target: "/v2/subscribe/s/den/0?tt=5"))
        bench.core.turn(at: 0)
        #expect(bench.waiting.count == 2)
        let page = try #require(bench.waiting.first { $0.channel.name == "room" })
        let poll = try #require(bench.waiting.first { $0.channel.name == "den" })
        // Both are the first of their kind.
        #expect(page.asker == .page(1, reactor: 0))
        #expect(poll.asker.origin?.command == 1)

        bench.core.http.connectionDidClose(poller)
        bench.core.receive(
            ReadAnswer(asker: poll.asker, channel: poll.channel, result: .failed(.full)))
        bench.core.turn(at: 0)

        #expect(bench.transport.closed.isEmpty)
        bench.core.receive(
            ReadAnswer(asker: page.asker, channel: page.channel, result: .failed(.full)))
        bench.core.turn(at: 0)
        #expect(bench.transport.closed[session] == .tryAgainLater)
    }

    @Test("a failed page is not the answer to a poll")
    func page() throws {
        let bench = CoreBench()
        let session = bench.greeted(1)
        bench.say(#"{"id":1,"op":"subscribe","channels":[{"name":"room","cursor":"5"}]}"#, session)
        let poller = SessionID(slot: 1, generation: 1)
        bench.core.http.connection(
            poller, didRequest: HTTPRequest(method: .get, target: "/v2/subscribe/s/den/0?tt=5"))
        bench.core.turn(at: 0)
        let page = try #require(bench.waiting.first { $0.channel.name == "room" })

        bench.core.receive(
            ReadAnswer(asker: page.asker, channel: page.channel, result: .failed(.full)))
        bench.core.turn(at: 0)

        #expect(bench.transport.responses[poller] == nil)
        #expect(bench.transport.closed[session] == .tryAgainLater)
    }

    @Test("who asked for a page from before a forgotten deletion has to come again, nobody else")
    func tooOld() throws {
        let bench = CoreBench()
        let (old, other) = (bench.greeted(1), bench.greeted(2))
        bench.say(#"{"id":1,"op":"subscribe","channels":[{"name":"room","cursor":"5"}]}"#, old)
        bench.say(#"{"id":1,"op":"subscribe","channels":[{"name":"room","cursor":"9"}]}"#, other)
        let page = try #require(bench.waiting.first)

        bench.core.receive(
            ReadAnswer(asker: page.asker, channel: page.channel, result: .tooOld))
        bench.core.turn(at: 0)

        #expect(bench.transport.closed == [old: .tryAgainLater])
    }
}

@Suite("Cost of commands")
struct CommandCostTests {
    private func subscribe(_ id: Int, _ channels: Range<Int>) -> String {
        let names = channels.map { #"{"name":"c\#($0)"}"# }.joined(separator: ",")
        return #"{"id":\#(id),"op":"subscribe","channels":[\#(names)]}"#
    }

    @Test("a subscription costs by its channels, whatever the number of frames")
    func byChannels() throws {
        let bench = CoreBench(rate: 100)
        let session = bench.greeted(1)
        // The greeting by URL costs nothing; these cost 50, 25, 25 and 1.
        bench.say(subscribe(1, 0..<200), session)
        bench.say(subscribe(2, 200..<300), session)
        bench.say(subscribe(3, 300..<400), session)
        bench.say(#"{"id":4,"op":"ping"}"#, session)

        let replies = try bench.transport.takeFrames(of: session).compactMap { frame in
            if case .reply(let reply) = frame { reply } else { nil }
        }
        #expect(replies.map(\.id) == [0, 1, 2, 3, 4])
        #expect(replies.map(\.code) == [nil, nil, nil, nil, "rate_limited"])
    }

    @Test("few channels cost what any command costs, and so does leaving them")
    func few() {
        func names(_ count: Int) -> [String] { (0..<count).map { "c\($0)" } }
        #expect(Command.ping.cost == 1)
        let long = String(repeating: "x", count: 6400)
        let action = ActionRequest(
            channel: "room", messageTimetoken: .zero, type: "reaction", value: long)
        #expect(Command.addAction(action).cost == 100)
        let edit = EditRequest(channel: "room", messageTimetoken: .zero, payload: long)
        #expect(Command.editMessage(edit).cost == 100)
        let filter = DirectoryQuery(directory: .users, filter: long)
        #expect(Command.directory(filter).cost == 100)
        #expect(Command.directory(DirectoryQuery(directory: .users)).cost == 1)
        let found = ActionsQuery(channel: "room", values: names(100), userIDs: names(100))
        #expect(Command.actions(found).cost == 50)
        #expect(Command.actions(ActionsQuery(channel: "room")).cost == 1)
        let messages = (1...100).map { SummariesQuery.Message(Timetoken(rawValue: $0)) }
        #expect(Command.summaries(SummariesQuery(channel: "room", messages: messages)).cost == 25)
        #expect(Command.unsubscribe(channels: names(1)).cost == 1)
        #expect(Command.unsubscribe(channels: names(1000)).cost == 250)
        #expect(
            Command.subscribe(names(1000).map { SubscribeRequest(channel: $0) }).cost == 250)
    }

    @Test("all channels of a session are to be had at once")
    func wholeSession() {
        let all = Limits.channelsPerSessionMax / Limits.channelsPerCommandCost
        #expect(all <= Limits.commandsPerSecondMax)
    }
}
