// What a client tells its user without being asked.

public import EventModel

/// One thing that happened to a client or to a channel that it follows.
public enum SyncEvent: Hashable, Sendable {
    /// A session began; every channel goes on from where it stopped.
    case connected(Welcome)
    /// The session ended; `retryIn` is `nil` when the client will not come back.
    case disconnected(reason: String, retryIn: Duration?)
    /// What happened in a channel of ``SyncClient/SyncClient/follow(_:after:)``; in a
    /// ``SyncedChannel`` the signals, presence and messages that nobody stores, which are in no
    /// list. Each once, in order.
    case announced(channel: String, [Envelope])
    /// What the reactions on messages come to, in a channel that is followed with
    /// `actions: .summary`: four times a second at most. Of two about one message the one with the
    /// later position is right.
    case summarized(channel: String, [MessageSummary])
    /// Something that came could not be read, and was left out; everything else goes on.
    ///
    /// ``SyncClient/SyncClient/problemCount`` counts them.
    case problem(Problem)
    /// A channel of ``SyncClient/SyncClient/follow(_:after:)`` is announced from this position on;
    /// once more, and from the channel's beginning, when the store was replaced.
    case began(channel: String, after: Timetoken)
    /// A followed ``SyncedChannel`` was compared with the daemon's state, and is equal.
    ///
    /// Told when that was not known before, not with each batch.
    case channelVerified(String)
    /// The daemon says that other reactions are possible in a channel from now on.
    case rulesChanged(channel: String, ReactionRules)
    /// The rows that a device had wrongly, or lacked, were found and mended.
    case cacheRepaired(channel: String, by: ChannelSync.Rung, rows: [RowChange])
    /// The daemon will never apply this write; the channel's list has dropped it.
    case writeRefused(OutboxEntry, ProtocolError)
    /// The daemon does not let the user follow this channel.
    case channelRefused(String, ProtocolError)
    /// Channels of a group or wildcard are followed from now on, and others no longer.
    case selected(Selection, channels: [String], ended: [String])
    /// No further channels of a group or wildcard are followed; those that were go on.
    case selectionRefused(Selection, ProtocolError)
    /// This stream was read too slowly and what waited in it was dropped.
    ///
    /// The caches have everything: read those again.
    case eventsMissed
}

extension SyncEvent {
    /// What could not be read.
    public struct Problem: Hashable, Sendable {
        /// Where it came; `nil` when not even that could be read.
        public let channel: String?
        /// What is wrong with it.
        public let reason: String

        public init(channel: String?, reason: String) {
            self.channel = channel
            self.reason = reason
        }
    }
}
