// A store that fails when it is told to.

import EventModel

@testable import SyncDaemon

/// A memory store that refuses one kind of call, for as long as the test says.
final class FaultyStore: Store {
    enum Call: CaseIterable {
        case begin, insert, standingAction, add, remove, remember, commit
        case deleteMessages, hideMessages, clear, hideActions, expired, changeGroup, digest
        case setDigest, segment, setSegment, forgetTombstones, forgetDeletions
        case giveSpaceBack, revoke, grant, tally, removeHidden, outbox

        /// Those that a commit of writes makes.
        static let ofCommits = allCases.filter {
            ![
                .hideMessages, .clear, .hideActions, .giveSpaceBack, .revoke, .grant, .removeHidden,
                .outbox,
            ].contains($0)
        }
    }

    let base = MemoryStore()
    /// What fails now, and how.
    var fault: (call: Call, error: StoreError)?
    /// How often emptying the log makes room, which ends the fault.
    var roomInLog = 0
    /// Channels whose digest is on a damaged page, and how often that was met.
    var damaged: Set<Channel> = []
    private(set) var met = 0
    /// How many times something failed.
    private(set) var failures = 0
    /// After how many digests one is not kept, though the ledger is told that it is.
    var skippedDigest: Int?
    /// Groups that are counted though nobody made them.
    var furtherGroups = 0
    /// Channels of groups that are counted so, half of them in each keyset.
    var furtherChannels = 0
    /// How often groups were counted.
    private(set) var groupCounts = 0
    /// The same of revoked tokens.
    var furtherRevoked = 0
    private(set) var revokedCounts = 0
    /// The same of grants to auth keys.
    var furtherKeyGrants = 0
    var keyGrantCounts = 0
    /// Steps until nothing is hidden any more.
    var hiddenSteps = 0
    /// More rows than this find no room to be removed in.
    var removableRows = Int.max
    /// How many rows were to be removed at a time.
    private(set) var removals: [Int] = []
    /// Steps until all space is given back.
    var pagesToGiveBack = 0
    private(set) var forgotten: [(before: Timetoken, limit: Int)] = []

    var epoch: String { base.epoch }
    var runs: [StoreRun] { base.runs }
    var secret: DigestSecret { base.secret }
    var last: Timetoken { base.last }

    func pass(_ call: Call) throws(StoreError) {
        guard let fault, fault.call == call else { return }
        failures += 1
        throw fault.error
    }

    func emptyLog() -> Bool {
        guard roomInLog > 0 else { return false }
        roomInLog -= 1
        fault = nil
        return true
    }

    func giveSpaceBack() throws(StoreError) -> Bool {
        try pass(.giveSpaceBack)
        defer { pagesToGiveBack -= 1 }
        return pagesToGiveBack > 1
    }

    func giveRoomBack() throws(StoreError) -> Bool { try giveSpaceBack() }

    func begin() throws(StoreError) {
        try pass(.begin)
        base.begin()
    }

    var clock: ClockRecord { base.clock }

    func commit(through last: Timetoken, _ clock: ClockRecord) throws(StoreError) {
        try pass(.commit)
        base.commit(through: last, clock)
    }

    func ages() throws(StoreError) -> [AgeMark] { base.ages() }
    func add(_ mark: AgeMark) throws(StoreError) { base.add(mark) }
    func forgetAges(before timetoken: Timetoken) throws(StoreError) {
        base.forgetAges(before: timetoken)
    }

    func rollback() { base.rollback() }

    func insert(
        _ message: Message, at timetoken: Timetoken, in channel: Channel, by uuid: String,
        expires: Timetoken?
    ) throws(StoreError) {
        try pass(.insert)
        base.insert(message, at: timetoken, in: channel, by: uuid, expires: expires)
    }

    func deleteMessages(
        after start: Timetoken, through end: Timetoken, at timetoken: Timetoken,
        in channel: Channel, eachRow: (CoveredRow) -> Void
    ) throws(StoreError) -> Bool {
        try pass(.deleteMessages)
        return base.deleteMessages(
            after: start, through: end, at: timetoken, in: channel, eachRow: eachRow)
    }

    func digest(of channel: Channel) throws(StoreError) -> Digest {
        try pass(.digest)
        if damaged.contains(channel) {
            met += 1
            throw .damaged(path: "x", reason: "bad page")
        }
        return base.digest(of: channel)
    }

    func segment(
        of message: Timetoken, in channel: Channel
    ) throws(StoreError) -> (segment: Segment, through: Timetoken) {
        try pass(.segment)
        return base.segment(of: message, in: channel)
    }

    func setSegment(_ segment: Segment, of channel: Channel) throws(StoreError) {
        try pass(.setSegment)
        base.setSegment(segment, of: channel)
    }

    func removeSegments(
        from start: Timetoken, before end: Timetoken, of channel: Channel
    ) throws(StoreError) {
        try pass(.setSegment)
        base.removeSegments(from: start, before: end, of: channel)
    }

    func setDigest(_ digest: Digest, of channel: Channel) throws(StoreError) {
        try pass(.setDigest)
        if let skipped = skippedDigest {
            skippedDigest = skipped - 1
            if skipped == 0 { return }
        }
        base.setDigest(digest, of: channel)
    }

    var tombstoneFloor: Timetoken { base.tombstoneFloor }

    func hasTombstones(before moment: Timetoken) throws(StoreError) -> Bool {
        base.hasTombstones(before: moment)
    }

    func forgetTombstones(before moment: Timetoken, limit: Int) throws(StoreError) {
        try pass(.forgetTombstones)
        base.forgetTombstones(before: moment, limit: limit)
    }

    func rowCount(
        in range: MessageRange, of channel: Channel, limit: Int
    ) throws(StoreError) -> Int {
        base.rowCount(in: range, of: channel, limit: limit)
    }

    func hasRows(in range: MessageRange, of channel: Channel) throws(StoreError) -> Bool {
        base.hasRows(in: range, of: channel)
    }

    func scanMessages(
        in range: MessageRange, of channel: Channel, limit: Int, body: (MessageRow) -> Void
    ) throws(StoreError) -> MessageRange? {
        base.scanMessages(in: range, of: channel, limit: limit, body: body)
    }

    func scanActions(
        from start: MessageAction.Key, through end: Timetoken, of channel: Channel, limit: Int,
        body: (MessageAction) -> Void
    ) throws(StoreError) -> MessageAction.Key? {
        base.scanActions(from: start, through: end, of: channel, limit: limit, body: body)
    }

    func hideMessages(
        in range: MessageRange, at timetoken: Timetoken, of channel: Channel
    ) throws(StoreError) {
        try pass(.hideMessages)
        base.hideMessages(in: range, at: timetoken, of: channel)
    }

    var hasHiddenRows: Bool { hiddenSteps > 0 || base.hasHiddenRows }

    func removeHiddenRows(limit: Int) throws(StoreError) {
        removals.append(limit)
        try pass(.removeHidden)
        guard limit <= removableRows else { throw .full }
        if hiddenSteps > 0 { hiddenSteps -= 1 }
        base.removeHiddenRows(limit: limit)
    }

    func expired(before moment: Timetoken, limit: Int) throws(StoreError) -> [ExpiredMessage] {
        try pass(.expired)
        return base.expired(before: moment, limit: limit)
    }

    func action(
        onMessage message: Timetoken, addedAt timetoken: Timetoken, in channel: Channel
    ) throws(StoreError) -> MessageAction? {
        base.action(onMessage: message, addedAt: timetoken, in: channel)
    }

    func action(
        under key: MessageAction.Key, in channel: Channel
    ) throws(StoreError) -> MessageAction? {
        try pass(.standingAction)
        return base.action(under: key, in: channel)
    }

    func add(_ action: MessageAction, in channel: Channel) throws(StoreError) {
        try pass(.add)
        base.add(action, in: channel)
    }

    func remove(
        _ key: MessageAction.Key, at timetoken: Timetoken, in channel: Channel
    ) throws(StoreError) {
        try pass(.remove)
        base.remove(key, at: timetoken, in: channel)
    }

    var deletionFloor: Timetoken { base.deletionFloor }

    func hasDeletions(before moment: Timetoken) throws(StoreError) -> Bool {
        base.hasDeletions(before: moment)
    }

    func forgetDeletions(before moment: Timetoken, limit: Int) throws(StoreError) {
        try pass(.forgetDeletions)
        base.forgetDeletions(before: moment, limit: limit)
    }

    func outcome(of mutation: String, by author: Author) throws(StoreError) -> MutationRecord? {
        base.outcome(of: mutation, by: author)
    }

    func remember(
        _ record: MutationRecord, of mutation: String, by author: Author, at timetoken: Timetoken
    ) throws(StoreError) {
        try pass(.remember)
        base.remember(record, of: mutation, by: author, at: timetoken)
    }

    var mutationCount: Int { base.mutationCount }

    func hasMutations(before timetoken: Timetoken) throws(StoreError) -> Bool {
        base.hasMutations(before: timetoken)
    }

    func forgetMutations(before timetoken: Timetoken, limit: Int) throws(StoreError) {
        forgotten.append((timetoken, limit))
        base.forgetMutations(before: timetoken, limit: limit)
    }

    func channels(of group: ChannelGroup) throws(StoreError) -> [String] {
        base.channels(of: group)
    }

    func change(_ change: GroupChange, of group: ChannelGroup) throws(StoreError) {
        try pass(.changeGroup)
        base.change(change, of: group)
    }

    func allGroups() throws(StoreError) -> [GroupMembership] { base.allGroups() }

    func groupUse(ofKeyset keyset: String?) throws(StoreError) -> GroupUse {
        groupCounts += 1
        var use = base.groupUse(ofKeyset: keyset)
        use.groups += furtherGroups
        use.channels += keyset == nil ? furtherChannels : furtherChannels / 2
        return use
    }

    func use(ofKeyset keyset: ExactText) throws(StoreError) -> StoredUse {
        base.use(ofKeyset: keyset)
    }

    func hasChannel(_ channel: Channel) throws(StoreError) -> Bool { base.hasChannel(channel) }

    func revoke(_ token: RevokedToken, forgettable: Timetoken) throws(StoreError) {
        try pass(.revoke)
        base.revoke(token, forgettable: forgettable)
    }

    func isRevoked(_ token: RevokedToken) -> Bool { base.isRevoked(token) }
    func allRevoked() -> [RevokedToken] { base.allRevoked() }

    func revokedCount(inKeyset keyset: ExactText) -> Int {
        revokedCounts += 1
        return base.revokedCount(inKeyset: keyset) + furtherRevoked
    }

    func hasForgettableRevoked(before moment: Timetoken, expiredAt seconds: Int64) -> Bool {
        base.hasForgettableRevoked(before: moment, expiredAt: seconds)
    }

    func forgetRevoked(
        before moment: Timetoken, expiredAt seconds: Int64, limit: Int
    ) -> [RevokedToken] {
        base.forgetRevoked(before: moment, expiredAt: seconds, limit: limit)
    }

    var makeReader: @Sendable () throws(StoreError) -> any StoreReader { base.makeReader }
}
