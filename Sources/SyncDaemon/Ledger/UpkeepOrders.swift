// What operators want done about the store's files, between two commits.

extension LedgerDoor {
    /// What is done by itself, too, when its time comes.
    enum Upkeep: Sendable {
        /// The log is copied into the file.
        case checkpoint
        /// Free space is given back, all of it.
        case compact
    }
}

/// Who waits for it; each is told whether it was done.
struct UpkeepOrders {
    typealias Told = @Sendable (Bool) -> Void

    private var copies: [Told] = []
    private var compactions: [Told] = []

    /// Whether space is to be given back, busy or not.
    var compacts: Bool { !compactions.isEmpty }

    mutating func add(_ work: LedgerDoor.Upkeep, _ told: @escaping Told) {
        switch work {
        case .checkpoint: copies.append(told)
        case .compact: compactions.append(told)
        }
    }

    /// Copies the log, if somebody waits for that.
    mutating func copyLog(of ledger: Ledger) -> StoreError? {
        guard !copies.isEmpty else { return nil }
        var failure: StoreError?
        ledger.copyLog(failure: &failure)
        for told in copies { told(failure == nil) }
        copies = []
        return failure
    }

    /// Hears that there is no more space to give back, or that it failed.
    mutating func compacted(_ isDone: Bool) {
        for told in compactions { told(isDone) }
        compactions = []
    }
}
