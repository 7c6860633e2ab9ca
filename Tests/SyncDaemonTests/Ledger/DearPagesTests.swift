// Questions that look cheap and are not: they wait where they keep no cheap one waiting.

import EventModel
import Testing

@testable import SyncDaemon

/// Found by an attacker: two connections that asked for one message with 250,000 reactions had
/// every other tenant's history wait for 70 ms.
@Suite("Pages of many actions")
struct DearPagesTests {
    private let directory: ScratchDirectory
    private let bench: LedgerBench
    private let crowded: Timetoken
    private let quiet: Timetoken

    init() throws {
        directory = try ScratchDirectory()
        bench = LedgerBench(try SQLStore(directory: directory.path))
        let bench = bench
        func publish() throws -> Timetoken {
            let reply = try bench.reply(.publish(.numbered(1), hoursKept: 0))
            guard case .published(let timetoken) = reply else { throw StoreError.full }
            return timetoken
        }
        let (crowded, quiet) = (try publish(), try publish())
        (self.crowded, self.quiet) = (crowded, quiet)
        func add(_ user: Int, on message: Timetoken) -> Write {
            let key = MessageAction.Key(
                messageTimetoken: message, type: "reaction", value: "👍", uuid: "u\(user)")
            return write(.add(key))
        }
        for start in stride(from: 0, through: Limits.cheapActionsMax, by: 500) {
            _ = bench.commit((start..<start + 500).map { add($0, on: crowded) })
        }
        _ = bench.commit(add(1, on: quiet))
    }

    /// What a question is answered, and in which lanes it waited for that.
    private func answer(
        to query: ReadRequest.Query
    ) throws -> (reply: Reply?, lanes: [ReaderLane]) {
        let origin = Origin(
            reactor: 0, session: SessionID(slot: 0, generation: 0), command: 1)
        var reading = Reading(
            ReadRequest(asker: .client(origin), channel: Channel("room"), query: query))
        let order = EventOrder(
            after: bench.store.last, ceiling: .end, wallTicks: { 1 }, receiver: Steps(),
            askForCeiling: {})
        let secret = bench.store.secret
        let caches = ReaderCaches(repairs: RepairCache(secret: secret), secret: secret)
        let reader = try bench.store.makeReader()
        var lanes: [ReaderLane] = []
        while lanes.count < 9 {
            lanes.append(reading.ticket.lane)
            switch reading.step(from: reader, order, caches, while: { true }) {
            case .goesOn: continue
            case .done(let answer):
                guard case .reply(let result) = answer.result else { return (nil, lanes) }
                return (try result.get(), lanes)
            case .waits, .unwanted: return (nil, lanes)
            }
        }
        return (nil, lanes)
    }

    private func history(of message: Timetoken) -> HistoryQuery {
        HistoryQuery(
            channel: "room", before: message.successor(at: 0), limit: 1, includesActions: true)
    }

    private func actions(
        on message: Timetoken?, _ order: ActionsQuery.Order, by users: [String]
    ) -> ActionsQuery {
        var query = ActionsQuery(channel: "room")
        (query.messageTimetoken, query.order, query.userIDs) = (message, order, users)
        return query
    }

    @Test("wait with what may take long, and come to the same")
    func crowdedPages() throws {
        let reader = try bench.store.makeReader()
        let room = Channel("room")
        let page = try reader.history(history(of: crowded), in: room)
        #expect(page.messages.map(\.timetoken) == [crowded])
        #expect(page.messages.first?.actions.count == Limits.actionsPerHistoryMessageMax)
        let found = try answer(to: .history(history(of: crowded)))
        #expect(found.reply == .history(page))
        #expect(found.lanes == [.history, .repair])

        let both = [history(of: quiet), history(of: crowded), history(of: quiet)]
        let histories = try answer(to: .histories(both))
        guard case .histories(let pages)? = histories.reply else {
            Issue.record("no histories: \(histories)")
            return
        }
        #expect(pages.map(\.page.messages.first?.actions.count) == [1, 1000, 1])
        #expect(histories.lanes == [.history, .repair])

        let nobody = (0..<100).map { "nobody \($0)" }
        for query in [
            actions(on: nil, .time, by: nobody), actions(on: crowded, .score, by: nobody),
            actions(on: crowded, .time, by: nobody),
        ] {
            let page = try reader.actions(query, in: room)
            let found = try answer(to: .actions(query))
            #expect(found.reply == .actions(page))
            #expect(found.lanes == [.history, .repair], "\(query)")
        }
    }

    @Test("are answered at once where there is little to look at")
    func quietPages() throws {
        for query in [
            .history(history(of: quiet)), .actions(actions(on: quiet, .score, by: [])),
            .actions(actions(on: nil, .time, by: [])),
            .actions(actions(on: crowded, .value, by: ["u7"])),
        ] as [ReadRequest.Query] {
            let found = try answer(to: query)
            #expect(found.reply != nil)
            #expect(found.lanes == [.history])
        }
    }
}
