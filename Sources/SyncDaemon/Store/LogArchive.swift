// Copies the log to the archive's shelf before SQLite writes over it.
//
// SQLite begins the log anew only after all of it was copied into the database, and only the
// ledger's thread does that. So whatever is taken here before each such copy is all there ever was:
// pages of the database, which put over an earlier copy of it make it what it was at each commit.

import EventModel
import Glibc

/// Takes the log of a store; confined to the ledger's thread.
///
/// What goes wrong here is told to the shelf, and concerns no write: the run ends, and another one
/// begins, which needs a copy of the whole database first.
final class LogArchive {
    /// What is known of the log while it is taken without a gap.
    private struct Run {
        let name: String
        /// Of the next piece.
        var number = 0
        /// As it stands in the log.
        var bytes: [UInt8]
        /// `nil`: the log was empty when the run began.
        var header: LogHeader?
        /// Frames that are there, and those that were taken.
        var frames: Int
        var taken: Int
        /// Of frames that were not.
        var marks: [LogMark] = []
        var through: Timetoken
    }

    private let database: String
    private let shelf: ArchiveShelf
    private let milliseconds: UInt64
    private let now: () -> UInt64
    private let makeName: () throws(DatabaseFileError) -> String
    private var run: Run?
    private var log: BinaryFile?
    // The piece that is being written.
    private var piece: BinaryFile?
    private var pieceBytes = 0
    private var pieceBegan: UInt64 = 0
    /// No new run begins before.
    private var pausedUntil: UInt64 = 0
    /// Where the database stood before the first commit; `nil`: there was another one since.
    private var opening: Timetoken?
    /// What was told last.
    private var noted: (frames: Int, through: Timetoken)?

    /// - Parameters:
    ///   - seconds: After which what was committed is on the shelf.
    ///   - opening: Where the database stood before this process wrote to it.
    ///   - now: Milliseconds of a clock that only goes forward.
    ///   - makeName: For each new run.
    init(
        of database: String, to shelf: ArchiveShelf, seconds: Int, opening: Timetoken,
        now: @escaping () -> UInt64 = Clock.monotonicMilliseconds,
        makeName: @escaping () throws(DatabaseFileError) -> String
    ) {
        (self.database, self.shelf, self.now, self.makeName) = (database, shelf, now, makeName)
        (milliseconds, self.opening) = (UInt64(seconds) * 1000, opening)
    }

    /// To be called after each transaction.
    ///
    /// - Parameters:
    ///   - frames: In the log after it.
    ///   - through: The newest position in the database now.
    func note(_ frames: Int, through: Timetoken) {
        guard frames > 0 else { return }
        noted = (frames, through)
        attempt { () throws(DatabaseFileError) in
            guard run != nil else { return try begin(at: frames, through) }
            try look(frames, through)
            guard let run, let header = run.header else { return }
            let bytes = (run.frames - run.taken) * header.frameBytes
            if bytes >= Limits.archiveTakeBytes { try take() }
        }
        passTime()
    }

    /// To be called before the log is copied into the database.
    func takeAll() {
        attempt { () throws(DatabaseFileError) in try take() }
    }

    /// Ends the piece when it is time, and begins a run where there is none: also when nothing more
    /// is written; to be called about once a second.
    func passTime() {
        if run == nil, let noted {
            attempt { () throws(DatabaseFileError) in try begin(at: noted.frames, noted.through) }
        }
        guard let run, piece != nil || run.frames > run.taken else { return }
        let isLong = pieceBytes >= Limits.archivePieceBytes
        guard isLong || now() >= pieceBegan + milliseconds else { return }
        finish()
    }

    /// Takes what there is, and ends the piece.
    func finish() {
        attempt { () throws(DatabaseFileError) in
            try take()
            try seal()
        }
    }

    /// Says that nothing more is written, after ``finish()``.
    func end() {
        attempt { () throws(DatabaseFileError) in
            guard let run, run.taken == run.frames else { return }
            let name = ArchiveName(run: run.name, .end, through: run.through)
            _ = try BinaryFile.making("\(shelf.directory)/\(name.waiting)")
            self.run = nil
        }
    }

    /// Gives up all that waits, for a disk that is full.
    func makeRoom() {
        let waiting = shelf.bytes + pieceBytes
        guard run != nil || waiting > 0 else { return }
        lose("the disk of the data is full: \(waiting) bytes that waited were given up")
        shelf.clear()
    }

    private func attempt(_ body: () throws(DatabaseFileError) -> Void) {
        do throws(DatabaseFileError) {
            try body()
        } catch {
            lose("\(error)")
        }
    }

    private func begin(at frames: Int, _ through: Timetoken) throws(DatabaseFileError) {
        let after = opening ?? through
        opening = nil
        guard now() >= pausedUntil else { return }
        try FileSystem.makeDirectory(shelf.directory)
        guard !shelf.isFull else { return shelf.hinder(waitsTooMuch) }
        guard hasRoom else {
            let least = Limits.archiveReserveBytes >> 20
            return shelf.hinder(
                "the disk of the data has less than \(least) MiB left, and nothing may wait there:"
                    + " free some of it")
        }
        let log = try BinaryFile.reading(database + "-wal")
        let bytes = try log.read(LogHeader.byteCount, at: 0)
        let header = LogHeader(bytes)
        // One that was emptied has no header before the next commit.
        guard header != nil || bytes.isEmpty else {
            throw .damaged(path: log.path, reason: "its header is not SQLite's")
        }
        let frames = header == nil ? 0 : frames
        let name: String
        do throws(DatabaseFileError) {
            name = try makeName()
        } catch {
            return shelf.hinder("no run can begin: \(error)")
        }
        let mark = ArchiveName(run: name, .start(after: after), through: through)
        _ = try BinaryFile.making("\(shelf.directory)/\(mark.waiting)")
        run = Run(
            name: name, bytes: bytes, header: header, frames: frames, taken: frames,
            through: through)
        self.log = consume log
        pieceBegan = now()
        shelf.begin(name)
    }

    private var waitsTooMuch: String {
        "\(shelf.bytes) bytes wait in \(shelf.directory), and the archive takes none"
    }

    /// Notes what a transaction has added.
    private func look(_ frames: Int, _ through: Timetoken) throws(DatabaseFileError) {
        guard var run = self.run.take() else { return }
        let bytes = try log?.read(LogHeader.byteCount, at: 0) ?? []
        if bytes != run.bytes {
            guard run.taken == run.frames, let header = LogHeader(bytes),
                run.header.map(header.follows) ?? true
            else {
                throw .failed(
                    path: database,
                    reason: "another program copied its log while the daemon ran; only the daemon"
                        + " may have it open")
            }
            (run.bytes, run.header, run.frames, run.taken) = (bytes, header, 0, 0)
        }
        if run.taken == run.frames, piece == nil { pieceBegan = now() }
        if frames > run.frames { run.marks.append(LogMark(frames: frames, through: through)) }
        (run.frames, run.through) = (frames, through)
        self.run = run
    }

    private func take() throws(DatabaseFileError) {
        guard let run, let header = run.header, run.frames > run.taken else { return }
        guard hasRoom else { throw .noRoom(path: shelf.directory) }
        if piece == nil { try makePiece() }
        // In the last frame, or at the end of the log's header.
        let before =
            header.offset(ofFrame: run.taken)
            - (run.taken == 0 ? LogFrame.sumBytes : header.pageBytes + LogFrame.sumBytes)
        let chunk = LogChunk(
            header: run.bytes, sumBefore: try log?.read(LogFrame.sumBytes, at: before) ?? [],
            first: run.taken, count: run.frames - run.taken, marks: run.marks)
        try append(chunk.bytes)
        var next = run.taken
        while next < run.frames {
            let count = min(run.frames - next, Limits.archiveFramesPerRead)
            let wanted = count * header.frameBytes
            let bytes = try log?.read(wanted, at: header.offset(ofFrame: next)) ?? []
            guard bytes.count == wanted else {
                throw .damaged(path: database + "-wal", reason: "it is shorter than it was")
            }
            try append(bytes)
            next += count
        }
        self.run?.taken = run.frames
        self.run?.marks = []
    }

    /// What waits is to leave the database some of its disk.
    private var hasRoom: Bool {
        let free = FileSystem.freeBytes(beside: shelf.directory) ?? .max
        return free >= Limits.archiveReserveBytes
    }

    private var piecePath: String { shelf.directory + "/next" + ArchiveShelf.partEnding }

    private func makePiece() throws(DatabaseFileError) {
        piece = try .making(piecePath)
        pieceBytes = 0
        try append(LogChunk.start)
    }

    private func append(_ bytes: [UInt8]) throws(DatabaseFileError) {
        try piece?.write(bytes, at: pieceBytes)
        pieceBytes += bytes.count
    }

    private func seal() throws(DatabaseFileError) {
        guard let run, piece != nil else { return }
        try append(LogChunk.end)
        piece = nil
        let name = ArchiveName(run: run.name, .piece(run.number), through: run.through)
        try FileSystem.rename(piecePath, to: "\(shelf.directory)/\(name.waiting)")
        self.run?.number += 1
        pieceBegan = now()
        shelf.put(bytes: pieceBytes, next: run.number + 1)
        if shelf.isFull { throw .failed(path: shelf.directory, reason: waitsTooMuch) }
    }

    private func lose(_ reason: String) {
        run = nil
        piece = nil
        log = nil
        FileSystem.remove(piecePath)
        pieceBytes = 0
        pausedUntil = now() + Limits.archivePauseMilliseconds
        shelf.lose(reason)
    }
}
