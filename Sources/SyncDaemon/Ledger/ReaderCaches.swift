// What the reader threads keep between questions, share, and are bounded by.

import EventModel

/// The caches of one store's readers.
struct ReaderCaches: Sendable {
    let repairs: RepairCache
    let segments: SegmentCache
    let summaries: SummaryCache
    /// Where the keys of digests come from.
    let secret: DigestSecret
    /// How large pages of windows may become.
    let windows: WindowReading.Bounds

    /// - Parameter segments: Those of channels that are repaired by segments.
    init(
        repairs: RepairCache, segments: SegmentCache = SegmentCache(), secret: DigestSecret,
        summaryBytesMax: Int = Limits.summaryCacheBytesMax,
        windows: WindowReading.Bounds = WindowReading.Bounds()
    ) {
        (self.repairs, self.segments) = (repairs, segments)
        self.windows = windows
        self.secret = secret
        summaries = SummaryCache(secret: secret, bytesMax: summaryBytesMax)
    }
}
