// Pages of windows against the rows that the store has.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Windows: pages")
struct WindowReadingTests {
    private func page(
        _ query: OlderQuery, _ store: any Store, in channel: Channel,
        within bounds: WindowReading.Bounds = .init(), by reader: (any StoreReader)? = nil
    ) throws -> WindowPage {
        let reader = try reader ?? store.makeReader()
        let page = try reader.withSnapshot(of: channel) { snapshot throws(StoreError) in
            try WindowReading.page(
                query, from: snapshot, key: store.secret.key(of: channel), within: bounds)
        }
        return try #require(page).get()
    }

    /// What stands on a stretch of messages; what is on zero belongs to the first one.
    private func rows(
        _ store: any Store, of channel: Channel, after: Timetoken, through: Timetoken,
        by reader: any StoreReader
    ) throws -> (messages: [Timetoken], actions: [MessageAction], digest: Digest) {
        let key = store.secret.key(of: channel)
        func isMeant(_ message: Timetoken) -> Bool {
            (after < message || after == .zero) && message <= through
        }
        var (messages, actions, digest) = ([Timetoken](), [MessageAction](), Digest.empty)
        try reader.withSnapshot(of: channel) { snapshot throws(StoreError) in
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
        let reader = try store.makeReader()
        var (through, pages) = (nil as Timetoken?, 0)
        while through != .zero {
            let query = OlderQuery(channel: channel.name, through: through, last: last)
            let page = try page(query, store, in: channel, within: bounds, by: reader)
            let end = through ?? .end
            let truth = try rows(
                store, of: channel, after: page.after, through: end, by: reader)
            let rest = try rows(
                store, of: channel, after: .zero, through: page.after, by: reader)
            #expect(page.messages.map(\.timetoken) == truth.messages)
            #expect(page.actions == truth.actions)
            #expect(page.rest == (page.after == .zero ? .empty : rest.digest))
            #expect(try page.state == recomputedDigest(of: channel, in: store, by: reader))
            #expect(page.after < end)
            let isBound = bounds.rows < 100 || bounds.bytes < 1000
            #expect(truth.messages.count >= last || page.after == .zero || isBound)
            let again = OlderQuery(channel: channel.name, through: page.after, last: 0)
            let nothing = try self.page(again, store, in: channel, by: reader)
            #expect(nothing.messages.isEmpty && nothing.actions.isEmpty)
            #expect((nothing.after, nothing.rest) == (page.after, page.rest))
            through = page.after
            pages += 1
        }
        return pages
    }

    @Test(
        "are all rows of a stretch, and say what stands before it",
        arguments: StoreUnderTest.embedded, [1, 2, 3, 4] as [UInt64])
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
            // Of many segments there is not room for one.
            if choices.chance(30) { bounds.rows = choices.below(3) }
            if choices.chance(30) { bounds.bytes = 1 }
            for channel in life.channels {
                pages += try check(
                    store, channel, last: 1 + choices.below(9), within: bounds)
            }
        }
        #expect(pages > 80)
    }

    /// Found by an operator: no device could tell such pages right, and nobody said why.
    @Test(
        "are refused where a segment's state is not that of its rows",
        arguments: StoreUnderTest.embedded)
    func contradictions(_ kind: StoreUnderTest) throws {
        let directory = try ScratchDirectory()
        let store = try kind.make(in: directory)
        let bench = LedgerBench(store)
        let channel = Channel("room")
        for number in 0..<9 {
            _ = bench.commit(write(.publish(Message(payload: "\(number)"), hoursKept: 0)))
        }
        let query = OlderQuery(channel: "room", last: 1)
        _ = try page(query, store, in: channel)
        let newest = try store.segment(of: .end.predecessor, in: channel).segment
        var wrong = newest
        wrong.digest = .empty
        try store.begin()
        try store.setSegment(wrong, of: channel)
        try store.commit(through: store.last, store.clock)

        let error = #expect(throws: StoreError.self) { try page(query, store, in: channel) }
        if kind != .memory { #expect(error?.description.contains(directory.path) == true) }
        try store.begin()
        try store.removeSegments(from: .zero, before: .end, of: channel)
        try store.commit(through: store.last, store.clock)
        #expect(throws: StoreError.self) {
            try page(OlderQuery(channel: "room", last: 50), store, in: channel)
        }
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
        let reader = try store.makeReader()
        let all = try rows(store, of: channel, after: .zero, through: .end, by: reader)
        let edges = try storedSegments(of: channel, in: store).map(\.after)
        let places = all.messages + all.actions.map(\.key.messageTimetoken) + edges
        let starts = Set(places.flatMap { [$0, $0.successor(at: 0), $0.predecessor] })
        for start in starts where start > .zero {
            let query = OlderQuery(channel: channel.name, through: start, last: 2)
            let page = try page(query, store, in: channel, by: reader)
            let truth = try rows(
                store, of: channel, after: page.after, through: start, by: reader)
            let rest = try rows(
                store, of: channel, after: .zero, through: page.after, by: reader)
            #expect(page.messages.map(\.timetoken) == truth.messages)
            #expect(page.messages.count >= query.last || page.after == .zero)
            #expect(page.actions == truth.actions)
            #expect(page.rest == (page.after == .zero ? .empty : rest.digest))
            let before = try rows(
                store, of: channel, after: .zero, through: start, by: reader
            ).digest
            let found = try store.makeReader().withSnapshot(of: channel) {
                snapshot throws(StoreError) in
                try WindowReading.rest(before: start, of: snapshot, key: key)
            }
            #expect(found == before)
        }
    }

    /// A channel with a segment of some messages behind others, whose reactions are as many.
    private func heavy(_ bench: LedgerBench) throws -> (Channel, [Segment]) {
        let room = Channel("room")
        var segments: [Segment] = []
        while segments.dropFirst().first.map({ $0.messageCount < 3 }) ?? true {
            bench.wall += 1
            _ = bench.commit(write(.publish(.numbered(1), hoursKept: 0)))
            segments = try storedSegments(of: room, in: bench.store)
        }
        for number in 0..<9 {
            // One of them is on no message.
            let message = segments[1].after.rawValue + UInt64(number)
            let key = MessageAction.Key(
                messageTimetoken: tick(message), type: "reaction", value: "\(number)", uuid: "ada")
            _ = try bench.reply(.add(key))
        }
        return (room, try storedSegments(of: room, in: bench.store))
    }

    @Test("end amid a segment that has no room, and go on from there")
    func amidSegments() throws {
        let bench = LedgerBench()
        let (room, _) = try heavy(bench)
        for rows in 0...12 {
            let bounds = WindowReading.Bounds(rows: rows)
            let pages = try check(bench.store, room, last: 50, within: bounds)
            #expect(pages > 12 / (rows + 2))
        }
        for bytes in [1, 50, 100, 200, 400] {
            let bounds = WindowReading.Bounds(bytes: bytes)
            #expect(try check(bench.store, room, last: 50, within: bounds) > 1)
        }
    }

    @Test("are refused where too much stands on one timetoken, or on a segment that is cut")
    func refusals() throws {
        let bench = LedgerBench()
        let (room, segments) = try heavy(bench)
        let store = bench.store
        func ask(_ through: Timetoken?, last: Int, _ bounds: WindowReading.Bounds) throws {
            _ = try page(
                OlderQuery(channel: "room", through: through, last: last), store, in: room,
                within: bounds)
        }
        let end = segments.count > 2 ? segments[2].after : nil
        let amid = tick(segments[1].after.rawValue + 4)
        #expect(throws: ProtocolError.tooManyRows) {
            try ask(amid, last: 1, .init(placeRows: 0, rows: 0))
        }
        try ask(amid, last: 1, .init(placeRows: 2, rows: 0))
        let part = WindowReading.Bounds(partRows: Int(segments[1].digest.count) - 1)
        #expect(throws: ProtocolError.tooManyRows) { try ask(amid, last: 0, part) }
        // Where it ends nothing of it is read.
        try ask(end, last: 0, part)
        try ask(segments[1].after, last: 0, part)
    }

    @Test("wait with what is dear where deleted rows are still there, which nobody counts")
    func hidden() throws {
        let directory = try ScratchDirectory()
        let store = try SQLStore(directory: directory.path)
        let room = Channel("room")
        try store.commit(through: 10) {
            for number in 1...9 as ClosedRange<UInt64> {
                try $0.insert(.numbered(number), at: tick(number), in: room, by: "ada")
            }
            var segment = Segment(after: .zero)
            let key = $0.secret.key(of: room)
            for number in 8...9 as ClosedRange<UInt64> {
                let row = MessageRow(timetoken: tick(number), uuid: "ada", type: nil)
                segment.insert(.message(row), RowHash(row, key: key))
            }
            try $0.setSegment(segment, of: room)
            try $0.hideMessages(
                in: MessageRange(after: .zero, through: tick(7)), at: tick(10), of: room)
        }
        func isFound() throws -> Bool {
            let key = store.secret.key(of: room)
            return try store.makeReader().withSnapshot(of: room) { snapshot throws(StoreError) in
                try WindowReading.page(
                    OlderQuery(channel: "room", last: 5), from: snapshot, key: key, isDear: false)
                    != nil
            }
        }
        #expect(try !isFound())
        while store.hasHiddenRows {
            try store.commit(through: 10) { try $0.removeHiddenRows(limit: 100) }
        }
        #expect(try isFound())
    }

    @Test("wait with what is dear where they take long")
    func dear() throws {
        let bench = LedgerBench()
        let (room, segments) = try heavy(bench)
        let key = bench.store.secret.key(of: room)
        let cheap = WindowReading.Bounds(cheapRows: Int(segments[1].digest.count) - 1)
        func isFound(_ through: Timetoken, last: Int) throws -> Bool {
            let query = OlderQuery(channel: "room", through: through, last: last)
            return try bench.store.makeReader().withSnapshot(of: room) {
                snapshot throws(StoreError) in
                try WindowReading.page(
                    query, from: snapshot, key: key, within: cheap, isDear: false) != nil
            }
        }
        let amid = tick(segments[1].after.rawValue + 4)
        #expect(try !isFound(amid, last: 0))
        #expect(try !isFound(amid, last: 1))
        #expect(try isFound(segments[1].after, last: 0))
        // So does what has to be read place by place, for its bytes, too.
        let end = segments.map(\.after).filter { $0 > segments[1].after }.min()
        for bounds in [WindowReading.Bounds(rows: 1), WindowReading.Bounds(bytes: 1)] {
            let found = try bench.store.makeReader().withSnapshot(of: room) {
                snapshot throws(StoreError) in
                try WindowReading.page(
                    OlderQuery(channel: "room", through: end, last: 5),
                    from: snapshot, key: key, within: bounds, isDear: false)
            }
            #expect(found == nil)
        }
    }
}
