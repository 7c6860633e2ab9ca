// What every store promises about questions over several channels.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract: several channels")
struct StoreBacklogContract {
    private let directory: ScratchDirectory
    private let names = [
        "foo.a", "foo.b", "foo.b.c", "foo", "fop", "foo/", "fo", "foo.\u{10FFFF}x",
    ]

    init() throws {
        directory = try ScratchDirectory()
    }

    /// A message in each channel, in the order of the names, from 1 on.
    private func filled(_ kind: StoreUnderTest) throws -> any Store {
        let store = try kind.make(in: directory)
        try store.commit(through: 20) {
            for (index, name) in names.enumerated() {
                let timetoken = tick(UInt64(index) + 1)
                try $0.insert(.numbered(1), at: timetoken, in: Channel(name), by: "ada")
            }
            let other = Channel("foo.other", keyset: "k")
            try $0.insert(.numbered(1), at: tick(20), in: other, by: "ada")
        }
        return store
    }

    @Test(
        "a wildcard's channels are found in which something came or changed after a position",
        arguments: StoreUnderTest.allCases)
    func search(_ kind: StoreUnderTest) throws {
        let store = try filled(kind)
        try store.commit(through: 32) {
            try $0.add(
                MessageAction(key: .on(1), actionTimetoken: tick(30)), in: Channel("foo.a"))
            try $0.add(
                MessageAction(key: .on(9), actionTimetoken: tick(31)), in: Channel("foo.new"))
            try $0.remove(.on(9), at: tick(32), in: Channel("foo.new"))
        }
        let reader = try store.makeReader()
        func found(_ wildcard: String, after position: UInt64) throws -> [String] {
            var search = ChannelSearch(
                under: Channel(wildcard), changedAfter: Timetoken(rawValue: position))
            // As many steps as it takes, of one look each.
            while !search.isExhausted { try reader.readOn(&search) { false } }
            return search.found.map(\.name).sorted()
        }

        let all = ["foo.a", "foo.b", "foo.b.c", "foo.new", "foo.\u{10FFFF}x"]
        #expect(try found("foo.*", after: 0) == all)
        #expect(try found("foo.*", after: tick(3).rawValue) == ["foo.a", "foo.new", all[4]])
        #expect(try found("foo.*", after: tick(30).rawValue) == ["foo.new"])
        #expect(try found("foo.*", after: tick(32).rawValue) == [])
        #expect(try found("foo.b.*", after: 0) == ["foo.b.c"])
        #expect(try found("bar.*", after: 0) == [])
        #expect(try found("foo.b.c.*", after: 0) == [])
    }

    @Test("messages are counted after a position", arguments: StoreUnderTest.allCases)
    func counts(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let room = Channel("room")
        let max = UInt64(Limits.messageCountMax)
        try store.commit(through: 99_999) {
            for number in 1...max + 5 {
                try $0.insert(.numbered(1), at: tick(number), in: room, by: "ada")
            }
            try $0.add(MessageAction(key: .on(1), actionTimetoken: tick(99_999)), in: room)
        }
        let reader = try store.makeReader()

        let counts = try reader.messageCounts([
            (room, .zero), (Channel("none"), .zero), (room, tick(max)), (room, tick(max + 5)),
            (Channel("room", keyset: "k"), .zero),
        ])

        #expect(counts == [Limits.messageCountMax, 0, 5, 0, 0])
    }

    @Test(
        "a backlog has what went all at once where that is wanted, page by page",
        arguments: StoreUnderTest.allCases, [1, 2, 100])
    func deletions(_ kind: StoreUnderTest, limit: Int) throws {
        let store = try filled(kind)
        let channel = Channel("foo.a")
        for time in [40, 42, 44] as [UInt64] {
            try store.commit(through: time + 1) {
                try $0.insert(.numbered(time), at: tick(time), in: channel, by: "ada")
                _ = try $0.deleteMessages(
                    after: tick(time - 1), through: tick(time), at: tick(time + 1),
                    in: channel)
            }
        }
        let reader = try store.makeReader()
        var found: [UInt64] = []
        var cursor = tick(33)
        while true {
            let page = try #require(
                try reader.backlog(
                    [.channel(channel)], after: cursor, limit: limit, bringsDeletions: true))
            found += page.envelopes.map(\.timetoken.rawValue)
            cursor = page.through
            guard !page.isComplete else { break }
        }
        #expect(found.map { Timetoken(rawValue: $0) } == [41, 43, 45].map(tick))
    }

    @Test(
        "a backlog is all that its interests match, each event once, without deletions",
        arguments: StoreUnderTest.allCases)
    func backlog(_ kind: StoreUnderTest) throws {
        let store = try filled(kind)
        try store.commit(through: 33) {
            let channel = Channel("foo.a")
            try $0.insert(.numbered(2), at: tick(30), in: channel, by: "ada")
            try $0.add(MessageAction(key: .on(30), actionTimetoken: tick(31)), in: channel)
            #expect(
                try $0.deleteMessages(after: .zero, through: tick(9), at: tick(32), in: channel))
        }
        let reader = try store.makeReader()
        let interests = [
            Interest.channel(Channel("foo.b")), .prefix("foo.", keyset: "default"),
            .channel(Channel("fop")), .channel(Channel("fop")), .channel(Channel("none")),
        ]
        func backlog(_ cursor: UInt64, _ limit: Int = 100) throws -> Backlog? {
            try reader.backlog(interests, after: tick(cursor), limit: limit)
        }

        let all = try #require(try backlog(0))
        #expect(all.envelopes.map(\.timetoken) == [2, 3, 5, 8, 30, 31].map(tick))
        #expect(all.envelopes.map(\.channel.name).first == "foo.b")
        #expect(all.through == tick(33))
        #expect(all.isComplete)
        let page = try #require(try backlog(2, 2))
        #expect(page.envelopes.map(\.timetoken) == [tick(3), tick(5)])
        #expect(page.through == tick(5))
        #expect(!page.isComplete)
        #expect(try backlog(31) == Backlog(envelopes: [], through: tick(33), isComplete: true))
        #expect(try reader.backlog([], after: .zero, limit: 1)?.through == tick(33))
    }

    @Test(
        "pages of a backlog together are every event once, in order",
        arguments: StoreUnderTest.allCases,
        1...5 as ClosedRange<UInt64>)
    func pages(_ kind: StoreUnderTest, seed: UInt64) throws {
        let store = try kind.make(in: directory)
        var choices = SeededGenerator(seed: seed)
        var expected: [Timetoken] = []
        let large = String(repeating: "x", count: 20_000)
        let count = 500 as UInt64
        try store.commit(through: count) {
            for number in 1...count {
                let name = choices.pick(["w.a", "w.b", "w.c", "one", "unwanted"])
                if choices.chance(50) {
                    let message = Message(payload: choices.chance(10) ? "\"\(large)\"" : "1")
                    try $0.insert(message, at: tick(number), in: Channel(name), by: "ada")
                } else {
                    let key = MessageAction.Key.on(number)
                    try $0.add(
                        MessageAction(key: key, actionTimetoken: tick(number)), in: Channel(name))
                }
                if name != "unwanted" { expected.append(tick(number)) }
            }
        }
        let reader = try store.makeReader()
        let interests = [
            Interest.prefix("w.", keyset: "default"), .channel(Channel("one")),
        ]
        let limit = choices.pick([1, 7, 100])

        var found: [Timetoken] = []
        var cursor = Timetoken.zero
        while let page = try reader.backlog(interests, after: cursor, limit: limit) {
            #expect(page.envelopes.count <= limit)
            #expect(page.through > cursor || page.isComplete)
            found += page.envelopes.map(\.timetoken)
            cursor = page.through
            if page.isComplete || found.count > expected.count { break }
        }

        #expect(found == expected, "seed \(seed)")
        #expect(cursor == tick(count))
    }
}
