// Where pieces of the log wait for the archive, between the ledger's thread and the archive's.

import Basis
import EventModel
import Synchronization

/// A directory beside the data, and what both threads know of it.
final class ArchiveShelf: Sendable {
    private struct State {
        /// `nil`: there is a gap, and no new run has begun.
        var run: String?
        /// Why runs ended that did, and how many there were.
        var gap: String?
        var gaps = 0
        var bytes = 0
    }

    /// Ends the name of what is not whole yet.
    static let partEnding = ".part"

    let directory: String
    private let bytesMax: Int
    private let state = Locked(State())
    /// Wakes the archive's thread; what does not fit has nothing to add.
    private let news = WorkQueue<Bool>(capacity: 64)
    private let isOver = Atomic(false)

    init(beside database: String, bytesMax: Int = Limits.archiveWaitingBytesMax) {
        directory = FileSystem.directory(of: database) + "/archive"
        self.bytesMax = bytesMax
        // What an earlier life has left.
        let names = (try? FileSystem.names(in: directory)) ?? []
        let sizes = names.filter { ArchiveName(waiting: $0) != nil }
            .map { Int(FileSystem.size("\(directory)/\($0)")) }
        put(bytes: sizes.reduce(0, +))
    }

    /// The run that is being archived.
    var run: String? { state.withLock { $0.run } }

    /// Why the last run ended; `nil`: none has.
    var gap: String? { state.withLock { $0.gap } }

    /// How often there was one.
    var gaps: Int { state.withLock { $0.gaps } }

    /// Of what waits.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Whether no more may wait.
    var isFull: Bool { bytes >= bytesMax }

    func begin(_ run: String) {
        state.withLock { $0.run = run }
        _ = news.put(true)
    }

    /// Says that so much more waits, or less.
    func put(bytes: Int) {
        state.withLock { $0.bytes += bytes }
        _ = news.put(true)
    }

    /// Whether nothing more comes.
    var isClosed: Bool { isOver.load(ordering: .acquiring) }

    func close() {
        isOver.store(true, ordering: .releasing)
        news.close()
    }

    /// Returns when something has changed, or time is over.
    func wait(milliseconds: UInt64) {
        _ = news.take(atMost: 64, waitingAtMost: milliseconds)
    }

    /// Ends the run: what comes next is not in it.
    func lose(_ reason: String) {
        state.withLock { state in
            (state.run, state.gap) = (nil, reason)
            state.gaps += 1
        }
        _ = news.put(true)
    }
}
