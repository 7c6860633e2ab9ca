// What a store is when a daemon begins to serve it, and what all threads know of it from then on.

import EventModel
import Synchronization

/// What may be forgotten: see ``Store/tombstoneFloor`` and ``Store/deletionFloor``.
struct StoreFloors: Sendable, Hashable {
    var tombstones = Timetoken.zero
    var deletions = Timetoken.zero
}

/// These as all threads know them: they only rise.
final class KnownFloors: Sendable {
    private let tombstones: Atomic<UInt64>
    private let deletions: Atomic<UInt64>

    init(_ floors: StoreFloors = StoreFloors()) {
        tombstones = Atomic(floors.tombstones.rawValue)
        deletions = Atomic(floors.deletions.rawValue)
    }

    var now: StoreFloors {
        StoreFloors(
            tombstones: Timetoken(rawValue: tombstones.load(ordering: .acquiring)),
            deletions: Timetoken(rawValue: deletions.load(ordering: .acquiring)))
    }

    func raise(to floors: StoreFloors) {
        tombstones.max(floors.tombstones.rawValue, ordering: .acquiringAndReleasing)
        deletions.max(floors.deletions.rawValue, ordering: .acquiringAndReleasing)
    }
}

/// One committed state.
struct StoreStart: Sendable {
    var epoch: String
    /// The present one last.
    var runs: [StoreRun]
    var secret: DigestSecret
    /// The newest commit.
    var last: Timetoken
    /// Where the present run began: every event of it is after this.
    var began: Timetoken
    var ceiling: Timetoken
    var term = 0
    var floors = StoreFloors()
    var mutationCount = 0
    var memberships: [GroupMembership] = []
    var revoked: [RevokedToken] = []
    var granted: [KeyGrant] = []

    /// What a store is to the daemon that writes to it.
    init(of store: any Store) throws(StoreError) {
        (epoch, runs, secret) = (store.epoch, store.runs, store.secret)
        (last, began) = (store.last, store.last)
        (ceiling, term) = (store.clock.ceiling, store.term)
        floors = StoreFloors(tombstones: store.tombstoneFloor, deletions: store.deletionFloor)
        mutationCount = store.mutationCount
        memberships = try store.allGroups()
        revoked = try store.allRevoked()
        granted = try store.allKeyGrants()
    }

    /// What it is to one that another daemon writes to, read by a session of its own.
    init(reading place: DatabasePlace) throws(StoreError) {
        let connection = try place.connect(for: .reader)
        try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let row = try SQLiteSchema.clock(connection, path: place.name)
        (last, ceiling) = (row.lastCommit, row.record.ceiling)
        mutationCount = row.mutationCount
        let end = max(last, ceiling)
        let meta = try SQLiteSchema.meta(connection, path: place.name, end: end)
        (epoch, secret) = (meta.epoch, meta.secret)
        floors = StoreFloors(tombstones: meta.tombstoneFloor, deletions: meta.deletionFloor)
        runs = try SQLiteSchema.runs(connection, end: end)
        guard let run = runs.last else {
            throw .damaged(path: place.name, reason: "no daemon has ever started on it")
        }
        began = run.began
        term = Int(try connection.prepare("SELECT term FROM seat").first { $0.integer(0) } ?? 0)
        memberships = try connection.allGroups()
        revoked = try connection.allRevoked(path: place.name)
        granted = try connection.allKeyGrants(path: place.name)
        try connection.execute("COMMIT")
    }
}
