// Puts pieces of a log over a copy of its database, transaction by transaction.

import EventModel

/// A database on its way to a moment.
struct LogReplay: ~Copyable {
    /// Where the log stands.
    private struct Place {
        let header: LogHeader
        /// Of all frames so far.
        var sum: LogSum
        var frames: Int
    }

    private let database: BinaryFile
    private let moment: Timetoken
    /// `nil`: nothing has come.
    private var place: Place?
    /// What the transaction has changed whose end has not come.
    private var pages: [(number: Int, bytes: ArraySlice<UInt8>)] = []
    private var databaseBytes: Int?
    /// What the copy has already, as it was at each commit up to the copy's own; only with what is
    /// behind it do these pages go together: the copy may be of a moment just behind that commit.
    private var held: [Int: ArraySlice<UInt8>] = [:]
    private let start: Timetoken
    /// Where the log stood before what comes next, up to the copy's own; `nil`: nothing says it.
    private var before: Timetoken?
    /// The newest position in the database.
    private(set) var through: Timetoken
    private(set) var transactions = 0

    /// - Parameters:
    ///   - database: Its copy.
    ///   - start: The newest position in that.
    ///   - before: Where the log stood before the first piece; `nil`: nobody knows.
    ///   - moment: What is later is left out.
    init(
        of database: consuming BinaryFile, from start: Timetoken, behind before: Timetoken?,
        to moment: Timetoken
    ) {
        self.database = database
        (self.moment, self.start, self.before, through) = (moment, start, before, start)
    }

    /// Puts a piece over it, which must be the one behind the last.
    ///
    /// - Returns: Whether the next one may have something of the moment, too.
    mutating func add(_ path: String) throws(DatabaseFileError) -> Bool {
        let file = try CompressedFile.reading(path)
        guard try file.read(LogChunk.start.count) == LogChunk.start else {
            throw .damagedPiece(path: path, reason: "it is no piece of a log")
        }
        while true {
            let chunk = try LogChunk.read {
                DatabaseFileError.damagedPiece(path: path, reason: $0)
            } _: { count throws(DatabaseFileError) in
                try file.read(count)
            }
            guard let chunk else { return true }
            guard let header = LogHeader(chunk.header), begin(chunk, header) else {
                throw .damagedPiece(path: path, reason: "it does not follow the piece before it")
            }
            guard try apply(chunk, header, of: file) else { return false }
        }
    }

    /// Goes on where the log was, or at its beginning.
    private mutating func begin(_ chunk: LogChunk, _ header: LogHeader) -> Bool {
        let sum = header.sum(chunk.sumBefore)
        guard let place else {
            place = Place(header: header, sum: sum, frames: chunk.first)
            return true
        }
        if header == place.header { return chunk.first == place.frames && sum == place.sum }
        self.place = Place(header: header, sum: header.sum, frames: 0)
        return chunk.first == 0 && header.follows(place.header) && pages.isEmpty
    }

    private mutating func apply(
        _ chunk: LogChunk, _ header: LogHeader, of file: borrowing CompressedFile
    ) throws(DatabaseFileError) -> Bool {
        var marks = chunk.marks[...]
        var left = chunk.count
        while left > 0 {
            let count = min(left, Limits.archiveFramesPerRead)
            let bytes = try file.read(count * header.frameBytes)
            guard bytes.count == count * header.frameBytes else {
                throw .damagedPiece(path: file.path, reason: "it is cut off")
            }
            left -= count
            for start in stride(from: 0, to: bytes.count, by: header.frameBytes) {
                let frame = bytes[start..<start + header.frameBytes]
                guard try add(frame, header, &marks, of: file.path) else { return false }
            }
        }
        return true
    }

    /// - Returns: Whether it is of the moment.
    private mutating func add(
        _ bytes: ArraySlice<UInt8>, _ header: LogHeader, _ marks: inout ArraySlice<LogMark>,
        of path: String
    ) throws(DatabaseFileError) -> Bool {
        guard var place, let frame = LogFrame(bytes, in: header, sum: &place.sum) else {
            throw .damagedPiece(path: path, reason: "a page in it is not what was written")
        }
        place.frames += 1
        self.place = place
        pages.append((frame.page, bytes.dropFirst(LogFrame.headerBytes)))
        guard frame.pagesAfter > 0 else { return true }
        while let mark = marks.first, mark.frames < place.frames { marks.removeFirst() }
        guard let mark = marks.first else {
            throw .damagedPiece(path: path, reason: "it does not say when a transaction was")
        }
        guard mark.through <= moment else { return false }
        for page in pages { held[page.number] = page.bytes }
        pages = []
        guard mark.through > start else {
            before = mark.through
            return true
        }
        // What comes next is a change of a state that the log came through.
        guard before ?? start == start else {
            throw .damagedPiece(
                path: path, reason: "it does not go on from the copy of \(start.dateText)")
        }
        before = start
        for (number, bytes) in held {
            try database.write(bytes, at: (number - 1) * header.pageBytes)
        }
        held = [:]
        databaseBytes = frame.pagesAfter * header.pageBytes
        through = max(through, mark.through)
        transactions += 1
        return true
    }

    /// Waits until the database is on the disk.
    consuming func finish() throws(DatabaseFileError) {
        if let databaseBytes { try database.setLength(databaseBytes) }
        try database.sync()
    }
}
