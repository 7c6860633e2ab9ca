// Every bound of exports and imports.

import EventModel

extension Limits {
    /// Rows of an import in one commit; a killed one has to do as many again.
    static let transferRowsPerCommitMax = 10_000
    /// Bytes of lines of an import in one commit; over it: the next commit.
    static let transferBytesPerCommitMax = 4 * 1024 * 1024
    /// Bytes of a line of an export, or of a value of another service's; over it: the file is
    /// refused.
    static let transferLineBytesMax = 4 * 1024 * 1024
    /// Bytes that are read or written at once.
    static let transferChunkBytes = 256 * 1024
    /// Bytes of the database's pages that an import keeps.
    static let transferCacheBytesMax = 16 * 1024 * 1024
    /// How far a timetoken may be ahead of the machine's clock, in ticks, a day; over it: the file
    /// is refused.
    static let transferAheadTicksMax: UInt64 = 24 * 3600 * 10_000_000
    /// Contradictions, and things without a counterpart here, that are named; the rest is counted.
    static let transferExamplesMax = 20
}
