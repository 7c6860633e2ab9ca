// Pages of several channels put into one: nothing is skipped, however they were cut.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

/// Some channels with their events, and a reader that cuts its pages as it likes.
private struct World {
    private(set) var channels: [[Envelope]]
    let last: Timetoken
    private var choices: SeededGenerator

    init(seed: UInt64) {
        choices = SeededGenerator(seed: seed)
        let count = choices.below(6) + 1
        channels = Array(repeating: [], count: count)
        let events = choices.below(200)
        for number in 0..<events {
            let index = choices.below(count)
            channels[index].append(
                Envelope(
                    channel: Channel("\(index)"), timetoken: tick(UInt64(2 * number + 1)),
                    uuid: "ada",
                    event: .message(.sized(choices.chance(5) ? 100_000 : 10))))
        }
        last = tick(UInt64(2 * events + choices.below(3)))
    }

    var sorted: [Timetoken] {
        channels.flatMap { $0 }.map(\.timetoken).sorted()
    }

    /// A page of one channel: everything up to the bound, or cut after any of its rows.
    private mutating func page(_ index: Int, after cursor: Timetoken, bound: Timetoken)
        -> ChangePage
    {
        let rows = channels[index].filter { $0.timetoken > cursor && $0.timetoken <= bound }
        guard let first = rows.first, choices.chance(50) else {
            return ChangePage(envelopes: rows, through: bound, isComplete: true, asOf: bound)
        }
        let kept = Array(rows.prefix(choices.below(rows.count) + 1))
        return ChangePage(
            envelopes: kept, through: (kept.last ?? first).timetoken, isComplete: false,
            asOf: bound)
    }

    mutating func backlog(after cursor: Timetoken, limit: Int) -> Backlog {
        var merge = BacklogMerge(limit: limit, last: last)
        for index in channels.indices.shuffled(using: &choices) {
            merge.add(page(index, after: cursor, bound: merge.through))
        }
        return merge.backlog
    }
}

@Suite("Backlogs")
struct BacklogMergeTests {
    @Test("pages follow each other to the same as one sorted list", arguments: UInt64(1)...60)
    func concatenate(seed: UInt64) {
        var world = World(seed: seed)
        let expected = world.sorted
        let limit = [1, 3, 100][Int(seed % 3)]
        var found: [Timetoken] = []
        var cursor = Timetoken.zero
        var isComplete = false

        while !isComplete, found.count <= expected.count {
            let page = world.backlog(after: cursor, limit: limit)
            #expect(page.envelopes.count <= limit)
            #expect(page.envelopes.allSatisfy { $0.timetoken <= page.through })
            guard page.through > cursor || page.isComplete else {
                Issue.record("seed \(seed) stands still at \(cursor)")
                return
            }
            found += page.envelopes.map(\.timetoken)
            cursor = page.through
            isComplete = page.isComplete
        }

        #expect(found == expected, "seed \(seed)")
        #expect(cursor == world.last)
    }

    @Test("a page ends with what it can hold, and an event over the limit comes alone")
    func cutsBytes() {
        func event(_ timetoken: UInt64, _ bytes: Int) -> Envelope {
            Envelope(
                channel: Channel("\(timetoken % 2)"), timetoken: tick(timetoken), uuid: "ada",
                event: .message(.sized(bytes)))
        }
        var merge = BacklogMerge(limit: 100, last: tick(9))
        merge.add(
            ChangePage(
                envelopes: [event(1, 300_000), event(3, 10)], through: tick(9), isComplete: true,
                asOf: tick(9)))
        #expect(merge.backlog.envelopes.map(\.timetoken) == [tick(1)])
        #expect(merge.through == tick(1))
        merge.add(
            ChangePage(envelopes: [], through: tick(1), isComplete: true, asOf: tick(9)))
        #expect(!merge.backlog.isComplete)
        #expect(merge.backlog.through == tick(1))
    }
}
