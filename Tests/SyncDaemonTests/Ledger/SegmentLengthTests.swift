// Segments stay short enough to be read at once, whoever chooses what is deleted.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Segments: length")
struct SegmentLengthTests: SegmentRepairs {
    private let directory: ScratchDirectory
    private let bounds = SegmentBounds(messages: LedgerBench.segmentMessages)

    init() throws {
        directory = try ScratchDirectory()
    }

    /// Publishes, and deletes each message that begins a segment: at once, or all in the end.
    private func grind(_ bench: LedgerBench, atOnce: Bool, messages count: Int = 400) {
        var first: [Timetoken] = []
        for _ in 0..<count {
            bench.wall += 7
            let message = bench.commit(write(.publish(.numbered(1), hoursKept: 0))).last
            guard message.beginsSegment(ofMessages: bounds.messages) else { continue }
            first.append(message)
            if atOnce { delete(first.removeLast(), bench) }
        }
        for message in first { delete(message, bench) }
    }

    private func delete(_ message: Timetoken, _ bench: LedgerBench) {
        _ = bench.commit(write(.deleteMessages(after: message.predecessor, through: message)))
    }

    @Test(
        "a writer who deletes what begins segments makes none that is too large",
        arguments: StoreUnderTest.embedded, [true, false])
    func grinding(_ kind: StoreUnderTest, atOnce: Bool) throws {
        let bench = LedgerBench(try kind.make(in: directory))
        grind(bench, atOnce: atOnce)
        let found = try storedSegments(of: room, in: bench.store)

        #expect(try found == recomputedSegments(of: room, in: bench.store))
        #expect(found.allSatisfy { $0.messageCount <= bounds.messagesMax })
        // Nor do they stay as short as they were: a deletion makes one of two.
        #expect(found.count < 40)
        #expect(try recomputedCuts(of: room, in: bench.store) == [])
    }

    @Test(
        "one that gets very many reactions is cut in two, also amid a deletion's tombstones",
        arguments: StoreUnderTest.embedded, UInt64(1)...6)
    func reactions(_ kind: StoreUnderTest, seed: UInt64) throws {
        var choices = SeededGenerator(seed: seed)
        let bounds = SegmentBounds(messages: 1_000_000, rowsMax: 20)
        let bench = LedgerBench(try kind.make(in: directory), segments: bounds)
        var places: [Timetoken] = []
        for _ in 0..<30 {
            bench.wall += 50
            places.append(bench.commit(write(.publish(.numbered(1), hoursKept: 0))).last)
            // One that nobody published.
            places.append(Timetoken(rawValue: places[places.count - 1].rawValue - 20))
        }
        var added: [MessageAction.Key] = []
        for number in 0..<400 {
            let place = choices.pick(choices.chance(70) ? Array(places.suffix(4)) : places)
            let key = MessageAction.Key(
                messageTimetoken: place, type: "reaction", value: "v\(number)", uuid: "ada")
            if choices.chance(25), let last = added.popLast() {
                _ = bench.commit(write(.remove(last, observed: nil)))
            }
            _ = bench.commit(write(.add(key)), write(.publish(.numbered(1), hoursKept: 0)))
            added.append(key)
            if number % 50 == 0 { delete(choices.pick(places), bench) }
        }
        let found = try storedSegments(of: room, in: bench.store)

        #expect(try found == recomputedSegments(of: room, in: bench.store))
        #expect(found.count > 20)
        // What is on one timetoken is in one segment, however much it is.
        let rows = try truth(bench.store)
        for (index, segment) in found.enumerated()
        where segment.digest.count > 2 * bounds.rowsMax {
            let through = index == 0 ? Timetoken.end : found[index - 1].after
            let here = rows.filter { $0.message > segment.after && $0.message <= through }
            let counts = Dictionary(grouping: here, by: \.message).mapValues(\.count)
            let most = counts.values.max() ?? 0
            #expect(here.count - most <= 2 * Int(bounds.rowsMax), "seed \(seed)")
        }
        #expect(bench.failure == nil)
    }

    @Test("all on one timetoken is looked at again once it is twice as much, and is one segment")
    func oneTimetoken() throws {
        let bounds = SegmentBounds(messages: 1_000_000, rowsMax: 4)
        let bench = LedgerBench(segments: bounds)
        let message = bench.commit(write(.publish(.numbered(1), hoursKept: 0))).last
        for number in 0..<40 {
            _ = bench.commit(write(.add(.on(message.rawValue, "v\(number)"))))
        }
        #expect(try storedSegments(of: room, in: bench.store).count == 1)
        bench.wall += 50
        _ = bench.commit(write(.publish(.numbered(1), hoursKept: 0)))
        for number in 40..<90 {
            _ = bench.commit(write(.add(.on(message.rawValue, "v\(number)"))))
        }

        let found = try storedSegments(of: room, in: bench.store)

        #expect(found.map(\.digest.count) == [1, 91])
        #expect(try found == recomputedSegments(of: room, in: bench.store))
    }

    @Test(
        "a device, which cuts by the messages alone, is repaired all the same",
        arguments: UInt64(1)...10)
    func repairs(seed: UInt64) throws {
        var choices = SeededGenerator(seed: seed)
        let bench = LedgerBench(
            segments: SegmentBounds(messages: bounds.messages, rowsMax: 5))
        grind(bench, atOnce: seed.isMultiple(of: 2), messages: 200)
        live(bench, &choices, steps: 100)
        let key = bench.store.secret.key(of: room)
        let rows = try truth(bench.store)
        for differences in [0, 1, 5] {
            var device = damaged(rows, differences, &choices, key: key)
            var outcome = try ask(.segments(heardOf: .end), bench) { device.segmentSymbols($0) }
            if case .segments(let difference, let states) = outcome {
                outcome = try askWithStates(difference, states, bench, &device)
            }
            guard case .repaired(let repaired) = outcome else {
                Issue.record("seed \(seed), \(differences): \(outcome)")
                continue
            }
            device.apply(repaired)
            #expect(device.all == rows, "seed \(seed), \(differences)")
        }
    }
}
