// Lists over several reactors: every connection once, in pages, whatever each reactor answers when.

import EventModel
import Testing

@testable import SyncDaemon

private func facts(_ reactor: Int, _ slot: UInt32) -> SessionFacts {
    SessionFacts(
        reactor: reactor,
        connection: ConnectionFacts(
            id: SessionID(slot: slot, generation: slot + 1), address: PeerAddress(high: 0, low: 1),
            isSecure: false, opened: 0, unsentBytes: 0))
}

@Suite struct SessionRoundTests {
    /// Reactors with connections at these places, that look at three places at a time.
    private func page(
        of reactors: [[UInt32]], from place: SessionPlace, limit: Int, silent: Set<Int> = []
    ) -> SessionRound {
        var round = SessionRound(reactors: reactors.count, from: place, limit: limit)
        var questions = round.open.sorted { $0.key > $1.key }.map { ($0.key, $0.value) }
        while let (reactor, slot) = questions.popLast() {
            guard !silent.contains(reactor) else { continue }
            var part = SessionPart(reactor: reactor)
            let end = slot + 3
            part.next = reactors[reactor].contains { $0 >= end } ? end : nil
            for place in reactors[reactor] where (slot..<end).contains(place) {
                guard part.found.count < limit else {
                    part.next = place
                    break
                }
                part.found.append(facts(reactor, place))
            }
            if let next = round.take(part) { questions.insert((reactor, next), at: 0) }
        }
        return round
    }

    @Test(
        "pages bring each connection once, in their order",
        arguments: 1...12)
    func pagesBringEach(_ limit: Int) {
        let reactors: [[UInt32]] = [[0, 1, 2, 3, 9], [], [5, 6, 20], [0]]
        var (found, place): ([SessionPlace], SessionPlace?) = (
            [], SessionPlace(reactor: 0, slot: 0)
        )
        while let start = place {
            let (page, next) = page(of: reactors, from: start, limit: limit).page
            #expect(page.count <= limit)
            #expect(next == nil || page.count == limit)
            found += page.map(\.place)
            place = next
        }
        let all = reactors.enumerated().flatMap { reactor, slots in
            slots.map { SessionPlace(reactor: reactor, slot: $0) }
        }
        #expect(found == all)
    }

    @Test("a reactor that does not answer is named, and the others are heard")
    func reactorDoesNot() {
        let round = page(
            of: [[0], [0, 1], [7]], from: SessionPlace(reactor: 0, slot: 0), limit: 10, silent: [1])
        #expect(round.missing == [1])
        #expect(round.page.found.map(\.reactor) == [0, 2])
    }

    @Test("a place of a reactor that there is not is the end")
    func placeReactorThere() {
        let round = SessionRound(
            reactors: 2, from: SessionPlace(reactor: 2, slot: 0), limit: 10)
        #expect(round.open.isEmpty)
        #expect(round.page.next == nil)
    }
}

@Suite struct SessionFilterTests {
    private func admits(_ filter: SessionFilter, follows: Bool = false) -> Bool {
        var facts = facts(1, 2)
        (facts.keyset, facts.user) = ("key", "e\u{301}")
        return filter.admits(facts) { _ in follows }
    }

    @Test("every condition has to hold")
    func everyConditionHas() {
        #expect(admits(SessionFilter()))
        #expect(admits(SessionFilter(id: "1-2-3", keyset: "key", user: "e\u{301}")))
        #expect(!admits(SessionFilter(id: "1-2-4", keyset: "key")))
        #expect(!admits(SessionFilter(keyset: "key", user: "other")))
        #expect(!admits(SessionFilter(channel: "room")))
        #expect(admits(SessionFilter(channel: "room"), follows: true))
        #expect(admits(SessionFilter(address: AddressRange("::1"))))
        #expect(!admits(SessionFilter(address: AddressRange("127.0.0.0/8"))))
    }

    @Test("names are compared byte for byte")
    func namesAreCompared() {
        #expect(!admits(SessionFilter(user: "\u{e9}")))
        #expect(!admits(SessionFilter(id: "1-2")))
    }

    @Test("who has not said who they are is nobody's")
    func whoHasNot() {
        #expect(!SessionFilter(user: "").admits(facts(0, 0)) { _ in true })
        #expect(!SessionFilter(keyset: "").admits(facts(0, 0)) { _ in true })
    }
}
