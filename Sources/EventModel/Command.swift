// What a client may ask, as values, before any encoding. docs/PROTOCOL.md shows each as JSON.

/// The client's own number for a command; its reply carries the same.
public typealias CommandID = Int64

/// One request of a client.
public enum Command: Hashable, Sendable {
    /// The operations by their names on the wire.
    public enum Operation: String, CaseIterable, Sendable {
        case hello, subscribe, unsubscribe, follow, unfollow, repair, publish, signal, addAction,
            removeAction, editMessage, deleteMessage, deleteMessages, removeActions, history,
            older, actions, endLive, summaries, markRead, unread, hereNow, whereNow, setState,
            getState, changeGroup, group, ping, token, users, channels, members, memberships,
            setUser, removeUser, setChannel, removeChannel, setMembers, setMemberships
    }

    case hello(Hello)
    case subscribe([SubscribeRequest])
    case unsubscribe(channels: [String])
    case follow(FollowRequest)
    case unfollow(Selection)
    case repair(RepairRequest)
    case publish(PublishRequest)
    case signal(SignalRequest)
    case addAction(ActionRequest)
    case removeAction(RemovalRequest)
    case editMessage(EditRequest)
    case deleteMessage(OwnDeletionRequest)
    case deleteMessages(DeletionRequest)
    case removeActions(ClearingRequest)
    case history(HistoryQuery)
    case older(OlderQuery)
    case actions(ActionsQuery)
    case summaries(SummariesQuery)
    /// Has nothing more come of a live query.
    case endLive(LiveID)
    case markRead(ReadMark)
    /// What the user has not read; from then on the session is told of the user's marks.
    case unread(channels: [String])
    case hereNow(OccupancyQuery)
    /// In which channels a user is; `nil`: who asks.
    case whereNow(userID: String?)
    /// What others are to know of who asks; compact JSON text of an object, `{}` for nothing.
    case setState(channel: String, state: String)
    /// The same of a user; `nil`: who asks.
    case getState(channel: String, userID: String?)
    case changeGroup(GroupRequest)
    /// Which channels are in a group.
    case group(String)
    /// Entries of a directory, or one of them.
    case directory(DirectoryQuery)
    case changeDirectory(DirectoryRequest)
    case ping
    /// Shows another token before that of ``hello(_:)`` is over.
    case token(String)
}

/// Who connects.
public struct Hello: Hashable, Sendable {
    public var userID: String
    public var deviceID: String
    /// The subscribe key of the tenant; `nil` for the daemon's default one.
    public var keyset: String?
    /// The key that the tenant's owner may ask of those who publish.
    public var publishKey: String?
    /// What the tenant's backend gave the user, where the tenant admits only who shows a token.
    public var token: String?

    public init(
        userID: String, deviceID: String, keyset: String? = nil, publishKey: String? = nil,
        token: String? = nil
    ) {
        self.userID = userID
        self.deviceID = deviceID
        self.keyset = keyset
        self.publishKey = publishKey
        self.token = token
    }
}

/// How much a device is told of a channel's actions.
public enum ActionsDetail: String, Hashable, Sendable, CaseIterable {
    /// Each one, and what they come to: the device can prove that it has them all.
    case rows
    /// The groups of a message whenever they changed, a few times a second at most.
    case summary
    /// Nothing.
    case none
}

/// A wish to follow one channel.
public struct SubscribeRequest: Hashable, Sendable {
    public var channel: String
    /// Where the device stopped; everything after it comes first; `nil`: from now on.
    public var cursor: Timetoken?
    /// The store, and its run, that issued `cursor`; in another store the cursor means nothing.
    public var epoch: String?
    /// What the device's rows come to at `cursor`.
    public var base: Digest?
    /// Whether the device found that its actions are not the server's.
    public var asksForRepair: Bool
    /// How long events may wait for more, in milliseconds; a second at most.
    public var batchMilliseconds: Int
    /// Whether only the net effect of each batch is wanted.
    public var coalesces: Bool
    /// How much of the actions is wanted.
    public var actions: ActionsDetail
    /// Where the part of the channel starts that the device holds: its rows are on messages after
    /// this, ``Timetoken/end`` when it holds none yet; `nil`: it holds everything.
    public var window: Timetoken?
    /// Whether the user is in the channel as long as it is followed, and hears who comes and goes.
    public var isPresent: Bool
    /// The user's state there, as compact JSON text of an object; `nil`: as it was.
    public var state: String?

    public init(
        channel: String, cursor: Timetoken? = nil, epoch: String? = nil, base: Digest? = nil,
        asksForRepair: Bool = false, batchMilliseconds: Int = 0, coalesces: Bool = false,
        actions: ActionsDetail = .rows, window: Timetoken? = nil,
        isPresent: Bool = false, state: String? = nil
    ) {
        self.channel = channel
        self.cursor = cursor
        self.epoch = epoch
        self.base = base
        self.asksForRepair = asksForRepair
        self.batchMilliseconds = batchMilliseconds
        self.coalesces = coalesces
        self.actions = actions
        self.window = window
        self.isPresent = isPresent
        self.state = state
    }
}

/// What the coded symbols of a repair are of.
public enum RepairLevel: String, Hashable, Sendable {
    /// Each row of the channel.
    case whole
    /// The states of the channel's segments.
    case segments
    /// Each row of the segments that differ, as the daemon said which these are.
    case rows
}

/// What a device found out about segments that differ, from what they come to.
public struct RepairChoice: Hashable, Sendable {
    /// Rows that it lacks, ascending: each is all that its segment lacks.
    public var fetch: [WantedRow]
    /// Which of the stretches have more, ascending from 0: the symbols are of their rows.
    public var only: [Int]

    public init(fetch: [WantedRow], only: [Int]) {
        self.fetch = fetch
        self.only = only
    }
}

/// Coded symbols of what a device has, so that the daemon finds how it differs from its own.
public struct RepairRequest: Hashable, Sendable {
    public var channel: String
    public var level: RepairLevel
    /// Of rows, with the first symbols; `nil`: these are of all that differ.
    public var choice: RepairChoice?
    /// From index 0, or from where the device's last request for this channel ended.
    public var run: SymbolRun

    public init(
        channel: String, level: RepairLevel = .whole, choice: RepairChoice? = nil, run: SymbolRun
    ) {
        self.channel = channel
        self.level = level
        self.choice = choice
        self.run = run
    }
}

/// A message to store and to send to all subscribers.
public struct PublishRequest: Hashable, Sendable {
    public var channel: String
    public var message: Message
    /// Makes a retry apply at most once, per device, across restarts.
    public var mutation: String?
    /// Whether it is kept; `nil`: as the keyset has it.
    public var isStored: Bool?
    /// Hours after which it is deleted, 0 for never; `nil`: as the keyset has it.
    public var hoursKept: Int?

    public init(
        channel: String, message: Message, mutation: String? = nil, isStored: Bool? = nil,
        hoursKept: Int? = nil
    ) {
        self.channel = channel
        self.message = message
        self.mutation = mutation
        self.isStored = isStored
        self.hoursKept = hoursKept
    }
}

/// A small message for whoever listens now; nothing keeps it.
public struct SignalRequest: Hashable, Sendable {
    public var channel: String
    /// Its payload has up to ``Limits/signalBytesMax``, and it has no `meta`.
    public var message: Message

    public init(channel: String, message: Message) {
        self.channel = channel
        self.message = message
    }
}

/// Messages to delete, with the actions on them.
public struct DeletionRequest: Hashable, Sendable {
    public var channel: String
    /// The range leaves this out; ``Timetoken/zero``: from the oldest.
    public var after: Timetoken
    /// The range holds this.
    public var through: Timetoken
    public var mutation: String?

    public init(
        channel: String, after: Timetoken = .zero, through: Timetoken, mutation: String? = nil
    ) {
        self.channel = channel
        self.after = after
        self.through = through
        self.mutation = mutation
    }
}

/// An action to add.
public struct ActionRequest: Hashable, Sendable {
    public var channel: String
    public var messageTimetoken: Timetoken
    public var type: String
    public var value: String
    /// What it counts for, from 1 to ``Limits/actionScoreMax``; `nil`: as the channel's rules have
    /// it, and in a removal.
    public var score: Int?
    public var mutation: String?

    public init(
        channel: String, messageTimetoken: Timetoken, type: String = "reaction", value: String,
        score: Int? = nil, mutation: String? = nil
    ) {
        self.channel = channel
        self.messageTimetoken = messageTimetoken
        self.type = type
        self.value = value
        self.score = score
        self.mutation = mutation
    }
}

/// An action to remove.
public struct RemovalRequest: Hashable, Sendable {
    public var action: ActionRequest
    /// The action that the device saw; when a newer one stands under the same key it is kept.
    public var actionTimetoken: Timetoken?

    public init(action: ActionRequest, actionTimetoken: Timetoken? = nil) {
        self.action = action
        self.actionTimetoken = actionTimetoken
    }
}

/// A page of a channel's messages.
public struct HistoryQuery: Hashable, Sendable {
    public var channel: String
    /// Exclusive: only messages before it, the newest first to be chosen.
    public var before: Timetoken?
    /// Exclusive: only messages after it; the oldest are chosen when `before` is absent.
    public var after: Timetoken?
    /// From 1 to ``Limits/historyPageMax``.
    public var limit: Int
    /// Only replies in the thread of this message.
    public var parent: Timetoken?
    /// Whether each message comes with the actions that stand on it.
    public var includesActions: Bool
    /// Whether the oldest are chosen though `before` is given.
    public var fromOldest: Bool
    /// Bytes of the page, roughly; one message comes in any case.
    public var bytesMax: Int
    /// Whether each message comes with what its author made of it since.
    public var includesVersions = true

    public init(
        channel: String, before: Timetoken? = nil, after: Timetoken? = nil,
        limit: Int = Limits.historyPageMax, parent: Timetoken? = nil,
        includesActions: Bool = false, fromOldest: Bool = false, bytesMax: Int = Limits.pageBytesMax
    ) {
        self.channel = channel
        self.before = before
        self.after = after
        self.limit = limit
        self.parent = parent
        self.includesActions = includesActions
        self.fromOldest = fromOldest
        self.bytesMax = bytesMax
    }

    /// Whether the page starts at its oldest message, so that ``HistoryPage/next`` is an `after`.
    public var goesForward: Bool { fromOldest || (after != nil && before == nil) }
}
