// How a new wish about an action changes the wishes that there are.

extension Outbox {
    /// Takes the wish that an action be there, or not.
    ///
    /// - Parameters:
    ///   - score: What it is to count for, or to add; `nil`: as the rules have it.
    ///   - base: The action that stands under the key in the device's base.
    ///   - rules: What holds in the channel; the key is canonical under them. `nil`: the server has
    ///     not said it, so that nobody knows whether one more of the same counts.
    ///   - isOutside: Whether the message is before the part of the channel that the device holds,
    ///     so that nobody here knows what stands on it.
    ///   - mutation: A new id; not used when nothing is to be sent.
    mutating func wish(
        _ key: MessageAction.Key, isPresent: Bool, score: Int? = nil, in channel: String,
        base: MessageAction?, under rules: ReactionRules? = ReactionRules(),
        isOutside: Bool = false, mutation: String
    ) -> [Change] {
        guard let rules, !isOutside else {
            return wishOnItsOwn(
                key, isPresent: isPresent, score: score, in: channel, base: base,
                isOutside: isOutside, mutation: mutation)
        }
        func own() -> OwnAction { self.own(key, in: channel, base: base, under: rules) }
        func isFulfilled() -> Bool {
            guard isPresent else { return own().standing == .absent }
            guard own().standing != .absent, !rules.counts(key.type) else { return false }
            return score.map { own().score == $0 } ?? true
        }
        guard !isFulfilled() else { return [] }
        let last = entries.lastIndex {
            Channel($0.channel) == Channel(channel) && $0.canonical(under: rules).key == key
        }
        var changes: [Change] = []
        // By the name of the wish before it: a device that starts anew knows no rules at first.
        let asked = last.flatMap { entries[$0].key } ?? key
        if let last, entries[last].progress == .unsent {
            if let change = recount(last, isPresent: isPresent, by: score, under: rules) {
                return [change]
            }
            let cancels = entries[last].isCancelled(byPresence: isPresent, score, under: rules)
            if cancels { changes.append(.drop(mutation: entries.remove(at: last).mutation)) }
            // One more and one less come to nothing, whatever stands.
            if cancels, rules.mode == .total, rules.counts(key.type) { return changes }
        }
        // What is left may still not be what is wanted: the base changed meanwhile.
        guard !isFulfilled() else { return changes }
        var seen: Timetoken?
        if case .since(let timetoken) = own().standing { seen = timetoken }
        let entry = OutboxEntry(
            mutation: mutation, channel: channel,
            wish: isPresent ? .add(asked, score: score) : .remove(asked, seen: seen))
        entries.append(entry)
        return changes + [.put(entry)]
    }

    /// Takes a wish as an entry of its own, neither combined with another one nor cancelled by it.
    ///
    /// In modes that do not count, the server answers that it is so already.
    private mutating func wishOnItsOwn(
        _ key: MessageAction.Key, isPresent: Bool, score: Int?, in channel: String,
        base: MessageAction?, isOutside: Bool, mutation: String
    ) -> [Change] {
        var seen: Timetoken?
        if !isPresent {
            let adds = entries(of: channel).filter { $0.key == key && $0.isAdd }
            // Then there is nothing in any mode.
            guard base != nil || !adds.isEmpty || isOutside else { return [] }
            switch own(key, in: channel, base: base, under: ReactionRules()).standing {
            case .pending: break
            case .since(let timetoken): seen = timetoken
            // In a mode that counts there may be more of it.
            case .absent: seen = adds.last.map(\.timetoken) ?? base?.actionTimetoken
            }
        }
        let entry = OutboxEntry(
            mutation: mutation, channel: channel,
            wish: isPresent ? .add(key, score: score) : .remove(key, seen: seen))
        entries.append(entry)
        return [.put(entry)]
    }

    /// Has an add that was not sent yet count for something else instead of sending another one.
    ///
    /// - Returns: `nil` when that cannot say what is wished.
    private mutating func recount(
        _ index: Int, isPresent: Bool, by score: Int?, under rules: ReactionRules
    ) -> Change? {
        guard case .add(let key, let before) = entries[index].wish else { return nil }
        var after = score
        if rules.counts(rules.canonical(type: key.type)) {
            let change = isPresent ? score ?? 1 : rules.mode == .total ? -1 : nil
            guard let change else { return nil }
            after = (before ?? 1) + change
        } else if !isPresent || score == nil {
            return nil
        }
        guard let after, after >= 1, after <= Limits.actionScoreMax else { return nil }
        entries[index].wish = .add(key, score: after)
        return .put(entries[index])
    }
}

extension OutboxEntry {
    fileprivate var isAdd: Bool { if case .add = wish { true } else { false } }

    /// Whether nothing is left of an unsent wish once another one comes.
    fileprivate func isCancelled(
        byPresence isPresent: Bool, _ score: Int?, under rules: ReactionRules
    ) -> Bool {
        guard let key = canonical(under: rules).key else { return false }
        // Where it took another one's place, that would be back.
        guard rules.counts(key.type) else { return !rules.replaces(others: key) }
        if case .add = wish { return !isPresent }
        // What was taken back whole would be there again.
        return rules.mode == .total && isPresent && score ?? 1 == 1
    }
}
