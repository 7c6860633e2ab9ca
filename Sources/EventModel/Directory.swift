// Directories: the lists that a tenant has of its users, its channels, and who is in which.

/// A list of named entries, each with what is known of it.
///
/// It is a channel of its own whose messages are the entries as they are now: whoever follows it
/// has all of them, and proves it by the same digests as for any channel's messages. Another
/// content is another message, in the place of the one before.
public enum Directory: Hashable, Sendable {
    /// The tenant's users, by their ids.
    case users
    /// What is known of the tenant's channels, by their names.
    case channels
    /// Who is in a channel, by their ids.
    case members(channel: String)
    /// In which channels a user is, by their names; says what ``members(channel:)`` do.
    case memberships(user: String)

    /// What the messages of a directory say that they are.
    public static let messageType = "$entry"

    private static let usersName = "$users"
    private static let channelsName = "$channels"
    private static let membersPrefix = "$members:"
    private static let membershipsPrefix = "$memberships:"

    /// The channel that it is.
    public var channelName: String {
        switch self {
        case .users: Self.usersName
        case .channels: Self.channelsName
        case .members(let channel): Self.membersPrefix + channel
        case .memberships(let user): Self.membershipsPrefix + user
        }
    }

    /// The directory that a channel is; `nil` for any other channel.
    public init?(channelName name: String) {
        guard name.utf8.first == UInt8(ascii: "$") else { return nil }
        if let channel = Self.tail(of: name, behind: Self.membersPrefix) {
            self = .members(channel: channel)
        } else if let user = Self.tail(of: name, behind: Self.membershipsPrefix) {
            self = .memberships(user: user)
        } else if name.utf8.elementsEqual(Self.usersName.utf8) {
            self = .users
        } else if name.utf8.elementsEqual(Self.channelsName.utf8) {
            self = .channels
        } else {
            return nil
        }
    }

    private static func tail(of name: String, behind prefix: String) -> String? {
        guard name.utf8.count > prefix.utf8.count, name.utf8.starts(with: prefix.utf8) else {
            return nil
        }
        return String(name.utf8.dropFirst(prefix.utf8.count))
    }

    /// Bytes in front of another name that is part of it; that one has a limit of its own.
    static func prefixBytes(ofName name: String) -> Int {
        switch Directory(channelName: name) {
        case .members: membersPrefix.utf8.count
        case .memberships: membershipsPrefix.utf8.count
        case .users, .channels, nil: 0
        }
    }
}

/// What is known of one user, one channel or one membership.
public struct DirectoryEntry: Hashable, Sendable {
    /// Of a user, or a channel's name.
    public var id: String
    /// Compact JSON text of an object with `id` and the fields that it has.
    public var content: String
    /// Since when it is so: tells one content from another.
    public var timetoken: Timetoken

    public init(id: String, content: String, timetoken: Timetoken) {
        self.id = id
        self.content = content
        self.timetoken = timetoken
    }
}

/// A field of an entry that is to be another.
public struct EntryField: Hashable, Sendable {
    public var name: String
    /// Compact JSON text; `nil` takes the field away.
    public var value: String?

    public init(name: String, value: String?) {
        self.name = name
        self.value = value
    }
}

/// What is to become of one entry.
public struct EntryChange: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Makes it, or changes these fields of it and leaves the others.
        case set([EntryField])
        case remove
    }

    public var id: String
    public var kind: Kind

    public init(id: String, kind: Kind) {
        self.id = id
        self.kind = kind
    }
}

/// A wish to change entries of a directory: all of them, or none.
public struct DirectoryRequest: Hashable, Sendable {
    public var directory: Directory
    /// Each of another entry; one at least.
    public var changes: [EntryChange]
    /// Nothing is changed unless the first entry is as it was then.
    public var expected: Timetoken?
    public var mutation: String?

    public init(
        directory: Directory, changes: [EntryChange], expected: Timetoken? = nil,
        mutation: String? = nil
    ) {
        self.directory = directory
        self.changes = changes
        self.expected = expected
        self.mutation = mutation
    }
}

/// A question about the entries of a directory.
public struct DirectoryQuery: Hashable, Sendable {
    /// By what entries are put in order.
    public struct Order: Hashable, Sendable {
        public enum Key: String, Hashable, Sendable, CaseIterable {
            case id, name, status, type
            /// Since when it is so.
            case updated
        }

        public var key: Key
        /// Whether it is a field of the user or channel that a membership is of.
        public var isOfSubject: Bool
        public var isDescending: Bool

        public init(_ key: Key, isOfSubject: Bool = false, isDescending: Bool = false) {
            self.key = key
            // The id of whom a membership is of is its own, also where nothing is known of them.
            self.isOfSubject = isOfSubject && key != .id
            self.isDescending = isDescending
        }
    }

    public var directory: Directory
    /// The only entry that is asked for.
    public var id: String?
    /// A filter expression; an entry's fields are its names.
    public var filter: String?
    /// What counts first, first; what these leave open is in the order of the ids.
    public var orders: [Order]
    /// What an earlier page said as ``DirectoryPage/next``.
    public var after: String?
    /// What an earlier page said as ``DirectoryPage/previous``; the entries before it.
    public var before: String?
    public var limit: Int
    /// Whether all that match are counted.
    public var counts: Bool
    /// Whether what is known of a membership's user or channel comes with it.
    public var includesSubjects: Bool

    public init(
        directory: Directory, id: String? = nil, filter: String? = nil, orders: [Order] = [],
        after: String? = nil, before: String? = nil, limit: Int = Limits.directoryPageMax,
        counts: Bool = false, includesSubjects: Bool = false
    ) {
        self.directory = directory
        self.id = id
        self.filter = filter
        self.orders = orders
        self.after = after
        self.before = before
        self.limit = limit
        self.counts = counts
        self.includesSubjects = includesSubjects
    }
}

/// Entries of a directory, in the order that was asked for.
public struct DirectoryPage: Hashable, Sendable {
    public struct Row: Hashable, Sendable {
        public var entry: DirectoryEntry
        /// What is known of the user or channel that a membership is of, where that is asked for
        /// and there is something.
        public var subject: DirectoryEntry?

        public init(entry: DirectoryEntry, subject: DirectoryEntry? = nil) {
            self.entry = entry
            self.subject = subject
        }
    }

    public var rows: [Row]
    /// Behind the last one; `nil` when there is none.
    public var next: String?
    /// Before the first one, likewise.
    public var previous: String?
    /// Whether there is more in the direction that was asked for.
    public var hasMore: Bool
    /// How many match in all, where that is asked for.
    public var count: Int?

    public init(
        rows: [Row], next: String? = nil, previous: String? = nil, hasMore: Bool = false,
        count: Int? = nil
    ) {
        self.rows = rows
        self.next = next
        self.previous = previous
        self.hasMore = hasMore
        self.count = count
    }
}

/// What became of an entry, for PubNub's listeners.
public struct DirectoryNotice: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case user
        case channel
        /// The entry's id is the user's.
        case membership(channel: String)
    }

    public var kind: Kind
    public var id: String
    /// As it is now; `nil`: it is gone.
    public var entry: DirectoryEntry?

    public init(kind: Kind, id: String, entry: DirectoryEntry?) {
        self.kind = kind
        self.id = id
        self.entry = entry
    }
}
