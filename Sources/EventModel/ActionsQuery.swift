// Which actions of a channel are asked for, in which order, and where a page goes on.

/// A page of the actions that stand in a channel.
public struct ActionsQuery: Hashable, Sendable {
    public enum Order: String, Hashable, Sendable, CaseIterable {
        /// By when they were added.
        case time
        /// By type, value and user, byte for byte. Only of one message, and without values of over
        /// ``Limits/canonicalValueBytesMax``: those are texts, not reactions.
        case value
        /// By what they count for, and when that was said. Only of one message.
        case score
    }

    public var channel: String
    public var messageTimetoken: Timetoken?
    /// Only actions with one of these, 100 at most; empty: with any.
    public var types: [String]
    public var values: [String]
    public var userIDs: [String]
    public var order: Order
    public var isDescending: Bool
    /// Exclusive: only what comes behind it in the order; what ``ActionsPage/next`` said.
    public var after: ActionsPlace?
    /// Exclusive: an end in the order of time.
    public var until: Timetoken?
    /// From 1 to ``Limits/actionsPageMax``.
    public var limit: Int
    /// `nil`: it is over with its page.
    public var live: LiveWish?

    public init(
        channel: String, messageTimetoken: Timetoken? = nil, types: [String] = [],
        values: [String] = [], userIDs: [String] = [], order: Order = .time,
        isDescending: Bool = false, after: ActionsPlace? = nil, until: Timetoken? = nil,
        limit: Int = Limits.actionsPageMax, live: LiveWish? = nil
    ) {
        self.channel = channel
        self.messageTimetoken = messageTimetoken
        self.types = types
        self.values = values
        self.userIDs = userIDs
        self.order = order
        self.isDescending = isDescending
        self.after = after
        self.until = until
        self.limit = limit
        self.live = live
    }
}

/// Where a page of actions ends: a place in its order, whether an action stands there or not, so
/// that nothing comes twice or is passed over when actions come and go meanwhile.
public enum ActionsPlace: Hashable, Sendable {
    case time(Timetoken)
    case value(type: String, value: String, userID: String)
    case score(Int, Timetoken)

    /// - Parameter text: What ``text`` gave.
    public init?(_ text: String) {
        if let timetoken = Timetoken(text) {
            self = .time(timetoken)
        } else if text.hasPrefix(Self.valueMark),
            let bytes = Base64.bytes(text.dropFirst(Self.valueMark.utf8.count)),
            let texts = try? Self.texts(bytes)
        {
            self = .value(type: texts[0], value: texts[1], userID: texts[2])
        } else if text.hasPrefix(Self.scoreMark), let score = Self.score(text) {
            self = score
        } else {
            return nil
        }
    }

    /// How it is written on the wire.
    public var text: String {
        switch self {
        case .time(let timetoken): return timetoken.description
        case .value(let type, let value, let userID):
            var bytes: [UInt8] = []
            for text in [type, value, userID] {
                bytes.appendVarint(UInt64(text.utf8.count))
                bytes += text.utf8
            }
            return Self.valueMark + Base64.text(bytes)
        case .score(let score, let timetoken):
            return "\(Self.scoreMark)\(score).\(timetoken)"
        }
    }

    /// The order that it is a place in.
    public var order: ActionsQuery.Order {
        switch self {
        case .time: .time
        case .value: .value
        case .score: .score
        }
    }

    /// No timetoken begins so.
    private static let valueMark = "v."
    private static let scoreMark = "s."

    private static func score(_ text: String) -> ActionsPlace? {
        let parts = text.dropFirst(scoreMark.utf8.count).split(
            separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let score = Timetoken(String(parts[0]))?.rawValue,
            (1...UInt64(Limits.actionScoreMax)).contains(score),
            let timetoken = Timetoken(String(parts[1]))
        else { return nil }
        return .score(Int(score), timetoken)
    }

    private static func texts(_ bytes: [UInt8]) throws(RepairError) -> [String] {
        var reader = ByteReader(bytes)
        var texts: [String] = []
        for _ in 0..<3 {
            let count = try reader.varint()
            guard count <= reader.count else { throw .malformed }
            guard let text = String(utf8: try reader.bytes(Int(count)))
            else { throw .malformed }
            texts.append(text)
        }
        guard reader.isAtEnd else { throw .malformed }
        return texts
    }
}
