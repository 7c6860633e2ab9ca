// Where log records go: lines on standard error, or fields in systemd's journal.

import CSystemd
import Glibc

protocol LogSink: Sendable {
    /// Writes one record; never fails, because there is nobody left to tell.
    func write(_ record: LogRecord)
}

/// One line per record on a descriptor that stays open, standard error by default.
struct TextSink: LogSink {
    var descriptor: Int32 = STDERR_FILENO

    func write(_ record: LogRecord) { write(LogText.line(record)) }

    /// One write(2) a line: lines of several threads do not mix while they fit a pipe's buffer.
    private func write(_ line: String) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if written < 0 {
                if errno == EINTR { continue }
                return
            }
            rest = rest.dropFirst(written)
        }
    }
}

/// systemd's journal, with each field as one of its own: `journalctl -o verbose`.
struct JournalSink: LogSink {
    private static let fieldNameBytesMax = 64

    func write(_ record: LogRecord) {
        let entries = Self.entries(record).map { Array($0.utf8) }
        if !Self.send(entries) { TextSink().write(record) }
    }

    /// `NAME=value`, as sd_journal_sendv(3) takes them.
    static func entries(_ record: LogRecord) -> [String] {
        [
            "MESSAGE=\(LogText.message(record))", "PRIORITY=\(record.level.priority)",
            "SYSLOG_IDENTIFIER=syncdaemon",
        ] + record.fields.map { "\(fieldName($0.name))=\($0.value)" }
    }

    /// `SYNC_` and the name in the letters that the journal allows.
    static func fieldName(_ name: String) -> String {
        let letters = name.uppercased().unicodeScalars.map { scalar in
            switch scalar {
            case "A"..."Z", "0"..."9": Character(scalar)
            default: Character("_")
            }
        }
        return String(("SYNC_" + letters).prefix(fieldNameBytesMax))
    }

    /// Whether standard error is the journal, as systemd.exec(5) says to find out.
    ///
    /// `JOURNAL_STREAM` names the device and inode; a redirected stream has others.
    static var isStandardError: Bool {
        guard let stream = unsafe getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
        return unsafe String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }

    /// Whether journald listens: without it sd_journal_sendv(3) drops everything and says success.
    static var isReachable: Bool { unsafe access("/run/systemd/journal/socket", W_OK) == 0 }

    private static func send(_ entries: [[UInt8]]) -> Bool {
        var bytes = Array(entries.joined())
        return unsafe bytes.withUnsafeMutableBytes { bytes in
            var offset = 0
            let vectors = unsafe entries.map { entry in
                defer { offset += entry.count }
                return unsafe iovec(
                    iov_base: bytes.baseAddress.map { unsafe $0 + offset }, iov_len: entry.count)
            }
            return unsafe sd_journal_sendv(vectors, Int32(vectors.count)) >= 0
        }
    }
}
