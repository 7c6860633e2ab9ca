// One write of a person that the server has perhaps not seen yet.

/// What somebody wished, how far it got, and the id under which it is applied at most once.
public struct OutboxEntry: Hashable, Sendable {
    public enum Wish: Hashable, Sendable {
        case publish(Message)
        /// `score` is what it counts for, or adds to that; `nil`: as the rules have it.
        case add(MessageAction.Key, score: Int? = nil)
        /// `seen` is the action that the person saw: a newer one under the key survives.
        case remove(MessageAction.Key, seen: Timetoken?)
    }

    /// How far a wish got.
    public enum Progress: Hashable, Sendable {
        /// It never left the device: an opposite wish cancels it.
        case unsent
        /// It may have arrived: only the server can say.
        case perhapsSent
        /// The server answered; the base does not show it yet. The timetoken is that of the
        /// message or of the added action.
        case answered(Timetoken?)
    }

    /// Its id for the server: unique on the device, for ever.
    public let mutation: String
    public let channel: String
    public internal(set) var wish: Wish
    public internal(set) var progress: Progress
    /// The message of the base that is probably this one, though the answer has not come.
    public internal(set) var likeness: Timetoken?
    /// What the server answered before it was perhaps set back, until it answers again.
    ///
    /// Only for the eye, and not kept: nearly always the server just started anew.
    var earlierAnswer: Progress?
    /// How far the device had heard when a removal of whatever stands went out: what stood then is
    /// gone when it is answered.
    ///
    /// Zero when nobody knows any more. Such a removal stays one of whatever stands: under its
    /// mutation id the server knows it so.
    public internal(set) var sentAfter: Timetoken?

    public init(
        mutation: String, channel: String, wish: Wish, progress: Progress = .unsent,
        likeness: Timetoken? = nil, sentAfter: Timetoken? = nil
    ) {
        self.mutation = mutation
        self.channel = channel
        self.wish = wish
        self.progress = progress
        self.likeness = likeness
        self.sentAfter = sentAfter
    }

    /// The action that is to be there or not; `nil` for a message.
    public var key: MessageAction.Key? {
        switch wish {
        case .publish: nil
        case .add(let key, _), .remove(let key, _): key
        }
    }

    /// The entry as the rules of its channel have it: it may have been wished before they were
    /// known, and is sent as it was wished.
    func canonical(under rules: ReactionRules) -> OutboxEntry {
        var entry = self
        switch wish {
        case .publish: break
        case .add(let key, let score):
            entry.wish = .add(rules.canonical(key), score: score)
        case .remove(let key, let seen): entry.wish = .remove(rules.canonical(key), seen: seen)
        }
        return entry
    }

    public var isAnswered: Bool {
        if case .answered = progress { true } else { false }
    }

    /// Where the message or the added action stands, once the server said so.
    public var timetoken: Timetoken? {
        if case .answered(let timetoken) = progress { timetoken } else { nil }
    }

    /// The entry as a list shows it.
    var asShown: OutboxEntry {
        guard let earlierAnswer else { return self }
        var shown = self
        shown.progress = earlierAnswer
        shown.likeness = nil
        return shown
    }

    /// Whether an earlier entry has to be answered before this one may go out.
    ///
    /// Two wishes about one action, or two messages of one channel, must not change places even
    /// when the server has no room for the first one.
    ///
    /// - Parameter rules: What holds in the channel; `nil`: nobody knows, and any two wishes about
    ///   one message may be about one action.
    func waits(for earlier: OutboxEntry, under rules: ReactionRules?) -> Bool {
        guard !earlier.isAnswered, Channel(channel) == Channel(earlier.channel) else {
            return false
        }
        guard let rules else { return key?.messageTimetoken == earlier.key?.messageTimetoken }
        if let key, let other = earlier.key, rules.replaces(key, by: other) { return true }
        return key == earlier.key
    }

    /// What to send.
    var command: Command {
        switch wish {
        case .publish(let message):
            .publish(PublishRequest(channel: channel, message: message, mutation: mutation))
        case .add(let key, let score):
            .addAction(request(key, score: score))
        case .remove(let key, let seen):
            .removeAction(RemovalRequest(action: request(key), actionTimetoken: seen))
        }
    }

    private func request(_ key: MessageAction.Key, score: Int? = nil) -> ActionRequest {
        ActionRequest(
            channel: channel, messageTimetoken: key.messageTimetoken, type: key.type,
            value: key.value, score: score, mutation: mutation)
    }
}

extension [OutboxEntry] {
    /// Makes a change to entries that are kept.
    ///
    /// - Precondition: What is replaced is there.
    package mutating func apply(_ change: Outbox.Change) {
        switch change {
        case .put(let entry):
            if let index = firstIndex(where: { $0.mutation == entry.mutation }) {
                self[index] = entry
            } else {
                append(entry)
            }
        case .replace(let mutation, let entry):
            guard let index = firstIndex(where: { $0.mutation == mutation }) else {
                preconditionFailure("No entry \(mutation) is kept")
            }
            self[index] = entry
        case .drop(let mutation):
            removeAll { $0.mutation == mutation }
        }
    }
}
