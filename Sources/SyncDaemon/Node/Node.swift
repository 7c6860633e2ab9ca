// The process, wired: store, ledger, readers, reactors and acceptor, from start to drain.

import EventModel
import Glibc
import Synchronization

/// Why the daemon could not start.
enum StartError: Error, CustomStringConvertible {
    case store(StoreError)
    case transport(TransportError)
    case service(ServiceError)
    case configuration(ConfigurationError)

    var description: String {
        switch self {
        case .store(let error): error.description
        case .transport(let error): error.description
        case .service(let error): error.description
        case .configuration(let error): error.description
        }
    }
}

/// Everything that runs, and how it is stopped.
final class Node: Sendable {
    let counters = Counters()
    let health = Health()
    let admission: Admission
    private let accounts: Accounts
    let ledger: LedgerThread
    let readers: ReaderPool
    let presence: PresenceThread
    let webhooks: WebhookThread
    let interceptors: InterceptorThread
    let administration: Administration
    private let fileService: FileService?
    private let certificate: CertificateWatch
    private let watch: HealthWatch
    private let reactorSwitch: ReactorSwitch
    private let reactors: [Reactor]
    private let acceptor = AcceptorControl()
    private let exposure: Exposure
    private let proxies: [AddressRange]
    private let drained = WorkQueue<Int>(capacity: 1024)
    private let log: Log

    /// Opens the store and starts the threads; nothing listens yet.
    ///
    /// - Parameter failed: Called when the store is beyond use; it must end the process.
    init(
        configuration: Configuration, exposure: Exposure, log: Log, orders: ServiceOrders,
        failed: @escaping @Sendable (StoreError) -> Void
    ) throws(StartError) {
        (self.log, self.exposure, proxies) = (log, exposure, configuration.proxyProtocolFrom)
        certificate = CertificateWatch(configuration.tlsIdentity, log: log)
        let count = configuration.reactorCount
        let (store, clock) = try openStore(configuration, log)
        let troubles = StoreTroubles(of: configuration, health, counters, log)
        let files = files(of: store, troubles)
        let (makeReader, quarantine) = (store.makeReader, Quarantine(troubles: troubles))
        let (memberships, revoked, granted) = try kept(by: store)
        accounts = Accounts(of: configuration, memberships)
        (reactorSwitch, admission) = (ReactorSwitch(count: count), Admission(of: configuration))
        ledger = LedgerThread(
            store: store, clock: clock, memberships: memberships, revoked: revoked,
            granted: granted, tombstoneTicksKept: configuration.tombstoneTicksKept,
            mutationTicksKept: configuration.mutationTicksKept,
            webhooks: configuration.webhooks, counters: counters, log: log, quarantine: quarantine,
            accounts: accounts, troubles: troubles, receiver: reactorSwitch, fail: failed)
        readers = ReaderPool(
            count: configuration.readers, makeReader: makeReader,
            surroundings: ReaderPool.Surroundings(
                order: ledger.order, caches: configuration.readerCaches(ledger.secret, troubles),
                counters: counters, quarantine: quarantine, troubles: troubles,
                receiver: reactorSwitch),
            fail: failed)
        fileService = try openFiles(
            configuration, makeReader, reactorSwitch, quarantine, health, log, ledger.clock)
        watch = HealthWatch(
            place: files, files: fileService, ledger: ledger, readers: readers,
            pressure: accounts.pressure, health: health, troubles: troubles,
            certificate: certificate, log: log)
        presence = PresenceThread(
            keysets: configuration.keysets, order: ledger.order, accounts: accounts,
            receiver: reactorSwitch)
        webhooks = WebhookThread(
            configuration.webhooks, ledger: ledger, makeReader: makeReader, health: health,
            log: log)
        interceptors = InterceptorThread(
            configuration.interceptors, ledger: ledger, health: health, log: log)
        administration = Administration(
            Administration.Surroundings(
                health: health, accounts: accounts, ledger: ledger, webhooks: webhooks,
                interceptors: interceptors, reactors: reactorSwitch, orders: orders, log: log,
                place: configuration.databasePlace, makeReader: makeReader),
            key: configuration.adminKey)
        let started = WorkQueue<TransportError?>(capacity: count)
        let endpoints = Endpoints(
            metrics: Metrics(
                counters: counters, health: health, admission: admission, ledger: ledger,
                readers: readers, accounts: accounts, certificate: certificate, webhooks: webhooks,
                interceptors: interceptors, files: fileService),
            exposure: exposure, administration: administration, files: fileService,
            console: ConsoleRoutes(configuration, exposure, log))
        let engine = LocalEngine(
            reactor: 0, ledger: ledger, readers: readers, presence: presence,
            interceptors: interceptors, interests: reactorSwitch.interests, quarantine: quarantine)
        reactors = (0..<count).map {
            [reactorSwitch, counters, admission, accounts, drained, fileService] in
            Reactor(
                engine: engine.serving($0), mailbox: reactorSwitch.mailboxes[$0],
                settings: configuration.reactorSettings(exposure),
                recentBytesMax: configuration.cacheBytes(Limits.recentBytesMax) / count,
                unfinishedBytesMax: configuration.unfinishedBytesMax / count,
                counters: counters, admission: admission, accounts: accounts, log: log,
                routes: endpoints.routes, files: fileService, started: started, drained: drained)
        }
        try started.takeAll(of: count)
    }

    /// Accepts connections until ``stopAccepting()``; blocks the calling thread.
    func accept(on listeners: Listeners) {
        var acceptor = Acceptor(
            listeners, proxies: proxies, admission: admission, counters: counters, log: log
        ) { [reactorSwitch] reactor, socket in
            reactorSwitch.post(.adopt(ReactorMessage.Handed(socket)), to: reactor)
        }
        acceptor.run(under: self.acceptor)
    }

    /// Has ``accept(on:)`` return.
    func stopAccepting() { acceptor.stop() }

    /// Has every thread take what may change while it runs.
    ///
    /// - Returns: Whether all have taken it; one that is busy for seconds does so later.
    func apply(_ configuration: Configuration) -> Bool {
        admission.setLimits(
            totalMax: configuration.connections,
            perAddressMax: configuration.connectionsPerAddress)
        accounts.pressure.setMax(configuration.memoryCeiling)
        certificate.take(configuration.tlsIdentity)
        administration.setKey(configuration.adminKey)
        let threads = reactors.count + 1
        let taken = WorkQueue<Bool>(capacity: threads)
        let settings = configuration.reactorSettings(exposure)
        for number in reactors.indices {
            reactorSwitch.post(
                .settings(settings, applied: { _ = taken.put(true) }), to: number)
        }
        fileService?.want(configuration.keysets.haveFiles)
        webhooks.apply(configuration.webhooks)
        interceptors.apply(configuration.interceptors)
        presence.apply(configuration.keysets) { _ = taken.put(true) }
        let end = Clock.monotonicMilliseconds() + UInt64(Limits.reloadSeconds) * 1000
        var count = 0
        while count < threads {
            let now = Clock.monotonicMilliseconds()
            guard now < end else { return false }
            count += taken.take(atMost: threads, waitingAtMost: end - now).count
        }
        return true
    }

    /// Answers what is under way, closes every session, and makes everything durable.
    ///
    /// - Precondition: Nothing is accepted any more.
    /// - Parameter begins: Called before each step.
    func drain(_ begins: (DrainStep) -> Void) {
        health.isServing.store(false, ordering: .relaxed)
        begins(.sessions)
        administration.stop()
        let deadline = Clock.monotonicMilliseconds() + UInt64(Limits.drainSeconds) * 1000
        for number in reactors.indices {
            reactorSwitch.post(.drain(deadline: deadline), to: number)
        }
        interceptors.drain(at: deadline - UInt64(Limits.interceptorDrainMilliseconds))
        for _ in reactors { _ = drained.take(atMost: 1) }
        begins(.ledger)
        interceptors.stop()
        webhooks.stop()
        fileService?.stop()
        ledger.stop()
    }

    /// Asks every thread that clients depend on to show that it runs.
    func requestHeartbeats() {
        ledger.requestHeartbeat()
        presence.requestHeartbeat()
        for (number, reactor) in reactors.enumerated() {
            reactorSwitch.post(.heartbeat(reactor.heartbeat), to: number)
        }
        acceptor.requestHeartbeat()
        nudgeReaders()
    }

    /// To be repeated until the readers have beaten: see ``ReaderPool/requestHeartbeats()``.
    func nudgeReaders() { readers.requestHeartbeats() }

    /// The beats of those threads so far, in one fixed order.
    var heartbeats: [UInt64] {
        [ledger.heartbeat.count, presence.heartbeat.count, acceptor.heartbeat.count]
            + readers.heartbeats.map(\.count) + reactors.map(\.heartbeat.count)
    }
}

extension WorkQueue<TransportError?> {
    /// Waits until all reactors have started, or one could not.
    fileprivate func takeAll(of count: Int) throws(StartError) {
        for _ in 0..<count {
            if let error = take(atMost: 1).first ?? nil { throw .transport(error) }
        }
    }
}

extension Accounts {
    /// Those of the configured tenants, with the groups that they have.
    fileprivate convenience init(
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
    fileprivate convenience init(
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
    fileprivate convenience init(of configuration: Configuration) {
        self.init(
            reactors: configuration.reactorCount, totalMax: configuration.connections,
            perAddressMax: configuration.connectionsPerAddress)
    }
}

extension Configuration {
    /// `nil` for a store in memory.
    fileprivate var databasePlace: DatabasePlace? {
        switch storeKind {
        case .memory: nil
        case .sqlite: .file(path: SQLStore.path(in: directory), vfs: nil)
        case .postgres: storeServer.map { .server(target: $0.text, schema: storeSchema) }
        }
    }

    /// Where contents of files are.
    var filesDirectory: String { directory + "/files" }

    /// How long a removed action is remembered, in timetoken ticks.
    fileprivate var tombstoneTicksKept: UInt64 { UInt64(tombstoneDays) * 24 * 3600 * 10_000_000 }

    /// How long a mutation id is remembered, in timetoken ticks.
    fileprivate var mutationTicksKept: UInt64 { UInt64(mutationDays) * 24 * 3600 * 10_000_000 }

    /// Bytes of memory that the process may have.
    fileprivate var memoryCeiling: Int {
        memoryMax > 0 ? memoryMax : ProcessMemory.available / 4 * 3
    }

    /// What a cache may have of its limit; a reload changes nothing about that.
    fileprivate func readerCaches(
        _ secret: DigestSecret, _ troubles: StoreTroubles
    ) -> ReaderCaches {
        ReaderCaches(
            repairs: RepairCache(
                secret: secret, bytesMax: cacheBytes(Limits.repairCacheBytesMax),
                troubles: troubles),
            secret: secret, summaryBytesMax: cacheBytes(Limits.summaryCacheBytesMax))
    }

    func cacheBytes(_ limit: Int) -> Int {
        Limits.cacheBytes(limit, within: memoryCeiling)
    }

    /// Bytes of what peers have begun to send and not ended; a reload changes nothing about it.
    fileprivate var unfinishedBytesMax: Int {
        min(Limits.unfinishedBytesMax, memoryCeiling / Limits.unfinishedMemoryShare)
    }

    /// What reactors take anew when the configuration is reloaded.
    fileprivate func reactorSettings(_ exposure: Exposure) -> ReactorSettings {
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

/// Where files of channels are; nowhere beside a store in memory.
private func openFiles(
    _ configuration: Configuration,
    _ makeReader: @Sendable () throws(StoreError) -> any StoreReader,
    _ receiver: ReactorSwitch, _ quarantine: Quarantine, _ health: Health, _ log: Log,
    _ clock: DaemonClock
) throws(StartError) -> FileService? {
    guard configuration.storeKind.isDurable else { return nil }
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
private func files(of store: any Store, _ troubles: StoreTroubles) -> StorePlace? {
    guard let store = store as? SQLStore else { return nil }
    if !store.isRunStored { troubles.full(refusing: 0, missing: store.roomMissing) }
    return store.files
}

/// What all threads know of a store from the start.
private func kept(
    by store: any Store
) throws(StartError) -> ([GroupMembership], [RevokedToken], [KeyGrant]) {
    do throws(StoreError) {
        return (try store.allGroups(), try store.allRevoked(), try store.allKeyGrants())
    } catch {
        throw .store(error)
    }
}
