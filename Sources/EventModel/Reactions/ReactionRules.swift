// What an owner decides about the reactions of a channel, and what a wish means under that.

/// The rules for actions of the type ``type``; of other types only the caps hold.
public struct ReactionRules: Hashable, Sendable {
    /// How often a user may react to one message.
    public enum Mode: String, CaseIterable, Hashable, Sendable {
        /// Once with each value.
        ///
        /// - Source: PubNub's message actions, Stream's default, Ably's `distinct.v1`.
        case distinct
        /// With one value: another takes its place.
        ///
        /// - Source: Stream's `enforce_unique`, Ably's `unique.v1`.
        case unique
        /// Once, whatever the value: all of them are ``ReactionRules/flag``.
        ///
        /// - Source: Ably's `flag.v1`.
        case flag
        /// As often as one likes: each time adds to the score of one's action.
        ///
        /// - Source: Stream's scores of claps, Ably's `multiple.v1`.
        case multiple
        /// As often as one likes, whatever the value: all are ``ReactionRules/total``, and each
        /// removal takes one off.
        ///
        /// - Source: Ably's `total.v1`, which names nobody.
        case total
    }

    /// Which values there are.
    public enum Values: Hashable, Sendable {
        /// Whatever somebody sends, byte for byte.
        case any
        /// Emoji that Unicode recommends, each in its one canonical form.
        case emoji
        /// These, each in its canonical form.
        case list([String])
    }

    /// Another name for a value.
    public struct Alias: Hashable, Sendable {
        public let name: String
        /// As it is stored and sent to everybody.
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What kind of action a reaction is.
    public static let type = "reaction"
    /// The value of every reaction in the mode ``Mode/flag``.
    public static let flag = "flag"
    /// The same in the mode ``Mode/total``.
    public static let total = "total"

    /// Whether there are any; those that stand may be taken back in any case.
    public var isOn = true
    public var mode = Mode.distinct
    public var values = Values.any
    public var aliases: [Alias] = []
    /// Other names of ``type``.
    public var types: [String] = []
    /// Whether the message must be there.
    public var needsMessage = false
    /// Different actions, by type and value, on one message.
    public var valuesMax = Limits.actionValuesMax
    /// Actions of one user on one message; 0 for no bound.
    public var ownMax = 0
    /// Actions on one message; 0 for no bound.
    public var actionsMax = 0

    public init() {}

    /// The type and the value under which an action is stored and looked for.
    ///
    /// The same for adds, removals and questions: who adds `love` finds and removes it as `❤️`.
    public func canonical(
        type: String, value: String
    ) -> (type: String, value: String) {
        let type = canonical(type: type)
        guard isReaction(type) else { return (type, value) }
        return (type, canonical(value: value))
    }

    /// The key under which an action is stored and looked for.
    public func canonical(_ key: MessageAction.Key) -> MessageAction.Key {
        guard !isPlain else { return key }
        let (type, value) = canonical(type: key.type, value: key.value)
        return MessageAction.Key(
            messageTimetoken: key.messageTimetoken, type: type, value: value, uuid: key.uuid)
    }

    /// Whether everything is stored as it is sent.
    private var isPlain: Bool {
        onlyValue == nil && values == .any && aliases.isEmpty && types.isEmpty
    }

    /// ``type``, for one of its other names.
    public func canonical(type: String) -> String {
        types.contains { ExactText($0) == ExactText(type) } ? Self.type : type
    }

    /// What stands for every value, in a mode that knows no other.
    private var onlyValue: String? {
        switch mode {
        case .distinct, .unique, .multiple: nil
        case .flag: Self.flag
        case .total: Self.total
        }
    }

    private func canonical(value: String) -> String {
        if let onlyValue { return onlyValue }
        // Nothing that long is a value: to look at it would cost others something.
        guard values == .any || value.utf8.count <= Limits.canonicalValueBytesMax else {
            return value
        }
        let alias = aliases.first { ExactText($0.name) == ExactText(value) }
        let value = alias?.value ?? value
        return values == .any ? value : ReactionValue.canonical(value)
    }

    /// Whether there is such a value.
    ///
    /// - Parameter value: In its canonical form.
    public func allows(_ value: String) -> Bool {
        switch values {
        case _ where onlyValue != nil: true
        case .any: true
        case _ where value.utf8.count > Limits.canonicalValueBytesMax: false
        case .emoji: ReactionValue.isEmoji(value)
        case .list(let listed): listed.contains { ExactText($0) == ExactText(value) }
        }
    }

    /// Different actions on one message: fewer where each add looks for the user's own among them.
    public var mostValues: Int {
        looksForOwn ? min(valuesMax, Limits.ownActionValuesMax) : valuesMax
    }

    /// Whether the user's other actions on a message matter.
    var looksForOwn: Bool { hasRivals || ownMax > 0 }

    /// Whether a user's reactions take each other's place.
    var hasRivals: Bool { mode == .unique || mode == .flag }

    /// Whether one action cannot stand beside another one of the same user.
    func replaces(_ key: MessageAction.Key, by other: MessageAction.Key) -> Bool {
        replaces(others: key) && isReaction(other.type) && key != other
            && key.messageTimetoken == other.messageTimetoken
            && ExactText(key.uuid) == ExactText(other.uuid)
    }

    /// Whether an action takes the place of others.
    func replaces(others key: MessageAction.Key) -> Bool {
        hasRivals && isReaction(canonical(type: key.type))
    }

    func isReaction(_ type: String) -> Bool { ExactText(type) == ExactText(Self.type) }
}
