// SQLite's write-ahead log as bytes: its header, its frames, and the checksum over all of them.
//
// Source: sqlite.org/fileformat2.html, "The Write-Ahead Log".

/// The sum of a log's header and of its frames so far.
struct LogSum: Hashable, Sendable {
    private var (first, second) = (UInt32(0), UInt32(0))
    private let isBigEndian: Bool

    fileprivate init(isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
    }

    /// One that stands in a header or a frame.
    fileprivate init(_ bytes: UnsafeRawBufferPointer, at offset: Int, isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
        first = unsafe bytes.bigEndianWord(at: offset)
        second = unsafe bytes.bigEndianWord(at: offset + 4)
    }

    /// - Parameter bytes: A multiple of eight.
    fileprivate mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>) {
        for offset in unsafe stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
            var (one, two) = unsafe (
                bytes.base.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
                bytes.base.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            )
            (one, two) =
                isBigEndian
                ? (UInt32(bigEndian: one), UInt32(bigEndian: two))
                : (UInt32(littleEndian: one), UInt32(littleEndian: two))
            first = first &+ one &+ second
            second = second &+ two &+ first
        }
    }
}

/// What a log begins with; another one each time that it begins anew.
struct LogHeader: Hashable, Sendable {
    static let byteCount = 32
    /// In bytes.
    let pageBytes: Int
    /// In each frame of this log; the first counts how often it began anew.
    let salts: [UInt32]
    /// What the sum of the first frame goes on from.
    let sum: LogSum
    private let isBigEndian: Bool

    /// - Returns: `nil` when no log begins so.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == LogHeader.byteCount else { return nil }
        let read = unsafe bytes.withUnsafeBytes { unsafe LogHeader(bytes: $0) }
        guard let read else { return nil }
        self = read
    }

    private init?(bytes: UnsafeRawBufferPointer) {
        let magic = unsafe bytes.bigEndianWord(at: 0)
        guard magic & ~1 == 0x377F_0682 else { return nil }
        isBigEndian = magic & 1 == 1
        pageBytes = Int(unsafe bytes.bigEndianWord(at: 8))
        guard (512...65_536).contains(pageBytes), pageBytes & (pageBytes - 1) == 0 else {
            return nil
        }
        salts = unsafe [bytes.bigEndianWord(at: 16), bytes.bigEndianWord(at: 20)]
        var sum = LogSum(isBigEndian: isBigEndian)
        unsafe sum.add(bytes[0..<24])
        let own = unsafe LogSum(bytes, at: 24, isBigEndian: isBigEndian)
        guard sum == own else { return nil }
        self.sum = sum
    }

    /// Bytes of a frame: its header, and a page.
    var frameBytes: Int { LogFrame.headerBytes + pageBytes }

    /// Where a frame begins in the log.
    func offset(ofFrame number: Int) -> Int { LogHeader.byteCount + number * frameBytes }

    /// Whether this is what SQLite makes of another one when it begins the log anew, once or, where
    /// nothing could be written on a full disk, several times.
    func follows(_ earlier: LogHeader) -> Bool {
        let times = salts[0] &- earlier.salts[0]
        return (1..<1 << 31).contains(times) && pageBytes == earlier.pageBytes
    }

    /// What the sum of all frames through one comes to, as that says.
    fileprivate func sum(ofFrame bytes: UnsafeRawBufferPointer) -> LogSum {
        unsafe LogSum(bytes, at: LogFrame.sumOffset, isBigEndian: isBigEndian)
    }

    /// A sum as it stands in a frame.
    func sum(_ bytes: [UInt8]) -> LogSum {
        precondition(bytes.count == LogFrame.sumBytes)
        return unsafe bytes.withUnsafeBytes {
            unsafe LogSum($0, at: 0, isBigEndian: isBigEndian)
        }
    }
}

/// What stands before a page in the log.
struct LogFrame: Hashable, Sendable {
    static let headerBytes = 24
    /// Where its sum stands.
    static let (sumOffset, sumBytes) = (16, 8)
    /// From 1 on.
    let page: Int
    /// Pages of the database after the transaction that this frame ends; 0: it ends none.
    let pagesAfter: Int

    /// Reads a whole frame.
    ///
    /// - Parameter sum: That of the frames before it; becomes that of this one as well.
    /// - Returns: `nil` when it is not what SQLite wrote there.
    init?(_ bytes: ArraySlice<UInt8>, in header: LogHeader, sum: inout LogSum) {
        precondition(bytes.count == header.frameBytes)
        let read = unsafe bytes.withUnsafeBytes { unsafe LogFrame($0, in: header, sum: &sum) }
        guard let read else { return nil }
        self = read
    }

    private init?(_ bytes: UnsafeRawBufferPointer, in header: LogHeader, sum: inout LogSum) {
        guard
            unsafe [bytes.bigEndianWord(at: 8), bytes.bigEndianWord(at: 12)] == header.salts
        else { return nil }
        unsafe sum.add(bytes[0..<8])
        unsafe sum.add(bytes[Self.headerBytes..<header.frameBytes])
        guard unsafe header.sum(ofFrame: bytes) == sum else { return nil }
        page = Int(unsafe bytes.bigEndianWord(at: 0))
        pagesAfter = Int(unsafe bytes.bigEndianWord(at: 4))
        guard page > 0 else { return nil }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func bigEndianWord(at offset: Int) -> UInt32 {
        UInt32(bigEndian: unsafe loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
