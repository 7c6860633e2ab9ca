// Busy channels: announced as a whole, every few seconds.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Presence intervals")
struct PresenceIntervalTests {
    /// Single announcements up to two users, else one every ten seconds.
    private func bench(deltas: Bool = true) -> PresenceBench {
        var keyset = Keyset(subscribeKey: "k")
        keyset.defaults.announceMax = 2
        keyset.defaults.sendsDeltas = deltas
        return PresenceBench(keyset)
    }

    private func enter(_ bench: PresenceBench, _ users: String...) {
        for user in users { bench.beat(user, "room") }
    }

    @Test("above the limit joins and leaves wait for the interval; states do not")
    func above() {
        let bench = bench()
        enter(bench, "a", "b", "c", "d")
        bench.leave("a", "room")
        bench.setState("c", "room", to: #"{"s":1}"#)

        let singles = ["join a 1", "join b 2", #"state-change c 3 {"s":1}"#]
        #expect(bench.notices(after: 10_499) == singles)
        #expect(bench.notices(after: 1) == ["interval 3 +[c,d] -[a]"])
    }

    @Test("without deltas an interval says only how many there are")
    func plain() {
        let bench = bench(deltas: false)
        enter(bench, "a", "b", "c", "d")
        bench.leave("a", "room")

        #expect(bench.notices(after: 10_500) == ["join a 1", "join b 2", "interval 3"])
    }

    @Test("back at the limit, a last interval says what waited, then single ones go on")
    func crossing() {
        let bench = bench()
        enter(bench, "a", "b", "c")
        bench.leave("a", "room")
        bench.leave("b", "room")
        enter(bench, "a", "b")

        #expect(
            bench.notices(after: 20_000) == [
                "join a 1", "join b 2", "interval 3 +[c]", "leave a 2", "leave b 1", "join a 2",
                "interval 3 +[b]",
            ])
    }

    @Test("an interval without news is silent and costs nothing")
    func quiet() {
        let bench = bench()
        enter(bench, "a", "b", "c")
        _ = bench.pass(milliseconds: 10_500)

        #expect(bench.notices(after: 100_000) == [])
        enter(bench, "d")
        #expect(bench.notices(after: 10_499) == [])
        #expect(bench.notices(after: 1) == ["interval 4 +[d]"])
    }

    @Test("lists say the net effect since the last interval")
    func net() {
        let bench = bench()
        enter(bench, "a", "b", "c", "d", "e")
        _ = bench.pass(milliseconds: 11_000)
        bench.leave("a", "room")
        enter(bench, "a", "f", "g")
        bench.leave("f", "room")
        bench.leave("b", "room")

        #expect(bench.notices(after: 11_000) == ["interval 5 +[g] -[b]"])
        enter(bench, "f")
        bench.leave("f", "room")
        #expect(bench.notices(after: 11_000) == ["interval 5"])
    }

    @Test("who vanished is in a list of its own, unless they came back")
    func vanished() {
        let bench = bench()
        enter(bench, "a", "b", "c")
        for user in ["d", "e"] { bench.beat(user, "room", seconds: 20) }
        _ = bench.pass(milliseconds: 15_000)

        #expect(bench.notices(after: 7_000) == [])
        enter(bench, "e")
        #expect(bench.notices(after: 11_000) == ["interval 4 ~[d]"])
    }

    @Test(
        "lists over 30 KiB are replaced by a word",
        arguments: [
            ("u", 102), ("\"", 51), ("\u{1}", 17),
        ])
    func refresh(letter: String, letters: Int) {
        // Each id takes 109 bytes of JSON with its comma: 281 of them are 30,629.
        for (users, isTooLong) in [(281, false), (282, true)] {
            let bench = bench()
            enter(bench, "a", "b")
            for number in 1000..<1000 + users {
                enter(bench, "\(number)" + String(repeating: letter, count: letters))
            }
            let notice = bench.pass(milliseconds: 11_000).last?.notice

            #expect(notice?.occupancy == users + 2)
            #expect(notice?.needsRefresh == isTooLong)
            #expect(notice?.joined.count == (isTooLong ? 0 : users))
            bench.leave("a", "room")
            #expect(bench.notices(after: 11_000) == ["interval \(users + 1) -[a]"])
        }
    }

    @Test("without deltas nobody needs to refresh")
    func noRefresh() {
        let bench = bench(deltas: false)
        for number in 0..<10_000 { enter(bench, "user \(number)") }

        #expect(bench.notices(after: 11_000).last == "interval 10000")
    }

    @Test("an emptied channel has told everything")
    func emptied() {
        let bench = bench()
        enter(bench, "a", "b", "c")
        weak let room = bench.presence.tenants[ExactText("k")]?.rooms[ExactText("room")]
        #expect(room != nil)
        for user in ["a", "b", "c"] { bench.leave(user, "room") }

        #expect(room == nil, "something still waits for the channel")
        let expected = [
            "join a 1", "join b 2", "interval 3 +[c]", "leave a 2", "leave b 1", "leave c 0",
        ]
        #expect(bench.notices(after: 500) == expected)
        bench.move(to: bench.now.milliseconds + 400_000)
        #expect(bench.presence.advance(to: bench.now) == [])
        #expect(bench.presence.tenants.isEmpty)
    }
}
