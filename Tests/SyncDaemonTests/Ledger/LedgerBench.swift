// A ledger for tests, and the writes that it is given.

import EventModel
import Testing

@testable import SyncDaemon

/// A write by ada's phone into `room`, unless said otherwise.
func write(
    _ operation: Write.Operation, mutation: String? = nil, command: CommandID = 1,
    channel: Channel = Channel("room"), device: String = "phone"
) -> Write {
    Write(
        origin: Origin(
            reactor: 0, session: SessionID(slot: 1, generation: 1), command: command),
        author: Author(userID: "ada", deviceID: device), channel: channel, operation: operation,
        mutation: mutation)
}

/// A ledger whose clock is the test's.
final class LedgerBench {
    /// Of a segment on average: few, so that there are many.
    static let segmentMessages = 3
    let store: any Store
    var wall: UInt64 = 1000
    var failure: StoreError?
    private let tombstoneTicksKept: UInt64
    private let deletedRowsMax: Int
    private let segments: SegmentBounds
    lazy var ledger = Ledger(
        store: store, tombstoneTicksKept: tombstoneTicksKept, deletedRowsMax: deletedRowsMax,
        segments: segments
    ) { [unowned self] in wall }

    init(
        _ store: any Store = MemoryStore(), tombstoneTicksKept: UInt64 = 1 << 60,
        deletedRowsMax: Int = Limits.deletedRowsPerCommitMax,
        segments: SegmentBounds = SegmentBounds(messages: LedgerBench.segmentMessages)
    ) {
        self.store = store
        self.segments = segments
        self.deletedRowsMax = deletedRowsMax
        self.tombstoneTicksKept = tombstoneTicksKept
    }

    func commit(_ writes: Write...) -> Commit {
        commit(writes)
    }

    func commit(_ writes: [Write]) -> Commit {
        ledger.commit(writes, failure: &failure)
    }

    func commitExpired(after reserved: UInt64 = 0) -> Commit? {
        ledger.commitExpired(after: tick(reserved), failure: &failure)
    }

    var hasWork: Bool { ledger.hasWork }

    /// A step of a large deletion.
    func work() -> Commit? {
        ledger.work(failure: &failure)
    }

    /// Says how long the last step took.
    func lasted(microseconds: UInt64) {
        ledger.removal.lasted(microseconds: microseconds)
    }

    /// The reply to one write.
    func reply(_ operation: Write.Operation, mutation: String? = nil) throws -> Reply {
        let commit = commit(write(operation, mutation: mutation))
        return try #require(commit.answers.first).result.get()
    }

    /// What the store has, without what only those hear who are there: ``Envelope/gone``.
    func stored() throws -> [Envelope] {
        try store.makeReader().allChanges(in: Channel("room"), after: .zero)
    }
}

extension Envelope {
    /// As it is told from the store.
    var asStored: Envelope {
        Envelope(
            channel: channel, timetoken: timetoken, uuid: uuid, event: event, isStored: isStored)
    }
}
