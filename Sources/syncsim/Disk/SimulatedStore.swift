// A real store on a disk that fills up, breaks and loses power at any moment of a transaction.

import Basis
import EventModel
import SQLiteFaults

@testable import SyncDaemon

/// Passes everything on, and notes what it was.
final class SimulatedStore: Store {
    enum Backing {
        case memory(MemoryStore)
        case files(SQLiteStore, FaultyDisk)
    }

    /// What becomes of the transaction under way.
    enum Fate {
        case good
        /// The disk is full from about the given call on.
        case full(atCall: Int)
        /// The power goes at the given call; at the last one of all: amid the sync.
        case powerLoss(atCall: Int)
        /// The disk fails to sync.
        case badSync
        /// The disk fails to read.
        case badRead(atCall: Int)
    }

    /// Whether a transaction is on the platter.
    enum Outcome {
        case durable
        case gone
        /// Only the next start tells.
        case unknown
    }

    let backing: Backing
    private let platter: any Store
    private let bug: PlantedBug?
    private var fate = Fate.good
    /// Whether the power goes after the sync, though before anybody hears of it.
    var survivesPowerLoss = false
    private(set) var operations: [StoredOperation] = []
    /// Of the last transaction.
    private(set) var outcome = Outcome.gone
    private var calls = 0
    /// For a planted bug: what this process believes that the platter says of time.
    private var promised: ClockRecord?

    init(on backing: Backing, bug: PlantedBug?) {
        self.backing = backing
        self.bug = bug
        platter =
            switch backing {
            case .memory(let store): store
            case .files(let store, _): store
            }
    }

    private var disk: FaultyDisk? {
        if case .files(_, let disk) = backing { disk } else { nil }
    }

    /// Decides what happens from now on.
    func meet(_ fate: Fate, _ choices: inout SeededGenerator) {
        self.fate = fate
        guard let disk else { return }
        disk.room = nil
        disk.changesUntilPowerLoss = nil
        disk.syncsUntilFailure = nil
        switch fate {
        case .good: break
        case .full(let call):
            disk.room = call * 1500
            disk.shortage = choices.chance(30) ? .quota : .space
        case .powerLoss(let call): disk.changesUntilPowerLoss = call
        case .badSync: disk.syncsUntilFailure = 0
        // What becomes of that in a file is the quarantine's, and lasts until somebody mends it.
        case .badRead: break
        }
    }

    /// Whether nothing reaches the platter any more.
    var isDead: Bool { disk?.isDead ?? false }

    /// Whether the machine has no power, if a call failed.
    var hasLostPower: Bool {
        if case .powerLoss = fate { true } else { false }
    }

    /// The process is gone: what is still open writes nothing.
    func die() { disk?.die() }

    private func call() throws(StoreError) {
        calls += 1
        guard disk == nil else { return }
        switch fate {
        case .full(let number) where calls >= number: throw .full
        case .powerLoss(let number) where calls >= number:
            throw .broken(code: 10, reason: "the power is gone")
        case .badRead(let number) where calls >= number:
            throw .broken(code: 10, reason: "the disk cannot read")
        default: return
        }
    }

    var epoch: String { platter.epoch }
    var runs: [StoreRun] { platter.runs }
    var secret: DigestSecret { platter.secret }
    var tombstoneFloor: Timetoken { platter.tombstoneFloor }
    var last: Timetoken { platter.last }

    func giveSpaceBack() throws(StoreError) -> Bool { try platter.giveSpaceBack() }
    func emptyLog() throws(StoreError) -> Bool { try platter.emptyLog() }
    var roomMissing: Int { platter.roomMissing }

    func begin() throws(StoreError) {
        operations = []
        outcome = .gone
        calls = 0
        try call()
        try platter.begin()
    }

    var clock: ClockRecord { promised ?? platter.clock }

    func ages() throws(StoreError) -> [AgeMark] {
        try call()
        return try platter.ages()
    }

    func add(_ mark: AgeMark) throws(StoreError) {
        try call()
        try platter.add(mark)
    }

    func forgetAges(before timetoken: Timetoken) throws(StoreError) {
        try call()
        try platter.forgetAges(before: timetoken)
    }

    func commit(through last: Timetoken, _ clock: ClockRecord) throws(StoreError) {
        var kept = clock
        if bug == .unkeptPosition { kept.ceiling = last }
        do throws(StoreError) {
            if disk == nil {
                try commitInMemory(through: last, kept)
            } else {
                outcome = .unknown
                try platter.commit(through: last, kept)
                outcome = .durable
            }
            if bug == .unkeptPosition { promised = clock }
        } catch {
            if error == .full { outcome = .gone }
            // Somebody takes what was written for what is kept.
            guard bug == .acknowledgedOnFullDisk, error == .full else { throw error }
            platter.rollback()
        }
    }

    private func commitInMemory(
        through last: Timetoken, _ clock: ClockRecord
    ) throws(StoreError) {
        switch fate {
        case .powerLoss, .badSync:
            guard survivesPowerLoss else { throw .broken(code: 10, reason: "the power is gone") }
            try platter.commit(through: last, clock)
            outcome = .durable
            throw .broken(code: 10, reason: "the power is gone, but only after the sync")
        default:
            try call()
            try platter.commit(through: last, clock)
            outcome = .durable
        }
    }

    func rollback() {
        platter.rollback()
    }

    func insert(
        _ message: Message, at timetoken: Timetoken, in channel: Channel, by uuid: String,
        expires: Timetoken?
    ) throws(StoreError) {
        try call()
        operations.append(.insert(channel, timetoken, uuid: uuid, message, expires: expires))
        try platter.insert(message, at: timetoken, in: channel, by: uuid, expires: expires)
    }

    func deleteMessages(
        after start: Timetoken, through end: Timetoken, at timetoken: Timetoken,
        in channel: Channel, eachAction: (MessageAction) -> Void
    ) throws(StoreError) -> Bool {
        try call()
        let deleted = try platter.deleteMessages(
            after: start, through: end, at: timetoken, in: channel, eachAction: eachAction)
        if deleted {
            operations.append(.delete(channel, after: start, through: end, at: timetoken))
        }
        return deleted
    }

    func rowCount(
        in range: MessageRange, of channel: Channel, limit: Int
    ) throws(StoreError) -> Int {
        try call()
        return try platter.rowCount(in: range, of: channel, limit: limit)
    }

    func hasRows(in range: MessageRange, of channel: Channel) throws(StoreError) -> Bool {
        try call()
        return try platter.hasRows(in: range, of: channel)
    }

    func scanActions(
        from start: MessageAction.Key, through end: Timetoken, of channel: Channel, limit: Int,
        body: (MessageAction) -> Void
    ) throws(StoreError) -> MessageAction.Key? {
        try platter.scanActions(from: start, through: end, of: channel, limit: limit, body: body)
    }

    func hideMessages(
        in range: MessageRange, at timetoken: Timetoken, of channel: Channel
    ) throws(StoreError) {
        try call()
        try platter.hideMessages(in: range, at: timetoken, of: channel)
        operations.append(
            .delete(channel, after: range.after, through: range.through, at: timetoken))
    }

    var hasHiddenRows: Bool { platter.hasHiddenRows }

    func removeHiddenRows(limit: Int) throws(StoreError) {
        try call()
        try platter.removeHiddenRows(limit: limit)
    }

    func expired(before moment: Timetoken, limit: Int) throws(StoreError) -> [ExpiredMessage] {
        try platter.expired(before: moment, limit: limit)
    }

    func standingAction(
        _ key: MessageAction.Key, in channel: Channel
    ) throws(StoreError) -> Timetoken? {
        try call()
        return try platter.standingAction(key, in: channel)
    }

    func actionKey(
        onMessage message: Timetoken, addedAt timetoken: Timetoken, in channel: Channel
    ) throws(StoreError) -> MessageAction.Key? {
        try call()
        return try platter.actionKey(onMessage: message, addedAt: timetoken, in: channel)
    }

    func add(_ action: MessageAction, in channel: Channel) throws(StoreError) {
        try call()
        operations.append(.add(channel, action))
        try platter.add(action, in: channel)
    }

    func remove(
        _ key: MessageAction.Key, at timetoken: Timetoken, in channel: Channel
    ) throws(StoreError) {
        try call()
        operations.append(.remove(channel, key, at: timetoken))
        try platter.remove(key, at: timetoken, in: channel)
    }

    func digest(of channel: Channel) throws(StoreError) -> Digest {
        try call()
        return try platter.digest(of: channel)
    }

    func setDigest(_ digest: Digest, of channel: Channel) throws(StoreError) {
        try call()
        // Only what is added goes missing: the next change starts from the wrong sum.
        if bug == .skippedDigest, digest.count % 8 == 5 { return }
        try platter.setDigest(digest, of: channel)
    }

    func hasTombstones(before moment: Timetoken) throws(StoreError) -> Bool {
        try platter.hasTombstones(before: moment)
    }

    func forgetTombstones(before moment: Timetoken, limit: Int) throws(StoreError) {
        try call()
        try platter.forgetTombstones(before: moment, limit: limit)
    }

    var deletionFloor: Timetoken { platter.deletionFloor }

    func hasDeletions(before moment: Timetoken) throws(StoreError) -> Bool {
        try platter.hasDeletions(before: moment)
    }

    func forgetDeletions(before moment: Timetoken, limit: Int) throws(StoreError) {
        try call()
        try platter.forgetDeletions(before: moment, limit: limit)
    }

    func outcome(
        of mutation: String, by author: Author
    ) throws(StoreError) -> MutationRecord? {
        try call()
        return try platter.outcome(of: mutation, by: author)
    }

    func remember(
        _ record: MutationRecord, of mutation: String, by author: Author, at timetoken: Timetoken
    ) throws(StoreError) {
        try call()
        operations.append(.remember(author, mutation, record))
        if bug == .forgottenMutation, timetoken.rawValue % 8 == 0 { return }
        try platter.remember(record, of: mutation, by: author, at: timetoken)
    }

    var mutationCount: Int { platter.mutationCount }

    func hasMutations(before timetoken: Timetoken) throws(StoreError) -> Bool {
        try platter.hasMutations(before: timetoken)
    }

    func forgetMutations(before timetoken: Timetoken, limit: Int) throws(StoreError) {
        try call()
        try platter.forgetMutations(before: timetoken, limit: limit)
    }

    func channels(of group: ChannelGroup) throws(StoreError) -> [String] {
        try platter.channels(of: group)
    }

    func change(_ change: GroupChange, of group: ChannelGroup) throws(StoreError) {
        try call()
        operations.append(.change(change, group))
        try platter.change(change, of: group)
    }

    func allGroups() throws(StoreError) -> [GroupMembership] { try platter.allGroups() }

    func groupCount(inKeyset keyset: String) throws(StoreError) -> Int {
        try platter.groupCount(inKeyset: keyset)
    }

    var makeReader: @Sendable () throws(StoreError) -> any StoreReader {
        { [bug, make = platter.makeReader] () throws(StoreError) in
            let reader = try make()
            return FaultyReader.bugs.contains(bug) ? FaultyReader(reader, bug: bug) : reader
        }
    }
}
