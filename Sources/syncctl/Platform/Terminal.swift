// Standard output and error, line by line.

import Glibc

/// Where the tool writes.
enum Terminal {
    /// Whether standard output shows colour: a terminal, and nobody asked for none (no-color.org).
    static func showsColor(environment: [String: String]) -> Bool {
        isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"] != "dumb"
    }

    /// Writes a line at once; ends the program when nobody reads any more.
    static func print(_ line: String) {
        guard write(line, to: STDOUT_FILENO) else {
            // `syncctl history room | head -1` is no failure.
            if errno == EPIPE { exit(0) }
            complain("cannot write to standard output (errno \(errno)).")
            exit(1)
        }
    }

    /// Writes one sentence about a failure, or about what goes on.
    ///
    /// - Parameter isWhole: Whether it is a line for programs already.
    static func complain(_ sentence: String, isWhole: Bool = false) {
        _ = write(isWhole ? sentence : "syncctl: \(sentence)", to: STDERR_FILENO)
    }

    /// Shows a line on standard error in the place of the one before.
    static func overwrite(_ line: String) {
        _ = write("\rsyncctl: \(line)  ", to: STDERR_FILENO, end: "")
    }

    private static func write(
        _ line: String, to descriptor: Int32, end: String = "\n"
    ) -> Bool {
        var bytes = Array("\(line)\(end)".utf8)[...]
        while !bytes.isEmpty {
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            bytes = bytes.dropFirst(written)
        }
        return true
    }
}
