// What a node is made of, as its configuration has it.

import EventModel
import Glibc

extension Accounts {
    /// Those of the configured tenants, with the groups that they have.
    convenience init(
        of configuration: Configuration, _ memberships: [GroupMembership]
    ) {
        let ceiling = configuration.memoryCeiling
        self.init(
            pressure: MemoryPressure(max: ceiling, read: { ProcessMemory.privateBytes }),
            unsent: UnsentPool(
                max: min(Limits.unsentBytesMax, ceiling / Limits.unsentMemoryShare)))
        apply(configuration.keysets)
        for membership in memberships { account(of: membership.group.keyset).add(.groups) }
    }
}

extension StoreTroubles {
    convenience init(
        of configuration: Configuration, _ health: Health, _ counters: Counters, _ log: Log
    ) {
        let isOnServer = configuration.storeServer != nil
        self.init(
            directory: isOnServer
                ? "PostgreSQL (schema \(configuration.storeSchema))" : configuration.directory,
            isOnServer: isOnServer, health: health, counters: counters, log: log)
    }
}

extension Admission {
    convenience init(of configuration: Configuration) {
        self.init(
            reactors: configuration.reactorCount, totalMax: configuration.connections,
            perAddressMax: configuration.connectionsPerAddress)
    }
}

extension Configuration {
    /// `nil` for a store in memory.
    var databasePlace: DatabasePlace? {
        switch storeKind {
        case .memory: nil
        case .sqlite: .file(path: SQLStore.path(in: directory), vfs: nil)
        case .postgres: storeServer.map { .server(target: $0.text, schema: storeSchema) }
        }
    }

    /// Where contents of files are.
    var filesDirectory: String { directory + "/files" }

    /// How long a removed action is remembered, in timetoken ticks.
    var tombstoneTicksKept: UInt64 { UInt64(tombstoneDays) * 24 * 3600 * 10_000_000 }

    /// How long a mutation id is remembered, in timetoken ticks.
    var mutationTicksKept: UInt64 { UInt64(mutationDays) * 24 * 3600 * 10_000_000 }

    /// Bytes of memory that the process may have.
    var memoryCeiling: Int {
        memoryMax > 0 ? memoryMax : ProcessMemory.available / 4 * 3
    }

    /// What a cache may have of its limit; a reload changes nothing about that.
    func readerCaches(
        _ secret: DigestSecret, _ troubles: StoreTroubles
    ) -> ReaderCaches {
        ReaderCaches(
            repairs: RepairCache(
                secret: secret, bytesMax: cacheBytes(Limits.repairCacheBytesMax),
                troubles: troubles),
            segments: SegmentCache(troubles: troubles), secret: secret,
            summaryBytesMax: cacheBytes(Limits.summaryCacheBytesMax))
    }

    func cacheBytes(_ limit: Int) -> Int {
        Limits.cacheBytes(limit, within: memoryCeiling)
    }

    /// Bytes of what peers have begun to send and not ended; a reload changes nothing about it.
    var unfinishedBytesMax: Int {
        min(Limits.unfinishedBytesMax, memoryCeiling / Limits.unfinishedMemoryShare)
    }

    /// What reactors take anew when the configuration is reloaded.
    func reactorSettings(_ exposure: Exposure) -> ReactorSettings {
        ReactorSettings(
            keysets: keysets, transport: exposure.transportSettings(self),
            sendQueueBytesMax: sendQueueBytes, batchWindow: batchWindow,
            commandsPerSecondMax: commandsPerSecond)
    }

    /// Threads that serve connections.
    var reactorCount: Int {
        reactors > 0 ? reactors : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
}

/// What all reactors of a node share.
struct ReactorParts {
    let engine: LocalEngine
    let routes: HTTPRoutes
    let counters: Counters
    let admission: Admission
    let accounts: Accounts
    let log: Log
    let files: FileService?
    let started: WorkQueue<TransportError?>
    let drained: WorkQueue<Int>

    /// Starts one for each mailbox; each divides by their number what is for all.
    func reactors(
        _ configuration: Configuration, _ exposure: Exposure,
        _ mailboxes: [Mailbox<ReactorMessage>]
    ) -> [Reactor] {
        let count = mailboxes.count
        return mailboxes.enumerated().map { number, mailbox in
            Reactor(
                engine: engine.serving(number), mailbox: mailbox,
                settings: configuration.reactorSettings(exposure),
                recentBytesMax: configuration.cacheBytes(Limits.recentBytesMax) / count,
                unfinishedBytesMax: configuration.unfinishedBytesMax / count,
                counters: counters, admission: admission, accounts: accounts, log: log,
                routes: routes, files: files, started: started, drained: drained)
        }
    }
}

/// What a store's log goes through on its way to the archive; `nil`: it goes nowhere.
struct NodeArchive {
    private let shelf: ArchiveShelf
    private let settings: ArchiveSettings
    private let database: String

    /// Has a store's log from now on.
    init?(_ configuration: Configuration, of store: (any Store)?, _ clock: DaemonClock) {
        guard let directory = configuration.archiveDirectory, let store = store as? SQLStore,
            configuration.storeKind == .sqlite
        else { return nil }
        database = SQLStore.path(in: configuration.directory)
        settings = ArchiveSettings(
            directory: directory, baseHours: configuration.archiveBaseHours,
            keptDays: configuration.archiveKeepDays,
            command: configuration.archiveCommand.map {
                ChildProgram($0, in: ProcessEnvironment.all())
            })
        shelf = ArchiveShelf(beside: database)
        let log = LogArchive(
            of: database, to: shelf, seconds: configuration.archiveSeconds,
            opening: store.runs.last?.startedAfter ?? .zero
        ) { [shelf] () throws(DatabaseFileError) in
            var generator = SystemRandomNumberGenerator()
            let now = try shelf.moment(at: Timetoken(rawValue: clock.ticks()))
            return ArchiveName.run(at: now, using: &generator)
        }
        // On a full disk nothing of this life is in the file yet: the first commit tells.
        if store.isRunStored { log.note(store.connection.logPages, through: store.last) }
        store.archive = log
    }

    /// Begins to bring it there.
    func start(
        epoch: String, _ clock: DaemonClock, _ health: Health, _ log: Log
    ) -> ArchiveThread {
        ArchiveThread(
            settings, of: database, epoch: epoch, from: shelf, health: health, log: log
        ) { Timetoken(rawValue: clock.ticks()) }
    }
}

/// Where files of channels are; nowhere beside a store in memory, or in a cluster.
func openReaders(
    _ configuration: Configuration,
    _ makeReader: @escaping @Sendable () throws(StoreError) -> any StoreReader,
    of ledger: LedgerDoor, _ counters: Counters, _ quarantine: Quarantine,
    _ troubles: StoreTroubles, _ receiver: ReactorSwitch,
    fail: @escaping @Sendable (StoreError) -> Void
) -> ReaderPool {
    ReaderPool(
        count: configuration.readers, makeReader: makeReader,
        surroundings: ReaderPool.Surroundings(
            order: ledger.order, caches: configuration.readerCaches(ledger.secret, troubles),
            counters: counters, quarantine: quarantine, troubles: troubles, receiver: receiver),
        fail: fail)
}

func openFiles(
    _ configuration: Configuration,
    _ makeReader: @Sendable () throws(StoreError) -> any StoreReader,
    _ receiver: ReactorSwitch, _ quarantine: Quarantine, _ health: Health, _ log: Log,
    _ clock: DaemonClock
) throws(StartError) -> FileService? {
    // The contents are in a directory of one daemon.
    guard configuration.storeKind.isDurable, configuration.cluster == nil else { return nil }
    do throws(StoreError) {
        let reader = try makeReader()
        do throws(FileError) {
            return try FileService(
                in: configuration.filesDirectory, reader: reader, receiver: receiver,
                health: health, log: log, at: Int64(clock.ticks() / 10_000_000),
                isWanted: configuration.keysets.haveFiles
            ) { _ = quarantine.isolate(.files, $0) }
        } catch {
            throw .broken(code: 0, reason: "The directory of files cannot be used: \(error).")
        }
    } catch {
        throw .store(error)
    }
}

/// The files of a store; says so when it found no room for the start of its run.
func files(of store: (any Store)?, _ troubles: StoreTroubles) -> StorePlace? {
    guard let store = store as? SQLStore else { return nil }
    if !store.isRunStored { troubles.full(refusing: 0, missing: store.roomMissing) }
    return store.files
}

extension Configuration {
    /// - Parameter epoch: Of the store, which tells its daemon from others.
    func traces(of epoch: String, _ log: Log) -> TraceThread? {
        tracesEndpoint.map { endpoint in
            TraceThread(endpoint: endpoint, oneIn: tracesOneIn, instance: epoch, log: log)
        }
    }
}
