// Stretches on the wire, and what a device reads out of what they come to.

import Basis
import Testing

@testable import EventModel

@Suite("Stretches of a channel")
struct StretchTests {
    /// Rows in stretches that touch, ten timetokens each, all timetokens their own.
    private struct Rows {
        static let stretches = 12
        let key: DigestKey
        var all: [Timetoken: StretchRow] = [:]

        mutating func insert(_ timetoken: UInt64, in stretch: Int, _ author: String = "ada") {
            let place = Timetoken(rawValue: timetoken)
            let hash = RowHash(MessageRow(timetoken: place, uuid: author, type: nil), key: key)
            all[place] = StretchRow(in: stretch, hash, at: place)
        }

        var states: [StretchState] {
            var states = Array(repeating: StretchState.empty, count: Self.stretches)
            for row in all.values { states[row.stretch].insert(row.hash, at: row.timetoken) }
            return states
        }
    }

    @Test("findings make each stretch equal, but for those to compare", arguments: 1...60)
    func findings(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        var server = Rows(key: choices.key())
        for number in 0..<200 {
            server.insert(1000 + UInt64(number), in: choices.below(Rows.stretches))
        }
        var device = server
        for number in 0..<choices.below(16) {
            let timetokens = device.all.keys.sorted()
            let timetoken = choices.pick(timetokens)
            switch choices.below(4) {
            case 0:
                device.insert(5000 + UInt64(number) * 7, in: choices.below(Rows.stretches))
            case 1:
                // Other content under a timetoken: a damaged row.
                guard let stretch = device.all[timetoken]?.stretch else { continue }
                device.insert(timetoken.rawValue, in: stretch, "eve")
            default: device.all[timetoken] = nil
            }
        }

        var found = StretchFindings(Array(device.all.values), comparedWith: server.states)
        let missing = found.choice.fetch.filter { server.all[$0.timetoken]?.hash.tag != $0.tag }
            .map(\.timetoken)
        if !missing.isEmpty {
            let isKnown = found.miss(missing)
            #expect(isKnown)
        }

        let fetched = found.choice.fetch.map(\.timetoken)
        #expect(fetched == Array(Set(fetched)).sorted())
        #expect(found.choice.only == Array(Set(found.choice.only)).sorted())
        for timetoken in fetched { device.all[timetoken] = server.all[timetoken] }
        for timetoken in found.dropped { device.all[timetoken] = nil }
        for (stretch, states) in zip(device.states, server.states).enumerated()
        where states.0 != states.1 {
            #expect(found.choice.only.contains(stretch), "seed \(seed)")
        }
        for timetoken in found.dropped { #expect(server.all[timetoken] == nil, "seed \(seed)") }
    }

    @Test("one row that differs is found by the sums alone")
    func single() {
        var choices = SeededGenerator(seed: 1)
        var server = Rows(key: choices.key())
        for number in 0..<60 { server.insert(1000 + UInt64(number), in: number % 3) }
        var device = server
        device.all[Timetoken(rawValue: 1000)] = nil
        device.insert(2000, in: 1)

        let found = StretchFindings(Array(device.all.values), comparedWith: server.states)

        let lost = Timetoken(rawValue: 1000)
        let tag = server.all[lost]?.hash.tag ?? 0
        #expect(
            found.choice
                == RepairChoice(fetch: [WantedRow(timetoken: lost, tag: tag)], only: []))
        #expect(found.dropped == [Timetoken(rawValue: 2000)])
        #expect(found.symbolCount == 0)
    }

    @Test("a server that says of another row that it is missing is not believed")
    func missing() {
        var choices = SeededGenerator(seed: 2)
        var server = Rows(key: choices.key())
        server.insert(1000, in: 4)
        let device = Rows(key: server.key)
        var found = StretchFindings([], comparedWith: server.states)
        #expect(device.all.isEmpty)
        for timetokens in [[], [Timetoken(rawValue: 7)]] {
            let isKnown = found.miss(timetokens)
            #expect(!isKnown)
        }
        let again = found.miss([Timetoken(rawValue: 1000)])
        #expect(again)
        #expect(found.choice == RepairChoice(fetch: [], only: [4]))
        #expect(found.symbolCount > 0)
    }

    // MARK: On the wire

    @Test("stretches are read as they were written, touching ones too", arguments: 1...20)
    func ranges(seed: UInt64) throws {
        var choices = SeededGenerator(seed: seed)
        var ranges: [MessageRange] = []
        var end: UInt64 = 0
        for _ in 0..<choices.below(20) {
            let after = end + UInt64(choices.below(2) * choices.below(1 << 40))
            end = after + 1 + UInt64(choices.below(1 << 20))
            ranges.append(
                MessageRange(after: Timetoken(rawValue: after), through: Timetoken(rawValue: end)))
        }
        if choices.chance(50) {
            ranges.append(MessageRange(after: Timetoken(rawValue: end), through: .end))
        }
        let text = PackedRanges.text(ranges)
        #expect(try PackedRanges.ranges(text: text, rangesMax: 30) == ranges)
        if ranges.count > 1 {
            #expect(throws: RepairError.malformed) {
                try PackedRanges.ranges(text: text, rangesMax: ranges.count - 1)
            }
        }
    }

    @Test("any bytes are refused, or are stretches that ascend", arguments: 1...200)
    func hostileRanges(seed: UInt64) {
        var choices = SeededGenerator(seed: seed)
        let bytes = (0..<choices.below(30)).map { _ in
            UInt8(choices.below(choices.chance(50) ? 256 : 4))
        }
        let text = Base64.text(bytes)
        if let ranges = try? PackedRanges.ranges(text: text, rangesMax: 8) {
            #expect(PackedRanges.text(ranges) == text || ranges.last?.through == .end)
            var end = Timetoken.zero
            for range in ranges {
                #expect(end <= range.after && range.after < range.through)
                end = range.through
            }
        }
        if let states = try? PackedStates.states(text: text, count: 1) {
            #expect(PackedStates.text(states) == text)
        }
        if let rows = try? PackedWants.rows(text: text, rowsMax: 3) {
            #expect(PackedWants.text(rows) == text)
        }
        _ = try? PackedActions.indices(ordinals: text, count: 5)
    }

    @Test("states are read as they were written, and no more or fewer of them")
    func states() throws {
        let states = [
            StretchState(count: 3, lane: .max, timetokens: 1), .empty,
            StretchState(count: -2, lane: 7, timetokens: .max),
        ]
        let text = PackedStates.text(states)
        #expect(try PackedStates.states(text: text, count: 3) == states)
        for count in [2, 4] {
            #expect(throws: RepairError.malformed) {
                try PackedStates.states(text: text, count: count)
            }
        }
        #expect(throws: RepairError.malformed) {
            try PackedStates.states(text: String(text.dropLast(4)), count: 3)
        }
    }

    @Test("wanted rows are read as they were written, and no more of them")
    func wants() throws {
        let rows = [1, 2, UInt64(Int64.max)].map {
            WantedRow(timetoken: Timetoken(rawValue: $0), tag: .max - UInt32($0 % 7))
        }
        let text = PackedWants.text(rows)
        #expect(try PackedWants.rows(text: text, rowsMax: 3) == rows)
        #expect(throws: RepairError.malformed) { try PackedWants.rows(text: text, rowsMax: 2) }
    }

    @Test("numbers of stretches are read as they were written, and none beyond the last")
    func ordinals() throws {
        let text = PackedActions.text(ordinals: [0, 4, 2])
        #expect(try PackedActions.indices(ordinals: text, count: 5) == [0, 2, 4])
        #expect(throws: RepairError.malformed) {
            try PackedActions.indices(ordinals: text, count: 4)
        }
    }
}
