// Rows and a wish: what becomes of the rows. One rule for the ledger, the simulator and devices.

/// Why an action is not added.
public enum ReactionRefusal: Error, Hashable, Sendable {
    /// There are no reactions in this channel.
    case off
    /// The rules have no such value.
    case value
    /// There is no such message.
    case noMessage
    /// The message has as many different actions as it may.
    case values(max: Int)
    /// The user has as many on the message as one may.
    case own(max: Int)
    /// The message has as many as it may.
    case actions(max: Int)
}

/// What an action that is to be added changes.
public struct ReactionDecision: Hashable, Sendable {
    /// Since when it stands already; `nil`: it is added.
    public var standing: Timetoken?
    /// The user's own that it takes the place of.
    public var dropped: [MessageAction] = []
}

/// What the rules ask about a message; each is asked only when it matters.
public protocol ReactionRows {
    associatedtype Failure: Error

    /// The user's own actions that stand on the message.
    func own() throws(Failure) -> [MessageAction]
    /// Whether the message is there.
    func hasMessage() throws(Failure) -> Bool
    /// How many actions with a type and a value stand on it.
    func count(type: String, value: String) throws(Failure) -> Int
    /// How many different types and values actions on it have.
    func valueCount() throws(Failure) -> Int
    /// How many actions stand on it.
    func actionCount() throws(Failure) -> Int
}

extension ReactionRules {
    /// Decides about an action that somebody wants to add.
    ///
    /// What stands already may stand, whatever the rules say now: who asks again does no harm.
    ///
    /// - Parameters:
    ///   - key: In its canonical form.
    ///   - standing: Since when one with this key stands.
    ///   - rows: Of its message.
    public func decide<Rows: ReactionRows>(
        adding key: MessageAction.Key, standing: Timetoken?, to rows: Rows
    ) throws(Rows.Failure) -> Result<ReactionDecision, ReactionRefusal> {
        let own = looksForOwn ? try rows.own() : []
        // More than one, when the rules were others before.
        let dropped = own.filter { replaces($0.key, by: key) }
        let decision = ReactionDecision(standing: standing, dropped: dropped)
        if standing != nil { return .success(decision) }
        if isReaction(key.type) {
            guard isOn else { return .failure(.off) }
            guard allows(key.value) else { return .failure(.value) }
        }
        if needsMessage, try !rows.hasMessage() { return .failure(.noMessage) }
        if ownMax > 0, own.count - dropped.count >= ownMax { return .failure(.own(max: ownMax)) }
        if let refusal = try refusal(of: key, dropping: dropped, rows) {
            return .failure(refusal)
        }
        return .success(decision)
    }

    private func refusal<Rows: ReactionRows>(
        of key: MessageAction.Key, dropping dropped: [MessageAction], _ rows: Rows
    ) throws(Rows.Failure) -> ReactionRefusal? {
        if actionsMax > 0, try rows.actionCount() - dropped.count >= actionsMax {
            return .actions(max: actionsMax)
        }
        guard try rows.count(type: key.type, value: key.value) == 0 else { return nil }
        var freed = 0
        for action in dropped
        where try rows.count(type: action.key.type, value: action.key.value) == 1 { freed += 1 }
        return try rows.valueCount() - freed >= mostValues ? .values(max: mostValues) : nil
    }
}
