// Bringing a channel's set to the present for one question, in steps.

import EventModel

/// A channel's set while one question has it.
struct RepairWork: Sendable {
    private var set: RepairSet?
    private var reading: RepairReading?
    /// How often a clearing overtook the reading.
    private var overtaken = 0
    /// After so many the channel is read at once.
    private static let overtakenMax = 3

    /// What came of a step.
    enum Progress {
        /// The channel's own symbols as of the snapshot.
        case ready([CodedSymbol])
        case goesOn
        /// There is no room to read the channel now.
        case crowded
        /// The channel has more rows than are compared.
        case tooLarge
        /// The rows are not those that the digest is of.
        case mismatch
    }

    init(_ set: RepairSet?) {
        self.set = set
    }

    /// The set, which the work has no longer.
    mutating func takeSet() -> RepairSet? { set.take() }

    /// Goes on towards a channel's first symbols as of a snapshot.
    ///
    /// - Parameter mayRead: Whether there is room for a set of so many bytes.
    mutating func step(
        _ count: Int, _ snapshot: any ChannelSnapshot, key: DigestKey, mayRead: (Int) -> Bool,
        while mayGoOn: () -> Bool
    ) throws(StoreError) -> Progress {
        if var kept = set.take() {
            guard kept.grow(to: count, while: mayGoOn) else {
                set = kept
                return .goesOn
            }
            try kept.advance(to: snapshot)
            if kept.matches(snapshot) { return ready(kept, count) }
        }
        if reading == nil {
            let rowCount = snapshot.digest.count
            guard rowCount <= Limits.repairRowsMax else {
                // No file has room for so many.
                return rowCount >> 48 == 0 ? .tooLarge : .mismatch
            }
            let started = RepairReading(snapshot, key: key, symbolCount: count)
            guard mayRead(started.set.bytes) else { return .crowded }
            reading = started
        }
        guard try reading?.step(snapshot, while: mayGoOn) == true else { return .goesOn }
        if try reading?.finish(with: snapshot) == true { return takeReading(count) }
        if try reading?.isOvertaken(by: snapshot) == true, overtaken < Self.overtakenMax {
            overtaken += 1
            reading = RepairReading(snapshot, key: key, symbolCount: count)
            return .goesOn
        }
        guard reading?.isOfOneCommit == false else { return .mismatch }
        // Tombstones were forgotten meanwhile, or much was cleared.
        reading = RepairReading(snapshot, key: key, symbolCount: count)
        _ = try reading?.step(snapshot, while: { true })
        guard try reading?.finish(with: snapshot) == true else { return .mismatch }
        return takeReading(count)
    }

    private mutating func takeReading(_ count: Int) -> Progress {
        guard let found = reading.take()?.set else { return .mismatch }
        return ready(found, count)
    }

    private mutating func ready(_ found: RepairSet, _ count: Int) -> Progress {
        set = found
        return .ready(found.symbols(count))
    }
}
