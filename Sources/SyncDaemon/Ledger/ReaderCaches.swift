// What the reader threads keep between questions, and share.

import EventModel

/// The caches of one store's readers.
struct ReaderCaches: Sendable {
    let repairs: RepairCache
    let summaries: SummaryCache
    /// Where the keys of digests come from.
    let secret: DigestSecret

    init(
        repairs: RepairCache, secret: DigestSecret,
        summaryBytesMax: Int = Limits.summaryCacheBytesMax
    ) {
        self.repairs = repairs
        self.secret = secret
        summaries = SummaryCache(secret: secret, bytesMax: summaryBytesMax)
    }
}
