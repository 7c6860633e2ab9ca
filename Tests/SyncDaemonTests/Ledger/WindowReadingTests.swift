// Pages of windows against the rows that the store has.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Windows: pages")
struct WindowReadingTests {
    private func page(
        _ query: OlderQuery, _ store: any Store, in channel: Channel,
        within bounds: WindowReading.Bounds = .init()
    ) throws -> WindowPage {
        try store.makeReader().withSnapshot(of: channel) { snapshot throws(StoreError) in
            try WindowReading.page(
                query, from: snapshot, key: store.secret.key(of: channel), within: bounds)
        }.get()
    }

    /// What stands on a stretch of messages; what is on zero belongs to the first one.
    private func rows(
        _ store: any Store, of channel: Channel, after: Timetoken, through: Timetoken
    ) throws -> (messages: [Timetoken], actions: [MessageAction], digest: Digest) {
        let key = store.secret.key(of: channel)
        func isMeant(_ message: Timetoken) -> Bool {
            (after < message || after == .zero) && message <= through
        }
        var (messages, actions, digest) = ([Timetoken](), [MessageAction](), Digest.empty)
        try store.makeReader().withSnapshot(of: channel) { snapshot throws(StoreError) in
            try snapshot.forEachAction { action in
                guard isMeant(action.key.messageTimetoken) else { return }
                actions.append(action)
                digest.insert(action, key: key)
            }
            try snapshot.forEachMessage(after: .zero) { message in
                guard isMeant(message.timetoken) else { return true }
                messages.append(message.timetoken)
                digest.insert(message.row, key: key)
                return true
            }
        }
        actions.sort { $0.actionTimetoken < $1.actionTimetoken }
        return (messages, actions, digest)
    }

    /// Pages back to the beginning.
    private func check(
        _ store: any Store, _ channel: Channel, last: Int, within bounds: WindowReading.Bounds
    ) throws -> Int {
        var (through, pages) = (nil as Timetoken?, 0)
        while through != .zero {
            let query = OlderQuery(channel: channel.name, through: through, last: last)
            let page = try page(query, store, in: channel, within: bounds)
            let end = through ?? .end
            let truth = try rows(store, of: channel, after: page.after, through: end)
            let rest = try rows(store, of: channel, after: .zero, through: page.after)
            #expect(page.messages.map(\.timetoken) == truth.messages)
            #expect(page.actions == truth.actions)
            #expect(page.rest == (page.after == .zero ? .empty : rest.digest))
            #expect(try page.state == recomputedDigest(of: channel, in: store))
            #expect(page.after < end)
            let isBound = bounds.rows < 100 || bounds.bytes < 100
            #expect(truth.messages.count >= last || page.after == .zero || isBound)
            let again = OlderQuery(channel: channel.name, through: page.after, last: 0)
            let nothing = try self.page(again, store, in: channel)
            #expect(nothing.messages.isEmpty && nothing.actions.isEmpty)
            #expect((nothing.after, nothing.rest) == (page.after, page.rest))
            through = page.after
            pages += 1
        }
        return pages
    }

    @Test(
        "are all rows of a stretch, and say what stands before it",
        arguments: StoreUnderTest.allCases, [1, 2, 3, 4] as [UInt64])
    func pagesBack(_ kind: StoreUnderTest, seed: UInt64) throws {
        let directory = try ScratchDirectory()
        let store = try kind.make(in: directory)
        let bench = LedgerBench(store, tombstoneTicksKept: 1 << 40)
        var life = DigestLife(seed: seed)
        var choices = SeededGenerator(seed: seed)
        var pages = 0
        for turn in 0..<160 {
            #expect(try life.step(bench) == [])
            guard turn % 8 == 7 else { continue }
            var bounds = WindowReading.Bounds()
            if choices.chance(30) { bounds.rows = choices.below(12) }
            if choices.chance(30) { bounds.bytes = 1 }
            for channel in life.channels {
                pages += try check(
                    store, channel, last: 1 + choices.below(9), within: bounds)
            }
        }
        #expect(pages > 80)
    }

    @Test("are of nothing in a channel that had nothing")
    func empty() throws {
        let page = try page(OlderQuery(channel: "room"), MemoryStore(), in: Channel("room"))
        #expect((page.after, page.rest, page.state) == (.zero, .empty, .empty))
    }

    @Test("begin wherever the device's window starts", arguments: [1, 2, 3] as [UInt64])
    func anyBoundary(seed: UInt64) throws {
        let bench = LedgerBench()
        var life = DigestLife(seed: seed)
        for _ in 0..<60 { #expect(try life.step(bench) == []) }
        let (store, channel) = (bench.store, life.channels[0])
        let key = store.secret.key(of: channel)
        let all = try rows(store, of: channel, after: .zero, through: .end)
        let edges = try storedSegments(of: channel, in: store).map(\.after)
        let places = all.messages + all.actions.map(\.key.messageTimetoken) + edges
        let starts = Set(places.flatMap { [$0, $0.successor(at: 0), $0.predecessor] })
        for start in starts where start > .zero {
            let query = OlderQuery(channel: channel.name, through: start, last: 2)
            let page = try page(query, store, in: channel)
            let truth = try rows(store, of: channel, after: page.after, through: start)
            let rest = try rows(store, of: channel, after: .zero, through: page.after)
            #expect(page.messages.map(\.timetoken) == truth.messages)
            #expect(page.actions == truth.actions)
            #expect(page.rest == (page.after == .zero ? .empty : rest.digest))
            let before = try rows(store, of: channel, after: .zero, through: start).digest
            let found = try store.makeReader().withSnapshot(of: channel) {
                snapshot throws(StoreError) in
                try WindowReading.rest(before: start, of: snapshot, key: key)
            }
            #expect(try found.get() == before)
        }
    }

    @Test("are refused where too much stands on one segment that has to be read")
    func refusals() throws {
        let bench = LedgerBench()
        let (store, room) = (bench.store, Channel("room"))
        var segments: [Segment] = []
        // One that is too large, and another one behind it.
        while segments.dropFirst().first.map({ $0.digest.count < 3 }) ?? true {
            bench.wall += 1
            _ = bench.commit(write(.publish(.numbered(1), hoursKept: 0)))
            segments = try storedSegments(of: room, in: store)
        }
        let newest = try page(OlderQuery(channel: "room", last: 1), store, in: room)
        let little = WindowReading.Bounds(segmentRows: 2)
        func ask(_ through: Timetoken, last: Int) throws {
            _ = try page(
                OlderQuery(channel: "room", through: through, last: last), store, in: room,
                within: little)
        }
        #expect(throws: ProtocolError.tooManyRows) { try ask(newest.after, last: 1) }
        // Amid it, too, but where it ends nothing of it is read.
        #expect(throws: ProtocolError.tooManyRows) {
            try ask(tick(newest.after.rawValue - 1), last: 0)
        }
        try ask(newest.after, last: 0)
    }
}
