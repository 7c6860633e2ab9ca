// Looks once a second whether the store is in its place and whether the threads make progress.

import Basis
import EventModel
import Glibc

/// Finds out what nobody meets while they wait: files that are gone, threads that hang.
///
/// On a thread of its own, so that it goes on whatever hangs.
final class HealthWatch: Sendable {
    /// - Parameter files: Of the store, when it has any.
    init(
        files: StorePlace?, ledger: LedgerThread, readers: ReaderPool, pressure: MemoryPressure,
        health: Health, troubles: StoreTroubles, certificate: CertificateWatch, log: Log
    ) {
        _ = OSThread(name: "health") {
            var ledgerStall = StallDetector()
            var readerStall = StallDetector()
            var sinceTrim = 0
            var wasShort = false
            while true {
                _ = sleep(1)
                pressure.look(at: Clock.monotonicMilliseconds())
                // Now and then: others wait for memory meanwhile.
                sinceTrim += 1
                if pressure.level > .none, sinceTrim >= Limits.trimSeconds {
                    sinceTrim = 0
                    ProcessMemory.giveBack()
                }
                let isShort = pressure.level >= .sessions
                if isShort != wasShort {
                    wasShort = isShort
                    tell(isShort, pressure, log)
                }
                health.set(
                    .memory, isShort,
                    "The memory is nearly used up: new sessions are refused. Raise [limits] "
                        + "memory_max, or see which keyset has how much in /metrics.")
                do throws(StoreError) {
                    try files?.checkAll()
                    if files != nil { troubles.look() }
                } catch {
                    troubles.lost(error)
                }
                certificate.look(at: time(nil), health)
                let isLedgerStalled = ledgerStall.observe(
                    progress: ledger.heartbeat.count, waiting: ledger.backlog)
                health.set(
                    .ledgerStalled, isLedgerStalled,
                    "Writes wait, and the ledger has done nothing for \(Limits.stalledSeconds) "
                        + "seconds or more. Look at the disk: it may hang.")
                // Also finds out whether a full disk has room again.
                if ledger.backlog == 0 { ledger.requestHeartbeat() }
                let reads = readers.progress
                let areReadersStalled = readerStall.observe(
                    progress: reads.steps, waiting: reads.waiting)
                health.set(
                    .readersStalled, areReadersStalled,
                    "Questions wait, and no reader has answered one for \(Limits.stalledSeconds) "
                        + "seconds or more. Look at the disk, or raise [server] readers.")
            }
        }
    }
}

/// Once when the memory begins to be short, and once when it ends.
private func tell(_ isShort: Bool, _ pressure: MemoryPressure, _ log: Log) {
    if isShort {
        log.warning(
            "The memory is nearly used up: new sessions are refused until there is room again.",
            ["memory_max": pressure.max, "percent": pressure.level.percent])
    } else {
        log.notice("There is memory again: new sessions are let in.")
    }
}

/// Tells a thread that hangs from one that has nothing to do.
struct StallDetector {
    private var progress: UInt64 = 0
    private var unmoved = 0

    /// Call it once a second: a process that was stopped for long is not mistaken for a hang.
    ///
    /// - Returns: Whether nothing has moved for ``Limits/stalledSeconds``, though something waits.
    mutating func observe(progress: UInt64, waiting: Int) -> Bool {
        guard waiting > 0, progress == self.progress else {
            self.progress = progress
            unmoved = 0
            return false
        }
        unmoved += 1
        return unmoved >= Limits.stalledSeconds
    }
}
