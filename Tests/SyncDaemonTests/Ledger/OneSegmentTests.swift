// In a file most channels have one segment, and what that comes to is there once.

import Basis
import EventModel
import Testing

@testable import SyncDaemon

@Suite("Segments: one alone")
struct OneSegmentTests {
    private let directory: ScratchDirectory
    private let room = Channel("room")

    init() throws {
        directory = try ScratchDirectory()
    }

    private func bench() throws -> LedgerBench {
        LedgerBench(try SQLStore(directory: directory.path))
    }

    /// Rows of the table, when all of them agree with the channel's rows.
    private func rowCount(_ store: any Store) throws -> Int {
        let digest = try store.makeReader().digest(of: room).digest
        #expect(try digest == recomputedDigest(of: room, in: store))
        #expect(try digest == store.digest(of: room))
        let segments = try storedSegments(of: room, in: store)
        #expect(try segments == recomputedSegments(of: room, in: store))
        let connection = try StoreConnection(path: SQLStore.path(in: directory.path))
        let count = try connection.prepare("SELECT count(*) FROM segment").first { $0.integer(0) }
        return Int(count ?? 0)
    }

    @Test("a channel gets a total with its second segment, and has none once they are joined")
    func total() throws {
        let cut: Timetoken
        do {
            let bench = try bench()
            var messages: [Timetoken] = []
            repeat {
                bench.wall += 7
                messages.append(bench.commit(write(.publish(.numbered(1), hoursKept: 0))).last)
                _ = bench.commit(write(.add(.on(messages[0].rawValue, "v\(messages.count)"))))
                let count = try storedSegments(of: room, in: bench.store).count
                #expect(try rowCount(bench.store) == (count == 1 ? 1 : count + 1))
            } while try storedSegments(of: room, in: bench.store).count < 2
            cut = messages[messages.count - 1]
        }
        let bench = try bench()
        #expect(try rowCount(bench.store) == 3)

        bench.wall = cut.rawValue + 1000
        _ = bench.commit(write(.deleteMessages(after: cut.predecessor, through: cut)))

        #expect(try rowCount(bench.store) == 1)
        _ = bench.commit(write(.add(.on(cut.rawValue, "later"))))
        #expect(try rowCount(bench.store) == 1)
        #expect(bench.failure == nil)
    }

    @Test("a total that is not what the one segment comes to stays what it is")
    func damage() throws {
        do {
            let bench = try bench()
            bench.wall = 1001
            let message = bench.commit(write(.publish(.numbered(1), hoursKept: 0))).last
            _ = bench.commit(write(.add(.on(message.rawValue))))
        }
        let connection = try StoreConnection(path: SQLStore.path(in: directory.path))
        try connection.execute(
            """
            DELETE FROM segment WHERE after > 0;
            INSERT INTO segment SELECT channel, \(Segment.wholeAfter), 0, count, lane0 + 1, lane1, 0
            FROM segment
            """)
        let bench = try bench()
        let wrong = try bench.store.digest(of: room)
        let commit = bench.commit(write(.add(.on(1, "more"))))

        // Nobody is told another state than the file has: devices that compare find out.
        let stored = try bench.store.digest(of: room)
        #expect(commit.digests[room] == stored)
        #expect(stored.count == wrong.count + 1)
        #expect(try stored != recomputedDigest(of: room, in: bench.store))
    }

    // MARK: What is lost, or cannot be

    /// A channel of some messages, and what `change` makes of its rows in the file.
    private func damaged(messages: Int, _ change: String) throws -> LedgerBench {
        do {
            let bench = try bench()
            for _ in 0..<messages {
                bench.wall += 7
                _ = bench.commit(write(.publish(.numbered(1), hoursKept: 0)))
            }
        }
        try StoreConnection(path: SQLStore.path(in: directory.path)).execute(change)
        let bench = try bench()
        bench.wall = 1_000_000
        return bench
    }

    private func page(_ store: any Store) throws -> WindowPage? {
        let (query, key) = (OlderQuery(channel: room.name, last: 1000), store.secret.key(of: room))
        let page = try store.makeReader().withSnapshot(of: room) { snapshot throws(StoreError) in
            try WindowReading.page(query, from: snapshot, key: key)
        }
        return try? page?.get()
    }

    @Test("a channel of several segments without its total is damaged, for who reads and writes")
    func noTotal() throws {
        let bench = try damaged(
            messages: 60, "DELETE FROM segment WHERE after = \(Segment.wholeAfter)")

        #expect(throws: StoreError.self) { try page(bench.store) }
        #expect(throws: StoreError.self) { try bench.store.digest(of: room) }
        let writes = [write(.add(.on(1))), write(.add(.on(1)), channel: Channel("den"))]
        let answers = bench.commit(writes).answers.map(\.result)
        #expect(answers.count == 2)
        #expect(answers.first == .failure(.storeDamaged))
        if case .failure(let error)? = answers.last { Issue.record("\(error)") }
    }

    @Test("a channel with messages and without a segment is damaged, and one without both is empty")
    func noSegment() throws {
        let bench = try damaged(messages: 2, "DELETE FROM segment")
        #expect(throws: StoreError.self) { try page(bench.store) }
        _ = bench.commit(write(.add(.on(1)), channel: Channel("den")))
        try StoreConnection(path: SQLStore.path(in: directory.path))
            .execute("DELETE FROM message")
        #expect(try page(bench.store)?.messages == [])
    }

    @Test(
        "no number of rows ends the daemon, in whichever segment it is",
        arguments: ["count", "messages"], [Int64.max, .max - 1, .min, .min + 1, -1])
    func extremes(column: String, value: Int64) throws {
        let bench = try damaged(
            messages: 60, "UPDATE segment SET \(column) = \(value) WHERE after <> 0")
        _ = try? page(bench.store)
        let all = try storedSegments(of: room, in: bench.store)
        for segment in all {
            let place = Timetoken(rawValue: segment.after.rawValue + 1)
            _ = bench.commit(
                write(.deleteMessages(after: place.predecessor, through: place)),
                write(.publish(.numbered(1), hoursKept: 0)), write(.add(.on(place.rawValue))))
        }
        _ = try? page(bench.store)
        let other = bench.commit(write(.add(.on(1)), channel: Channel("den"))).answers
        if case .failure(let error)? = other.first?.result { Issue.record("\(error)") }
    }
}
