// The store in a database: one SQLite file in WAL mode, or a schema of PostgreSQL's, written by the
// ledger's thread alone.

import EventModel
import SQL

/// A store in a directory of its own, or on a server.
final class SQLStore: Store {
    let epoch: String
    let runs: [StoreRun]
    private(set) var clock: ClockRecord
    let secret: DigestSecret
    private(set) var last: Timetoken
    private(set) var tombstoneFloor: Timetoken
    /// What the open transaction raised it to.
    var raisedFloor: Timetoken?
    private(set) var deletionFloor: Timetoken
    var raisedDeletionFloor: Timetoken?
    /// What ``hideMessages(in:at:of:)`` and ``hideActions(coveredBy:at:of:)`` took away, as the
    /// open transaction has it.
    var hidden: HiddenRows
    private var hiddenBefore: HiddenRows
    /// Where the next step of removing the oldest hidden range starts; `nil`: at its beginning.
    var removalStart: MessageAction.Key?
    /// The same of the oldest hidden clearing.
    var clearedThrough: MessageAction.Key?
    /// Both as of the last commit.
    private var placesBefore: (MessageAction.Key?, MessageAction.Key?)
    private(set) var mutationCount: Int
    private(set) var syncMicroseconds: UInt64 = 0
    /// How many more there are in the open transaction.
    var mutationsAdded = 0
    /// Whether ``runs`` are durable, the present one too.
    private(set) var isRunStored = false
    /// Runs that the file has and ``runs`` has not.
    private let forgottenRuns: [StoreRun]

    var hasRowsWithoutSum: Bool
    /// What must stay where it is for as long as the store is open; `nil`: no other process can
    /// move it.
    let files: StorePlace?
    private let place: DatabasePlace
    /// Locked for as long as the store is open; `nil` where no other process can be.
    ///
    /// Two daemons on one file would issue the same timetokens.
    private let lock: FileDescriptor?
    // Statements first: they are released in this order, and must go before the connection.
    /// `nil` on a file.
    private let seat: DatabaseSeat?
    let statements: SQLWriteStatements
    let connection: StoreConnection
    private var channels: [Channel: Int64] = [:] {
        didSet { asked = nil }
    }
    /// What was looked for last: a write asks for its channel many times.
    private var asked: (channel: Channel, id: Int64)?
    private var devices: [Author: Int64] = [:]
    /// Numbers of channels whose state is that of their one segment.
    var channelsWithoutTotal: Set<Int64> = []
    /// What the open transaction asked for beforehand; `nil`: nothing, as on a file.
    var foreseen: Foreseen?
    /// What keysets take up, as of the last commit; those that were asked for.
    var storedUses: [ExactText: StoredUse] = [:]
    /// What the open transaction adds to that.
    var addedUses: [ExactText: StoredUse] = [:]
    var log = StoreLog()
    /// What is told of the log before it begins anew; `nil`: nobody.
    var archive: LogArchive?
    /// `nil` on a server.
    let pages: FilePages?
    /// What errors call the database.
    var path: String { place.name }

    /// The database file of a data directory.
    static func path(in directory: String) -> String { directory + "/syncdaemon.db" }

    /// Opens the store, and notes the start of a run.
    ///
    /// - Parameters:
    ///   - log: Hears of an upgrade of the file.
    ///   - secret: That of a store which is made; `nil`: a random one.
    ///   - resume: Told what the file last knew of time; says what time it is now, if it knows.
    convenience init(
        directory: String, log: Log? = nil, secret: DigestSecret? = nil,
        resume: (ClockAnchor?) -> ClockAnchor? = { $0 }
    ) throws(StoreError) {
        try makeDirectories(directory)
        let lock = try lockFile(directory + "/lock")
        let path = SQLStore.path(in: directory)
        try StoreFiles.claim(path)
        // A box: the type itself is empty, and its address is none that ThreadSanitizer may read.
        var generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
        try self.init(
            path: path, lock: lock, files: StorePlace(directory: directory, database: path),
            using: &generator, log: log, secret: secret, resume: resume)
    }

    /// Opens a schema of a server, or makes it, and notes the start of a run.
    ///
    /// - Parameters:
    ///   - target: As ``DatabasePlace/server(target:schema:)`` has it.
    ///   - terms: Under which it is written to.
    ///   - log: Hears of a server that lets the start wait.
    ///   - secret: As above.
    ///   - resume: As above.
    convenience init(
        server target: String, schema: String, _ terms: SeatTerms = SeatTerms(),
        log: Log? = nil, secret: DigestSecret? = nil,
        resume: (ClockAnchor?) -> ClockAnchor? = { $0 }
    ) throws(StoreError) {
        var generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
        try self.init(
            at: .server(target: target, schema: schema), lock: nil, files: nil, using: &generator,
            log: log, secret: secret, terms, resume: resume)
    }

    /// Opens a file, or makes it.
    ///
    /// - Parameters:
    ///   - vfs: What leads to the file; `nil`: the system.
    ///   - lock: Kept for as long as the store is open.
    ///   - files: What must stay where it is meanwhile; made once the file is there.
    ///   - generator: Makes the names of a new store and of each run.
    ///   - log: As above.
    ///   - given: As above.
    ///   - resume: As above.
    convenience init(
        path: String, vfs: String? = nil, lock: consuming FileDescriptor?,
        files: @autoclosure () -> StorePlace? = nil,
        using generator: inout some RandomNumberGenerator, log: Log? = nil,
        secret given: DigestSecret? = nil, resume: (ClockAnchor?) -> ClockAnchor?
    ) throws(StoreError) {
        try self.init(
            at: .file(path: path, vfs: vfs), lock: lock, files: files(), using: &generator,
            log: log, secret: given, resume: resume)
    }

    private init(
        at place: DatabasePlace, lock: consuming FileDescriptor?,
        files: @autoclosure () -> StorePlace?,
        using generator: inout some RandomNumberGenerator, log: Log?,
        secret given: DigestSecret?, _ terms: SeatTerms = SeatTerms(),
        resume: (ClockAnchor?) -> ClockAnchor?
    ) throws(StoreError) {
        self.place = place
        self.lock = lock
        connection = try place.connect(for: .ledger)
        if case .server(_, let schema) = place {
            if let log { connection.tellWaits(of: schema, log) }
            try DatabaseSeat.requireStandby(connection, name: place.name)
        }
        try Self.prepare(connection, at: place, log: log, secret: given, using: &generator)
        if case .server(_, let schema) = place {
            guard try connection.lockOut(ofSchema: schema, isPatient: terms.isPatient) else {
                throw .inUse(path: place.name)
            }
            seat = try DatabaseSeat(connection, at: place, terms)
        } else {
            seat = nil
        }
        self.files = files()
        let isFile = connection.dialect == .sqlite
        hasRowsWithoutSum = isFile ? try Self.hasRowsWithoutSum(connection) : false
        statements = try SQLWriteStatements(connection)
        pages = isFile ? try FilePages(connection) : nil
        let path = place.name
        let row = try SQLiteSchema.clock(connection, path: path)
        let (last, before) = (row.lastCommit, row.record)
        // Nothing that was handed out is beyond this.
        let end = max(last, before.ceiling)
        let meta = try SQLiteSchema.meta(connection, path: path, end: end)
        (epoch, secret) = (meta.epoch, meta.secret)
        (tombstoneFloor, deletionFloor) = (meta.tombstoneFloor, meta.deletionFloor)
        mutationCount = row.mutationCount
        hidden = try HiddenRows(
            statements.large.findHidden, statements.large.clearings.findHidden)
        hiddenBefore = hidden
        self.last = end
        clock = before
        var now = before
        now.anchor = resume(before.anchor)
        let start = max(end, Timetoken(rawValue: now.anchor?.ticks ?? 0))
        if now.anchor != nil { now.ceiling = start.advanced(by: Limits.ceilingTicks) }
        let runs =
            try SQLiteSchema.runs(connection, end: end) + [
                StoreRun(after: last, began: start, using: &generator)
            ]
        let forgotten = StoreRun.forgettable(of: runs, keeping: Limits.runsMax)
        forgottenRuns = forgotten.map { runs[$0] }
        let isForgotten = Set(forgotten)
        self.runs = runs.indices.filter { !isForgotten.contains($0) }.map { runs[$0] }
        // The log may have room to give: that of a daemon that was killed on a full disk.
        let lastMark = before.anchor.map { AgeMark(through: last, ticks: $0.age) }
        if try !startRun(through: start, now, lastMark), try emptyLog() {
            _ = try startRun(through: start, now, lastMark)
        }
        connection.onProgress(every: 0, nil)
    }

    /// Makes or upgrades the tables, and says so when the disk has no room for them.
    private static func prepare(
        _ connection: borrowing StoreConnection, at place: DatabasePlace, log: Log?,
        secret: DigestSecret?, using generator: inout some RandomNumberGenerator
    ) throws(StoreError) {
        do throws(StoreError) {
            switch place {
            case .file(let path, _):
                try SQLiteSchema.prepare(
                    connection, path: path, log: log, secret: secret, using: &generator)
            case .server(_, let schema):
                try PostgresSchema.prepare(
                    connection, name: place.name, schema: schema, secret: secret,
                    using: &generator)
            }
        } catch {
            guard error == .full else { throw error }
            guard case .file(let path, nil) = place else {
                throw .noRoom(path: place.name, free: nil)
            }
            throw .noRoom(path: path, free: FreeSpace.bytes(at: path))
        }
    }

    /// - Returns: `false` on a full disk: then the first transaction that finds room stores it.
    private func startRun(
        through start: Timetoken, _ now: ClockRecord, _ lastMark: AgeMark?
    ) throws(StoreError) -> Bool {
        do throws(StoreError) {
            try begin()
            if let lastMark { try markAge(lastMark, now: now.anchor?.age ?? 0) }
            try commit(through: start, now)
            return true
        } catch {
            rollback()
            guard error == .full else { throw error }
            return false
        }
    }

    deinit {
        archive?.finish()
        archive?.end()
        // A tidy end, not a needed one: the next start would read the log.
        _ = try? connection.truncateLog(waitingAtMost: Int32(Limits.logWaitMilliseconds))
    }

    // MARK: Transactions

    func begin() throws(StoreError) {
        try files?.check()
        try statements.begin.run()
        if !isRunStored, let run = runs.last {
            for old in forgottenRuns { try statements.digests.forgetRun.run(.text(old.id)) }
            try statements.digests.endRun.run(.timetoken(run.startedAfter))
            try statements.digests.insertRun.run(
                .text(run.id), .timetoken(run.startedAfter), .timetoken(run.began))
        }
    }

    func commit(through last: Timetoken, _ clock: ClockRecord) throws(StoreError) {
        let row = ClockRow(last: last, clock, mutationCount: mutationCount + mutationsAdded)
        try statements.moveClock.run(row.values)
        try writeUses()
        try reserveRoom()
        try seat?.hold(connection)
        let start = Clock.monotonicMicroseconds()
        try statements.commit.run(expecting: "COMMIT")
        try seat?.requireDurable(connection)
        syncMicroseconds = Clock.monotonicMicroseconds() - start
        // Before anyone hears of it: what went into an unlinked file is not kept.
        try files?.check()
        foreseen = nil
        self.last = last
        self.clock = clock
        isRunStored = true
        hiddenBefore = hidden
        placesBefore = (removalStart, clearedThrough)
        if let raisedFloor { tombstoneFloor = raisedFloor }
        if let raisedDeletionFloor { deletionFloor = raisedDeletionFloor }
        (raisedFloor, raisedDeletionFloor) = (nil, nil)
        mutationCount += mutationsAdded
        mutationsAdded = 0
        archive?.note(connection.logPages, through: last)
        try log.checkpointIfLong(connection, archive)
    }

    func rollback() {
        foreseen = nil
        (raisedFloor, raisedDeletionFloor) = (nil, nil)
        mutationsAdded = 0
        // Ids that this transaction made are gone with it.
        channels = [:]
        devices = [:]
        channelsWithoutTotal = []
        (storedUses, addedUses) = ([:], [:])
        hidden = hiddenBefore
        // Not from the start: a smaller step would only look at what larger ones left behind.
        (removalStart, clearedThrough) = placesBefore
        do throws(StoreError) {
            try connection.rollBack()
        } catch {
            preconditionFailure("The store could not roll back: \(error)")
        }
    }

    var term: Int { seat?.term ?? 0 }

    func renewSeat() throws(StoreError) { try seat?.renew(connection) }

    func onWait(_ body: @escaping () -> Void) {
        // A file's steps are many, and short.
        if connection.dialect == .postgres { connection.onProgress(every: 0, body) }
    }

    var makeReader: @Sendable () throws(StoreError) -> any StoreReader {
        { [place] () throws(StoreError) in try SQLReader(at: place) }
    }

    // MARK: Names

    func id(of channel: Channel) throws(StoreError) -> Int64 {
        if let id = try knownID(of: channel) { return id }
        let id = try inserted(
            by: statements.insertChannel, [.text(channel.keyset), .text(channel.name)])
        noteUse(of: channel.keyset, channels: 1)
        name(channel, id)
        return id
    }

    /// The id of a row that a statement inserts and returns.
    private func inserted(
        by statement: borrowing StoreStatement, _ values: [SQLValue]
    ) throws(StoreError) -> Int64 {
        guard let id = try statement.first(values, body: { $0.integer(0) }) else {
            throw .damaged(path: path, reason: "a new row has no number")
        }
        return id
    }

    /// The same, of a channel that has a row; it writes nothing.
    func knownID(of channel: Channel) throws(StoreError) -> Int64? {
        if let asked, asked.channel == channel { return asked.id }
        if let id = channels[channel] {
            asked = (channel, id)
            return id
        }
        if foreseen?.newChannels.contains(channel) == true { return nil }
        let arguments: [SQLValue] = [.text(channel.keyset), .text(channel.name)]
        if channels.count >= Limits.internedNamesMax { channels = [:] }
        let id = try statements.findChannel.first(arguments) { $0.integer(0) }
        channels[channel] = id
        return id
    }

    /// Whether its row is known without a look.
    func isNamed(_ channel: Channel) -> Bool { channels[channel] != nil }

    func isNamed(_ author: Author) -> Bool { devices[author] != nil }

    /// Keeps what the row of a channel is.
    func name(_ channel: Channel, _ id: Int64) {
        channels[channel] = id
        foreseen?.newChannels.remove(channel)
    }

    func name(_ author: Author, _ id: Int64) {
        devices[author] = id
        foreseen?.newDevices.remove(author)
    }

    func id(of author: Author) throws(StoreError) -> Int64 {
        if let id = try knownID(of: author) { return id }
        let id = try inserted(
            by: statements.mutations.insertDevice,
            [.text(author.keyset), .text(author.userID), .text(author.deviceID)])
        name(author, id)
        return id
    }

    /// The same, of who has written something under a name before; it writes nothing.
    func knownID(of author: Author) throws(StoreError) -> Int64? {
        if let id = devices[author] { return id }
        if foreseen?.newDevices.contains(author) == true { return nil }
        let arguments: [SQLValue] = [
            .text(author.keyset), .text(author.userID), .text(author.deviceID),
        ]
        if devices.count >= Limits.internedNamesMax { devices = [:] }
        let id = try statements.mutations.findDevice.first(arguments) { $0.integer(0) }
        devices[author] = id
        return id
    }
}
