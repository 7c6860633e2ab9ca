// The process, wired: store, ledger, readers, reactors and acceptor, from start to drain.

import EventModel
import Glibc
import Synchronization

/// Why the daemon could not start.
enum StartError: Error, CustomStringConvertible {
    case store(StoreError)
    /// The daemon that orders cannot be followed.
    case link(LinkEnd)
    case transport(TransportError)
    case service(ServiceError)
    case configuration(ConfigurationError)

    var description: String {
        switch self {
        case .store(let error): error.description
        case .link(let end): "The daemon that serves cannot be followed: \(end)."
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
    let ledger: LedgerDoor
    /// The ledger, or the link to another daemon's.
    private let keeper: any DoorKeeper
    let readers: ReaderPool
    /// Of this daemon's clients alone, where another one knows who is where.
    let presence: PresenceThread
    let webhooks: WebhookThread
    let interceptors: InterceptorThread
    private let traces: TraceThread?
    let administration: Administration
    private let fileService: FileService?
    private let archive: ArchiveThread?
    private let metrics: MetricsThread
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
    /// - Parameters:
    ///   - connection: To the daemon that orders; `nil`: that is this one.
    ///   - promises: Where this daemon's clients were under the one that ordered before.
    ///   - failed: Called when the store is beyond use; it must end the process.
    init(
        configuration: Configuration, exposure: Exposure, log: Log, orders: ServiceOrders,
        following connection: LinkConnection? = nil, _ promises: [PresencePromise] = [],
        failed: @escaping @Sendable (StoreError) -> Void
    ) throws(StartError) {
        (self.log, self.exposure, proxies) = (log, exposure, configuration.proxyProtocolFrom)
        certificate = CertificateWatch(configuration.tlsIdentity, log: log)
        let count = configuration.reactorCount
        let opened = try openLedger(configuration, following: connection, log)
        let (makeReader, place) = (opened.makeReader, configuration.databasePlace)
        let troubles = StoreTroubles(of: configuration, health, counters, log)
        let files = files(of: opened.store, troubles)
        archive = NodeArchive(configuration, of: opened.store, opened.clock)?
            .start(epoch: opened.start.epoch, opened.clock, health, log)
        let quarantine = Quarantine(troubles: troubles)
        accounts = Accounts(of: configuration, opened.start.memberships)
        (reactorSwitch, admission) = (ReactorSwitch(count: count), Admission(of: configuration))
        let around = NodeLedger.Surroundings(
            configuration: configuration, start: opened.start, floors: opened.floors, log: log,
            clock: opened.clock, reactors: reactorSwitch, accounts: accounts, promises: promises)
        let part = try NodeLedger.serving(
            opened, over: connection, around, counters: counters, quarantine: quarantine,
            troubles: troubles, lost: orders.beginAnew, failed: failed)
        (ledger, keeper, presence) = (part.door, part.keeper, part.presence)
        readers = openReaders(
            configuration, makeReader, of: ledger, counters, quarantine, troubles, reactorSwitch,
            fail: failed)
        fileService = try openFiles(
            configuration, makeReader, reactorSwitch, quarantine, health, log, ledger.clock)
        watch = HealthWatch(
            place: files, files: fileService, ledger: ledger, readers: readers,
            pressure: accounts.pressure, health: health, troubles: troubles,
            certificate: certificate, log: log)
        webhooks = WebhookThread(
            connection == nil ? configuration.webhooks : [], ledger: ledger,
            makeReader: makeReader, health: health, log: log)
        interceptors = InterceptorThread(
            configuration.interceptors, ledger: ledger, health: health, log: log)
        traces = configuration.traces(of: ledger.epochs.text, log)
        administration = Administration(
            Administration.Surroundings(
                health: health, accounts: accounts, ledger: ledger, webhooks: webhooks,
                interceptors: interceptors, reactors: reactorSwitch, orders: orders, log: log,
                place: place, makeReader: makeReader, links: part.links),
            key: configuration.adminKey)
        let started = WorkQueue<TransportError?>(capacity: count)
        metrics = MetricsThread(
            Metrics(
                counters: counters, health: health, admission: admission, ledger: ledger,
                readers: readers, accounts: accounts, certificate: certificate, webhooks: webhooks,
                interceptors: interceptors, files: fileService, archive: archive,
                traces: traces, links: part.links, place: place),
            reactors: reactorSwitch)
        let endpoints = Endpoints(
            health: health, webhooks: webhooks, interceptors: interceptors, metrics: metrics,
            exposure: exposure, administration: administration, files: fileService,
            console: ConsoleRoutes(configuration, exposure, log))
        let engine = LocalEngine(
            reactor: 0, ledger: ledger, readers: readers, presence: part.presenceDoor,
            interceptors: interceptors, interests: reactorSwitch.interests, quarantine: quarantine,
            traces: traces?.sampler)
        reactors = ReactorParts(
            engine: engine, routes: endpoints.routes, counters: counters, admission: admission,
            accounts: accounts, log: log, files: fileService, started: started, drained: drained
        ).reactors(configuration, exposure, reactorSwitch.mailboxes)
        try started.takeAll(of: count)
        try part.letIn(around)
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
        if !ledger.isElsewhere { webhooks.apply(configuration.webhooks) }
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
    /// - Parameters:
    ///   - milliseconds: How long peers have to hear of it.
    ///   - begins: Called before each step.
    func drain(
        within milliseconds: UInt64 = Limits.drainMilliseconds,
        _ begins: (DrainStep) -> Void
    ) {
        health.isServing.store(false, ordering: .relaxed)
        begins(.sessions)
        administration.stop()
        metrics.stop()
        let deadline = Clock.monotonicMilliseconds() + milliseconds
        for number in reactors.indices {
            reactorSwitch.post(.drain(deadline: deadline), to: number)
        }
        let interceptorPart = min(UInt64(Limits.interceptorDrainMilliseconds), milliseconds)
        interceptors.drain(at: deadline - interceptorPart)
        for _ in reactors { _ = drained.take(atMost: 1) }
        begins(.ledger)
        interceptors.stop()
        webhooks.stop()
        traces?.stop()
        fileService?.stop()
        keeper.stop()
        // Behind the last commit.
        archive?.stop()
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
        [ledger.heartbeat.count, acceptor.heartbeat.count]
            + [presence.heartbeat.count] + readers.heartbeats.map(\.count)
            + reactors.map(\.heartbeat.count)
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
