// Names that stand for many channels, as clients follow them.

/// A channel group, or a wildcard.
public struct Selection: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
        /// The channels that somebody put into it.
        case group
        /// All channels whose names begin like it: `news.*`.
        case wildcard
    }

    public var kind: Kind
    /// With the suffix `-pnpres`: who comes and goes in these channels.
    public var name: String

    public init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    /// The group of a name.
    public static func group(_ name: String) -> Selection { Selection(.group, name) }
    /// The wildcard that is spelled so.
    public static func wildcard(_ name: String) -> Selection { Selection(.wildcard, name) }
}

/// A wish to follow all channels of a selection, also those that come into it later.
public struct FollowRequest: Hashable, Sendable {
    public var selection: Selection
    /// Where the device stopped; what its channels had after it comes first; `nil`: from now on.
    public var cursor: Timetoken?
    /// The store, and its run, that issued `cursor`.
    public var epoch: String?
    /// How long events may wait for more, in milliseconds.
    public var batchMilliseconds: Int
    /// Whether only the net effect of each batch is wanted.
    public var coalesces: Bool
    /// How much of the actions is wanted.
    public var actions: ActionsDetail
    /// Whether the channels begin by themselves; else they are only named, and whoever has a
    /// cursor of each subscribes to them.
    public var starts: Bool

    public init(
        _ selection: Selection, cursor: Timetoken? = nil, epoch: String? = nil,
        batchMilliseconds: Int = 0, coalesces: Bool = false, actions: ActionsDetail = .rows,
        starts: Bool = true
    ) {
        self.starts = starts
        self.selection = selection
        self.cursor = cursor
        self.epoch = epoch
        self.batchMilliseconds = batchMilliseconds
        self.coalesces = coalesces
        self.actions = actions
    }
}

/// Which channels of a selection are followed from now on, and which no longer.
public struct SelectionNews: Hashable, Sendable {
    public var selection: Selection
    /// From where to follow the selection when the connection is gone.
    public var cursor: Timetoken
    /// Followed from now on.
    public var channels: [SubscribedChannel]
    /// Those that were not begun: the session followed them before, or wants to begin them itself.
    public var known: [String]
    /// Followed no more.
    public var ended: [String]

    public init(
        _ selection: Selection, cursor: Timetoken, channels: [SubscribedChannel] = [],
        known: [String] = [], ended: [String] = []
    ) {
        self.selection = selection
        self.cursor = cursor
        self.channels = channels
        self.known = known
        self.ended = ended
    }
}

/// What somebody wants of a group.
public enum GroupChange: Hashable, Sendable {
    case add([String])
    case remove([String])
    case delete
}

/// A wish to change which channels are in a group; one that has none is no more.
public struct GroupRequest: Hashable, Sendable {
    public var group: String
    public var change: GroupChange

    public init(_ group: String, _ change: GroupChange) {
        self.group = group
        self.change = change
    }
}
