// What every store promises of a channel that has one segment alone.

import EventModel
import Testing

@testable import SyncDaemon

@Suite("Store contract: one segment")
struct StoreSegmentContract {
    private let directory: ScratchDirectory
    private let room = Channel("room")
    private let den = Channel("den")

    init() throws {
        directory = try ScratchDirectory()
    }

    @Test(
        "a channel's one segment says what all of it comes to, until there is another",
        arguments: StoreUnderTest.allCases)
    func oneSegment(_ kind: StoreUnderTest) throws {
        let store = try kind.make(in: directory)
        let reader = try store.makeReader()
        func segment(_ start: UInt64, _ count: Int64) -> Segment {
            Segment(
                after: tick(start), messageCount: Int(count),
                digest: Digest(count: count, words: (UInt64(count), 1 << 63)), timetokens: 7)
        }
        func holds(_ count: Int64, _ segments: [Segment]) throws {
            #expect(try store.digest(of: room) == segment(0, count).digest)
            #expect(try reader.digest(of: room).digest == segment(0, count).digest)
            #expect(try storedSegments(of: room, in: store) == segments)
        }
        func setTotal(_ count: Int64, _ store: any Store) throws {
            try store.setDigest(segment(0, count).digest, of: room)
        }
        try store.commit(through: 2) { try $0.setSegment(segment(0, 9), of: den) }
        try store.commit(through: 3) { try $0.setWhole(segment(0, 2), of: room) }
        try holds(2, [segment(0, 2)])
        try store.commit(through: 4) {
            try $0.setSegment(segment(10, 1), of: room)
            try setTotal(3, $0)
        }
        try holds(3, [segment(10, 1), segment(0, 2)])

        for isUndone in [true, false] {
            try store.begin()
            try store.removeSegments(from: tick(10), before: tick(11), of: room)
            try store.setWhole(segment(0, 5), of: room)
            #expect(try store.digest(of: room) == segment(0, 5).digest)
            if isUndone {
                store.rollback()
                try holds(3, [segment(10, 1), segment(0, 2)])
            } else {
                try store.commit(through: tick(5))
            }
        }

        try holds(5, [segment(0, 5)])
        try store.begin()
        try setTotal(6, store)
        #expect(try store.digest(of: room) == segment(0, 6).digest)
        store.rollback()
        try store.commit(through: 6) { try $0.setWhole(segment(0, 7), of: room) }
        try holds(7, [segment(0, 7)])
        #expect(try store.digest(of: den) == segment(0, 9).digest || kind == .memory)
    }
}
