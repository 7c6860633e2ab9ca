// One fact in the engine's order: what was said, where, by whom and at which position.

/// A published message.
public struct Message: Hashable, Sendable {
    /// Any JSON value, as compact JSON text.
    public let payload: String
    /// A JSON value for filters and applications, as compact JSON text.
    public let meta: String?
    /// The application's own name for this kind of message (PubNub's `custom_message_type`).
    public let type: String?
    /// The message of the same channel in whose thread this one is a reply.
    public let parent: Timetoken?

    public init(
        payload: String, meta: String? = nil, type: String? = nil, parent: Timetoken? = nil
    ) {
        self.payload = payload
        self.meta = meta
        self.type = type
        self.parent = parent
    }
}

/// What one event says.
public enum Event: Hashable, Sendable {
    case message(Message)
    case actionAdded(MessageAction)
    /// The action that stood until now; its `actionTimetoken` is that of the add.
    case actionRemoved(MessageAction)
    /// Every message of the channel in a range, with the actions on them.
    ///
    /// The range leaves its start out and holds its end.
    case messagesDeleted(after: Timetoken, through: Timetoken)
    /// Every action that stood until then, and that a clearing covers.
    case actionsCleared(Clearing)
    /// A small message that is never stored.
    case signal(Message)
    /// Who came to a channel, left it or changed there; its envelope is in the presence channel.
    case presence(PresenceNotice)
    /// What became of a user, a channel or a membership; never stored, and for PubNub's SDKs alone.
    case directory(DirectoryNotice)
}

/// An event with the position that the ledger gave it.
///
/// Immutable, and the unit of fan-out.
public struct Envelope: Hashable, Sendable {
    public let channel: Channel
    /// For an added action this equals its `actionTimetoken`.
    public let timetoken: Timetoken
    /// The user who caused the event; empty for presence.
    public let uuid: String
    public let event: Event
    /// Whether a device that missed it can still get it: it is in the store.
    ///
    /// What is not stored never moves a device's durable cursor.
    public let isStored: Bool
    /// What the rows came to that went by it, of a deletion or clearing that just took place; `nil`
    /// when it is told from the store.
    public let gone: Digest?

    public init(
        channel: Channel, timetoken: Timetoken, uuid: String, event: Event, isStored: Bool = true,
        gone: Digest? = nil
    ) {
        self.channel = channel
        self.timetoken = timetoken
        self.uuid = uuid
        self.event = event
        self.isStored = isStored
        self.gone = gone
    }
}

extension Envelope {
    /// The same, which took something else.
    func taking(_ gone: Digest?) -> Envelope {
        Envelope(
            channel: channel, timetoken: timetoken, uuid: uuid, event: event, isStored: isStored,
            gone: gone)
    }
}

/// Events of one channel that are delivered together, in order, ending at one cursor.
public struct Batch: Hashable, Sendable {
    public let channel: Channel
    /// A subscriber that applied this batch has seen everything of the channel up to here.
    public let cursor: Timetoken
    /// Ascending by timetoken; may be empty, when only the cursor moves.
    public let envelopes: [Envelope]
    /// What the channel's rows come to at `cursor`; `nil` when the batch ends amid a commit.
    public let state: Digest?
    /// Of a batch with what a device missed of a part of the channel: how far that goes.
    public let window: BatchWindow?
    /// Groups of messages whose actions changed, for who follows the channel by summaries.
    public let summaries: [MessageSummary]

    public init(
        channel: Channel, cursor: Timetoken, envelopes: [Envelope], state: Digest? = nil,
        summaries: [MessageSummary] = [], window: BatchWindow? = nil
    ) {
        self.channel = channel
        self.cursor = cursor
        self.envelopes = envelopes
        self.state = state
        self.summaries = summaries
        self.window = window
    }
}
