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
    /// Those would take more bytes than they may.
    case bytes(max: Int)
    /// The user has as many on the message as one may.
    case own(max: Int)
    /// The message has as many as it may.
    case actions(max: Int)
    /// It would count for more than it may, or all that say the same would.
    case score(max: Int)
}

/// What an action that is to be added changes.
public struct ReactionDecision: Hashable, Sendable {
    /// The one that stands already, and stays as it is; `nil`: one is added.
    public var standing: MessageAction?
    /// The user's own that it takes the place of; one with its own key is last, and counted for
    /// something else.
    public var dropped: [MessageAction] = []
    /// What the one that is added counts for.
    public var score = 1
}

/// The actions that say the same of one message, summed up.
public struct ActionTotals: Hashable, Sendable {
    public var count: Int
    public var score: Int

    public init(count: Int = 0, score: Int = 0) {
        self.count = count
        self.score = score
    }
}

/// The different types and values that the actions on one message have.
public struct ActionValues: Hashable, Sendable {
    public var count: Int
    /// Of UTF-8, each type and value counted once.
    public var bytes: Int

    public init(count: Int = 0, bytes: Int = 0) {
        self.count = count
        self.bytes = bytes
    }
}

/// What the rules ask about a message; each is asked only when it matters.
public protocol ReactionRows {
    associatedtype Failure: Error

    /// The user's own actions that stand on the message.
    func own() throws(Failure) -> [MessageAction]
    /// Whether the message is there.
    func hasMessage() throws(Failure) -> Bool
    /// Whether the user wrote the message.
    func isAuthor() throws(Failure) -> Bool
    /// The actions with a type and a value that stand on it.
    func totals(type: String, value: String) throws(Failure) -> ActionTotals
    /// The different types and values that actions on it have.
    func values() throws(Failure) -> ActionValues
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
    ///   - score: What it is to count for; `nil`: as the mode has it.
    ///   - standing: The one with this key.
    ///   - rows: Of its message.
    public func decide<Rows: ReactionRows>(
        adding key: MessageAction.Key, score asked: Int? = nil, standing: MessageAction?,
        to rows: Rows
    ) throws(Rows.Failure) -> Result<ReactionDecision, ReactionRefusal> {
        let own = looksForOwn ? try rows.own() : []
        // More than one, when the rules were others before.
        var decision = ReactionDecision(dropped: own.filter { replaces($0.key, by: key) })
        decision.score = score(adding: key.type, asked, to: standing?.score)
        if let standing, standing.score == decision.score {
            decision.standing = standing
            return .success(decision)
        }
        if isReaction(key.type) {
            guard isOn else { return .failure(.off) }
            guard allows(key.value) else { return .failure(.value) }
        }
        let totals = try rows.totals(type: key.type, value: key.value)
        guard decision.score <= Limits.actionScoreMax,
            totals.score - (standing?.score ?? 0) <= Limits.groupScoreMax - decision.score
        else { return .failure(.score(max: Limits.actionScoreMax)) }
        if let standing {
            decision.dropped.append(standing)
            return .success(decision)
        }
        if needsMessage, try !rows.hasMessage() { return .failure(.noMessage) }
        let left = own.count - decision.dropped.count
        if ownMax > 0, left >= ownMax { return .failure(.own(max: ownMax)) }
        if let refusal = try refusal(of: key, dropping: decision.dropped, totals, rows) {
            return .failure(refusal)
        }
        return .success(decision)
    }

    private func refusal<Rows: ReactionRows>(
        of key: MessageAction.Key, dropping dropped: [MessageAction], _ totals: ActionTotals,
        _ rows: Rows
    ) throws(Rows.Failure) -> ReactionRefusal? {
        if actionsMax > 0, try rows.actionCount() - dropped.count >= actionsMax {
            return .actions(max: actionsMax)
        }
        guard totals.count == 0 else { return nil }
        var freed = 0
        for action in dropped
        where try rows.totals(type: action.key.type, value: action.key.value).count == 1 {
            freed += 1
        }
        let all = try rows.values()
        let values = all.count - freed
        let bytes = all.bytes + key.type.utf8.count + key.value.utf8.count
        if values < mostValues - keptValues,
            bytes <= Limits.actionValuesBytesMax - Limits.keptValuesBytes
        {
            return nil
        }
        let mayAll = try mayUseKept(key, rows)
        let valuesMax = mayAll ? mostValues : mostValues - keptValues
        if values >= valuesMax { return .values(max: valuesMax) }
        let bytesMax = Limits.actionValuesBytesMax - (mayAll ? 0 : Limits.keptValuesBytes)
        return bytes > bytesMax ? .bytes(max: bytesMax) : nil
    }

    /// Of the values that a message may have, those that are kept for who wrote it, and for reports
    /// of it: nobody can fill a message so that its author cannot change it, or nobody report it.
    private var keptValues: Int { mostValues / Limits.keptValuesPart }

    private func mayUseKept<Rows: ReactionRows>(
        _ key: MessageAction.Key, _ rows: Rows
    ) throws(Rows.Failure) -> Bool {
        if key.type == Self.flag, key.value == Self.flag { return true }
        return MessageVersion.isType(key.type) ? try rows.isAuthor() : false
    }
}
