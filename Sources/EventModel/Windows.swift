// A window: what a device holds of a channel, from a boundary on, and the state of the rest.

/// How much of a channel a device holds: its newest messages, with everything on them.
public struct ChannelWindow: Hashable, Sendable {
    /// Messages at least, where there are so many.
    public let last: Int
    /// Messages at most, more or less: then the oldest go.
    public let keeping: Int

    /// The newest messages.
    ///
    /// - Parameters:
    ///   - last: 1 to ``Limits/windowPageMessagesMax``; what is beyond that is taken for the next.
    ///   - keeping: No fewer than `last`.
    public static func last(
        _ last: Int, keeping: Int = Limits.windowMessagesKept
    ) -> ChannelWindow {
        let last = min(max(last, 1), Limits.windowPageMessagesMax)
        return ChannelWindow(last: last, keeping: max(keeping, last))
    }
}

/// What became of a wish for older messages.
public enum OlderOutcome: Hashable, Sendable {
    /// They are in the list.
    ///
    /// - Parameter hasMore: Whether the channel has further ones.
    case loaded(hasMore: Bool)
    /// The window has as many messages as it is to keep; what is before can only be looked at.
    case full
    case refused(ProtocolError)
}

/// A wish for the messages before those that a device holds, or for the newest ones.
public struct OlderQuery: Hashable, Sendable {
    public var channel: String
    /// Where the device's window starts: what it holds is on messages after this; `nil`: it holds
    /// nothing yet.
    public var through: Timetoken?
    /// Messages at least, where there are so many; 0 asks for what stands before the window alone.
    public var last: Int

    public init(channel: String, through: Timetoken? = nil, last: Int = 50) {
        self.channel = channel
        self.through = through
        self.last = last
    }
}

/// Everything on a stretch of a channel's messages, and what stands before it.
///
/// The stretch leaves its start out and holds its end, where the window began before. Of what
/// happened up to ``cursor`` the page is right, and later events come as pushes.
public struct WindowPage: Hashable, Sendable {
    /// The commit that all of it is of.
    public var cursor: Timetoken
    /// Where the window starts from now on; zero: nothing stands before it.
    public var after: Timetoken
    /// What the rows before the window come to.
    public var rest: Digest
    /// What those of the whole channel come to.
    public var state: Digest
    /// Ascending; without actions.
    public var messages: [StoredMessage]
    /// Ascending by `actionTimetoken`; also those on timetokens at which no message is.
    public var actions: [MessageAction]

    public init(
        cursor: Timetoken, after: Timetoken, rest: Digest, state: Digest,
        messages: [StoredMessage] = [], actions: [MessageAction] = []
    ) {
        self.cursor = cursor
        self.after = after
        self.rest = rest
        self.state = state
        self.messages = messages
        self.actions = actions
    }
}

extension WindowPage {
    /// Whether it has nothing but what is on messages of a stretch.
    func isOf(after start: Timetoken, through end: Timetoken) -> Bool {
        func isWithin(_ message: Timetoken) -> Bool {
            (start < message || start == .zero) && message <= end
        }
        return messages.allSatisfy { isWithin($0.timetoken) }
            && actions.allSatisfy { isWithin($0.key.messageTimetoken) }
    }
}

/// What a batch leaves out that sums up what a device missed of its window.
///
/// Its events do not say what became of the rest of the channel, neither do those that it has of
/// messages before the window: ``rest`` does.
public struct BatchWindow: Hashable, Sendable {
    /// It may have nothing about messages up to here.
    public var after: Timetoken
    /// What those rows come to as of the batch's cursor; `nil`: a later batch says it, or none.
    public var rest: Digest?

    public init(after: Timetoken, rest: Digest? = nil) {
        self.after = after
        self.rest = rest
    }
}
