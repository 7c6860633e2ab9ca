// How a store is opened when the daemon starts, or followed.

import EventModel
import Glibc

/// The ledger's ground, wherever the ledger is.
struct OpenedLedger {
    /// `nil`: another daemon writes to it.
    let store: (any Store)?
    let clock: DaemonClock
    let start: StoreStart
    /// What may be forgotten, as its readers find it, too.
    var floors = KnownFloors()
    let makeReader: @Sendable () throws(StoreError) -> any StoreReader
}

/// - Parameter connection: To the daemon that writes to the store; `nil`: this one does.
func openLedger(
    _ configuration: Configuration, following connection: LinkConnection?, _ log: Log
) throws(StartError) -> sending OpenedLedger {
    guard let connection else {
        let (store, clock) = try openStore(configuration, log)
        do throws(StoreError) {
            return OpenedLedger(
                store: store, clock: clock, start: try StoreStart(of: store),
                makeReader: store.makeReader)
        } catch {
            throw .store(error)
        }
    }
    guard let place = configuration.databasePlace else { throw .link(.otherTerm) }
    let start: StoreStart
    do throws(StoreError) {
        // For the socket of operators.
        try makeDirectories(configuration.directory)
        // Behind the welcome: what this does not have comes over the link.
        start = try StoreStart(reading: place)
    } catch {
        throw .store(error)
    }
    let epoch = Epochs(store: start.epoch, runs: start.runs).text
    guard start.term == connection.welcome.term, epoch == connection.welcome.epoch else {
        throw .link(.otherTerm)
    }
    let floors = KnownFloors(start.floors)
    return OpenedLedger(
        store: nil, clock: DaemonClock(resuming: nil), start: start, floors: floors,
        makeReader: { () throws(StoreError) in try SQLReader(at: place, raising: floors) })
}

/// Where daemons come that follow this one.
func openLink(at address: ListenAddress) throws(StartError) -> FileDescriptor {
    do throws(TransportError) {
        let number = try Listener(host: address.host, port: address.port).release()
        // A thread waits for them.
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) & ~O_NONBLOCK)
        return FileDescriptor(owning: number)
    } catch {
        throw .transport(error)
    }
}

/// Opens the store, or makes it.
private func openStore(
    _ configuration: Configuration, _ log: Log
) throws(StartError) -> sending (any Store, DaemonClock) {
    switch configuration.storeKind {
    case .memory:
        let clock = DaemonClock(resuming: nil)
        let start = Timetoken(rawValue: clock.ticks())
        var state = MemoryStore.State()
        state.last = start
        return (MemoryStore(runs: [StoreRun(after: start)], state: state), clock)
    case .sqlite, .postgres:
        var made: DaemonClock?
        do throws(StoreError) {
            let store = try configuration.openDatabase(log) { anchor in
                let clock = DaemonClock(resuming: anchor)
                made = clock
                return clock.anchor()
            }
            return (store, made ?? DaemonClock(resuming: nil))
        } catch {
            throw .store(error)
        }
    }
}

extension Configuration {
    /// - Parameter resume: As ``SQLStore/init(directory:log:secret:resume:)`` has it.
    fileprivate func openDatabase(
        _ log: Log, _ resume: (ClockAnchor?) -> ClockAnchor?
    ) throws(StoreError) -> SQLStore {
        guard let storeServer else {
            let store = try SQLStore(directory: directory, log: log, resume: resume)
            try store.limitCache(to: cacheBytes(Limits.storeCacheBytesMax))
            return store
        }
        // For contents of files.
        try makeDirectories(directory)
        // Nothing was promised yet, and a server may let it wait for as long as a standby is away.
        let end: @Sendable (Int32) -> Never = { signal in
            log.notice("Stopped before it served.", ["signal": signal])
            _exit(0)
        }
        return try endable(by: [SIGTERM, SIGINT, SIGQUIT], end) { () throws(StoreError) in
            try SQLStore(
                server: storeServer.text, schema: storeSchema,
                // Who waits in reserve does so before clients can come.
                SeatTerms(
                    needsStandby: needsStandby, isPatient: !waitsInReserve && cluster == nil,
                    address: cluster?.advertise.description ?? ""),
                log: log, resume: resume)
        }
    }
}
