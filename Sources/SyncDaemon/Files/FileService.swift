// The threads of files: where disks may stall, so that no reactor does.

import Basis
import EventModel
import Synchronization

/// The part of them that any thread may hold.
final class FileService: Sendable {
    private struct State {
        var uploads = FilePlaces(
            max: Limits.uploadsMax, perPeerMax: Limits.uploadsPerPeerMax)
        var downloads = FilePlaces(
            max: Limits.downloadsMax, perPeerMax: Limits.downloadsPerPeerMax)
        var used = UsedUploads()
    }

    private enum Item {
        case order(FileOrder, Origin)
        /// Whether files can be written.
        case look
    }

    /// Signs the addresses of uploads and downloads.
    let key: FileTicketKey
    private let queues: [WorkQueue<Item>]
    private let state = Locked(State())
    let figures = FileFigures()
    private let isLooking = Atomic(false)
    /// Whether any channel may have files.
    private let isWanted: Atomic<Bool>

    /// Puts in order what an earlier process left behind, and starts the threads.
    ///
    /// Nothing may come in yet: what is whole and not known is taken for left behind.
    ///
    /// - Parameters:
    ///   - seconds: Now, in Unix seconds.
    ///   - isWanted: As ``want(_:)`` says it.
    ///   - damaged: Told when the rows of files cannot be read: then every file stays where it is.
    init(
        in path: String, reader: any StoreReader, receiver: any FileReceiver, health: Health,
        log: Log, at seconds: Int64, isWanted: Bool, damaged: (StoreError) -> Void
    ) throws(FileError) {
        var generator = SystemRandomNumberGenerator()
        key = FileTicketKey(using: &generator)
        self.isWanted = Atomic(isWanted)
        let directory = try FileDirectory(path)
        directory.discardParts()
        do throws(StoreError) {
            let found = try directory.sweep(at: seconds) { id throws(StoreError) in
                try reader.file(id) != nil
            }
            figures.take(found)
            Self.tell(found, of: path, log)
        } catch .damaged(let place, let reason) {
            damaged(.damaged(path: place, reason: reason))
            let found = directory.survey()
            figures.changeStored(by: found.files, bytes: found.bytes)
        } catch {
            throw .failed(path: path, reason: "\(error)")
        }
        let troubles = FileTroubles(health: health, log: log)
        queues = (0..<Limits.fileThreads).map { _ in WorkQueue(capacity: Limits.fileOrdersMax) }
        let room = FileRoom()
        for queue in queues {
            _ = OSThread(name: "files") { [self] in
                guard let directory = try? FileDirectory(path) else { return queue.close() }
                var work = FileWork(in: directory, figures: figures, room: room)
                while true {
                    let items = queue.take(atMost: 16)
                    if items.isEmpty { return }
                    for item in items {
                        switch item {
                        case .order(let order, let origin):
                            guard let result = work.carryOut(order, for: origin) else { continue }
                            troubles.heard(result)
                            receiver.deliver(FileAnswer(origin: origin, result: result))
                        case .look:
                            let isWanted = self.isWanted.load(ordering: .relaxed)
                            troubles.looked(
                                isWanted ? work.look() : nil,
                                mended: work.mended(of: troubles.wrongSizes))
                            isLooking.store(false, ordering: .relaxed)
                        }
                    }
                }
            }
        }
    }

    /// One line for each kind of what a start did.
    private static func tell(_ found: FileSweep, of path: String, _ log: Log) {
        let aside = path + "/" + FileDirectory.asideName
        for (sum, path, text) in [
            (found.putAside, aside, "Files of which the database does not know were put aside."),
            (found.stuck, path, "Files of which the database does not know cannot be put aside."),
            (found.broughtBack, path, "Files that were put aside are back in their place."),
            (found.forgotten, aside, "Files that were put aside long ago were removed."),
        ] where sum.files > 0 {
            log.notice(text, ["path": path, "files": sum.files, "bytes": sum.bytes])
        }
    }

    /// Says whether any channel may have files: only then is it a trouble when none can be written.
    func want(_ isWanted: Bool) { self.isWanted.store(isWanted, ordering: .relaxed) }

    /// Has a thread find out whether files can be written; asked once a second.
    func look() {
        guard !isLooking.exchange(true, ordering: .relaxed) else { return }
        // What is left undone, nobody waits for.
        if !queues[0].put(.look) { isLooking.store(false, ordering: .relaxed) }
    }

    /// Uploads and downloads under way.
    var open: (uploads: Int, downloads: Int) {
        state.withLock { ($0.uploads.total, $0.downloads.total) }
    }

    /// Gives one more upload its place; ``endUpload(of:failed:)`` gives it back.
    func beginUpload(of peer: FilePeer) -> FilePlaces.Verdict {
        let verdict = state.withLock { $0.uploads.take(for: peer) }
        count(verdict, figures.uploads, or: .uploads)
        return verdict
    }

    func endUpload(of peer: FilePeer, failed: Bool) {
        state.withLock { $0.uploads.leave(peer) }
        if failed { figures.uploadsFailed.add() }
    }

    /// Likewise.
    func beginDownload(of peer: FilePeer) -> FilePlaces.Verdict {
        let verdict = state.withLock { $0.downloads.take(for: peer) }
        count(verdict, figures.downloads, or: .downloads)
        return verdict
    }

    func endDownload(of peer: FilePeer, failed: Bool) {
        state.withLock { $0.downloads.leave(peer) }
        if failed { figures.downloadsFailed.add() }
    }

    private func count(
        _ verdict: FilePlaces.Verdict, _ begun: borrowing Atomic<Int>, or limit: FileLimit
    ) {
        switch verdict {
        case .letIn: begun.add()
        case .full: figures.met(limit)
        case .hasItsShare: figures.met(.share)
        }
    }

    /// Whether an address came to a file already, which may be gone.
    func isUsed(_ ticket: FileTicket) -> Bool { state.withLock { $0.used.contains(ticket) } }

    /// Notes that it did; `false` when it was noted before.
    func use(_ ticket: FileTicket, at seconds: Int64) -> Bool {
        state.withLock { $0.used.insert(ticket, at: seconds) }
    }

    /// Has a whole file removed, and everybody's download of it ended.
    func remove(_ id: FileID, for origin: Origin) {
        for queue in queues where !queue.put(.order(.remove(id), origin)) { figures.met(.orders) }
    }

    /// Has something done; `false` when too much waits.
    @discardableResult
    func put(_ order: FileOrder, for origin: Origin) -> Bool {
        let queue = queues[Int(origin.session.slot) % queues.count]
        let isTaken = queue.put(.order(order, origin))
        if !isTaken { figures.met(.orders) }
        return isTaken
    }

    /// Ends the threads; what is not whole is removed at the next start.
    func stop() { for queue in queues { queue.close() } }
}
