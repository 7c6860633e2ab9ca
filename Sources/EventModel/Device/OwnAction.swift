// One of the user's own actions, as it stands once the user's wishes are fulfilled.

/// Whether an action is there, as a person sees it.
public enum Standing: Hashable, Sendable {
    case absent
    /// Wished, and the server has not said when.
    case pending
    case since(Timetoken)
}

/// How one of the user's actions stands, and what it counts for.
struct OwnAction: Hashable, Sendable {
    var standing = Standing.absent
    /// 0 for one that is not there.
    var score = 0

    /// As a base has it.
    init(_ action: MessageAction?) {
        guard let action else { return }
        (standing, score) = (.since(action.actionTimetoken), action.score)
    }

    /// What is left after a wish about it.
    func after(_ entry: OutboxEntry, under rules: ReactionRules) -> OwnAction {
        var after = self
        switch entry.wish {
        case .publish: break
        case .add(let key, let asked):
            let standing = standing == .absent ? nil : score
            after.score = min(
                rules.score(adding: key.type, asked, to: standing), Limits.actionScoreMax)
            after.standing = self.standing(after: entry, isNew: after.score != score)
        case .remove(let key, let seen):
            let rest = rules.score(removingFrom: score, key.type)
            // What is taken off is taken off whatever stands; what is removed was seen.
            if case .since(let added) = standing, let seen, added > seen,
                !rules.takesOff(key.type)
            {
                break
            }
            (after.standing, after.score) = (rest == nil ? .absent : .pending, rest ?? 0)
        }
        return after
    }

    /// - Parameter isNew: Whether it becomes another action under its key.
    private func standing(after entry: OutboxEntry, isNew: Bool) -> Standing {
        switch standing {
        case .pending: .pending
        case .since(let old) where !isNew: .since(max(old, entry.timetoken ?? old))
        case .absent, .since: entry.timetoken.map { .since($0) } ?? .pending
        }
    }

    /// The same of one action after a wish about it, or about one that takes its place.
    func after(
        _ entry: OutboxEntry, of key: MessageAction.Key, under rules: ReactionRules
    ) -> OwnAction {
        if entry.key == key { return after(entry, under: rules) }
        guard case .add(let other, _) = entry.wish, rules.replaces(key, by: other) else {
            return self
        }
        // It came after that.
        if case .since(let added) = standing, let taken = entry.timetoken, added > taken {
            return self
        }
        return OwnAction(nil)
    }
}

extension [OutboxEntry] {
    /// How an action stands once these entries of its channel are fulfilled.
    ///
    /// - Parameter base: The action that stands under the key without them.
    func own(
        _ key: MessageAction.Key, base: MessageAction?, under rules: ReactionRules
    ) -> OwnAction {
        reduce(OwnAction(base)) { $0.after($1, of: key, under: rules) }
    }
}
