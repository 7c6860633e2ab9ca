// The list that a live query's pages and changes come to.

/// One change of a list of actions; changes are made one after the other, each to what the last one
/// left.
public enum LiveListChange: Hashable, Sendable {
    case insert(MessageAction, at: Int)
    case remove(at: Int)
}

extension [MessageAction] {
    /// Makes a change: what an application does with its own copy of the list.
    public mutating func apply(_ change: LiveListChange) {
        switch change {
        case .insert(let action, let index): insert(action, at: index)
        case .remove(let index): remove(at: index)
        }
    }
}

/// The actions of a live query as far as its pages reached, in the query's order.
///
/// Pure.
public struct LiveList: Sendable {
    public let query: ActionsQuery
    public private(set) var actions: [MessageAction] = []
    /// Where the next page begins; `nil`: the end was reached, and what comes behind it is in.
    public private(set) var next: ActionsPlace?

    public init(_ query: ActionsQuery) {
        self.query = query
        next = query.after
    }

    /// Takes the page that begins where the one before ended.
    public mutating func take(_ page: ActionsPage) -> [LiveListChange] {
        next = page.next
        return page.actions.flatMap { insert($0) }
    }

    /// Takes a change that came after the pages that it concerns.
    ///
    /// - Complexity: O(n) moves, and a search of O(log n); a deletion looks at all.
    public mutating func take(_ change: LiveChange) -> [LiveListChange] {
        switch change {
        case .added(let action): return insert(action)
        case .removed(let action):
            let index = place(of: action)
            guard index < actions.count, actions[index].key == action.key,
                actions[index].actionTimetoken == action.actionTimetoken
            else { return [] }
            return [remove(at: index)]
        case .deleted(let deletion):
            // From behind: so each index is right when its turn comes.
            return actions.indices.reversed().filter { deletion.takes(actions[$0]) }
                .map { remove(at: $0) }
        case .cleared(let clearing, let position):
            return actions.indices.reversed().filter {
                actions[$0].actionTimetoken < position && clearing.covers(actions[$0].key)
            }.map { remove(at: $0) }
        }
    }

    /// What makes another list of the same query this one.
    public func changes(from old: LiveList) -> [LiveListChange] {
        var changes: [LiveListChange] = []
        var (index, oldIndex) = (0, 0)
        while index < actions.count || oldIndex < old.actions.count {
            let (new, before) = (
                index < actions.count ? actions[index] : nil,
                oldIndex < old.actions.count ? old.actions[oldIndex] : nil
            )
            if let before, new != before, new.map({ !precedes($0, before) }) ?? true {
                changes.append(.remove(at: index))
                oldIndex += 1
            } else if let new {
                if new == before { oldIndex += 1 } else { changes.append(.insert(new, at: index)) }
                index += 1
            }
        }
        return changes
    }

    private func precedes(_ action: MessageAction, _ other: MessageAction) -> Bool {
        query.precedes(query.place(of: action), query.place(of: other))
    }

    private mutating func insert(_ action: MessageAction) -> [LiveListChange] {
        let index = place(of: action)
        var changes: [LiveListChange] = []
        // What does not come behind it stands in its place.
        if index < actions.count, !precedes(action, actions[index]) {
            guard actions[index] != action else { return [] }
            changes.append(remove(at: index))
        }
        actions.insert(action, at: index)
        return changes + [.insert(action, at: index)]
    }

    private mutating func remove(at index: Int) -> LiveListChange {
        actions.remove(at: index)
        return .remove(at: index)
    }

    /// Where an action is, or would be.
    private func place(of action: MessageAction) -> Int {
        var (low, high) = (0, actions.count)
        // Mostly it comes at an end.
        if let last = actions.last, precedes(last, action) { return high }
        while low < high {
            let middle = (low + high) / 2
            if precedes(actions[middle], action) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
