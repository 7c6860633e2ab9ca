// What is wrong with the disk of files: told once in the log, and shown for as long as it lasts.

import Basis
import EventModel

/// Knows what is wrong now; any thread may call.
final class FileTroubles: Sendable {
    private enum Trouble {
        /// A look at the directory finds it, and finds out when it is over.
        case seen
        /// Something could not be written or read; over with the next upload that succeeds.
        case met
    }

    private struct State {
        var trouble: Trouble?
        /// What to say of it.
        var text = ""
        /// Files of another size than their rows say, with what those say, and what to say here.
        var wrong: [FileID: (expected: Int, text: String)] = [:]
    }

    private let state = Locked(State())
    private let health: Health
    private let log: Log

    init(health: Health, log: Log) { (self.health, self.log) = (health, log) }

    /// Files that are not served for their size, with the bytes that they are to have.
    var wrongSizes: [FileID: Int] { state.withLock { $0.wrong.mapValues { $0.expected } } }

    /// Takes what became of an order.
    func heard(_ result: FileAnswer.Result) {
        switch result {
        case .stored: state.withLock { clear(&$0) }
        case .failed(let error): state.withLock { report(error, in: &$0) }
        default: break
        }
    }

    /// Takes what a look at the directory found: it needs no upload to be over.
    ///
    /// - Parameter files: Those of the wrong size that are mended by now, or gone.
    func looked(_ failure: FileError?, mended files: [FileID] = []) {
        state.withLock { state in
            for file in files { state.wrong[file] = nil }
            if let failure {
                report(failure, in: &state)
            } else if state.trouble == .seen {
                clear(&state)
            }
            show(state)
        }
    }

    // Under the lock, so that one who finds all well does not take back what another met since.

    private func report(_ error: FileError, in state: inout State) {
        let isNew = state.trouble == nil
        switch error {
        case .absent, .exists: return
        case .full:
            state.trouble = .seen
            let least = Limits.fileReserveBytes
            state.text =
                "The disk of the files is full: uploads leave \(least >> 20) MiB of it free"
                + " (fileReserveBytes), for the database, and are refused where they cannot. Make"
                + " room on it."
            if isNew {
                log.error(
                    "The disk of the files is full: uploads are refused.",
                    ["kept_free_bytes": least])
            }
        case .notWritable(let path, let reason):
            state.trouble = .seen
            state.text = "\(path): \(reason). Uploads fail. Put it in order, or start again."
            if isNew {
                log.error(
                    "The directory of files cannot be written.", ["path": path, "reason": reason])
            }
        case .failed(let path, let reason):
            state.trouble = .met
            state.text = "\(path): \(reason). Mend the disk of the files."
            if isNew {
                log.error("A file cannot be read or written.", ["path": path, "reason": reason])
            }
        case .wrongSize(let id, let path, let bytes, let expected):
            note(id, at: path, bytes, expected, in: &state)
        }
        show(state)
    }

    private func note(
        _ id: FileID, at path: String, _ bytes: Int, _ expected: Int, in state: inout State
    ) {
        guard state.wrong[id] == nil, state.wrong.count < Limits.wrongFilesKnownMax else { return }
        let text =
            "\(path) has \(bytes) bytes instead of \(expected): it is not served. Put it there from"
            + " a copy, or have its file deleted."
        state.wrong[id] = (expected, text)
        log.error(
            "The contents of a file are not as long as they were: it is not served.",
            ["path": path, "bytes": bytes, "expected": expected])
    }

    private func clear(_ state: inout State) {
        let wasThere = state.trouble != nil
        state.trouble = nil
        if wasThere { log.notice("Files can be written again.") }
        show(state)
    }

    private func show(_ state: State) {
        var texts: [String] = []
        if state.trouble != nil { texts.append(state.text) }
        if let text = state.wrong.values.map({ $0.text }).min() { texts.append(text) }
        if state.wrong.count > 1 {
            texts.append("So it is with \(state.wrong.count) files; the log names them.")
        }
        health.set(.filesFailing, !texts.isEmpty, texts.joined(separator: " "))
    }
}
