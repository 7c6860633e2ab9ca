// A real store on a disk that fills up, breaks and loses power at any moment of a transaction.

import EventModel

@testable import SyncDaemon

/// Passes everything on, and notes what it was.
final class SimulatedStore: Store {
    /// What becomes of the transaction under way.
    enum Fate {
        case good
        /// The disk is full from the given call on.
        case full(atCall: Int)
        /// The power goes at the given call; at the last one of all: amid the sync.
        case powerLoss(atCall: Int)
    }

    /// What outlives a crash.
    private let platter: MemoryStore
    private let bug: PlantedBug?
    var fate = Fate.good
    /// Whether the power goes after the sync, though before anybody hears of it.
    var survivesPowerLoss = false
    private(set) var operations: [StoredOperation] = []
    /// Whether the transaction is on the platter.
    private(set) var isDurable = false
    private var calls = 0

    init(on platter: MemoryStore, bug: PlantedBug?) {
        self.platter = platter
        self.bug = bug
    }

    private func call() throws(StoreError) {
        calls += 1
        switch fate {
        case .full(let number) where calls >= number: throw .full
        case .powerLoss(let number) where calls >= number:
            throw .broken(code: 10, reason: "the power is gone")
        default: return
        }
    }

    var epoch: String { platter.epoch }
    var runs: [StoreRun] { platter.runs }
    var secret: DigestSecret { platter.secret }
    var tombstoneFloor: Timetoken { platter.tombstoneFloor }
    /// What is left when the power goes.
    var durable: MemoryStore.State { platter.durable }
    var last: Timetoken { platter.last }

    func giveSpaceBack() -> Bool { platter.giveSpaceBack() }

    func begin() throws(StoreError) {
        operations = []
        isDurable = false
        calls = 0
        try call()
        platter.begin()
    }

    var clock: ClockRecord { platter.clock }
    func ages() throws(StoreError) -> [AgeMark] { platter.ages() }
    func add(_ mark: AgeMark) throws(StoreError) { platter.add(mark) }
    func forgetAges(before timetoken: Timetoken) throws(StoreError) {
        platter.forgetAges(before: timetoken)
    }

    func commit(through last: Timetoken, _ clock: ClockRecord) throws(StoreError) {
        if case .powerLoss = fate {
            guard survivesPowerLoss else { throw .broken(code: 10, reason: "the power is gone") }
            platter.commit(through: last, clock)
            isDurable = true
            throw .broken(code: 10, reason: "the power is gone, but only after the sync")
        }
        try call()
        platter.commit(through: last, clock)
        isDurable = true
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
        platter.insert(message, at: timetoken, in: channel, by: uuid, expires: expires)
    }

    func deleteMessages(
        after start: Timetoken, through end: Timetoken, at timetoken: Timetoken,
        in channel: Channel, eachAction: (MessageAction) -> Void
    ) throws(StoreError) -> Bool {
        try call()
        let deleted = platter.deleteMessages(
            after: start, through: end, at: timetoken, in: channel, eachAction: eachAction)
        if deleted {
            operations.append(.delete(channel, after: start, through: end, at: timetoken))
        }
        return deleted
    }

    func rowCount(
        in range: MessageRange, of channel: Channel, limit: Int
    ) throws(StoreError) -> Int {
        platter.rowCount(in: range, of: channel, limit: limit)
    }

    func hasMessages(in range: MessageRange, of channel: Channel) throws(StoreError) -> Bool {
        platter.hasMessages(in: range, of: channel)
    }

    func scanActions(
        from start: MessageAction.Key, through end: Timetoken, of channel: Channel, limit: Int,
        body: (MessageAction) -> Void
    ) throws(StoreError) -> MessageAction.Key? {
        platter.scanActions(from: start, through: end, of: channel, limit: limit, body: body)
    }

    func hideMessages(
        in range: MessageRange, at timetoken: Timetoken, of channel: Channel
    ) throws(StoreError) {
        try call()
        platter.hideMessages(in: range, at: timetoken, of: channel)
        operations.append(
            .delete(channel, after: range.after, through: range.through, at: timetoken))
    }

    var hasHiddenRows: Bool { platter.hasHiddenRows }

    func removeHiddenRows(limit: Int) throws(StoreError) {
        platter.removeHiddenRows(limit: limit)
    }

    func expired(before moment: Timetoken, limit: Int) throws(StoreError) -> [ExpiredMessage] {
        platter.expired(before: moment, limit: limit)
    }

    func standingAction(
        _ key: MessageAction.Key, in channel: Channel
    ) throws(StoreError) -> Timetoken? {
        try call()
        return platter.standingAction(key, in: channel)
    }

    func actionKey(
        onMessage message: Timetoken, addedAt timetoken: Timetoken, in channel: Channel
    ) throws(StoreError) -> MessageAction.Key? {
        try call()
        return platter.actionKey(onMessage: message, addedAt: timetoken, in: channel)
    }

    func add(_ action: MessageAction, in channel: Channel) throws(StoreError) {
        try call()
        operations.append(.add(channel, action))
        platter.add(action, in: channel)
    }

    func remove(
        _ key: MessageAction.Key, at timetoken: Timetoken, in channel: Channel
    ) throws(StoreError) {
        try call()
        operations.append(.remove(channel, key, at: timetoken))
        platter.remove(key, at: timetoken, in: channel)
    }

    func digest(of channel: Channel) throws(StoreError) -> Digest {
        try call()
        return platter.digest(of: channel)
    }

    func setDigest(_ digest: Digest, of channel: Channel) throws(StoreError) {
        try call()
        // Only what is added goes missing: the next change starts from the wrong sum.
        if bug == .skippedDigest, digest.count % 8 == 5 { return }
        platter.setDigest(digest, of: channel)
    }

    func hasTombstones(before moment: Timetoken) throws(StoreError) -> Bool {
        platter.hasTombstones(before: moment)
    }

    func forgetTombstones(before moment: Timetoken, limit: Int) throws(StoreError) {
        try call()
        platter.forgetTombstones(before: moment, limit: limit)
    }

    var deletionFloor: Timetoken { platter.deletionFloor }

    func hasDeletions(before moment: Timetoken) throws(StoreError) -> Bool {
        platter.hasDeletions(before: moment)
    }

    func forgetDeletions(before moment: Timetoken, limit: Int) throws(StoreError) {
        try call()
        platter.forgetDeletions(before: moment, limit: limit)
    }

    func outcome(
        of mutation: String, by author: Author
    ) throws(StoreError) -> MutationRecord? {
        try call()
        return platter.outcome(of: mutation, by: author)
    }

    func remember(
        _ record: MutationRecord, of mutation: String, by author: Author, at timetoken: Timetoken
    ) throws(StoreError) {
        try call()
        operations.append(.remember(author, mutation, record))
        if bug == .forgottenMutation, timetoken.rawValue % 8 == 0 { return }
        platter.remember(record, of: mutation, by: author, at: timetoken)
    }

    var mutationCount: Int { platter.mutationCount }

    func hasMutations(before timetoken: Timetoken) throws(StoreError) -> Bool {
        platter.hasMutations(before: timetoken)
    }

    func forgetMutations(before timetoken: Timetoken, limit: Int) throws(StoreError) {
        try call()
        platter.forgetMutations(before: timetoken, limit: limit)
    }

    func channels(of group: ChannelGroup) throws(StoreError) -> [String] {
        platter.channels(of: group)
    }

    func change(_ change: GroupChange, of group: ChannelGroup) throws(StoreError) {
        platter.change(change, of: group)
    }

    func allGroups() throws(StoreError) -> [GroupMembership] { platter.allGroups() }

    func groupCount(inKeyset keyset: String) throws(StoreError) -> Int {
        platter.groupCount(inKeyset: keyset)
    }

    var makeReader: @Sendable () throws(StoreError) -> any StoreReader {
        { [bug, make = platter.makeReader] () throws(StoreError) in
            let reader = try make()
            return bug == .droppedTombstone ? ForgetfulReader(reader) : reader
        }
    }
}
