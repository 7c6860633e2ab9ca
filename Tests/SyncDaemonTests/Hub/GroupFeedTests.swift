// Groups in long polls: one interest in a group's channels, however many polls name it.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Polls of groups")
struct GroupFeedTests {
    private let polls = PollBench()
    private var bench: HubBench { polls.bench }
    private var hub: Hub { polls.bench.hub }

    private func memberships(of name: String) -> Int? {
        hub.topics.existing(Channel(name))?.memberships.elements.count
    }

    @Test("however many polls name a group, each of its channels is followed once")
    func shares() throws {
        polls.put(["a", "b"], into: "g")
        for _ in 0..<100 { polls.poll([], groups: [PolledGroup("g")], after: 0) }
        #expect(memberships(of: "a") == 1)
        #expect(hub.topics.existing(Channel("a"))?.interests.isEmpty == true)
        hub.checkInvariants()

        try bench.publish(1, in: Channel("b"))

        let answers = polls.take()
        #expect(answers.count == 100)
        #expect(answers.allSatisfy { $0.events == [1] && $0.names == ["g"] && $0.cursor == 1 })
        #expect(bench.counters.polls.value == 0)
        // The next ones find what happened meanwhile.
        bench.signal(2, in: Channel("a"))
        polls.poll([], groups: [PolledGroup("g")], after: 1)
        #expect(polls.take().map(\.events) == [[2]])
        #expect(bench.asked == 0)
    }

    @Test("a group and its presence are two, and one change ends the polls of both")
    func presence() {
        let both = [PolledGroup("g", isPresence: true), PolledGroup("g")]
        polls.put(["a-b", "a"], into: "g")
        polls.poll([], groups: both, after: 0)
        bench.signal(1, in: Channel("a-b-pnpres"))
        #expect(polls.take().map(\.names) == [["g-pnpres"]])
        polls.poll([], groups: both, after: 1)
        bench.signal(2, in: Channel("a"))
        #expect(polls.take().map(\.names) == [["g"]])
        polls.poll([], groups: both, after: 2)
        polls.put(["c"], into: "g")
        #expect(polls.take() == [.init(poll: 3, events: [], names: [], cursor: 2)])
        polls.poll([], groups: both, after: 2)
        bench.signal(3, in: Channel("a"))
        #expect(polls.take() == [])
        bench.signal(4, in: Channel("c-pnpres"))
        #expect(polls.take().map(\.events) == [[4]])
        hub.checkInvariants()
    }

    @Test("a group that nobody polls is forgotten after a while, and its channels after another")
    func forgets() throws {
        let linger = UInt64(Limits.topicLingerSeconds) * 1000
        polls.put(["a"], into: "g")
        polls.poll([], groups: [PolledGroup("g")], after: 0)
        try bench.publish(1, in: Channel("a"))
        #expect(polls.take().count == 1)
        hub.beginTurn(at: linger)
        hub.endTurn()
        #expect(memberships(of: "a") == 0)
        hub.beginTurn(at: 2 * linger)
        hub.endTurn()
        #expect(memberships(of: "a") == nil)
        hub.checkInvariants()
    }

    @Test("too many channels of groups that nobody polls: the oldest are forgotten")
    func lingeringIsBounded() {
        for number in 0...Limits.lingeringTopicsMax {
            hub.polls.expect(in: [], [PolledGroup("none \(number)")])
            if number % 500 == 0 { hub.endTurn() }
            if number == 0 {
                polls.put(["a"], into: "g")
                hub.polls.expect(in: [], [PolledGroup("g")])
                #expect(memberships(of: "a") == 1)
            }
        }
        #expect(memberships(of: "a") == 0)
        hub.checkInvariants()
    }

    @Test("a turn begins to watch so many channels of groups, and a poll waits for all of its own")
    func opensInSteps() throws {
        let groups = (0..<3).map { PolledGroup("g\($0)") }
        for group in groups {
            let names = (0..<Limits.groupedPerTurnMax).map { "\(group.group.name).\($0)" }
            polls.put(names, into: group.group.name)
        }
        polls.poll([], groups: groups, after: 1)
        #expect(hub.nextDue == hub.ground.now)
        #expect(memberships(of: "g0.7") == 1)
        #expect(memberships(of: "g1.7") == nil)
        // It is not served before it watches the last of them.
        bench.signal(2, in: Channel("g0.7"))
        hub.beginTurn(at: 1)
        #expect(memberships(of: "g1.7") == 1)
        #expect(polls.take() == [])
        hub.endTurn()
        hub.beginTurn(at: 2)
        #expect(memberships(of: "g2.7") == 1)
        hub.endTurn()
        // What happened in those that were not watched yet is the readers' to tell.
        #expect(bench.asked == 1)
        #expect(hub.nextDue == nil)
        hub.checkInvariants()
    }

    @Test("what a reader found for a follower is no news to a group")
    func reachesBack() throws {
        bench.deliver(try bench.store(1...3))
        hub.endTurn()
        polls.put(["room"], into: "g")
        polls.poll([], groups: [PolledGroup("g")], after: 3)
        let session = bench.open()
        hub.subscribe(session, to: bench.room, from: .zero)
        hub.endTurn()
        try bench.answerAll()
        #expect(try bench.seen(session) == [1, 2, 3])
        hub.checkInvariants()
        #expect(polls.take() == [])
        try bench.publish(4...4)
        #expect(polls.take().map(\.events) == [[4]])
    }

    @Test("what memory gave up for want of room is read again")
    func sheds() throws {
        polls.put(["room"], into: "g")
        polls.poll([], groups: [PolledGroup("g")], after: 0)
        try bench.publish(1...1)
        #expect(polls.take().map(\.events) == [[1]])
        hub.shed()
        hub.checkInvariants()
        polls.poll([], groups: [PolledGroup("g")], after: 0)
        #expect(bench.asked == 1)
        try bench.answerAll()
        #expect(polls.take().map(\.events) == [[1]])
    }

    @Test("a group without channels waits, and its first channel ends that")
    func empty() {
        polls.poll([], groups: [PolledGroup("g")], after: 5)
        #expect(polls.take() == [])
        polls.put(["a"], into: "g")
        #expect(polls.take() == [.init(poll: 1, events: [], names: [], cursor: 5)])
    }

    @Test("channels are in the order of their last news", arguments: 1...20 as ClosedRange<UInt64>)
    func recency(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var plain = Array(0..<Int.random(in: 1...9, using: &random)).shuffled(using: &random)
        var list = RecencyList(plain)
        for _ in 0..<50 {
            let member = Int.random(in: 0..<plain.count, using: &random)
            list.touch(member)
            plain.removeAll { $0 == member }
            plain.append(member)
            var (seen, place): ([Int], Int?) = ([], list.newest)
            while let member = place {
                seen.append(member)
                place = list.before(member)
            }
            #expect(seen == plain.reversed())
        }
    }
}
