// Has a command take each file of the archive somewhere else, on a thread of its own: it may take
// long, or hang.

import Basis
import EventModel
import Glibc
import Synchronization

/// Runs the operator's command for each file, the oldest first, until it succeeds.
///
/// A file that was taken cannot be written to any more by its owner's mode: so no list of them has
/// to be kept, and none is lost when the daemon is killed.
final class ArchiveCommand: Sendable {
    private let archive: ArchiveDirectory
    private let command: ChildProgram
    private let health: Health
    private let log: Log
    /// Paths in the archive, behind those that were there at the start.
    private let fresh = WorkQueue<String>(capacity: Limits.archiveUntakenMax)
    /// Whether one found no place there: then the directory says which ones there are.
    private let hasMissed = Atomic(true)
    private let isOver = Atomic(false)
    /// Whether the archive is this daemon's: what is another's is not for this one's command.
    private let isAdmitted = Atomic(false)
    /// When the file was written that is next, in seconds since 1970; 0: there is none.
    private let begun = Atomic(0)
    /// Of those that were taken from there.
    private let pending = Atomic(0)
    private let thread = Locked<OSThread?>(nil)

    /// Files that it has not taken, as far as it knows of them.
    var untakenCount: Int { pending.value + fresh.count }

    /// For how long the oldest of them waits.
    var oldestSeconds: Int {
        let begun = begun.value
        return begun == 0 ? 0 : max(0, time(nil) - begun)
    }

    init(_ command: ChildProgram, of archive: ArchiveDirectory, health: Health, log: Log) {
        (self.command, self.archive, self.health, self.log) = (command, archive, health, log)
        thread.withLock { $0 = OSThread(name: "archive-command") { [self] in run() } }
    }

    /// A file has come to the archive.
    ///
    /// - Parameter path: In it.
    func add(_ path: String) {
        if !fresh.put(path) { hasMissed.store(true, ordering: .relaxed) }
    }

    /// Has it take files, or no more of them.
    ///
    /// - Parameter isOurs: Whether the archive that is there now is this daemon's.
    func admit(_ isOurs: Bool) {
        isAdmitted.store(isOurs, ordering: .relaxed)
    }

    /// Ends what runs, and the thread; what was not taken is taken by the next start.
    func stop() {
        isOver.store(true, ordering: .relaxed)
        fresh.close()
        thread.withLock { $0.take() }?.join()
    }

    private var mayGoOn: Bool { !isOver.load(ordering: .relaxed) }

    private func run() {
        while mayGoOn {
            var paths = fresh.take(atMost: Limits.archiveUntakenMax, waitingAtMost: 1000)
            guard isAdmitted.load(ordering: .relaxed) else {
                if !paths.isEmpty { hasMissed.store(true, ordering: .relaxed) }
                continue
            }
            if hasMissed.exchange(false, ordering: .relaxed) {
                do throws(DatabaseFileError) {
                    paths = try archive.untaken()
                } catch {
                    // There is no archive yet.
                    hasMissed.store(true, ordering: .relaxed)
                }
            }
            pending.store(paths.count, ordering: .relaxed)
            for (index, path) in paths.enumerated() {
                // Whose the archive is comes first, and has waited since this start alone.
                let isOwner = path == ArchiveDirectory.owner
                note(isOwner ? paths[min(index + 1, paths.count - 1)] : path)
                while mayGoOn, !take(path) { pause() }
                begun.store(0, ordering: .relaxed)
                pending.add(-1)
            }
        }
    }

    /// Notes since when it waits; whose the archive is was there before all others.
    private func note(_ path: String) {
        let written =
            path == ArchiveDirectory.owner
            ? time(nil) : FileSystem.changed("\(archive.path)/\(path)") ?? time(nil)
        begun.store(written, ordering: .relaxed)
    }

    /// - Returns: Whether it is to be taken no more.
    private func take(_ path: String) -> Bool {
        // Why it is not is told already.
        guard isAdmitted.load(ordering: .relaxed) else { return false }
        let file = "\(archive.path)/\(path)"
        switch archive.isUntaken(path) {
        case true?: break
        // Whose the archive is comes again at each start.
        case false? where path == ArchiveDirectory.owner && FileSystem.exists(file): break
        case false?:
            // Forgotten meanwhile, or told of twice.
            clear()
            return true
        case nil:
            fail(path, "the archive cannot be read")
            return false
        }
        let start = Clock.monotonicMilliseconds()
        var isSlow = false
        let outcome = command.run([file, path]) {
            let seconds = (Clock.monotonicMilliseconds() - start) / 1000
            if !isSlow, seconds >= Limits.archiveCommandSlowSeconds {
                isSlow = true
                fail(path, "it has run for \(seconds) seconds" + printed)
            }
            return mayGoOn && seconds < Limits.archiveCommandSeconds
        }
        switch outcome {
        case .done where archive.noteTaken(path):
            clear()
            return true
        case .done: fail(path, "the file's mode cannot be changed")
        case .failed(let reason): fail(path, reason + printed)
        case .ended:
            guard mayGoOn else { return true }
            fail(path, "it was ended after \(Limits.archiveCommandSeconds) seconds" + printed)
        }
        return false
    }

    private func clear() {
        if health.clear(.archiveCommandFailing) {
            log.notice("The command of the archive goes on.")
        }
    }

    private var printed: String { ". What it printed is in the log" }

    private func fail(_ path: String, _ reason: String) {
        let text = "[archive] command has not taken \(path): \(reason)."
        if health.report(.archiveCommandFailing, text) { log.error(text) }
    }

    private func pause() {
        let end = Clock.monotonicMilliseconds() + Limits.archiveRetrySeconds * 1000
        while mayGoOn, Clock.monotonicMilliseconds() < end {
            usleep(100_000)
        }
    }
}

extension ArchiveDirectory {
    /// Whose archive it is, which another place may not know yet, and then the paths of what no
    /// command has taken, the oldest first.
    fileprivate func untaken() throws(DatabaseFileError) -> [String] {
        [Self.owner] + (try runs().flatMap(\.names).map(\.path).filter { isUntaken($0) != false })
    }
}
