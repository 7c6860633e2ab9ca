// What a person sees of a message's reactions: the groups of the base, and the user's own wishes.

extension ChannelView {
    /// - Complexity: O(n log n) for the n different values and the user's wishes, however many
    ///   people reacted.
    func reactions(
        to message: Timetoken, _ base: ChannelBase, _ pending: PendingWishes
    ) -> [ListItem.Reaction] {
        let stored = base.cache.actionsByMessage[message] ?? MessageActions()
        let wishes = pending.actions[message, default: []]
        let own = wishes.isEmpty ? [:] : ownActions(stored, on: message, after: wishes, pending)
        let unanswered = Set(
            wishes.filter { !$0.isAnswered }.compactMap(\.key).map(ActionName.init))
        var reactions: [(name: ActionName, shown: ListItem.Reaction)] = []
        for name in Set(stored.groups.keys).union(own.keys) {
            let group = stored.groups[name] ?? ActionGroup()
            let action = own[name] ?? OwnAction(group, of: user)
            guard
                let shown = ListItem.Reaction(
                    name, group, user: user, action, isPending: unanswered.contains(name))
            else { continue }
            reactions.append((name, shown))
        }
        func place(_ reaction: ListItem.Reaction) -> UInt64 { reaction.first?.rawValue ?? .max }
        return reactions.sorted { (place($0.shown), $0.name) < (place($1.shown), $1.name) }
            .map(\.shown)
    }

    /// How the user's own actions on a message stand after their wishes: those that a wish is
    /// about, or takes the place of.
    func ownActions(
        _ stored: MessageActions, on message: Timetoken, after wishes: [OutboxEntry],
        _ pending: PendingWishes
    ) -> [ActionName: OwnAction] {
        let rules = pending.rules
        var own: [ActionName: OwnAction] = [:]
        for entry in wishes {
            guard let key = entry.key else { continue }
            let name = ActionName(key)
            let before = own[name] ?? OwnAction(stored.groups[name], of: user)
            own[name] = before.after(entry, under: rules)
            guard rules.hasRivals else { continue }
            for (name, group) in stored.groups where own[name] == nil {
                let action = OwnAction(group, of: user)
                if action.standing != .absent { own[name] = action }
            }
            for (other, action) in own where other != name {
                own[other] = action.after(
                    entry, of: other.key(on: message, by: user), under: rules)
            }
        }
        return own
    }
}

extension OwnAction {
    fileprivate init(_ group: ActionGroup?, of user: String) {
        self.init(nil)
        guard let mark = group?.mark(of: user) else { return }
        (standing, score) = (.since(mark.added), mark.score)
    }
}

extension ListItem.Reaction {
    /// A group with the user's own action as the wishes leave it; `nil` when nobody is in it.
    fileprivate init?(
        _ name: ActionName, _ group: ActionGroup, user: String, _ own: OwnAction, isPending: Bool
    ) {
        let isMine = own.standing != .absent
        let stored = group.mark(of: user)
        let others = group.count - (stored == nil ? 0 : 1)
        guard isMine || others > 0 else { return nil }
        var span = group.span(without: ExactText(user))
        var added = Timetoken(rawValue: .max)
        if case .since(let timetoken) = own.standing {
            added = timetoken
            span = (min(span?.first ?? added, added), max(span?.last ?? added, added))
        }
        var authors = group.newest(Limits.reactionAuthorsMax, without: ExactText(user))
        if isMine {
            // One that is on its way will be the newest.
            let place = authors.firstIndex { $0.added < added } ?? authors.count
            authors.insert((user, added), at: place)
        }
        self.init(
            type: name.type.string, value: name.value.string, count: others + (isMine ? 1 : 0),
            score: group.score &- (stored?.score ?? 0) &+ own.score, ownScore: own.score,
            isMine: isMine, isPending: isMine && isPending, first: span?.first, last: span?.last,
            authors: authors.prefix(Limits.reactionAuthorsMax).map(\.user))
    }
}
