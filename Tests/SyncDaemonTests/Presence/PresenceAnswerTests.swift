// Who is here, who is where, in pages; names by their bytes and tenants apart.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Presence answers")
struct PresenceAnswerTests {
    @Test("pages are ascending by bytes and cover everybody once", arguments: [1, 3, 7, 10, 11])
    func pages(limit: Int) {
        let bench = PresenceBench()
        for number in [4, 9, 1, 0, 7, 3, 8, 2, 6, 5] { bench.beat("u\(number)", "room") }

        let pages = stride(from: 0, to: 10, by: limit).map {
            bench.users("room", limit: limit, offset: $0)
        }

        #expect(pages.flatMap(\.self) == (0..<10).map { "u\($0)" })
        #expect(pages.allSatisfy { $0.count <= limit })
        #expect(bench.users("room", limit: limit, offset: 10) == [])
        bench.leave("u0", "room")
        bench.beat("u", "room")
        #expect(bench.users("room", limit: 2) == ["u", "u1"])
    }

    @Test("limits and offsets out of range are moved into it")
    func ranges() {
        let bench = PresenceBench()
        for number in 0..<1001 { bench.beat("\(number)", "room") }

        #expect(bench.users("room", limit: .max).count == 1000)
        #expect(bench.users("room", limit: 0) == [])
        #expect(bench.users("room", limit: -5) == [])
        #expect(bench.users("room", limit: 1, offset: -5) == ["0"])
        #expect(bench.users("room", limit: 5, offset: .max) == [])
        #expect(bench.users("room", limit: 5, offset: 1000) == ["999"])
    }

    @Test("an answer holds as much as it was asked for, and always the count")
    func contents() {
        let bench = PresenceBench()
        bench.beat("ada", "room", state: #"{"a":1}"#)
        bench.beat("bob", "room")
        func ask(_ page: Presence.Page) -> [Occupancy] {
            bench.presence.occupancy(of: ["none", "room"], keyset: "k", page: page)
        }

        let none = Occupancy(channel: "none", count: 0)
        let ada = Occupant(userID: "ada"), bob = Occupant(userID: "bob")
        let stated = Occupant(userID: "ada", state: #"{"a":1}"#)
        let plain = Occupancy(channel: "room", count: 2, users: [ada, bob])
        let full = Occupancy(channel: "room", count: 2, users: [stated, bob])
        let paged = Occupancy(channel: "room", count: 2, users: [bob])

        #expect(ask(.init(includesUsers: false)) == [none, Occupancy(channel: "room", count: 2)])
        #expect(ask(.init()) == [none, plain])
        #expect(ask(.init(includesState: true)) == [none, full])
        #expect(ask(.init(limit: 1, offset: 1)) == [none, paged])
    }

    @Test("everywhere: all channels ascending, with totals that no limit shortens")
    func everywhere() {
        let bench = PresenceBench()
        bench.beat("ada", "b", "a", "c")
        bench.beat("bob", "b")
        bench.leave("ada", "c")

        let all = bench.presence.occupancyEverywhere(keyset: "k")
        let some = bench.presence.occupancyEverywhere(
            keyset: "k", page: .init(limit: 1), channelsMax: 1)

        #expect(all.channels.map(\.channel) == ["a", "b"])
        #expect(all.channels.map(\.count) == [1, 2])
        #expect(all.channels.map { $0.users.map(\.userID) } == [["ada"], ["ada", "bob"]])
        #expect([all.channelCount, all.occupancy] == [2, 3])
        #expect(some.channels.map(\.channel) == ["a"])
        #expect([some.channelCount, some.occupancy] == [2, 3])
    }

    @Test("names that look alike but differ in bytes are different names")
    func bytes() {
        let bench = PresenceBench()
        let composed = "caf\u{E9}", decomposed = "cafe\u{301}"
        bench.beat(composed, composed, state: #"{"a":1}"#)
        bench.beat(decomposed, composed)
        bench.beat(composed, decomposed, state: #"{"a":2}"#)
        bench.setState(decomposed, decomposed, to: #"{"a":"\#(composed)"}"#)

        #expect(
            bench.users(composed).map(ExactText.init) == [decomposed, composed].map(ExactText.init))
        #expect(bench.users(decomposed).map(ExactText.init) == [ExactText(composed)])
        #expect(bench.state(composed, composed) == #"{"a":1}"#)
        #expect(bench.state(composed, decomposed) == #"{"a":2}"#)
        let published = bench.pass(milliseconds: 500)
        #expect(published.count == 3)
        #expect(published.last?.channel == Channel(decomposed + "-pnpres", keyset: "k"))
        bench.beat(decomposed, decomposed)
        bench.setState(decomposed, decomposed, to: #"{"a":"\#(decomposed)"}"#)
        #expect(bench.pass(milliseconds: 500).map(\.notice.action) == [.join, .stateChange])
        bench.leave(composed, composed)
        #expect(bench.users(composed).map(ExactText.init) == [ExactText(decomposed)])
    }

    @Test("tenants know nothing of each other")
    func tenants() {
        let keysets = [Keyset(subscribeKey: "one"), Keyset(subscribeKey: "two")]
        let presence = Presence(keysets: Keysets(keysets))
        let now = Presence.Instant(milliseconds: 0, wallSeconds: 0)
        let one = Presence.Member(userID: "ada", keyset: "one")
        let two = Presence.Member(userID: "ada", keyset: "two")
        presence.beat(one, channels: ["room", "hall"], at: now)
        presence.beat(two, channels: ["room"], at: now)
        presence.setState(one, channels: ["room", "x"], state: #"{"a":1}"#, at: now)

        #expect(presence.state(of: two, channels: ["room", "x"]).allSatisfy { $0.state == nil })
        #expect(presence.channels(of: two) == ["room"])
        presence.leave(two, channels: ["room", "hall"], at: now)
        #expect(presence.channels(of: one) == ["hall", "room"])
        #expect(presence.occupancyEverywhere(keyset: "one").occupancy == 2)
        #expect(presence.occupancyEverywhere(keyset: "two").occupancy == 0)
        let later = Presence.Instant(milliseconds: 500, wallSeconds: 0)
        let announced = presence.advance(to: later).map(\.channel.keyset)
        #expect(announced == ["one", "one", "two", "one", "two"])
        #expect(presence.tenants.count == 1)
    }
}
