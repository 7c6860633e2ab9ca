// The seam between the ledger and what it remembers. A new store is one file that conforms to this.

import EventModel

/// Where a ledger keeps things.
///
/// Confined to the ledger's thread. Every conformer must pass `StoreContract` in the tests.
///
/// Calls between ``begin()`` and ``commit(through:)`` are one transaction: they see each other,
/// readers see none of them before the commit, and all of them are gone after ``rollback()`` or a
/// crash.
protocol Store:
    ActionTally, ClearingStore, DirectoryStore, FileStore, KeyGrantStore, OutboxStore, PushStore,
    ReadMarkStore, SegmentStore, AnyObject
{
    /// Random, and made with the store: a replaced store has another.
    var epoch: String { get }
    /// Every start of a daemon on this store, the present one last; each is durable.
    var runs: [StoreRun] { get }
    /// What the keys of its digests are made from; made with the store.
    var secret: DigestSecret { get }
    /// The last timetoken that a commit was made through; ``Timetoken/zero`` in a new store.
    ///
    /// A store that is opened again begins at its ceiling, or after it.
    var last: Timetoken { get }
    /// What the last commit said of time.
    var clock: ClockRecord { get }
    /// How often daemons have taken the right to write to it, this one last; 0 where a lock is all
    /// that it takes.
    var term: Int { get }

    /// Gives some space back to the disk: for idle moments, outside a transaction.
    ///
    /// - Returns: Whether there is more to give back.
    func giveSpaceBack() throws(StoreError) -> Bool

    /// The same on a full disk: of all pages that are free in the file, a few at a time.
    ///
    /// - Returns: Whether any went.
    func giveRoomBack() throws(StoreError) -> Bool

    /// Empties what stands between transactions and the file, on a disk that is full: outside a
    /// transaction.
    ///
    /// - Returns: Whether there is more room than before.
    func emptyLog() throws(StoreError) -> Bool

    /// Brings what stands between transactions and the file into the file, unless somebody reads
    /// from it: outside a transaction.
    func copyLog() throws(StoreError)

    /// Bytes of its file that hold nothing and are taken before it grows; `nil`: it has no file.
    func freeBytes() throws(StoreError) -> Int?

    /// Bytes that must be free on the disk before ``emptyLog()`` can do anything.
    var roomMissing: Int { get }

    func begin() throws(StoreError)
    /// Returns once the transaction is as durable as this store can make it.
    func commit(through last: Timetoken, _ clock: ClockRecord) throws(StoreError)
    func rollback()

    /// - Parameter expires: When ``expired(before:limit:)`` names it; `nil`: never.
    func insert(
        _ message: Message, at timetoken: Timetoken, in channel: Channel, by uuid: String,
        expires: Timetoken?
    ) throws(StoreError)

    /// Deletes the messages with `start < timetoken <= end`, and all actions on timetokens in that
    /// range, and leaves one deletion that readers' ``StoreReader/changes(in:from:)`` reports.
    /// Earlier deletions of less are not reported any more.
    ///
    /// - Parameter eachRow: Called with every message and action that stood, and no longer does.
    /// - Returns: `false` when there was no such message; then nothing was changed.
    func deleteMessages(
        after start: Timetoken, through end: Timetoken, at timetoken: Timetoken,
        in channel: Channel, eachRow: (CoveredRow) -> Void
    ) throws(StoreError) -> Bool

    /// Messages and actions in a range, removed ones too, counted up to `limit`.
    func rowCount(
        in range: MessageRange, of channel: Channel, limit: Int
    ) throws(StoreError) -> Int

    /// Whether a range holds messages, or actions on messages that are gone.
    func hasRows(in range: MessageRange, of channel: Channel) throws(StoreError) -> Bool

    /// Calls `body` with the messages of a range, in their order.
    ///
    /// - Parameter limit: Rows that are looked at.
    /// - Returns: The rest of the range; `nil` at the end.
    func scanMessages(
        in range: MessageRange, of channel: Channel, limit: Int, body: (MessageRow) -> Void
    ) throws(StoreError) -> MessageRange?

    /// Calls `body` with the actions that stand on messages up to `end`, in the order of their
    /// keys.
    ///
    /// - Parameters:
    ///   - start: The first key that is looked at, or the next one after it.
    ///   - limit: Rows that are looked at, removed actions too.
    /// - Returns: Where to go on; `nil` at the end.
    func scanActions(
        from start: MessageAction.Key, through end: Timetoken, of channel: Channel, limit: Int,
        body: (MessageAction) -> Void
    ) throws(StoreError) -> MessageAction.Key?

    /// Deletes as ``deleteMessages(after:through:at:in:eachRow:)`` does, in no time: the rows
    /// are hidden from every other call and from readers, until ``removeHiddenRows(limit:)`` has
    /// removed them.
    func hideMessages(
        in range: MessageRange, at timetoken: Timetoken, of channel: Channel
    ) throws(StoreError)

    /// Whether hidden rows may be left, as of the last commit.
    var hasHiddenRows: Bool { get }

    /// Removes hidden rows, and looks at no more than about `limit` actions and `limit` messages.
    func removeHiddenRows(limit: Int) throws(StoreError)

    /// Messages that expired before a moment, the first to expire first; none while
    /// ``hasHiddenRows``.
    func expired(before moment: Timetoken, limit: Int) throws(StoreError) -> [ExpiredMessage]

    /// The action that stands under a key; `nil` when none does.
    func action(
        under key: MessageAction.Key, in channel: Channel
    ) throws(StoreError) -> MessageAction?

    /// The action that stands on a message since a moment.
    func action(
        onMessage message: Timetoken, addedAt timetoken: Timetoken, in channel: Channel
    ) throws(StoreError) -> MessageAction?

    /// - Precondition: None stands with this key.
    func add(_ action: MessageAction, in channel: Channel) throws(StoreError)

    /// Leaves a tombstone that readers' ``StoreReader/changes(in:from:)`` reports.
    ///
    /// - Precondition: One stands with this key.
    func remove(
        _ key: MessageAction.Key, at timetoken: Timetoken, in channel: Channel
    ) throws(StoreError)

    /// What was kept last; ``Digest/empty`` at first.
    ///
    /// The store only keeps it: the ledger knows what becomes of a channel's rows.
    func digest(of channel: Channel) throws(StoreError) -> Digest

    func setDigest(_ digest: Digest, of channel: Channel) throws(StoreError)

    /// The same with the channel's one segment, of which the digest is.
    ///
    /// - Precondition: The store has no other segment of the channel.
    func setWhole(_ segment: Segment, of channel: Channel) throws(StoreError)

    /// Tombstones that changed up to here may be forgotten, and clearings; no later one is.
    ///
    /// As of the last commit.
    var tombstoneFloor: Timetoken { get }

    /// Whether ``forgetTombstones(before:limit:)`` would find any.
    func hasTombstones(before moment: Timetoken) throws(StoreError) -> Bool

    /// Forgets at most `limit` tombstones and clearings of all channels that are from before a
    /// moment, the oldest first, and raises the floor to the newest of them.
    func forgetTombstones(before moment: Timetoken, limit: Int) throws(StoreError)

    /// Deletions up to here may be forgotten, unless a later one says the same.
    ///
    /// As of the last commit.
    var deletionFloor: Timetoken { get }

    /// Whether ``forgetDeletions(before:limit:)`` would find any.
    func hasDeletions(before moment: Timetoken) throws(StoreError) -> Bool

    /// Forgets at most `limit` deletions of all channels before a moment, the oldest first, and
    /// raises the floor to the newest of them.
    func forgetDeletions(before moment: Timetoken, limit: Int) throws(StoreError)

    /// What a mutation did; also between two transactions, and it writes nothing.
    func outcome(
        of mutation: String, by author: Author
    ) throws(StoreError) -> MutationRecord?

    func remember(
        _ record: MutationRecord, of mutation: String, by author: Author, at timetoken: Timetoken
    ) throws(StoreError)

    /// How many are remembered, as of the last commit; without counting them.
    var mutationCount: Int { get }

    /// Whether ``forgetMutations(before:limit:)`` would find any.
    func hasMutations(before timetoken: Timetoken) throws(StoreError) -> Bool

    /// Forgets at most `limit` mutations that are older than `timetoken`.
    func forgetMutations(before timetoken: Timetoken, limit: Int) throws(StoreError)

    /// What is known of when timetokens were given, ascending.
    func ages() throws(StoreError) -> [AgeMark]

    /// - Precondition: It is after all others.
    func add(_ mark: AgeMark) throws(StoreError)

    /// Forgets the marks below a timetoken.
    func forgetAges(before timetoken: Timetoken) throws(StoreError)

    /// Whether rows of an earlier release lack their checksums.
    var hasRowsWithoutSum: Bool { get }

    /// Gives at most `limit` rows of each kind their checksums.
    func sumUpOldRows(limit: Int) throws(StoreError)

    /// A group's channels, in the order of their bytes; a group without channels does not exist.
    func channels(of group: ChannelGroup) throws(StoreError) -> [String]

    func change(_ change: GroupChange, of group: ChannelGroup) throws(StoreError)

    /// Every group that exists, in no order.
    func allGroups() throws(StoreError) -> [GroupMembership]

    /// Groups of a keyset, and the channels in them; `nil`: of all keysets.
    ///
    /// - Complexity: O(memberships of the keyset).
    func groupUse(ofKeyset keyset: String?) throws(StoreError) -> GroupUse

    /// What a keyset takes up, with what the open transaction made of it.
    ///
    /// What is hidden counts until its rows are removed.
    func use(ofKeyset keyset: ExactText) throws(StoreError) -> StoredUse

    /// Whether a channel has a place in the store already.
    func hasChannel(_ channel: Channel) throws(StoreError) -> Bool

    /// Remembers that a token was taken back; one that was already is left as it is.
    ///
    /// - Parameter forgettable: When it may be forgotten, on the retention clock.
    func revoke(_ token: RevokedToken, forgettable: Timetoken) throws(StoreError)

    /// Whether a token of the tenant with the same id was taken back.
    func isRevoked(_ token: RevokedToken) throws(StoreError) -> Bool

    /// Every token that was taken back, in no order.
    func allRevoked() throws(StoreError) -> [RevokedToken]

    /// Revoked tokens of a keyset.
    ///
    /// - Complexity: O(n) in their number.
    func revokedCount(inKeyset keyset: ExactText) throws(StoreError) -> Int

    /// Whether ``forgetRevoked(before:expiredAt:limit:)`` would find any.
    func hasForgettableRevoked(
        before moment: Timetoken, expiredAt seconds: Int64
    ) throws(StoreError) -> Bool

    /// Forgets at most `limit` revoked tokens that may be forgotten before a moment and whose
    /// expiry, in Unix seconds, is `seconds` or earlier.
    ///
    /// - Returns: Those that it forgot.
    func forgetRevoked(
        before moment: Timetoken, expiredAt seconds: Int64, limit: Int
    ) throws(StoreError) -> [RevokedToken]

    /// Hears what the open transaction is going to ask, so that a store far away can look at once.
    ///
    /// Every answer is the same as without it.
    func foresee(_ lookups: @autoclosure () -> [StoreLookup]) throws(StoreError)

    /// Shows those who wait for the store that it is in use; outside of transactions, about once a
    /// second.
    func renewSeat() throws(StoreError)

    /// Microseconds that the last commit waited for the disk, or for a server.
    var syncMicroseconds: UInt64 { get }

    /// Does what is due for what was committed long ago; called about once a second.
    func passTime()

    /// Has something called each second that a call waits for a server.
    func onWait(_ body: @escaping () -> Void)

    /// Makes a reader on the thread that will use it.
    ///
    /// A reader sees what was committed when each of its calls began.
    var makeReader: @Sendable () throws(StoreError) -> any StoreReader { get }
}

extension Store {
    /// Commits, and says nothing new of time.
    func commit(through last: Timetoken) throws(StoreError) {
        try commit(through: last, clock)
    }

    func setWhole(_ segment: Segment, of channel: Channel) throws(StoreError) {
        try setDigest(segment.digest, of: channel)
        try setSegment(segment, of: channel)
    }

    func foresee(_ lookups: @autoclosure () -> [StoreLookup]) throws(StoreError) {}

    var term: Int { 0 }
    func renewSeat() throws(StoreError) {}
    func passTime() {}
    var syncMicroseconds: UInt64 { 0 }
    func onWait(_ body: @escaping () -> Void) {}
    func emptyLog() throws(StoreError) -> Bool { false }
    func copyLog() throws(StoreError) {}
    func freeBytes() throws(StoreError) -> Int? { nil }
    var roomMissing: Int { 0 }
    var hasRowsWithoutSum: Bool { false }
    func sumUpOldRows(limit: Int) throws(StoreError) {}
}

/// What somebody follows: one channel, or all whose names begin alike.
enum Interest: Sendable, Hashable {
    case channel(Channel)
    case prefix(String, keyset: String)
    /// Those of a prefix whose names are behind one of them.
    case rest(String, after: String, keyset: String)
}

/// A message whose time is over.
struct ExpiredMessage: Sendable, Hashable {
    var channel: Channel
    var timetoken: Timetoken
}

/// What groups take up.
struct GroupUse: Sendable, Hashable {
    var groups = 0
    /// A channel counts once for each group that it is in.
    var channels = 0
}

/// A group with everything in it.
struct GroupMembership: Sendable, Hashable {
    var group: ChannelGroup
    /// In the order of their bytes; empty when the group is gone.
    var channels: [String]
}

extension Store {
    /// Since when an action with this key stands; `nil` when none does.
    func standingAction(
        _ key: MessageAction.Key, in channel: Channel
    ) throws(StoreError) -> Timetoken? {
        try action(under: key, in: channel)?.actionTimetoken
    }
}
