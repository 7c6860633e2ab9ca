// What every store promises of time: the ceiling, the clocks, and when timetokens were given.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract: time")
struct StoreClockContract {
    private let directory: ScratchDirectory
    private let anchor = ClockAnchor(boot: "b", uptime: 7, ticks: 100, age: 50)

    init() throws {
        directory = try ScratchDirectory()
    }

    @Test(
        "a commit says of time what it is told, or what was said",
        arguments: StoreUnderTest.allCases)
    func keeps(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let record = ClockRecord(ceiling: tick(900), anchor: anchor)
        #expect(store.clock == ClockRecord())
        try store.begin()
        try store.commit(through: tick(5), record)
        #expect(store.clock == record)
        try store.commit(through: 6) { _ in }
        #expect(store.clock == record)
        try store.begin()
        store.rollback()
        #expect(store.clock == record)
        #expect(store.last == tick(6))
    }

    @Test(
        "when timetokens were given is kept with its transaction",
        arguments: StoreUnderTest.allCases)
    func ages(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let marks = (1...5).map { AgeMark(through: tick($0 * 10), ticks: $0 * 100) }
        try store.commit(through: 50) { store throws in
            for mark in marks { try store.add(mark) }
        }
        try store.begin()
        try store.forgetAges(before: tick(30))
        store.rollback()
        #expect(try store.ages() == marks)
        try store.commit(through: 50) { try $0.forgetAges(before: tick(30)) }
        #expect(try store.ages() == Array(marks[2...]))
    }

    @Test("a store that is opened again begins at its ceiling", arguments: StoreUnderTest.allCases)
    func beginsAtCeiling(_ kind: StoreUnderTest) throws {
        var store = try kind.make(in: directory)
        try store.begin()
        try store.commit(through: tick(5), ClockRecord(ceiling: tick(900), anchor: anchor))
        let state = (store as? MemoryStore)?.durable
        store = MemoryStore()
        store =
            switch kind {
            case .memory: MemoryStore(state: try #require(state))
            case .sqlite, .postgres: try kind.make(in: directory)
            }
        #expect(store.last == tick(900))
    }

    @Test("a start takes a position at the clock, and raises the ceiling beyond it")
    func starts() throws {
        var before: [ClockAnchor?] = []
        func open(at ticks: UInt64) throws -> SQLStore {
            try SQLStore(directory: directory.path) { anchor in
                before.append(anchor)
                return ClockAnchor(boot: "b", uptime: ticks, ticks: ticks, age: ticks)
            }
        }
        do {
            let store = try open(at: 1000)
            #expect(store.last == tick(1000))
            #expect(store.clock.ceiling == tick(1000 + Limits.ceilingTicks))
            try store.publish(2000, in: Channel("room"))
        }
        // The clock went back: the ceiling holds.
        let store = try open(at: 500)
        #expect(store.last == tick(1000 + Limits.ceilingTicks))
        #expect(store.clock.ceiling == tick(1000 + 2 * Limits.ceilingTicks))
        #expect(store.runs.map(\.began) == [tick(1000), store.last])
        #expect(store.runs.map(\.ended) == [nil, nil])
        #expect(before.map { $0?.ticks } == [nil, 1000])
        // What the first run left is marked: from its last commit to its last word of time.
        #expect(try store.ages() == [AgeMark(through: tick(2000), ticks: 1000)])
    }
}
