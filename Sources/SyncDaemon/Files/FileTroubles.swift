// What is wrong with the disk of files: told once in the log, and shown for as long as it lasts.

import Basis

/// Knows what is wrong now; any thread may call.
final class FileTroubles: Sendable {
    private enum Trouble {
        /// A look at the directory finds it, and finds out when it is over.
        case seen
        /// Something could not be written or read; over with the next upload that succeeds.
        case met
    }

    private let trouble = Locked<Trouble?>(nil)
    private let health: Health
    private let log: Log

    init(health: Health, log: Log) { (self.health, self.log) = (health, log) }

    /// Takes what became of an order.
    func heard(_ result: FileAnswer.Result) {
        switch result {
        case .stored: trouble.withLock { clear(&$0) }
        case .failed(let error): trouble.withLock { report(error, in: &$0) }
        default: break
        }
    }

    /// Takes what a look at the directory found: it needs no upload to be over.
    func looked(_ failure: FileError?) {
        trouble.withLock { trouble in
            if let failure {
                report(failure, in: &trouble)
            } else if trouble == .seen {
                clear(&trouble)
            }
        }
    }

    // Under the lock, so that one who finds all well does not take back what another met since.

    private func report(_ error: FileError, in trouble: inout Trouble?) {
        switch error {
        case .absent, .exists: return
        case .full:
            trouble = .seen
            if health.report(.filesFailing, "The disk of the files is full. Make room on it.") {
                log.error("The disk of the files is full: uploads are refused.")
            }
        case .notWritable(let path, let reason):
            trouble = .seen
            let text = "\(path): \(reason). Uploads fail. Put it in order, or start again."
            if health.report(.filesFailing, text) {
                log.error(
                    "The directory of files cannot be written.", ["path": path, "reason": reason])
            }
        case .failed(let path, let reason):
            trouble = .met
            if health.report(.filesFailing, "\(path): \(reason). Mend the disk of the files.") {
                log.error("A file cannot be read or written.", ["path": path, "reason": reason])
            }
        }
    }

    private func clear(_ trouble: inout Trouble?) {
        trouble = nil
        if health.clear(.filesFailing) { log.notice("Files can be written again.") }
    }
}
