// What a device asks, keeps and tells after each input.

/// Names a question to the server, so that the answer finds its way back.
public enum DeviceTicket: Hashable, Sendable {
    /// By channel, the attempt that it belongs to.
    case subscribe([String: Int])
    case repair(channel: String, attempt: Int)
    case older(channel: String, number: Int)
    case write(mutation: String)
    case markRead(channel: String)
    /// By channel, the mark that the server had told before.
    case unread([String: Timetoken])
    case unsubscribe
}

/// A command with the ticket under which its reply is handed in.
public struct DeviceQuestion: Hashable, Sendable {
    public let ticket: DeviceTicket
    public let command: Command
}

/// What a channel's base is kept with, beside its rows.
public struct ChannelHeader: Hashable, Sendable {
    public var cursor: Timetoken
    public var epoch: String?
    public var key: DigestKey?
    public var digest: Digest
    /// What reactions there are, as the server last said; `nil`: it did not.
    public var rules: ReactionRules?
    /// What stands before the rows.
    public var rest: ChannelRest

    public init(
        cursor: Timetoken, epoch: String?, key: DigestKey?, digest: Digest,
        rules: ReactionRules? = nil, rest: ChannelRest = .none
    ) {
        self.cursor = cursor
        self.epoch = epoch
        self.key = key
        self.digest = digest
        self.rules = rules
        self.rest = rest
    }
}

/// Something to keep on disk; all writes of one ``DeviceEffects`` belong into one transaction.
public enum DeviceWrite: Hashable, Sendable {
    /// The rows that came and went, in order, and what stands beside them now.
    case channel(String, ChannelHeader, [RowChange])
    /// Everything of a channel is forgotten.
    case forget(String)
    case outbox(Outbox.Change)
    /// In place of what was kept of that mark; one that ``KeptMark/isEmpty`` is forgotten.
    case mark(KeptMark)
}

/// What one input to a device leads to.
///
/// In this order: the writes are made durable, then the questions are sent, then people are told.
public struct DeviceEffects: Sendable {
    public var writes: [DeviceWrite] = []
    public var questions: [DeviceQuestion] = []
    /// By channel, for those with a view.
    public var changes: [(channel: String, changes: [ListChange])] = []
    /// Tails that began, at first or anew, and where.
    public var tailsBegun: [(channel: String, cursor: Timetoken)] = []
    /// Signals, presence and messages that nobody stores, by channel, in order; of a tail all
    /// events.
    public var announced: [(channel: String, envelopes: [Envelope])] = []
    /// What messages of a tail come to, as it is told by summaries.
    public var summarized: [(channel: String, summaries: [MessageSummary])] = []
    /// Wishes that the server will never fulfil; the view has dropped them.
    public var refused: [(entry: OutboxEntry, error: ProtocolError)] = []
    /// Channels whose rows differed from the server's, and how.
    public var healed: [(channel: String, by: ChannelSync.Rung, rows: [RowChange])] = []
    /// What became of wishes for older messages.
    public var older: [(channel: String, outcome: OlderOutcome)] = []
    /// What the user has not read, by channel, where that changed.
    public var unread: [(channel: String, unread: Unread?)] = []
    /// Channels of which ``Device/rested(_:)`` is to be called after a second or so.
    public var resting: [String] = []
    /// Channels that the server does not let the user follow.
    public var refusedChannels: [(channel: String, error: ProtocolError)] = []
    /// What reactions there are in channels from now on, where that changed.
    public var rules: [(channel: String, rules: ReactionRules)] = []
    /// Whether ``Device/retry()`` is to be called after a while.
    public var retriesLater = false
    /// How long the server said to wait with that; 0 when it did not.
    public var retryAfterSeconds = 0

    public init() {}

    /// Notes that the server said to wait.
    mutating func wait(_ seconds: Int?) {
        retryAfterSeconds = max(retryAfterSeconds, seconds ?? 0)
    }
}

extension ChannelSync {
    /// What is kept beside the rows of ``base``.
    var header: ChannelHeader {
        var header = base.header
        header.rules = heardRules
        return header
    }
}

extension ChannelBase {
    /// What is kept beside the rows.
    public var header: ChannelHeader {
        ChannelHeader(
            cursor: cursor, epoch: epoch, key: key, digest: digest, rest: rest)
    }
}
