// The threads of files: where disks may stall, so that no reactor does.

import Basis
import EventModel

/// The part of them that any thread may hold.
final class FileService: Sendable {
    private struct Counts {
        var uploads = 0
        var downloads = 0
    }

    private typealias Item = (order: FileOrder, origin: Origin)

    /// Signs the addresses of uploads and downloads.
    let key: FileTicketKey
    private let queues: [WorkQueue<Item>]
    private let counts = Locked(Counts())

    /// Removes what an earlier process left behind, and starts the threads.
    ///
    /// Nothing may come in yet: what is whole and not known is taken for left behind.
    init(
        in path: String, reader: any StoreReader, receiver: any FileReceiver, health: Health,
        log: Log
    ) throws(FileError) {
        var generator = SystemRandomNumberGenerator()
        key = FileTicketKey(using: &generator)
        let directory = try FileDirectory(path)
        do throws(StoreError) {
            let count = try directory.sweep { id throws(StoreError) in
                try reader.file(id) != nil
            }
            if count > 0 {
                log.notice(
                    "Files were removed of which nobody knows.", ["path": path, "files": count])
            }
        } catch {
            throw .failed(path: path, reason: "\(error)")
        }
        queues = (0..<Limits.fileThreads).map { _ in WorkQueue(capacity: Limits.fileOrdersMax) }
        for queue in queues {
            _ = OSThread(name: "files") {
                guard let directory = try? FileDirectory(path) else { return queue.close() }
                var work = FileWork(in: directory)
                while true {
                    let items = queue.take(atMost: 16)
                    if items.isEmpty { return }
                    for item in items {
                        guard let result = work.carryOut(item.order, for: item.origin) else {
                            continue
                        }
                        Self.tell(result, health, log)
                        receiver.deliver(FileAnswer(origin: item.origin, result: result))
                    }
                }
            }
        }
    }

    private static func tell(_ result: FileAnswer.Result, _ health: Health, _ log: Log) {
        switch result {
        case .stored:
            if health.clear(.filesFailing) { log.notice("Files can be written again.") }
        case .failed(.full):
            if health.report(.filesFailing, "The disk of the files is full. Make room on it.") {
                log.error("The disk of the files is full: uploads are refused.")
            }
        case .failed(.failed(let path, let reason)):
            if health.report(.filesFailing, "\(path): \(reason). Mend the disk of the files.") {
                log.error("A file cannot be read or written.", ["path": path, "reason": reason])
            }
        default: break
        }
    }

    /// Gives one more upload its place; ``endUpload()`` gives it back.
    func beginUpload() -> Bool {
        counts.withLock { counts in
            guard counts.uploads < Limits.uploadsMax else { return false }
            counts.uploads += 1
            return true
        }
    }

    func endUpload() { counts.withLock { $0.uploads -= 1 } }

    /// Likewise.
    func beginDownload() -> Bool {
        counts.withLock { counts in
            guard counts.downloads < Limits.downloadsMax else { return false }
            counts.downloads += 1
            return true
        }
    }

    func endDownload() { counts.withLock { $0.downloads -= 1 } }

    /// Has something done; `false` when too much waits.
    @discardableResult
    func put(_ order: FileOrder, for origin: Origin) -> Bool {
        let queue = queues[Int(origin.session.slot) % queues.count]
        return queue.put((order, origin))
    }

    /// Ends the threads; what is not whole is removed at the next start.
    func stop() { for queue in queues { queue.close() } }
}
