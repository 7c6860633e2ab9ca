// The bounds of the console's files, which are kept in memory.

import EventModel

extension Limits {
    /// Files of the console and of the web client; over it: there is no console, and a line in the
    /// log.
    static let consoleFilesMax = 1000
    /// Bytes of all of them; likewise.
    static let consoleBytesMax = 8 * 1024 * 1024
    /// Directories within each other; what lies deeper is not served.
    static let consoleDepthMax = 8
}
