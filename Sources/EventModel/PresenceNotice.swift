// What is said about who is in a channel.

/// One presence event of a channel.
///
/// - Source: PubNub's presence events; their JSON is in docs/PROTOCOL.md.
public struct PresenceNotice: Hashable, Sendable {
    public enum Action: String, Hashable, Sendable {
        case join, leave, timeout
        case stateChange = "state-change"
        /// Stands for the single events above a channel's announce limit.
        case interval
    }

    public var action: Action
    /// Nobody in an interval.
    public var userID: String?
    /// Users in the channel after the event.
    public var occupancy: Int
    /// Seconds since 1970.
    public var seconds: UInt64
    /// The user's state, as compact JSON text of an object.
    public var state: String?
    /// Who came, left and vanished since the last interval; only with deltas.
    public var joined: [String] = []
    public var left: [String] = []
    public var timedOut: [String] = []
    /// The lists would be too long: whoever wants them asks who is here.
    public var needsRefresh = false

    public init(
        action: Action, userID: String? = nil, occupancy: Int, seconds: UInt64,
        state: String? = nil
    ) {
        self.action = action
        self.userID = userID
        self.occupancy = occupancy
        self.seconds = seconds
        self.state = state
    }
}

extension Channel {
    /// What the name of a presence channel ends with.
    public static let presenceSuffix = "-pnpres"

    /// Where the presence events of this channel are.
    public var presence: Channel { Channel(name + Channel.presenceSuffix, keyset: keyset) }

    /// By bytes, as all names are compared.
    public var isPresence: Bool { name.utf8.ends(with: Channel.presenceSuffix.utf8) }
}

extension String.UTF8View {
    /// Whether these bytes end with others; `hasSuffix` compares characters.
    package func ends(with suffix: String.UTF8View) -> Bool {
        self.suffix(suffix.count).elementsEqual(suffix)
    }
}
