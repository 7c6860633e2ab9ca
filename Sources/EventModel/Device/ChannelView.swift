// base ⊕ outbox: one channel's messages as a person sees them.

/// The messages of a channel with their reactions, the user's unconfirmed wishes included.
///
/// Messages ascend by timetoken; those on their way come last, in the order in which they were
/// written. Actions without their message are not shown; they wait in the base.
public struct ChannelView: Sendable {
    public private(set) var items: [ListItem] = []
    let user: String
    /// What an author's version of a message says, as JSON.
    let payload: @Sendable (String) -> String

    /// What one step changed below the view.
    struct News {
        /// Messages whose row, actions or pending actions changed.
        var messages: Set<Timetoken> = []
        /// Messages that were on their way until this step, and where they stand.
        var settled: [String: Timetoken] = [:]
    }

    /// The view of a base and the channel's entries of an outbox.
    public init(
        _ base: ChannelBase, _ entries: [OutboxEntry],
        under rules: ReactionRules = ReactionRules(), user: String,
        payload: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.user = user
        self.payload = payload
        let pending = PendingWishes(entries, under: rules)
        for (timetoken, entry) in base.cache.messages.sorted(by: { $0.key < $1.key }) {
            items.append(item(timetoken, entry, base, pending))
        }
        _ = placePending(base, pending, News())
    }

    /// Brings the view up to date.
    ///
    /// - Returns: What changed in the list, to be applied one after the other.
    mutating func update(
        _ base: ChannelBase, _ entries: [OutboxEntry], under rules: ReactionRules, _ news: News
    ) -> [ListChange] {
        let pending = PendingWishes(entries, under: rules)
        var parents = Set(items.lazy.filter { $0.mutation != nil }.compactMap(\.parent))
        var changes = placePending(base, pending, news)
        for timetoken in news.messages.sorted() {
            refresh(timetoken, base, pending, &changes)
        }
        // Replies on their way count, too.
        parents.formUnion(pending.order.compactMap(\.parent))
        for parent in parents.sorted() { count(under: parent, base, pending, &changes) }
        return changes
    }

    // MARK: Messages of the base

    private mutating func refresh(
        _ timetoken: Timetoken, _ base: ChannelBase, _ pending: PendingWishes,
        _ changes: inout [ListChange]
    ) {
        let index = position(of: timetoken)
        let isThere = index < items.count && items[index].timetoken == timetoken
        guard let entry = base.cache.messages[timetoken] else {
            // An answered message that has not come yet stays.
            if isThere, pending.answered[timetoken] == nil {
                let parent = items[index].parent
                make(.remove(at: index), &changes)
                if let parent { count(under: parent, base, pending, &changes) }
            }
            return
        }
        put(item(timetoken, entry, base, pending), at: index, isThere: isThere, &changes)
        if let parent = entry.message.parent { count(under: parent, base, pending, &changes) }
    }

    /// Brings the number of a thread's replies up to date, where its message is in the list.
    private mutating func count(
        under parent: Timetoken, _ base: ChannelBase, _ pending: PendingWishes,
        _ changes: inout [ListChange]
    ) {
        let index = position(of: parent)
        guard index < items.count, items[index].timetoken == parent else { return }
        var item = items[index]
        item.threadCount = replies(to: parent, base, pending)
        if item != items[index] { make(.update(item, at: index), &changes) }
    }

    /// Puts a message where it belongs; what is there already keeps its name.
    ///
    /// - Parameter hasMoved: Whether it got its timetoken just now, and nobody was told.
    private mutating func put(
        _ item: ListItem, at index: Int, isThere: Bool, hasMoved: Bool = false,
        _ changes: inout [ListChange]
    ) {
        guard isThere else { return make(.insert(item, at: index), &changes) }
        var item = item
        item.id = items[index].id
        if hasMoved || items[index] != item {
            make(.update(item, at: index), &changes)
        } else {
            // Nothing that can be seen, and so nothing to tell.
            items[index].mutation = item.mutation
        }
    }

    /// Where a message is, or would be.
    private func position(of timetoken: Timetoken) -> Int {
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if let there = items[middle].timetoken, there < timetoken {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    private func item(
        _ timetoken: Timetoken, _ entry: DeviceCache.Entry, _ base: ChannelBase,
        _ pending: PendingWishes
    ) -> ListItem {
        let mutation = pending.answered[timetoken] ?? pending.likenesses[timetoken]
        let versions = versions(of: timetoken, by: entry.uuid, base, pending)
        return ListItem(
            id: mutation.map { .written($0) } ?? .message(timetoken), timetoken: timetoken,
            uuid: entry.uuid, message: shown(entry.message, versions), isPending: false,
            reactions: reactions(to: timetoken, base, pending), versions: versions.count,
            isDeleted: versions.isDeleted,
            threadCount: replies(to: timetoken, base, pending), mutation: mutation)
    }

    /// How many replies of a message are shown.
    private func replies(
        to parent: Timetoken, _ base: ChannelBase, _ pending: PendingWishes
    ) -> Int {
        let onTheirWay = pending.order.count { entry in
            guard entry.parent == parent else { return false }
            let place = entry.timetoken ?? entry.likeness
            return place.map { base.cache.messages[$0] == nil } ?? true
        }
        return (base.cache.repliesByMessage[parent]?.count ?? 0) + onTheirWay
    }

    // MARK: Messages on their way

    /// Puts each entry where it belongs, and takes out what the outbox does not have any more.
    private mutating func placePending(
        _ base: ChannelBase, _ pending: PendingWishes, _ news: News
    ) -> [ListChange] {
        var changes: [ListChange] = []
        for (mutation, item) in items.compactMap({ item in item.mutation.map { ($0, item) } })
        where pending.publishes[mutation] == nil {
            guard let timetoken = news.settled[mutation] ?? item.timetoken,
                base.cache.messages[timetoken] != nil
            else {
                if let index = items.firstIndex(where: { $0.mutation == mutation }) {
                    make(.remove(at: index), &changes)
                }
                continue
            }
            place(mutation, at: timetoken, base, pending, &changes)
        }
        var waiting = 0
        for entry in pending.order {
            if let timetoken = entry.timetoken ?? entry.likeness,
                entry.isAnswered || base.cache.messages[timetoken] != nil
            {
                place(entry.mutation, at: timetoken, base, pending, &changes)
            } else {
                placeLast(entry, after: waiting, &changes)
                waiting += 1
            }
        }
        return changes
    }

    /// Moves an item to where its timetoken belongs, unless it is there already.
    private mutating func place(
        _ mutation: String, at timetoken: Timetoken, _ base: ChannelBase, _ pending: PendingWishes,
        _ changes: inout [ListChange]
    ) {
        var hasMoved = false
        let old = items.firstIndex { $0.mutation == mutation }
        // Read once: Swift 6.3.1's optimiser does not get over reading it twice.
        let before = old.flatMap { items[$0].timetoken }
        if let old, before != timetoken {
            let index = position(of: timetoken)
            if index < items.count, items[index].timetoken == timetoken {
                // The row that was taken for it stays, as that of the other message.
                if before == nil {
                    make(.remove(at: old), &changes)
                } else {
                    items[old].mutation = nil
                }
            } else {
                let target = old < index ? index - 1 : index
                if old != target { make(.move(from: old, to: target), &changes) }
                items[target].timetoken = timetoken
                hasMoved = true
            }
            // The message that it was taken for by mistake is another one.
            if let before { refresh(before, base, pending, &changes) }
        }
        let index = position(of: timetoken)
        let isThere = index < items.count && items[index].timetoken == timetoken
        var item: ListItem
        if let entry = base.cache.messages[timetoken] {
            item = self.item(timetoken, entry, base, pending)
        } else if let entry = pending.publishes[mutation], case .publish(let message) = entry.wish {
            item = ListItem(
                id: .written(mutation), timetoken: timetoken, uuid: user, message: message,
                isPending: false, reactions: reactions(to: timetoken, base, pending),
                threadCount: replies(to: timetoken, base, pending), mutation: mutation)
        } else {
            return
        }
        if pending.publishes[mutation] != nil { item.mutation = mutation }
        put(item, at: index, isThere: isThere, hasMoved: hasMoved, &changes)
    }

    /// - Parameter waiting: Earlier messages on their way.
    private mutating func placeLast(
        _ entry: OutboxEntry, after waiting: Int, _ changes: inout [ListChange]
    ) {
        guard case .publish(let message) = entry.wish,
            !items.contains(where: { $0.mutation == entry.mutation && $0.timetoken == nil })
        else { return }
        if let old = items.firstIndex(where: { $0.mutation == entry.mutation }) {
            // The message that it was taken for has been deleted.
            make(.remove(at: old), &changes)
        }
        let item = ListItem(
            id: .written(entry.mutation), timetoken: nil, uuid: user, message: message,
            isPending: true, reactions: [], mutation: entry.mutation)
        let index = position(of: Timetoken(rawValue: .max)) + waiting
        make(.insert(item, at: index), &changes)
    }

    private mutating func make(_ change: ListChange, _ changes: inout [ListChange]) {
        items.apply(change)
        changes.append(change)
    }
}

/// The entries of a channel, by what they are about.
struct PendingWishes {
    /// Messages, in the order in which they were written.
    var order: [OutboxEntry] = []
    var publishes: [String: OutboxEntry] = [:]
    var actions: [Timetoken: [OutboxEntry]] = [:]
    /// Mutation ids by where their messages stand, or probably do.
    var answered: [Timetoken: String] = [:]
    var likenesses: [Timetoken: String] = [:]
    let rules: ReactionRules

    init(_ entries: [OutboxEntry], under rules: ReactionRules) {
        self.rules = rules
        for entry in entries.map(\.asShown) {
            if let key = entry.key {
                actions[key.messageTimetoken, default: []].append(entry)
                continue
            }
            order.append(entry)
            publishes[entry.mutation] = entry
            if let timetoken = entry.timetoken { answered[timetoken] = entry.mutation }
            if let timetoken = entry.likeness { likenesses[timetoken] = entry.mutation }
        }
    }
}

extension OutboxEntry {
    /// The message in whose thread a reply on its way is.
    fileprivate var parent: Timetoken? {
        if case .publish(let message) = wish { message.parent } else { nil }
    }
}
