// What the daemon answers, as values, before any encoding. docs/PROTOCOL.md shows each as JSON.

/// The answer to one command.
public enum Reply: Hashable, Sendable {
    case hello(Welcome)
    case subscribed([SubscribedChannel])
    case unsubscribed(channels: [String])
    /// Its channels are named by what comes; from where to follow it when the connection is gone.
    case followed(Timetoken)
    case unfollowed
    case repair(RepairStep)
    case published(Timetoken)
    case actionAdded(MessageAction, Addition)
    case actionRemoved(Removal)
    case history(HistoryPage)
    case older(WindowPage)
    case actions(ActionsPage)
    /// Of the messages whose groups are others than the device has.
    case summaries(SummariesPage)
    case liveEnded(LiveID)
    /// The user's mark, which may be a later one.
    case markedRead(through: Timetoken)
    /// In the order of the question.
    case unread([UnreadMessages])
    case hereNow(OccupancyPage)
    case whereNow(channels: [String])
    /// A user's state, set or asked for: compact JSON text of an object, `{}` for none.
    case state(String)
    case pong(Timetoken)
    /// In how many seconds the token's time is over; `nil` where none is asked for.
    case tokenShown(expires: Int?)
    /// The deletion's own place in the order; also when there was nothing to delete.
    case messagesDeleted(Timetoken)
    /// The same of one message; `nil`: it was not there.
    case messageDeleted(Timetoken?)
    /// The clearing's own place in the order, and how many actions it took; `nil`: there was none.
    case actionsCleared(Timetoken?, count: Int)
    case groupChanged
    /// What a device hears by push was changed.
    case deviceChanged
    /// The channels of which a device hears by push, ascending.
    case deviceChannels([String])
    case fileAdded
    /// Which file is gone; `nil`: there was none, or one that was to come was there already.
    case fileRemoved(id: String?)
    /// Ascending by when they came; and from where to go on, unless that is the end.
    case files([FileEntry], next: Timetoken?)
    /// Ascending.
    case group(channels: [String])
    case tokenRevoked
    case keysGranted
    case directory(DirectoryPage)
    /// Of the one entry that was set, since when it is so; else where the change is in the order.
    /// And that entry, where the answer comes at once: a retry's has none.
    case directoryChanged(Timetoken, entry: DirectoryEntry? = nil)
    case histories([ChannelHistory])
    case messageCounts([MessageCount])
}

/// What became of an add.
public enum Addition: String, Hashable, Sendable, CaseIterable {
    case added
    /// It stood before; the reply names the one that stands.
    case already
    /// It stood before, and counts for something else from now on: it is a new action under the
    /// same key.
    case updated
}

/// What became of a removal.
public enum Removal: String, Hashable, Sendable, CaseIterable {
    case removed
    /// There was nothing to remove.
    case absent
    /// A newer action stands under the key than the one the device saw; it was kept.
    case stale
    /// The action is another user's; it was kept.
    case notOwner
}

/// The daemon's answer to `hello`.
public struct Welcome: Hashable, Sendable {
    public var session: String
    /// The daemon's clock.
    public var time: Timetoken
    /// Names the store and its present run; for clients one opaque text, which goes with cursors.
    public var epoch: String
    /// Seconds of silence after which either side pings.
    public var heartbeatSeconds: Int
    /// Bytes of one frame from the client, at most.
    public var frameBytesMax: Int
    /// Channels that one session may follow.
    public var channelsMax: Int
    /// In how many seconds the token's time is over; `nil` where none is asked for.
    public var tokenExpires: Int?

    public init(
        session: String, time: Timetoken, epoch: String,
        heartbeatSeconds: Int = Limits.heartbeatSeconds,
        frameBytesMax: Int = Limits.frameBytesMax, channelsMax: Int = Limits.channelsPerSessionMax,
        tokenExpires: Int? = nil
    ) {
        self.session = session
        self.time = time
        self.epoch = epoch
        self.heartbeatSeconds = heartbeatSeconds
        self.frameBytesMax = frameBytesMax
        self.channelsMax = channelsMax
        self.tokenExpires = tokenExpires
    }
}

/// How a subscription starts.
public struct SubscribedChannel: Hashable, Sendable {
    /// What the device receives before the live events.
    public enum Mode: String, Hashable, Sendable {
        /// Nothing: it is up to date, or asked for nothing older.
        case current
        /// The rows that changed after its cursor, each once, in order.
        case delta
        /// Nothing before a `repair` of its actions: what it has cannot be brought up to date by
        /// what changed.
        case repair
        /// Nothing: what it holds of the channel cannot be brought up to date. It asks for pages
        /// anew.
        case window
        /// All rows: its cursor is from another store. The device empties its cache first.
        case snapshot
    }

    public var channel: String
    public var mode: Mode
    /// Where the stream of batches starts: the device's own cursor, zero for a snapshot, or now.
    ///
    /// In a repair it may be before the device's own: messages after it are not in this store.
    public var cursor: Timetoken
    /// The secret of the channel's digests.
    public var key: DigestKey?
    /// What the channel's rows come to at `cursor`, when the daemon has it at hand.
    public var state: Digest?
    /// Where a repair begins with the states of segments: messages of one on average.
    public var segmentMessages: Int?
    /// What reactions there are.
    public var rules: ReactionRules

    public init(
        channel: String, mode: Mode, cursor: Timetoken, key: DigestKey? = nil,
        state: Digest? = nil, segmentMessages: Int? = nil, rules: ReactionRules = ReactionRules()
    ) {
        self.channel = channel
        self.mode = mode
        self.cursor = cursor
        self.key = key
        self.state = state
        self.segmentMessages = segmentMessages
        self.rules = rules
    }
}

/// How a repair goes on after a run of symbols.
public enum RepairStep: Hashable, Sendable {
    /// The difference is not decoded yet: go on up to so many symbols in all.
    case needsSymbols(Int)
    /// Only the rows on these messages differ, ascending, and the daemon's come to `states`: go on
    /// with what is told by that, or with so many symbols of their rows.
    ///
    /// No states: there are too many of them.
    case segments([MessageRange], states: [StretchState], symbols: Int)
    /// These, of those to be fetched, do not stand: their stretches are to be compared.
    case missing([Timetoken])
    /// So much differs that symbols of all rows are the way on.
    case whole
    case difference(RepairDifference)
    /// Everything anew costs less, or the symbols contradict each other.
    case snapshot
}

/// What makes a device's rows equal to the daemon's.
public struct RepairDifference: Hashable, Sendable {
    /// The device then has the channel's rows as of here.
    public var cursor: Timetoken
    /// What they come to: a device that comes to something else takes a snapshot.
    ///
    /// `nil`: the pushes from `cursor` on will say so, because some rows changed meanwhile.
    public var state: Digest?
    /// Ascending by `actionTimetoken`; each takes the place of an action with its key.
    public var rows: [MessageAction]
    /// Ascending; without actions.
    public var messages: [StoredMessage]
    /// The timetokens of what to drop before that, messages and actions, ascending.
    public var dropped: [Timetoken]

    public init(
        cursor: Timetoken, state: Digest?, rows: [MessageAction], messages: [StoredMessage] = [],
        dropped: [Timetoken]
    ) {
        self.cursor = cursor
        self.state = state
        self.rows = rows
        self.messages = messages
        self.dropped = dropped
    }
}

/// A stored message with the actions that stand on it.
public struct StoredMessage: Hashable, Sendable {
    public var timetoken: Timetoken
    public var uuid: String
    public var message: Message
    /// Ascending by `actionTimetoken`; empty unless asked for.
    public var actions: [MessageAction]
    /// There are more than `actions` has: behind which ``ActionsPlace/time(_:)`` the rest of this
    /// message's are; `nil` when these are all.
    public var moreActions: Timetoken?
    /// Its author's newest version of it; `nil` when it is as it was.
    public var edited: MessageVersion?
    /// When its author last said that it is as good as deleted; `nil`: it is not.
    public var deleted: Timetoken?
    /// Replies in its thread.
    public var threadCount = 0

    public init(
        timetoken: Timetoken, uuid: String, message: Message, actions: [MessageAction] = [],
        moreActions: Timetoken? = nil, edited: MessageVersion? = nil, deleted: Timetoken? = nil
    ) {
        self.timetoken = timetoken
        self.uuid = uuid
        self.message = message
        self.actions = actions
        self.moreActions = moreActions
        self.edited = edited
        self.deleted = deleted
    }
}

/// Messages, ascending by timetoken.
public struct HistoryPage: Hashable, Sendable {
    public var messages: [StoredMessage]
    /// What to pass for the next page: as `after` when ``HistoryQuery/goesForward``, else as
    /// `before`.
    public var next: Timetoken?

    public init(messages: [StoredMessage], next: Timetoken?) {
        self.messages = messages
        self.next = next
    }
}

/// Actions in the order that was asked for.
public struct ActionsPage: Hashable, Sendable {
    public var actions: [MessageAction]
    /// What to pass as ``ActionsQuery/after`` for the next page.
    ///
    /// A page may hold less than asked for, even nothing, and still have a next one.
    public var next: ActionsPlace?
    /// `nil`: nothing comes after it.
    public var live: LivePage?

    public init(actions: [MessageAction], next: ActionsPlace?, live: LivePage? = nil) {
        self.actions = actions
        self.next = next
        self.live = live
    }
}

/// One channel of an answer about several.
public struct ChannelHistory: Hashable, Sendable {
    public var channel: String
    public var page: HistoryPage

    public init(channel: String, page: HistoryPage) {
        self.channel = channel
        self.page = page
    }
}

/// Messages of one channel, counted.
public struct MessageCount: Hashable, Sendable {
    public var channel: String
    /// At most `Limits.messageCountMax`.
    public var count: Int

    public init(channel: String, count: Int) {
        self.channel = channel
        self.count = count
    }
}

/// A client's mistake, or a refusal, in words that the client's author can act on.
public struct ProtocolError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Speaks HTTP: 4xx is the client's to mend, 5xx is worth a retry.
    public let status: Int
    /// Stable across releases: clients may switch on it.
    public let code: String
    /// What to do.
    public let message: String
    /// How long to wait before the same question may be answered; `nil`: it is not said.
    public let retryAfterSeconds: Int?

    public init(status: Int, code: String, message: String, retryAfterSeconds: Int? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
    }

    public var description: String { "\(status) \(code): \(message)" }

    /// Whether the same question may be answered later: the daemon had no room, is stopping, or
    /// wants another token.
    public var isWorthRetrying: Bool { status == 429 || status >= 500 || isAboutToken }

    /// Whether it is about the token that was shown, or was not: another one may be good.
    public var isAboutToken: Bool { Self.tokenCodes.contains(code) }

    private static let tokenCodes: Set<String> = [
        "token_missing", "token_invalid", "token_expired", "token_revoked",
    ]
}
