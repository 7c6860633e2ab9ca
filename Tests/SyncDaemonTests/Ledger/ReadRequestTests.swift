// Questions about several channels at once, and that they stay in their keyset.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Read requests")
struct ReadRequestTests {
    private let store = MemoryStore()
    private var order: EventOrder {
        EventOrder(
            after: store.last, ceiling: .end, wallTicks: { 1 }, receiver: Steps(),
            askForCeiling: {})
    }

    init() throws {
        try store.publish(1, in: Channel("a"))
        try store.publish(2, in: Channel("b"))
        try store.publish(3, in: Channel("a", keyset: "k"))
        try store.publish(4, in: Channel("a"))
    }

    private func answer(to request: ReadRequest, _ order: EventOrder) throws -> ReadAnswer {
        request.answer(
            from: try store.makeReader(), order, secret: store.secret)
    }

    private func reply(
        _ query: ReadRequest.Query, keyset: String = Channel.defaultKeyset
    ) throws -> Result<Reply, ProtocolError>? {
        let request = ReadRequest(
            asker: .client(
                Origin(
                    reactor: 0, session: SessionID(slot: 0, generation: 0), command: 1)),
            channel: Channel("any", keyset: keyset), query: query)
        guard case .reply(let result) = try answer(to: request, order).result else {
            return nil
        }
        return result
    }

    private func history(_ name: String, _ timetokens: UInt64...) -> ChannelHistory {
        let messages = timetokens.map {
            StoredMessage(timetoken: tick($0), uuid: "ada", message: .numbered($0))
        }
        return ChannelHistory(channel: name, page: HistoryPage(messages: messages, next: nil))
    }

    @Test("histories come in the order of the question, each channel with its own query")
    func histories() throws {
        let query = ReadRequest.Query.histories([
            HistoryQuery(channel: "b"), HistoryQuery(channel: "none"),
            HistoryQuery(channel: "a", after: tick(1)),
        ])
        #expect(
            try reply(query)
                == .success(.histories([history("b", 2), history("none"), history("a", 4)])))
        #expect(
            try reply(query, keyset: "k")
                == .success(.histories([history("b"), history("none"), history("a", 3)])))
    }

    @Test("what nobody waits for is not read")
    func unwanted() throws {
        let demand = Demand()
        var reading = Reading(
            ReadRequest(
                asker: .page(1, reactor: 0), channel: Channel("a"),
                query: .history(HistoryQuery(channel: "a")), demand: demand))
        let caches = ReaderCaches(
            repairs: RepairCache(secret: store.secret), secret: store.secret)
        func step() throws -> Reading.Step {
            reading.step(from: try store.makeReader(), order, caches, while: { true })
        }
        guard case .done = try step() else {
            Issue.record("Somebody waits.")
            return
        }
        demand.end()
        guard case .unwanted = try step() else {
            Issue.record("Nobody waits.")
            return
        }
    }

    @Test("counts come in the order of the question")
    func counts() throws {
        let query = ReadRequest.Query.messageCounts([
            CountQuery(channel: "a", after: .zero), CountQuery(channel: "none", after: .zero),
            CountQuery(channel: "a", after: tick(1)), CountQuery(channel: "b", after: tick(2)),
        ])
        func counts(_ numbers: Int...) -> Reply {
            .messageCounts(
                zip(["a", "none", "a", "b"], numbers).map { MessageCount(channel: $0, count: $1) })
        }
        #expect(try reply(query) == .success(counts(2, 0, 1, 0)))
        #expect(try reply(query, keyset: "k") == .success(counts(1, 0, 1, 0)))
    }

    @Test("a page from before a forgotten deletion is none: the deletion would be missing")
    func tooOld() throws {
        let a = Channel("a")
        try store.commit(through: 5) {
            _ = try $0.deleteMessages(after: .zero, through: tick(1), at: tick(5), in: a)
        }
        try store.publish(6, in: a)
        func isTooOld(_ cursor: UInt64) throws -> Bool {
            let request = ReadRequest(
                asker: .page(1, reactor: 0), channel: a,
                query: .changes(from: ChangeStart(after: tick(cursor)), window: nil))
            guard case .tooOld = try answer(to: request, order).result else { return false }
            return true
        }
        #expect(try [0, 1, 4, 5].filter(isTooOld) == [])
        try store.commit(through: 7) { try $0.forgetDeletions(before: .end, limit: 9) }
        #expect(try [0, 1, 4, 5].filter(isTooOld) == [1, 4])
    }

    private func backlog(
        of names: [String], after cursor: UInt64, _ order: EventOrder
    ) throws -> (seen: [UInt64], through: UInt64) {
        let channels = names.map { Channel($0) }
        let request = ReadRequest(
            asker: .client(
                Origin(
                    reactor: 0, session: SessionID(slot: 0, generation: 0), command: 1)),
            channel: channels[0], query: .backlog([channels], after: tick(cursor)))
        let answer = try answer(to: request, order)
        guard case .backlog(let events, let through) = answer.result else { return ([], 0) }
        return (events.map(\.envelope.timetoken.rawValue), through.rawValue)
    }

    @Test("a backlog is of all its channels, in order, with what no store knows")
    func backlog() throws {
        let order = order
        let signal = Announcement(
            channel: Channel("b"), uuid: "u", event: .signal(Message(payload: "1")), origin: nil)
        guard case .at(let timetoken) = order.announce(signal) else { return }

        let both = try backlog(of: ["a", "b"], after: 1, order)
        #expect(both.seen == [2, 4, timetoken.rawValue])
        #expect(both.through == timetoken.rawValue)
        #expect(try backlog(of: ["a"], after: 1, order).seen == [4])
        #expect(try backlog(of: ["none"], after: 0, order).through == timetoken.rawValue)
    }

    @Test("a backlog is no longer than it may be, stored or not, and misses nothing")
    func heavyBacklog() throws {
        let order = order
        let room = Channel("b")
        var sent: [UInt64] = []
        for number in 0..<60 {
            let long = String(repeating: "1", count: number == 30 ? 300_000 : 20_000)
            let event = Announcement(
                channel: room, uuid: "u", event: .message(Message(payload: long)), origin: nil)
            guard case .at(let timetoken) = order.announce(event) else { continue }
            sent.append(timetoken.rawValue)
        }
        var (seen, cursor): ([UInt64], UInt64) = ([], 4)
        while seen.count < sent.count {
            let page = try backlog(of: ["b"], after: cursor, order)
            #expect((1...6).contains(page.seen.count), "at most 128 KiB of 20,000 each")
            seen += page.seen
            #expect(page.through > cursor)
            cursor = page.through
        }
        #expect(seen == sent)
    }

    @Test("a backlog ends where a reader stopped")
    func longBacklog() throws {
        for number in 5...300 as ClosedRange<UInt64> {
            try store.publish(number, in: Channel("c.\(number % 3)"))
        }
        var seen: [UInt64] = []
        var cursor: UInt64 = 0
        while cursor < 300 {
            let page = try backlog(of: ["c.*", "b"], after: cursor, order)
            #expect(page.seen.count <= Limits.pollEventsMax)
            #expect(page.through > cursor)
            seen += page.seen
            cursor = page.through
        }
        #expect(seen == [2] + Array(5...300))
    }

    @Test("a backlog of more channels than a reader may look through starts from now")
    func backlogTooWide() throws {
        try store.commit(through: 9) {
            for number in 0...Limits.backlogChannelsMax {
                let channel = Channel("wide.\(number)")
                try $0.add(MessageAction(key: .on(1), actionTimetoken: tick(9)), in: channel)
            }
        }
        let page = try backlog(of: ["wide.*"], after: 0, order)
        #expect(page.seen == [])
        #expect(page.through == 9)
    }
}
