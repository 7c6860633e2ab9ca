// What people said of one message, summed up: for devices that do not hold who said it.

/// The groups of a message's actions as of one commit.
///
/// Whole: it takes the place of what a device had of the message.
public struct MessageSummary: Hashable, Sendable {
    /// The users who say the same.
    public struct Group: Hashable, Sendable {
        public var type: String
        public var value: String
        public var count: Int
        /// What they count for together.
        public var score: Int
        /// When the first and the last of those that stand were added.
        public var first: Timetoken
        public var last: Timetoken
        /// The newest of them, newest first; ``Limits/reactionAuthorsMax`` at most.
        public var authors: [String]

        public init(
            type: String, value: String, count: Int, score: Int, first: Timetoken, last: Timetoken,
            authors: [String]
        ) {
            self.type = type
            self.value = value
            self.count = count
            self.score = score
            self.first = first
            self.last = last
            self.authors = authors
        }
    }

    public var messageTimetoken: Timetoken
    /// The commit that it is of: an older one says nothing new.
    public var position: Timetoken
    /// Those that most people are in, 100 at most and no more text than 64 KiB, by type and value;
    /// beside those the newest texts that the message's author gave it.
    public var groups: [Group]
    /// Groups that are left out.
    public var omitted: Int
    /// What all groups come to, those left out as well.
    public var state: SummaryState

    public init(
        messageTimetoken: Timetoken, position: Timetoken, groups: [Group], omitted: Int = 0,
        state: SummaryState
    ) {
        self.messageTimetoken = messageTimetoken
        self.position = position
        self.groups = groups
        self.omitted = omitted
        self.state = state
    }
}

/// What one question for summaries brought.
public struct SummariesPage: Hashable, Sendable {
    public var summaries: [MessageSummary]
    /// Messages that are to be asked about again: those before them were as much as a page may
    /// hold.
    public var rest: [Timetoken]

    public init(_ summaries: [MessageSummary], rest: [Timetoken] = []) {
        self.summaries = summaries
        self.rest = rest
    }
}

/// What a message's groups come to: equal for two who count the same.
///
/// The sum, lane by lane, of a hash of each group: SipHash-2-4-128 under the channel's key over
/// `count 4, type | count 4, value | count 8 | score 8`, little-endian, texts in UTF-8 behind their
/// count of bytes.
public struct SummaryState: Hashable, Sendable {
    private var lanes: (UInt64, UInt64) = (0, 0)

    public init() {}

    /// As ``text`` wrote it; `nil` for anything else.
    public init?(_ text: String) {
        guard let digest = Digest(text, count: 0) else { return nil }
        lanes = digest.words
    }

    public mutating func insert(
        type: String, value: String, _ totals: ActionTotals, key: DigestKey
    ) {
        var bytes: [UInt8] = []
        for text in [type, value] {
            bytes.append(littleEndian: UInt32(text.utf8.count))
            bytes += text.utf8
        }
        bytes.append(littleEndian: UInt64(totals.count))
        bytes.append(littleEndian: UInt64(bitPattern: Int64(totals.score)))
        let hash = unsafe bytes.withUnsafeBufferPointer { unsafe KeyedHash($0, key: key) }
        lanes = (lanes.0 &+ hash.first, lanes.1 &+ hash.second)
    }

    /// 32 hexadecimal digits.
    public var text: String { Digest(count: 0, words: lanes).text }

    public static func == (left: Self, right: Self) -> Bool { left.lanes == right.lanes }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(lanes.0)
        hasher.combine(lanes.1)
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian integer: some FixedWidthInteger) {
        var rest = integer
        for _ in 0..<MemoryLayout.size(ofValue: rest) {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}

/// Asks for the summaries of some messages of a channel.
public struct SummariesQuery: Hashable, Sendable {
    /// A message, and what the device's own groups of it come to; `nil`: it has none.
    public struct Message: Hashable, Sendable {
        public var timetoken: Timetoken
        public var state: SummaryState?

        public init(_ timetoken: Timetoken, state: SummaryState? = nil) {
            self.timetoken = timetoken
            self.state = state
        }
    }

    public var channel: String
    /// From 1 to 100.
    public var messages: [Message]

    public init(channel: String, messages: [Message]) {
        self.channel = channel
        self.messages = messages
    }
}
