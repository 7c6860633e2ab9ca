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
}
