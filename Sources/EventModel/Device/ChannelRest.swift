// What stands before a device's window: no rows, only what they come to.

/// Where the part of a channel starts that a device holds, and the state of the rest.
///
/// Whole = rest + window: digests add up, so the channel's state proves the window right. Events
/// lead from one state of the rest to the next, because each names its row, and a deletion or
/// clearing says what went by it.
public struct ChannelRest: Hashable, Sendable {
    /// The window has what is on messages after this: ``Timetoken/zero`` when it is everything,
    /// ``Timetoken/end`` when it is nothing yet.
    public let after: Timetoken
    /// What the rows before it come to; `nil` when that is not known.
    public private(set) var digest: Digest?
    /// Events up to here are in it.
    public let cursor: Timetoken
    /// What the whole channel came to then; `nil`: nobody said it.
    public let whole: Digest?

    /// Nothing is before the window.
    public static let none = ChannelRest(after: .zero, digest: .empty)

    /// The window has nothing yet.
    public static let all = ChannelRest(after: .end, digest: nil)

    public init(
        after: Timetoken, digest: Digest?, cursor: Timetoken = .zero, whole: Digest? = nil
    ) {
        self.after = after
        self.digest = digest
        self.cursor = cursor
        self.whole = whole
    }

    /// Whether there may be messages before the window: not where its rows are known to be none,
    /// nor before anything is known.
    public var hasMore: Bool { after > .zero && after < .end && digest?.count != 0 }

    /// Whether there may be messages after a timetoken before the window.
    func mayHold(after timetoken: Timetoken) -> Bool { after > timetoken && digest?.count != 0 }

    /// Whether rows on a message are of the rest.
    func contains(_ message: Timetoken) -> Bool { message <= after && after > .zero }

    /// Whether an event is about the rest alone.
    func contains(_ envelope: Envelope) -> Bool {
        switch envelope.event {
        case .message: contains(envelope.timetoken)
        case .actionAdded(let action), .actionRemoved(let action):
            contains(action.key.messageTimetoken)
        case .messagesDeleted, .actionsCleared, .signal, .presence, .directory: false
        }
    }

    /// Takes an event into account.
    ///
    /// - Parameter gone: What a deletion or clearing took of the rest; `nil`: nobody said it.
    mutating func follow(_ envelope: Envelope, gone: Digest?, key: DigestKey) {
        guard after > .zero, envelope.timetoken > cursor, envelope.isStored else { return }
        switch envelope.event {
        case .messagesDeleted, .actionsCleared:
            if let gone { digest?.remove(gone) } else { digest = nil }
        case .message(let message) where contains(envelope):
            let entry = DeviceCache.Entry(uuid: envelope.uuid, message: message)
            digest?.insert(entry.row(at: envelope.timetoken), key: key)
        case .actionAdded(let action) where contains(envelope): digest?.insert(action, key: key)
        case .actionRemoved(let action) where contains(envelope): digest?.remove(action, key: key)
        case .message, .actionAdded, .actionRemoved, .signal, .presence, .directory: break
        }
    }

    /// Takes the oldest rows of the window in, which it has from here to `after`.
    func growing(to after: Timetoken, with rows: Digest) -> ChannelRest {
        var digest = digest
        digest?.insert(rows)
        return ChannelRest(after: after, digest: digest, cursor: cursor, whole: whole)
    }
}
