// What the daemon asks a store, beside its ledger: every call is of one committed state.

import EventModel

/// What a repair reads.
protocol SnapshotSource: AnyObject {
    /// Lends one committed state of a channel.
    func withSnapshot<Result>(
        of channel: Channel, _ body: (any ChannelSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result
}

/// Reads a store's committed state.
///
/// Confined to the thread that made it.
protocol StoreReader: SnapshotSource, FileReading, OutboxReader, PushReader {
    /// The newest commit that its answers hold, where another daemon commits: this one may not have
    /// heard of it yet. Else zero.
    var seen: Timetoken { get }

    /// Has something called, on the reader's thread, whenever a long read has got on.
    func onProgress(_ body: @escaping () -> Void)

    /// What changed in a channel after a position: each message once, each action key once as it
    /// stands.
    ///
    /// A removed action is reported even to a reader that never saw it added. A deleted message is
    /// gone, and its deletion is reported in its place in the order. The page ends early at
    /// ``Limits/catchUpEventsMax`` or ``Limits/catchUpBytesMax``, and may be empty then: the next
    /// one starts from ``ChangeStart/advanced(to:)``.
    func changes(
        in channel: Channel, from start: ChangeStart
    ) throws(StoreError) -> ChangePage

    /// The fingerprint of the channel's standing actions, and the commit that it is of.
    func digest(
        of channel: Channel
    ) throws(StoreError) -> (digest: Digest, cursor: Timetoken)

    /// The names of a tenant's channels that have a place in the store, or files, from one on, in
    /// the order of their bytes.
    func channelNames(
        from name: String, in keyset: String, limit: Int
    ) throws(StoreError) -> [String]

    /// - Parameter isDear: Whether more than ``Limits/cheapActionsMax`` rows may be read for the
    ///   actions.
    /// - Returns: `nil` when that would be so, and may not.
    func history(
        _ query: HistoryQuery, in channel: Channel, isDear: Bool
    ) throws(StoreError) -> HistoryPage?

    /// Looks at no more than ``Limits/actionsExaminedMax`` rows: a page whose filter matches little
    /// ends early, with a `next`.
    ///
    /// - Parameter isDear: As above.
    /// - Returns: The page, and the newest commit that the reader saw; `nil`: as above.
    func datedActions(
        _ query: ActionsQuery, in channel: Channel, isDear: Bool
    ) throws(StoreError) -> (page: ActionsPage, asOf: Timetoken)?

    /// For each, the messages after its position, up to ``Limits/messageCountMax``.
    func messageCounts(
        _ positions: [(channel: Channel, after: Timetoken)]
    ) throws(StoreError) -> [Int]

    /// A user's mark in a channel, and what of the first ``Limits/unreadMessagesMax`` messages
    /// behind it is by others.
    func unread(of user: String, in channel: Channel) throws(StoreError) -> UnreadMessages

    /// The entry of a directory with an id; `nil` when there is none.
    func entry(_ id: ExactText, in directory: Channel) throws(StoreError) -> DirectoryEntry?

    /// Looks on at the entries of a directory, in the order of their ids.
    ///
    /// - Parameter mayGoOn: Asked now and then; some are looked at in any case.
    func readOn(
        _ scan: inout EntryScan, in directory: Channel, while mayGoOn: () -> Bool
    ) throws(StoreError)

    /// Reads on in what changed in any of several channels after a position, deletions left out.
    ///
    /// Of each at most `limit` events are looked at, each once, however many interests match it.
    ///
    /// - Parameter mayGoOn: Asked after each look into the store; one is made in any case.
    func readOn(_ reading: inout BacklogReading, while mayGoOn: () -> Bool) throws(StoreError)

    /// Looks on for channels in which a message came, or an action changed, after a position.
    ///
    /// - Parameter mayGoOn: As above.
    func readOn(_ search: inout ChannelSearch, while mayGoOn: () -> Bool) throws(StoreError)
}

extension StoreReader {
    /// A store in memory has no long reads.
    func onProgress(_ body: @escaping () -> Void) {}

    /// The same, however long it takes.
    func history(_ query: HistoryQuery, in channel: Channel) throws(StoreError) -> HistoryPage {
        guard let page = try history(query, in: channel, isDear: true) else {
            preconditionFailure("A page that may take long is there.")
        }
        return page
    }

    /// Likewise.
    func actions(_ query: ActionsQuery, in channel: Channel) throws(StoreError) -> ActionsPage {
        guard let found = try datedActions(query, in: channel, isDear: true) else {
            preconditionFailure("A page that may take long is there.")
        }
        return found.page
    }
}

/// What happened in several channels after a position.
struct Backlog: Hashable, Sendable {
    /// Ascending by timetoken.
    var envelopes: [Envelope]
    /// Nothing stored in these channels up to here is missing.
    var through: Timetoken
    /// Whether `through` is the newest commit that the reader saw; if not, more may follow it.
    var isComplete: Bool
}

/// Changes of one channel, in order.
struct ChangePage: Sendable, Hashable {
    /// Ascending by timetoken.
    var envelopes: [Envelope]
    /// The page holds every change up to here, and nothing after it.
    var through: Timetoken
    /// Whether `through` is the newest commit that the reader saw.
    var isComplete: Bool
    /// The channel's state as of `through`, when the page is complete.
    var digest: Digest?
    /// Whether deletions after the start were forgotten: then the page is no use.
    var isTooOld = false
    /// The newest commit that the reader saw.
    var asOf: Timetoken
}

/// Where reading a channel's changes starts, for each kind of row.
struct ChangeStart: Sendable, Hashable {
    /// Messages after it.
    var messages: Timetoken
    /// Deletions after it: whoever had no message before it has none that was deleted.
    var deletions: Timetoken
    /// Standing actions that changed after it.
    var actions: Timetoken
    /// Removed actions that changed after it.
    var tombstones: Timetoken
}

extension ChangeStart {
    /// Everything after one position.
    init(after cursor: Timetoken) {
        self.init(messages: cursor, deletions: cursor, actions: cursor, tombstones: cursor)
    }

    /// For a device that has nothing: nothing that it has was removed or deleted.
    static let ofNothing = ChangeStart(
        messages: .zero, deletions: .end, actions: .zero, tombstones: .end)

    /// Where the page after one that ends at `cursor` starts.
    func advanced(to cursor: Timetoken) -> ChangeStart {
        ChangeStart(
            messages: max(messages, cursor), deletions: max(deletions, cursor),
            actions: max(actions, cursor),
            tombstones: max(tombstones, cursor))
    }
}

extension StoreReader {
    var seen: Timetoken { .zero }
}
