// Looks once a second whether the store is in its place and whether the threads make progress.

import Basis
import EventModel
import Glibc

/// Finds out what nobody meets while they wait: files that are gone, threads that hang.
///
/// On a thread of its own, so that it goes on whatever hangs.
final class HealthWatch: Sendable {
    /// - Parameters:
    ///   - place: Of the store's files, when it has any.
    ///   - files: Those of channels, likewise.
    init(
        place: StorePlace?, files: FileService?, ledger: LedgerDoor, readers: ReaderPool,
        pressure: MemoryPressure,
        health: Health, troubles: StoreTroubles, certificate: CertificateWatch, log: Log
    ) {
        _ = OSThread(name: "health") {
            var ledgerStall = StallDetector()
            var readerStall = StallDetector()
            var sinceTrim = 0
            var told = MemoryPressure.Level.none
            while true {
                _ = sleep(1)
                pressure.look(at: Clock.monotonicMilliseconds())
                // Now and then: others wait for memory meanwhile.
                sinceTrim += 1
                if pressure.level > .none, sinceTrim >= Limits.trimSeconds {
                    sinceTrim = 0
                    ProcessMemory.giveBack()
                }
                // What is dropped, and again and again, is in the metrics.
                let level = min(pressure.level, .sessions)
                if level != told { tell(level, pressure, log) }
                told = level
                health.set(
                    .memory, level == .sessions,
                    "The memory is nearly used up: new sessions are refused. Raise [limits] "
                        + "memory_max, or see which keyset has how much in /metrics.")
                do throws(StoreError) {
                    try place?.checkAll()
                    if place != nil { troubles.look() }
                } catch {
                    troubles.lost(error)
                }
                troubles.lookAtReads()
                files?.look()
                certificate.look(at: time(nil), health)
                let isLedgerStalled = ledgerStall.observe(
                    progress: ledger.turns.count, waiting: ledger.waiting)
                let isNews = health.set(
                    .ledgerStalled, isLedgerStalled,
                    "Writes wait, and the ledger has done nothing for \(Limits.stalledSeconds) "
                        + "seconds or more. \(cure(of: ledger))")
                if isNews { tellStall(isLedgerStalled, of: ledger, log) }
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

private func cure(of ledger: LedgerDoor) -> String {
    if ledger.isElsewhere { return "Look at the daemon that orders: its /readyz says why." }
    return ledger.term > 0
        ? "Look whether a standby is away that commits wait for, or the database server hangs."
        : "Look at the disk: it may hang."
}

private func tellStall(_ isThere: Bool, of ledger: LedgerDoor, _ log: Log) {
    if isThere {
        log.warning(
            "The ledger stands still: writes wait. \(cure(of: ledger))",
            ["waiting": ledger.waiting])
    } else {
        log.notice("The ledger goes on.")
    }
}

/// Once at each change of who is refused because memory is short.
private func tell(_ level: MemoryPressure.Level, _ pressure: MemoryPressure, _ log: Log) {
    switch level {
    case .none: log.notice("There is memory again: everybody is let in.")
    case .tenants:
        log.notice(
            "Memory is short: keysets that never wrote anything are refused.",
            ["memory_max": pressure.max, "percent": level.percent])
    case .sessions, .queues:
        log.warning(
            "The memory is nearly used up: new sessions are refused until there is room again.",
            ["memory_max": pressure.max, "percent": level.percent])
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
