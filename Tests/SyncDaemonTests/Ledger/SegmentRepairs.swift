// What tests of repairs by segments share: a channel that lives, and devices that ask.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// Asks as a device does whose channel is repaired by segments.
protocol SegmentRepairs {}

extension SegmentRepairs {
    var room: Channel { Channel("room") }

    func truth(_ store: any Store) throws -> Set<CoveredRow> {
        var rows: Set<CoveredRow> = []
        try store.makeReader().withSnapshot(of: room) { snapshot throws(StoreError) in
            try snapshot.forEachAction { rows.insert(.action($0)) }
            try snapshot.forEachMessage(after: .zero) { message in
                rows.insert(.message(message.row))
                return true
            }
        }
        return rows
    }

    /// Messages with reactions on them, and on what is no message; some were deleted.
    func live(_ bench: LedgerBench, _ choices: inout SeededGenerator, steps: Int) {
        var messages = [Timetoken.zero]
        for number in 0..<steps {
            bench.wall += UInt64(choices.below(9))
            let message = choices.pick(messages.suffix(40))
            switch choices.below(12) {
            case 0..<6:
                messages.append(bench.commit(write(.publish(.numbered(1), hoursKept: 0))).last)
            case 6:
                let before = Timetoken(rawValue: message.rawValue - min(message.rawValue, 3))
                _ = bench.commit(write(.deleteMessages(after: before, through: message)))
            default:
                let key = MessageAction.Key(
                    messageTimetoken: message, type: "reaction", value: "v\(number % 7)",
                    uuid: "ada")
                _ = bench.commit(write(.add(key)))
            }
        }
    }

    /// What a device has that lost some rows, and has some that never were.
    func damaged(
        _ rows: Set<CoveredRow>, _ count: Int, _ choices: inout SeededGenerator, key: DigestKey
    ) -> RepairingDevice {
        var rows = rows
        for number in 0..<count {
            // A set has another order in each process; the seed is to say what happens.
            let sorted = rows.sorted { $0.timetoken < $1.timetoken }
            guard let row = choices.chance(90) ? sorted[choices.below(sorted.count)] : sorted.last
            else { return RepairingDevice(rows, key: key) }
            switch choices.below(4) {
            case 0:
                let wild = Timetoken(rawValue: row.timetoken.rawValue + 1_000_000 + UInt64(number))
                rows.insert(.message(MessageRow(timetoken: wild, uuid: "eve", type: nil)))
            case 1:
                rows.insert(
                    .action(
                        MessageAction(
                            key: .on(row.message.rawValue, "wild"),
                            actionTimetoken: tick(2_000_000 + UInt64(number)))))
            default: rows.remove(row)
            }
        }
        return RepairingDevice(rows, key: key)
    }

    func read(
        _ subject: RepairQuery.Subject, _ symbols: SymbolRun, _ bench: LedgerBench,
        looks: Int = .max
    ) throws -> RepairOutcome {
        let caches = ReaderCaches(
            repairs: RepairCache(secret: bench.store.secret), secret: bench.store.secret)
        let order = EventOrder(
            after: .zero, ceiling: .end, wallTicks: { 1 }, receiver: Steps(), askForCeiling: {})
        let session = SessionID(slot: 1, generation: 1)
        var reading = Reading(
            ReadRequest(
                asker: .client(Origin(reactor: 0, session: session, command: 1)), channel: room,
                query: .repair(RepairQuery(symbols: symbols, subject: subject))))
        let reader = try bench.store.makeReader()
        while true {
            var left = looks
            let step = reading.step(from: reader, order, caches) {
                left -= 1
                return left >= 0
            }
            guard case .done(let answer) = step else { continue }
            guard case .repair(let outcome) = answer.result else {
                throw NoOutcome()
            }
            return outcome
        }
    }

    /// Asks with more and more symbols until they tell.
    func ask(
        _ subject: RepairQuery.Subject, _ bench: LedgerBench, looks: Int = .max,
        from first: Int = 8, _ symbols: (Int) -> SymbolRun
    ) throws -> RepairOutcome {
        var count = first
        while true {
            let outcome = try read(subject, symbols(count), bench, looks: looks)
            guard case .needs(let more) = outcome else { return outcome }
            #expect(more > count, "asking must end")
            count = max(more, count + 1)
        }
    }

    /// Asks for what the states of the stretches tell, and drops what they tell is too much.
    func askWithStates(
        _ difference: SegmentDifference, _ states: [StretchState], _ bench: LedgerBench,
        _ device: inout RepairingDevice
    ) throws -> RepairOutcome {
        var findings = device.findings(in: difference.ranges, states)
        defer { device.drop(findings.dropped) }
        while true {
            let chosen = try #require(difference.chosen(findings.choice))
            let outcome = try ask(.rowsOf(chosen), bench, from: findings.symbolCount) {
                device.symbols($0, in: chosen.ranges)
            }
            guard case .missing(let timetokens) = outcome else { return outcome }
            let isKnown = findings.miss(timetokens)
            try #require(isKnown)
        }
    }
}

private struct NoOutcome: Error {}

extension CoveredRow {
    func wanted(_ key: DigestKey) -> WantedRow {
        WantedRow(timetoken: timetoken, tag: hash(key).tag)
    }
}

extension RepairingDevice {
    func findings(
        in ranges: [MessageRange], _ states: [StretchState]
    ) -> StretchFindings {
        let rows = all.compactMap { row in
            ranges.index(holding: row.message).map {
                StretchRow(in: $0, row.hash(key), at: row.timetoken)
            }
        }
        return StretchFindings(rows, comparedWith: states)
    }

    mutating func drop(_ timetokens: [Timetoken]) {
        self = RepairingDevice(all.filter { !timetokens.contains($0.timetoken) }, key: key)
    }

    /// The first symbols of its segments' states.
    func segmentSymbols(_ count: Int) -> SymbolRun {
        var starts = [Timetoken.zero]
        for message in messages.map(\.timetoken).sorted()
        where message.beginsSegment(ofMessages: LedgerBench.segmentMessages) {
            starts.append(message.predecessor)
        }
        var states: [Timetoken: Digest] = [:]
        for row in all {
            let start = starts.last { $0 < row.message } ?? .zero
            states[start, default: .empty].insert(row.hash(key))
        }
        var encoder = RatelessEncoder(0..<count)
        for (start, state) in states {
            encoder.insert(RepairItem(segmentAfter: start, state, key: key))
        }
        return encoder.run(0..<count)
    }

    /// The first symbols of the rows on some messages.
    func symbols(_ count: Int, in ranges: [MessageRange]) -> SymbolRun {
        RepairingDevice(all.filter { ranges.contain($0.message) }, key: key).symbols(count)
    }
}
