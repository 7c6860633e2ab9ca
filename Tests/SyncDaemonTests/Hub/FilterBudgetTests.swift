// Filters that cost more than a turn has: the polls wait for another turn, and miss nothing.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Filters within a turn")
struct FilterBudgetTests {
    private let polls = PollBench()
    private var bench: HubBench { polls.bench }
    private var hub: Hub { polls.bench.hub }

    /// One of its own for each number, as dear as can be, and wanting nothing.
    private func bomb(_ number: Int) throws -> MessageFilter {
        try MessageFilter(FilterCostTests.repeated("data like'*b\(100 + number)*'"))
    }

    private var large: Message { Message(payload: "\"\(FilterCostTests.payload)\"") }

    /// Turns until nothing is listed any more; the answers of each.
    private func turns() -> [Int] {
        var answers: [Int] = []
        repeat {
            hub.endTurn()
            answers.append(polls.take().count)
        } while hub.polls.areListed && answers.count < 1000
        return answers
    }

    @Test("a turn ends when its budget is spent, and the next goes on with who waits longest")
    func budget() throws {
        for number in 0..<60 { polls.poll(["a"], after: 0, filter: try bomb(number)) }
        try bench.publish(1, in: Channel("a"), large)
        let first = polls.take()

        #expect(hub.polls.areListed)
        #expect(hub.nextDue == hub.ground.now)
        // The last of a turn may cost more than is left.
        let atMost = Limits.filterStepsPerTurnMax / Limits.filterStepsMax + 1
        #expect((1...atMost).contains(first.count))
        #expect(first.map(\.poll) == Array(1...UInt32(first.count)))
        let rest = turns()
        #expect(rest.allSatisfy { (1...atMost).contains($0) })
        #expect(first.count + rest.reduce(0, +) == 60)
        #expect(hub.nextDue == nil)
    }

    @Test("what many polls ask alike is evaluated once")
    func shared() throws {
        // More than one turn could evaluate, and less to answer than one may.
        let count = 16
        #expect(count > Limits.filterStepsPerTurnMax / Limits.filterStepsMax)
        #expect(count * FilterCostTests.payload.utf8.count < Limits.answeredBytesPerTurnMax)
        for _ in 0..<count { polls.poll(["a"], after: 0, filter: try bomb(1)) }
        try bench.publish(1, in: Channel("a"), large)

        #expect(polls.take().count == count)
        #expect(!hub.polls.areListed)
    }

    @Test("long answers to very many polls take several turns, and each is given once")
    func answers() throws {
        for _ in 0..<500 { polls.poll(["a"], after: 0) }
        try bench.publish(1, in: Channel("a"), large)
        let first = polls.take()

        let bytes = FilterCostTests.payload.utf8.count
        #expect(first.count <= Limits.answeredBytesPerTurnMax / bytes + 1)
        #expect(hub.nextDue == hub.ground.now)
        #expect(first.count + turns().reduce(0, +) == 500)
        #expect(hub.nextDue == nil)
    }

    @Test("a poll whose turn has not come is answered when its time is over, from where it was")
    func overdue() throws {
        for number in 0..<60 { polls.poll(["a"], after: 0, filter: try bomb(number)) }
        try bench.publish(1, in: Channel("a"), large)
        _ = polls.take()

        hub.beginTurn(at: UInt64(Limits.pollSeconds + 1) * 1000)
        hub.tick()

        let answers = polls.take()
        #expect(!answers.isEmpty)
        #expect(answers.allSatisfy { $0.events.isEmpty && $0.cursor == 0 })
        hub.endTurn()
        #expect(!hub.polls.areListed)
        hub.checkInvariants()
    }

    @Test("what a reader found is looked at over several turns, each event once")
    func backlog() throws {
        for number in UInt64(1)...99 { try bench.publish(number, in: Channel("a"), large) }
        try bench.publish(
            100, in: Channel("a"), Message(payload: "\"b\"", meta: #"{"kind":"good"}"#))
        // Each alone is within bounds, all together are not.
        let filter = try MessageFilter("data like'*b*'||data like'*c*'||kind=='good'")
        polls.poll(["a"], after: 0, filter: filter)
        try bench.read()()
        #expect(polls.take() == [])
        var count = 0
        while polls.answers.isEmpty, count < 1000 {
            // What memory does not hold a reader finds.
            if hub.polls.areListed { hub.endTurn() } else { try bench.read()() }
            count += 1
        }

        #expect(count > 2)
        #expect(polls.take() == [.init(poll: 1, events: [100], names: [nil], cursor: 100)])
    }

    @Test("each poll gets what its filter wants, in order and once", arguments: UInt64(1)...20)
    func exact(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let filters = try (0..<6).map { number in
            number < 3
                ? try MessageFilter("n % \(number + 2) == 0")
                : try MessageFilter(
                    "n%\(number)==0||" + FilterCostTests.repeated("data<'A'", reserving: 16))
        }
        var cursors = [UInt64](repeating: 0, count: filters.count)
        var seen = [[UInt64]](repeating: [], count: filters.count)
        var owners: [UInt32: Int] = [:]
        func poll(_ number: Int) {
            let session = polls.poll(["a"], after: cursors[number], filter: filters[number])
            owners[session.generation] = number
        }
        func take() {
            for answer in polls.take() {
                let number = owners.removeValue(forKey: answer.poll)!
                seen[number] += answer.events
                cursors[number] = answer.cursor
                poll(number)
            }
        }
        for number in filters.indices { poll(number) }
        var expected = seen
        for timetoken in UInt64(1)...60 {
            let isLarge = UInt64.random(in: 0..<4, using: &dice) == 0
            let message = Message(
                payload: isLarge ? "\"\(FilterCostTests.payload)\"" : "\"small\"",
                meta: #"{"n":\#(timetoken)}"#)
            let envelope = Envelope(
                channel: Channel("a"), timetoken: tick(timetoken), uuid: "ada",
                event: .message(message))
            let filtered = try #require(FilteredMessage(EncodedEnvelope(envelope)))
            for (number, filter) in filters.enumerated()
            where filter.verdict(on: filtered).isWanted {
                expected[number].append(timetoken)
            }
            try bench.publish(timetoken, in: Channel("a"), message)
            take()
            if UInt64.random(in: 0..<3, using: &dice) == 0 { hub.endTurn() }
        }
        for _ in 0..<10_000 where hub.polls.areListed || !bench.waiting.isEmpty {
            if hub.polls.areListed { hub.endTurn() } else { try bench.read()() }
            take()
        }

        #expect(seen == expected)
    }
}
