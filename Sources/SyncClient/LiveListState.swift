// One live list of a client: what is shown, and where its question stands. Pure.

import EventModel

/// One live list of a client, and where its question stands.
struct LiveListState {
    /// What is shown.
    var list: LiveList
    /// What is made anew after a reconnect, until it reaches as far.
    private(set) var fresh: LiveList?
    /// Of the query that is open at the daemon.
    private(set) var id: LiveID?
    /// Tells an answer from that to an earlier question; `nil`: none is under way.
    private(set) var asked: Int?
    private var lastAsked = 0
    /// How many rows the list is to have, if there are as many.
    private var wanted: Int
    private(set) var hasBegun = false
    /// Whether anybody reads, or did.
    var wasRead = false
    var readers: [SyncClient.WeakReader<LiveUpdate>] = []

    init(_ query: ActionsQuery) {
        list = LiveList(query)
        wanted = query.limit
    }

    var isCurrent: Bool { id != nil && fresh == nil && asked == nil }

    /// Begins anew.
    mutating func begin() -> ActionsQuery {
        fresh = LiveList(list.query)
        id = nil
        return ask(after: list.query.after, .begin)
    }

    /// The connection is gone, or the daemon ended the query: what is shown stays.
    mutating func lost() {
        (fresh, id, asked) = (nil, nil, nil)
    }

    private mutating func ask(after place: ActionsPlace?, _ wish: LiveWish) -> ActionsQuery {
        lastAsked += 1
        asked = lastAsked
        var query = list.query
        (query.after, query.live) = (place, wish)
        return query
    }

    /// One page more is wanted, now or behind those that were wanted before.
    ///
    /// - Returns: What to ask; `nil`: nothing now.
    mutating func more() -> ActionsQuery? {
        guard !hasBegun || list.next != nil else { return nil }
        let isCurrent = isCurrent
        wanted = (isCurrent ? list.actions.count : wanted) + list.query.limit
        guard isCurrent, let id, let next = list.next else { return nil }
        return ask(after: next, .extend(id))
    }

    /// Takes a page.
    ///
    /// - Returns: What is different now in what is shown, and what to ask next.
    mutating func take(
        _ page: ActionsPage, _ live: LivePage
    ) -> (changes: [LiveListChange], question: ActionsQuery?) {
        (id, asked) = (live.id, nil)
        var changes: [LiveListChange] = []
        if fresh != nil {
            _ = fresh?.take(page)
            if let fresh, fresh.actions.count >= wanted || fresh.next == nil {
                changes = fresh.changes(from: list)
                list = fresh
                self.fresh = nil
                hasBegun = true
            }
        } else {
            changes = list.take(page)
        }
        let reached = fresh ?? list
        guard reached.actions.count < wanted, let next = reached.next else { return (changes, nil) }
        return (changes, ask(after: next, .extend(live.id)))
    }

    /// Takes what happened.
    mutating func take(_ news: [LiveChange]) -> [LiveListChange] {
        guard fresh == nil else {
            for change in news { _ = fresh?.take(change) }
            return []
        }
        let before = list.actions.count
        let changes = news.flatMap { list.take($0) }
        // After a reconnect it is to reach as far as it did, and the pages that are wanted come on
        // top of that.
        let owed = asked == nil ? 0 : max(wanted - before, 0)
        wanted = max(list.actions.count + owed, list.query.limit)
        return changes
    }

    mutating func tell(_ update: LiveUpdate) {
        readers.removeAll { $0.queue == nil }
        for reader in readers {
            reader.queue?.append(update, orInstead: { [.all(list.actions)] })
        }
    }
}
