// How a store is opened when the daemon starts.

import EventModel
import Glibc

/// Opens the store, or makes it.
func openStore(
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
                SeatTerms(needsStandby: needsStandby, isPatient: !waitsInReserve),
                log: log, resume: resume)
        }
    }
}
