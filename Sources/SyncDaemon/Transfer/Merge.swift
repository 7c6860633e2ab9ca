// Puts rows of another store beside those that are there: what is new, and nothing else.

import EventModel

/// The writing half of every import, in commits of bounded size.
///
/// Each commit leaves a store that a daemon could start on: rows, sums, segments and digests agree.
/// A row that is there already is left alone, and one that is there otherwise is a contradiction.
final class Merge {
    /// What became of the rows.
    struct Outcome: Hashable {
        var written = 0
        var already = 0
        /// Contradictions in which what was there stays.
        var kept = 0
        /// Files of which nobody has the contents.
        var leftOut = 0
        /// Some of them, in words.
        var examples: [String] = []
    }

    /// The channel whose rows come, as the store has it.
    struct Place {
        let channel: Channel
        let id: Int64
        var newestMessage: Timetoken
        /// Whether rows have to be looked for among what was deleted.
        let hasDeletions: Bool
        /// Whether actions have to be looked for among what moderators took away.
        var hasClearings: Bool
        /// Whether its messages are entries, of which there is one of each id.
        let isDirectory: Bool
    }

    private(set) var outcome: Outcome
    let intake: StoreIntake
    let store: SQLStore
    /// Where contents of files come from and go to; `nil`: none are there.
    let contents: FileContents?
    var digests: ChannelDigests
    /// Whether contradictions are passed over.
    private let keeps: Bool
    /// Timetokens after this are refused.
    let latest: Timetoken
    /// Makes a moment of the daemon's time one of the retention clock.
    let ageOffset: Int64
    /// The newest timetoken that came.
    var newest = Timetoken.zero
    var place: Place?
    /// What moderators took away, by channel: files of other services change it with each line.
    var clearingIndexes: [Int64: ClearingIndex] = [:]
    private var (rows, bytes) = (0, 0)
    /// Whether followers that come back will know that there are rows behind their cursors.
    private var hasNewEpoch = false
    /// Whether anything that came is durable.
    private(set) var hasKept = false
    private let rowsPerCommit: Int

    /// - Parameters:
    ///   - outcome: Of an earlier run that this one goes on.
    ///   - contents: What has contents of files in their place.
    ///   - segments: Where channels are cut into segments.
    ///   - now: The machine's clock, in timetoken ticks.
    init(
        _ intake: StoreIntake, keeps: Bool, outcome: Outcome = Outcome(),
        contents: FileContents? = nil,
        rowsPerCommit: Int = Limits.transferRowsPerCommitMax,
        segments: SegmentBounds = SegmentBounds(), now: UInt64
    ) throws(TransferError) {
        self.rowsPerCommit = rowsPerCommit
        self.intake = intake
        self.keeps = keeps
        self.outcome = outcome
        self.contents = contents
        store = intake.store
        digests = ChannelDigests(secret: store.secret, segments: segments)
        latest = .latest(at: now)
        ageOffset = store.clock.ageOffset
        // What deletions hid stands in the way of rows with the same timetokens.
        try storing { () throws(StoreError) in
            while store.hasHiddenRows {
                try store.begin()
                try store.removeHiddenRows(limit: Limits.transferRowsPerCommitMax)
                try store.commit(through: store.last)
            }
            try store.begin()
        }
    }

    /// Begins with a channel, which gets its place in the store.
    func enter(_ channel: Channel) throws(TransferError) {
        place = try storing { () throws(StoreError) in
            let id = try store.id(of: channel)
            return Place(
                channel: channel, id: id,
                newestMessage: try intake.newestMessage(of: id) ?? .zero,
                hasDeletions: try intake.hasDeletions(in: id),
                hasClearings: try intake.hasClearings(in: id),
                isDirectory: Directory(channelName: channel.name) != nil)
        }
    }

    /// The digest of a channel, and the key under which the store has it.
    func state(of channel: Channel) throws(TransferError) -> (digest: Digest, key: DigestKey) {
        let digest = try storing { () throws(StoreError) in
            try digests.digest(of: channel, in: store)
        }
        return (digest, store.secret.key(of: channel))
    }

    func key(of channel: Channel) -> DigestKey { store.secret.key(of: channel) }

    /// Takes one row.
    ///
    /// - Parameter size: Bytes of its line.
    /// - Returns: Whether it is time to ``commit(note:)``.
    func put(_ record: TransferRecord, size: Int) throws(TransferError) -> Bool {
        do throws(PutError) {
            let isNew = try decide(record)
            if isNew { outcome.written += 1 } else { outcome.already += 1 }
        } catch {
            switch error {
            case .store(let error): throw .store(error)
            case .tooLate(let timetoken): throw .tooLate(timetoken)
            case .contents(let error): throw .contents(error)
            case .noContents: outcome.leftOut += 1
            case .contradicts(let reason, let channel): try passOver(reason, in: channel)
            }
        }
        rows += 1
        bytes += size
        return rows >= rowsPerCommit || bytes >= Limits.transferBytesPerCommitMax
    }

    private func passOver(_ reason: String, in channel: Channel?) throws(TransferError) {
        let found = Contradiction(
            channel: channel ?? place?.channel ?? Channel("", keyset: ""), reason: reason)
        guard keeps else { throw .contradiction(found) }
        outcome.kept += 1
        if outcome.examples.count < Limits.transferExamplesMax {
            outcome.examples.append(found.description)
        }
    }

    /// Makes what came durable, and begins anew.
    ///
    /// - Parameters:
    ///   - last: The store is to go on after this at least.
    ///   - note: What a later run needs to know, made of the ceiling of this commit; `nil`: all has
    ///     come.
    func commit(
        through last: Timetoken = .zero, note: ((Timetoken) -> String)?
    ) throws(TransferError) {
        try storing { () throws(StoreError) in
            _ = try digests.write(to: store)
            let last = max(last, newest, store.last)
            let clock = ClockRecord(
                ceiling: max(last, store.clock.ceiling), anchor: store.clock.anchor)
            if outcome.written > 0, !hasNewEpoch {
                try intake.renewEpoch()
                hasNewEpoch = true
            }
            try intake.note(note.map { $0(clock.ceiling) })
            try store.commit(through: last, clock)
            try store.begin()
        }
        (rows, bytes) = (0, 0)
        hasKept = outcome.written > 0
    }

    /// Undoes what came since the last commit, and writes no more.
    func end() {
        store.rollback()
        digests.rollBack(to: nil)
    }

    /// Has a later run of the same import begin at the beginning, behind ``end()``.
    ///
    /// Where there is no room for that, the error that led here is all that is told.
    func forgetProgress() {
        do throws(StoreError) {
            try store.begin()
            try intake.note(nil)
            try store.commit(through: store.last)
        } catch {
            store.rollback()
        }
    }

    private func storing<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(TransferError) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            throw .store(error)
        }
    }
}

extension Timetoken {
    /// The last one that is taken for right.
    ///
    /// - Parameter now: The machine's clock, in ticks.
    static func latest(at now: UInt64) -> Timetoken {
        Timetoken(rawValue: now).advanced(by: Limits.transferAheadTicksMax)
    }
}
