// What the reader threads keep between questions, share, and are bounded by.

import EventModel

/// The caches of one store's readers.
struct ReaderCaches: Sendable {
    let repairs: RepairCache
    let segments = SegmentCache()
    let summaries: SummaryCache
    /// Where the keys of digests come from.
    let secret: DigestSecret
    /// How large pages of windows may become.
    let windows: WindowReading.Bounds

    init(
        repairs: RepairCache, secret: DigestSecret,
        summaryBytesMax: Int = Limits.summaryCacheBytesMax,
        windows: WindowReading.Bounds = WindowReading.Bounds()
    ) {
        self.repairs = repairs
        self.windows = windows
        self.secret = secret
        summaries = SummaryCache(secret: secret, bytesMax: summaryBytesMax)
    }
}
