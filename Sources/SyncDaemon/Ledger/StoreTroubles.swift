// Tells operators what is wrong with the store: in health for as long as it lasts, in the log once.

import Basis
import EventModel

/// What the ledger and the readers met; any thread may report.
final class StoreTroubles: Sendable {
    private struct State {
        /// Writes that were refused since the disk was found to be full.
        var refused = 0
        /// Bytes without which the log cannot be copied.
        var missing = 0
        /// When a write last found no room, in milliseconds.
        var lastFull: UInt64 = 0
        /// When a question last failed, in milliseconds.
        var lastFailedRead: UInt64 = 0
        /// When the log was last told that the disk is full, in milliseconds.
        var toldFull: UInt64?
        /// Whether it was told of this shortage, so that it is to be told of the end, too.
        var isTold = false
        /// Places of damage that the log was told of.
        var places: Set<String> = []
    }

    /// Where the data is.
    private let directory: String
    private let health: Health
    private let counters: Counters
    private let log: Log
    private let freeBytes: @Sendable () -> Int?
    /// Whether it is a database server's disk, of which nobody here knows what it has left.
    private let isOnServer: Bool
    private let milliseconds: @Sendable () -> UInt64
    private let state = Locked(State())

    /// - Parameters:
    ///   - freeBytes: What the disk has left; `nil` when nobody can tell.
    ///   - milliseconds: A clock that never steps back.
    init(
        directory: String, isOnServer: Bool = false, health: Health, counters: Counters, log: Log,
        freeBytes: @escaping @Sendable () -> Int?,
        milliseconds: @escaping @Sendable () -> UInt64 = Clock.monotonicMilliseconds
    ) {
        self.directory = directory
        self.isOnServer = isOnServer
        self.health = health
        self.counters = counters
        self.log = log
        self.freeBytes = freeBytes
        self.milliseconds = milliseconds
    }

    /// As above, on the disk of the directory, or of a server that is called so.
    convenience init(
        directory: String, isOnServer: Bool = false, health: Health, counters: Counters, log: Log
    ) {
        self.init(
            directory: directory, isOnServer: isOnServer, health: health, counters: counters,
            log: log, freeBytes: { isOnServer ? nil : FreeSpace.bytes(at: directory) })
    }

    var isFull: Bool { health.has(.diskFull) }

    /// Hears that writes found no room.
    ///
    /// - Parameter missing: Bytes without which the log cannot be copied; `nil`: as before.
    func full(refusing count: Int, missing: Int? = nil) {
        counters.writesRefused.add(count)
        let bytes = freeBytes()
        let free = bytes.map(String.init) ?? "unknown"
        let needed = state.withLock { state in
            if let missing { state.missing = missing }
            state.lastFull = milliseconds()
            if isOnServer { return 0 }
            return state.missing > 0 ? state.missing : Limits.roomBytesMin - (bytes ?? 0)
        }
        let isNew = health.report(
            .diskFull,
            "The disk of \(directory) is full (\(free) bytes free): writes that need room are "
                + "refused with store_full, reads and pushes go on. Free some space"
                + (needed > 0 ? " (\(needed) bytes at least)" : "") + "; no restart is needed.")
        let now = milliseconds()
        let (isTold, refused) = state.withLock { state in
            state.refused = isNew ? count : state.refused + count
            let isDue = state.toldFull.map {
                now - $0 >= UInt64(Limits.reminderSeconds) * 1000
            }
            if isNew { state.isTold = false }
            guard isDue ?? true else { return (false, 0) }
            state.toldFull = now
            state.isTold = true
            return (true, state.refused)
        }
        guard isTold else { return }
        log.error(
            "The disk is full: writes are refused until there is room.",
            [
                "path": directory, "free_bytes": free, "needed_bytes": max(0, needed),
                "refused": refused,
            ])
    }

    /// Looks whether the next write may find no room.
    func look() {
        if let free = freeBytes(), free < Limits.frameBytesMax { full(refusing: 0) }
    }

    /// Hears that a write found room, and ends a full disk if there is enough.
    func foundRoom() {
        let free = freeBytes()
        // A small write finds room where a larger one does not.
        let pause = UInt64(Limits.serverRoomSeconds) * 1000
        if isOnServer, milliseconds() - state.withLock({ $0.lastFull }) < pause { return }
        guard (free ?? .max) >= Limits.roomBytesMin else {
            // With what is left now.
            return full(refusing: 0, missing: 0)
        }
        let isTold = state.withLock { $0.isTold }
        guard health.clear(.diskFull), isTold else { return }
        log.notice(
            "There is room on the disk again: writes are taken.",
            [
                "path": directory, "free_bytes": free.map(String.init) ?? "unknown",
                "refused": state.withLock { $0.refused },
            ])
    }

    /// Hears of something in the file that cannot be read, or is not what was written.
    ///
    /// - Parameter place: What was being read or written.
    func damaged(_ error: StoreError, in place: String) {
        counters.storeDamage.add()
        health.report(
            .storeDamaged,
            "\(error) The log says in which channels; they are refused with store_damaged, the "
                + "others go on.")
        let isNew = state.withLock { state in
            state.places.count < Limits.damagedPlacesMax && state.places.insert(place).inserted
        }
        guard isNew else { return }
        log.error(
            "The database is damaged.",
            ["path": directory, "where": place, "error": error.description])
    }

    /// Hears of a channel whose digest is not that of its rows.
    func contradicted(in channel: Channel) {
        damaged(
            .damaged(path: directory, reason: "a channel's digest is not that of its rows"),
            in: Quarantine.Place.channel(channel).description)
    }

    /// Hears of writes that the store could not take for a reason that was told already.
    func refused(_ count: Int) {
        counters.writesRefused.add(count)
    }

    /// Hears that the files are gone.
    func lost(_ error: StoreError, refusing count: Int = 0) {
        counters.writesRefused.add(count)
        guard health.report(.directoryLost, "\(error) Until then writes are refused.") else {
            return
        }
        log.error(
            "The data directory was removed or replaced: writes are refused until a restart.",
            ["path": directory])
    }

    /// Hears that a question could not be answered for another reason than damage.
    func failedToRead(_ error: StoreError) {
        counters.readErrors.add()
        state.withLock { $0.lastFailedRead = milliseconds() }
        health.report(.readsFailing, "The last read failed: \(error)")
        log.error("A read failed.", ["error": error.description])
    }

    /// Forgets a question that failed long ago: who is taken for not ready may be asked no other.
    func lookAtReads() {
        guard health.has(.readsFailing) else { return }
        let pause = UInt64(Limits.readsFailingSeconds) * 1000
        if milliseconds() - state.withLock({ $0.lastFailedRead }) >= pause {
            health.clear(.readsFailing)
        }
    }

    /// Hears that a question was answered.
    func read() {
        if health.has(.readsFailing) { health.clear(.readsFailing) }
    }
}
