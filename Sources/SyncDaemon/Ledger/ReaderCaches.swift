// What the reader threads keep between questions, and share.

/// The caches of one store's readers.
struct ReaderCaches: Sendable {
    let repairs: RepairCache
    let summaries: SummaryCache

    init(repairs: RepairCache, secret: DigestSecret) {
        self.repairs = repairs
        summaries = SummaryCache(secret: secret)
    }
}
