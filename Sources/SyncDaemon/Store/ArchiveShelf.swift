// Where pieces of the log wait for the archive, between the ledger's thread and the archive's.

import Basis
import EventModel
import Synchronization

/// A directory beside the data, and what both threads know of it.
final class ArchiveShelf: Sendable {
    private struct State {
        /// `nil`: there is a gap, and no new run has begun.
        var run: String?
        /// Of the piece that is being written, or comes next.
        var number = 0
        /// Why no run begins; `nil`: nothing prevents that.
        var obstacle: String?
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
        directory = Self.directory(in: FileSystem.directory(of: database))
        self.bytesMax = bytesMax
        // What an earlier life has left.
        let names = (try? FileSystem.names(in: directory)) ?? []
        let sizes = names.filter { ArchiveName(waiting: $0) != nil }
            .map { Int(FileSystem.size("\(directory)/\($0)")) }
        put(bytes: sizes.reduce(0, +))
    }

    /// - Parameter data: The directory of the data.
    static func directory(in data: String) -> String { data + "/archive" }

    /// Who archives: no other data directory has this name, nor has one that was copied from here.
    func writer() throws(DatabaseFileError) -> String {
        try FileSystem.makeDirectory(directory)
        if let name = try Self.writer(in: directory) { return name }
        let name = String(UInt64.random(in: .min ... .max), radix: 16)
        let text = "\(name)\n\(FileSystem.number(of: directory))\n"
        try BinaryFile.replace(Self.writerPath(in: directory), with: Array(text.utf8))
        return name
    }

    /// - Parameter directory: A shelf's.
    /// - Returns: `nil` when it has none, or a copied one.
    static func writer(in directory: String) throws(DatabaseFileError) -> String? {
        guard let lines = try lines(of: writerPath(in: directory)), lines.count == 2 else {
            return nil
        }
        // A file system never has two directories of one number.
        return lines[1] == "\(FileSystem.number(of: directory))" ? lines[0] : nil
    }

    private static func writerPath(in directory: String) -> String { directory + "/writer" }

    /// The last two runs that have come to the archive, the newest behind the other.
    func runs() throws(DatabaseFileError) -> [String] { try Self.lines(of: runsPath) ?? [] }

    /// Notes that another one comes there.
    ///
    /// The one before stays: the archive is told afterwards.
    ///
    /// - Returns: Both.
    func note(begun run: String) throws(DatabaseFileError) -> [String] {
        let runs = (try self.runs() + [run]).suffix(2)
        try BinaryFile.replace(runsPath, with: Array(runs.map { $0 + "\n" }.joined().utf8))
        return Array(runs)
    }

    private var runsPath: String { directory + "/runs" }

    /// - Returns: `nil` when there is no such file.
    private static func lines(of path: String) throws(DatabaseFileError) -> [String]? {
        guard FileSystem.exists(path) else { return nil }
        let bytes = try BinaryFile.reading(path).read(512, at: 0)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// A moment for the name of a run, which is behind those of all others: an earlier state of
    /// the database that was put back may be of an earlier time, and so may the machine's clock.
    func moment(at now: Timetoken) throws(DatabaseFileError) -> Timetoken {
        let path = directory + "/newest"
        let found =
            FileSystem.exists(path) ? try BinaryFile.reading(path).read(32, at: 0) : []
        let newest = UInt64(String(decoding: found, as: UTF8.self)) ?? 0
        guard newest < Self.momentsEnd else {
            throw .failed(path: path, reason: "it says no moment: remove it")
        }
        // Names have microseconds.
        let moment = max(now, Timetoken(rawValue: newest).advanced(by: 10))
        try BinaryFile.replace(path, with: Array("\(moment)".utf8))
        return moment
    }

    /// The year 9999 and all of it: names have four digits.
    private static let momentsEnd: UInt64 = 2_534_023_008_000_000_000

    /// Where the archive is that was begun: an empty directory in its place is another one.
    ///
    /// - Returns: Whether one was begun there.
    func hasBegun(at path: String) throws(DatabaseFileError) -> Bool {
        guard FileSystem.exists(placeFile) else { return false }
        return try BinaryFile.reading(placeFile).read(8192, at: 0) == Array(path.utf8)
    }

    func note(begunAt path: String) throws(DatabaseFileError) {
        try BinaryFile.replace(placeFile, with: Array(path.utf8))
    }

    /// Says where it was begun.
    var placeFile: String { directory + "/place" }

    /// Removes all that waits.
    func clear() {
        let names = (try? FileSystem.names(in: directory)) ?? []
        for name in names where ArchiveName(waiting: name) != nil {
            FileSystem.remove("\(directory)/\(name)")
        }
        state.withLock { $0.bytes = 0 }
    }

    /// The run that is being archived, and the number of the piece that has what is written from
    /// now on.
    var place: (run: String, number: Int)? {
        state.withLock { state in state.run.map { ($0, state.number) } }
    }

    /// The run that is being archived.
    var run: String? { place?.run }

    /// Why none is, and none begins.
    var obstacle: String? { state.withLock { $0.obstacle } }

    /// Why the last run ended; `nil`: none has.
    var gap: String? { state.withLock { $0.gap } }

    /// How often there was one.
    var gaps: Int { state.withLock { $0.gaps } }

    /// Of what waits.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Whether no more may wait.
    var isFull: Bool { bytes >= bytesMax }

    func begin(_ run: String) {
        state.withLock { ($0.run, $0.number, $0.obstacle) = (run, 0, nil) }
        _ = news.put(true)
    }

    /// Says that a run would begin, and why it cannot.
    func hinder(_ reason: String) {
        state.withLock { $0.obstacle = reason }
    }

    /// Says that a piece waits.
    ///
    /// - Parameter next: The number of the one behind it.
    func put(bytes: Int, next: Int) {
        state.withLock { $0.number = next }
        put(bytes: bytes)
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
