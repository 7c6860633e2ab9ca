// The readers' lanes: nobody starves, shares are as they should be, and an order is kept.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// Threads, lanes and a clock that only a test turns.
private struct LaneBench {
    /// A question that takes so many steps of so many microseconds.
    struct Question {
        let name: Int
        let ticket: ReaderTicket
        var steps: Int
        let cost: Int
    }

    private(set) var lanes: ReaderLanes<Question>
    private(set) var now = 0
    private var running: [(end: Int, question: Question)] = []
    private let threads: Int
    private var lastName = 0
    /// Names of answered questions.
    private(set) var answered: [Int] = []
    /// Names of questions at their first step, by lane and source.
    private(set) var begun: [ReaderTicket: [Int]] = [:]
    /// Microseconds of the readers.
    private(set) var used: [ReaderTicket: Int] = [:]
    private(set) var dearAtOnce = 0

    init(threads: Int, bounds: ReaderLanes<Question>.Bounds = .init()) {
        self.threads = threads
        lanes = ReaderLanes(threads: threads, bounds: bounds)
    }

    @discardableResult
    mutating func ask(_ ticket: ReaderTicket, steps: Int = 1, cost: Int) -> Int? {
        let question = Question(name: lastName + 1, ticket: ticket, steps: steps, cost: cost)
        guard lanes.put(question, ticket) else { return nil }
        lastName += 1
        return lastName
    }

    /// Has free threads take what they may, and then the first of them end its step.
    ///
    /// - Returns: The question that was answered, if one was.
    mutating func step() -> Question? {
        while running.count < threads, let (question, ticket) = lanes.take() {
            #expect(ticket == question.ticket)
            begun[ticket, default: []].append(question.name)
            running.append((now + question.cost, question))
        }
        dearAtOnce = max(dearAtOnce, running.count { $0.question.ticket.lane.isDear })
        guard let first = running.indices.min(by: { running[$0].end < running[$1].end }) else {
            return nil
        }
        var (end, question) = running.remove(at: first)
        now = end
        question.steps -= 1
        used[question.ticket, default: 0] += question.cost
        _ = lanes.step(question.ticket, took: question.cost)
        guard question.steps == 0 else {
            lanes.putBack(question, question.ticket)
            return nil
        }
        lanes.close(question.ticket)
        answered.append(question.name)
        return question
    }

    var isIdle: Bool { running.isEmpty && lanes.openCount == 0 }
}

private func ticket(_ lane: ReaderLane, _ tenant: String, _ session: UInt32) -> ReaderTicket {
    ReaderTicket(
        lane: lane, tenant: ExactText(tenant),
        source: .session(SessionID(slot: session, generation: 1), reactor: 0))
}

@Suite("Reader lanes")
struct ReaderLanesTests {
    @Test(
        "every question is answered, each session's in its order",
        arguments: [1, 2, 4], UInt64(1)...20)
    func answersAll(threads: Int, seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        var bench = LaneBench(threads: threads)
        var asked: Set<Int> = []
        for _ in 0..<400 {
            for _ in 0..<choices.below(4) {
                let lane = choices.pick(ReaderLane.allCases)
                let who = ticket(lane, choices.pick(["a", "b", "c"]), UInt32(choices.below(5)))
                let steps = lane.isDear ? 1 + choices.below(30) : 1
                if let name = bench.ask(who, steps: steps, cost: choices.below(10_000)) {
                    asked.insert(name)
                }
            }
            _ = bench.step()
        }
        var steps = 0
        while !bench.isIdle {
            _ = bench.step()
            steps += 1
            guard steps < 100_000 else { break }
        }

        #expect(Set(bench.answered) == asked, "seed \(seed)")
        #expect(bench.answered.count == asked.count, "seed \(seed)")
        #expect(bench.dearAtOnce <= max(1, threads - 1))
        for (who, names) in bench.begun {
            var seen: Set<Int> = []
            let firsts = names.filter { seen.insert($0).inserted }
            #expect(firsts == firsts.sorted(), "seed \(seed): \(who)")
        }
    }

    /// How many honest questions, one at a time, are answered beside a flood.
    private func honest(
        _ lane: ReaderLane, threads: Int, milliseconds: Int, flood: (inout LaneBench) -> Void
    ) -> (count: Int, slowest: Int) {
        var bench = LaneBench(threads: threads)
        let ada = ticket(lane, "ada", 1)
        var (count, slowest, asked, wants) = (0, 0, 0, true)
        while bench.now < milliseconds * 1000 {
            flood(&bench)
            if wants {
                bench.ask(ada, cost: 500)
                (asked, wants) = (bench.now, false)
            }
            if bench.step()?.ticket == ada {
                count += 1
                slowest = max(slowest, bench.now - asked)
                wants = true
            }
        }
        return (count, slowest)
    }

    @Test("dear questions without end leave history one of two threads", arguments: [1, 2, 3])
    func dearFlood(threads: Int) {
        let (count, slowest) = honest(.history, threads: threads, milliseconds: 2000) { bench in
            guard bench.lanes.openCount < 200 else { return }
            for session in 10..<14 as Range<UInt32> {
                bench.ask(ticket(.repair, "eve", session), steps: 500, cost: 10_000)
                bench.ask(ticket(.backlog, "eve", session), steps: 100, cost: 10_000)
            }
        }
        // With one thread it waits for the step that is under way; with two for nothing.
        #expect(count > (threads == 1 ? 150 : 3900))
        #expect(slowest <= (threads == 1 ? 30_000 : 1000))
    }

    @Test(
        "a flood of one tenant, or of one session, has the others wait for a step of it",
        arguments: [("eve", UInt32(5)), ("ada", UInt32(5))], [1, 2])
    func cheapFlood(_ flooder: (tenant: String, session: UInt32), threads: Int) {
        let (count, slowest) = honest(.history, threads: threads, milliseconds: 2000) { bench in
            let eve = ticket(.history, flooder.tenant, flooder.session)
            while bench.ask(eve, cost: 8000) != nil {}
        }
        #expect(count > 200)
        #expect(slowest <= 2 * 8000 + 500)
    }

    @Test("who is asked for a lot gets no more time than who is asked for little at a time")
    func shares() {
        var bench = LaneBench(threads: 1, bounds: .init(perSession: 20))
        let costs = ["a": 200, "b": 3000, "c": 9000]
        while bench.now < 5_000_000 {
            for (number, (tenant, cost)) in costs.enumerated() {
                for session in 0..<3 {
                    let who = ticket(.history, tenant, UInt32(number * 10 + session))
                    bench.ask(who, cost: cost)
                }
            }
            _ = bench.step()
        }
        let total = bench.used.values.reduce(0, +)
        for tenant in costs.keys {
            let own = bench.used.filter { $0.key.tenant.string == tenant }.values.reduce(0, +)
            #expect(own * 10 > total * 3 && own * 10 < total * 4, "\(tenant): \(own) of \(total)")
        }
    }

    @Test("who was away has no credit")
    func noCredit() {
        var bench = LaneBench(threads: 1, bounds: .init(perSession: 2000))
        let (ada, bob) = (ticket(.history, "ada", 1), ticket(.history, "bob", 1))
        for _ in 0..<1000 { bench.ask(ada, cost: 1000) }
        for _ in 0..<500 { _ = bench.step() }
        for _ in 0..<500 { bench.ask(bob, cost: 1000) }
        for _ in 0..<200 { _ = bench.step() }

        #expect(abs((bench.used[bob] ?? 0) - 100_000) <= 2000)
    }

    @Test("over its share a session is refused, or a tenant; others are not")
    func bounds() {
        var bench = LaneBench(threads: 2, bounds: .init(all: 20, perTenant: 12, perSession: 5))
        func taken(_ tenant: String, _ session: UInt32) -> Int {
            (0..<30).count { _ in
                bench.ask(ticket(.history, tenant, session), cost: 1) != nil
            }
        }

        #expect(taken("eve", 1) == 5)
        #expect(taken("eve", 2) == 5)
        #expect(taken("eve", 3) == 2)
        #expect(taken("ada", 4) == 5)
        #expect(taken("bob", 5) == 3)
        while !bench.isIdle { _ = bench.step() }
        #expect(taken("eve", 1) == 5)
    }
}
