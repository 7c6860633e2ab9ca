// For which polls readers are asked: few at a time, tenants in turn, and none is forgotten.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Long polls: pages from readers")
struct PolledPagesTests {
    /// A bench whose readers have this many places, for polls of what memory does not hold.
    private func bench(places: Int) throws -> PollBench {
        let polls = PollBench(polledPagesBytesMax: places * Limits.catchUpBytesMax)
        for number in 1...3 as ClosedRange<UInt64> {
            try polls.bench.publish(number, in: Channel("a"))
        }
        return polls
    }

    @Test("so many pages are read at a time, and all polls get theirs")
    func bounded() throws {
        let polls = try bench(places: 8)
        for _ in 0..<40 { polls.poll(["a"], after: 0) }
        #expect(polls.bench.waiting.count == 6, "no tenant has all places")
        var answered = 0
        while !polls.bench.waiting.isEmpty {
            #expect(polls.bench.waiting.count <= 6)
            try polls.bench.read()()
            polls.bench.hub.endTurn()
            polls.bench.hub.checkInvariants()
            answered += polls.take().count
        }
        #expect(answered == 40)
        #expect(polls.bench.hub.polls.count == 0)
    }

    @Test("tenants have their turns, however many polls one of them has")
    func tenants() throws {
        let polls = try bench(places: 4)
        for _ in 0..<50 { polls.poll(["a"], after: 0) }
        polls.poll(["a"], after: 0, of: "other")
        let asked = polls.bench.waiting.map(\.channel.keyset)
        #expect(asked.count { $0 == "other" } == 1, "a place was left for it")
        for _ in 0..<10 { polls.poll(["a"], after: 0, of: "third") }
        try polls.bench.read()()
        polls.bench.hub.endTurn()
        #expect(polls.bench.waiting.last?.channel.keyset == "third")
    }

    @Test("a poll that ends while it waits, or is read for, gives its place back")
    func ends() throws {
        let polls = try bench(places: 4)
        let sessions = (0..<300).map { _ in polls.poll(["a"], after: 0) }
        for session in sessions.dropLast() { polls.bench.hub.polls.forget(session) }
        polls.bench.hub.endTurn()
        polls.bench.hub.checkInvariants()
        #expect(polls.bench.hub.polls.count == 1)
        while !polls.bench.waiting.isEmpty {
            try polls.bench.read()()
            polls.bench.hub.endTurn()
        }
        #expect(polls.take().map(\.events) == [[1, 2, 3]])
        polls.bench.hub.checkInvariants()
    }

    @Test("an answer has so many bytes, or one event")
    func bytes() throws {
        let polls = PollBench()
        polls.poll(["room"], after: 0)
        try polls.bench.publish(1...1, bytes: 10)
        #expect(polls.take().count == 1)
        // Of these memory has all: no event takes twice its bytes.
        try polls.bench.publish(2...5, bytes: 50_000)
        polls.poll(["room"], after: 1)
        #expect(polls.take().map(\.events) == [[2, 3]])
        polls.poll(["room"], after: 3)
        #expect(polls.take().map(\.events) == [[4, 5]])
        try polls.bench.publish(6...7, bytes: 140_000)
        polls.poll(["room"], after: 5)
        while polls.bench.waiting.count > 0 {
            try polls.bench.read()()
            polls.bench.hub.endTurn()
        }
        #expect(polls.take().map(\.events) == [[6]])
    }
}
