// Up to where a user has read one channel, as one of the user's devices knows it. Pure.

/// What a device keeps of its user's read mark in a channel.
public struct KeptMark: Hashable, Sendable {
    public var channel: String
    /// The latest mark that the server told; ``Timetoken/zero``: there was none; `nil`: it has told
    /// nothing yet.
    public var confirmed: Timetoken?
    /// What the user wished on this device, until the server has confirmed it.
    public var wished: Timetoken?

    /// Whether there is nothing to keep.
    public var isEmpty: Bool { confirmed == nil && wished == nil }

    public init(channel: String, confirmed: Timetoken? = nil, wished: Timetoken? = nil) {
        self.channel = channel
        self.confirmed = confirmed
        self.wished = wished
    }
}

/// What the user has not read of a channel's list.
public struct Unread: Hashable, Sendable {
    /// Messages of others in the list that are after ``through``.
    public var count: Int
    /// Whether there may be more before those that the device holds.
    public var isAtLeast: Bool
    /// The later of the server's mark and the user's own wish; `nil`: nothing was read.
    public var through: Timetoken?

    public init(count: Int, isAtLeast: Bool = false, through: Timetoken? = nil) {
        self.count = count
        self.isAtLeast = isAtLeast
        self.through = through
    }
}

/// One channel's mark: it grows by what the server tells and by what the user wishes.
///
/// - Invariant: ``wished`` is after ``confirmed``.
struct ReadState: Sendable {
    private(set) var confirmed: Timetoken?
    private(set) var wished: Timetoken?
    /// The wish that is on its way to the server.
    private(set) var sent: Timetoken?
    /// The server told an earlier mark than it had confirmed: it was put back from a backup.
    private var isLost = false
    /// A wish went out a moment ago: the next one waits, and may be the last of several.
    var isResting = false
    /// The server refused it: nothing more goes out before another try is worth it.
    var isHeldBack = false
    /// Whether messages are counted, and the server was asked for the mark.
    var isCounted = false
    /// Whether nothing is to be kept beyond the wish.
    var isForgotten = false
    /// Messages of others in the list after ``through``.
    private(set) var messages: Set<Timetoken> = []
    /// What was last told of them.
    var told: Unread?
    /// What was last kept.
    var kept: KeptMark?

    init() {}

    init(_ kept: KeptMark) {
        confirmed = kept.confirmed
        wished = kept.wished
        self.kept = kept
    }

    /// Up to where the user has read; `nil`: nothing.
    var through: Timetoken? {
        let latest = max(confirmed ?? .zero, wished ?? .zero)
        return latest > .zero ? latest : nil
    }

    /// What the server has to be told; `nil`: nothing, or not now.
    var due: Timetoken? {
        guard sent == nil, !isResting, !isHeldBack else { return nil }
        return wished ?? (isLost ? confirmed : nil)
    }

    // MARK: What changes the mark

    /// - Returns: Whether it says anything new.
    mutating func wish(_ through: Timetoken) -> Bool {
        guard through > self.through ?? .zero else { return false }
        wished = through
        return true
    }

    mutating func send(_ through: Timetoken) {
        sent = through
        isResting = true
    }

    /// The server told a mark, by a frame or a reply.
    mutating func hear(_ through: Timetoken?) {
        confirmed = max(confirmed ?? .zero, through ?? .zero)
        if let wished, wished <= confirmed ?? .zero { self.wished = nil }
    }

    /// The server answered the question where the mark is.
    ///
    /// - Parameter known: The mark that it had confirmed when it was asked.
    mutating func answer(_ through: Timetoken?, knowing known: Timetoken) {
        isLost = through ?? .zero < known
        hear(through)
    }

    /// The server took what was sent; what it has not got so far it takes for its newest event.
    mutating func accept(_ through: Timetoken) {
        hear(through)
        if let wished, let sent, wished <= sent { self.wished = nil }
        sent = nil
        isLost = false
    }

    /// The server did not take what was sent.
    mutating func refuse() {
        sent = nil
        isHeldBack = true
    }

    mutating func disconnect() {
        sent = nil
        isLost = false
        isHeldBack = false
    }

    mutating func forget() {
        confirmed = nil
        isForgotten = true
    }

    // MARK: What is counted

    /// Counts anew: the mark or the list is another one.
    mutating func count(_ base: ChannelBase, of user: String) {
        messages = []
        guard isCounted else { return }
        let start = through ?? .zero
        for (timetoken, entry) in base.cache.messages
        where timetoken > start && ExactText(entry.uuid) != ExactText(user) {
            messages.insert(timetoken)
        }
    }

    /// Takes up what came into the list and went out of it.
    mutating func count(_ rows: [RowChange], of user: String) {
        guard isCounted else { return }
        let start = through ?? .zero
        for row in rows {
            switch row {
            case .messagePut(let timetoken, let entry)
            where timetoken > start && ExactText(entry.uuid) != ExactText(user):
                messages.insert(timetoken)
            case .messagePut(let timetoken, _), .messageDropped(let timetoken, _):
                messages.remove(timetoken)
            case .actionPut, .actionDropped: break
            }
        }
    }
}
