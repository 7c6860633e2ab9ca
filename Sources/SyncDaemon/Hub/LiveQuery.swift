// One question about actions that a session keeps open.

import EventModel

/// A live query: which rows it is of, how far its pages reached, and what its session has not been
/// told yet.
final class LiveQuery: Placed {
    /// The page that it waits for.
    struct Page {
        let command: CommandID
        /// What happened since it was asked for, as far as the query's filters want it, oldest
        /// first: the page may be as of before it.
        var kept: [EncodedEnvelope] = []
    }

    /// It ends with its session at the latest.
    unowned let session: Session
    let id: LiveID
    let topic: Topic
    /// As the client asked, but for what differs from page to page.
    let asked: ActionsQuery
    /// The same by every name that what it asks for may stand under.
    let filter: ActionsQuery
    var range: LiveRange
    var page: Page?
    /// What its session has not been told, oldest first; the texts are shared by all who get them.
    private(set) var changes: [[UInt8]] = []
    /// The newest of these.
    private(set) var through = Timetoken.zero
    /// Bytes of all that waits here.
    private(set) var byteCount = 0
    /// In its topic's list.
    var place = 0

    /// - Parameters:
    ///   - asked: With the page that it begins with.
    ///   - command: Asks for that page.
    init(
        _ id: LiveID, of session: Session, in topic: Topic, _ asked: ActionsQuery,
        filter: ActionsQuery, command: CommandID
    ) {
        self.id = id
        self.session = session
        self.topic = topic
        self.asked = asked.withoutPage
        self.filter = filter
        range = LiveRange(of: filter)
        page = Page(command: command)
    }

    /// Whether another page of the same question may be asked for now, behind what there is.
    func isNext(_ query: ActionsQuery) -> Bool {
        query.withoutPage == asked && page == nil && query.after != nil && query.after == range.end
    }

    /// What waits, for its page or its session.
    var waitingCount: Int { changes.count + (page?.kept.count ?? 0) }

    /// Whether an event says something of what the query's filters want.
    func isConcerned(by event: EncodedEnvelope) -> Bool {
        event.action.map { filter.matches($0.key) } ?? event.clearsActions
    }

    /// Whether such an event is later than a page that it concerns.
    func lacks(_ event: EncodedEnvelope) -> Bool {
        guard let action = event.action?.action else { return range.lacks(event.timetoken) }
        return range.position(at: filter.place(of: action)).map { $0 < event.timetoken } ?? false
    }

    func keep(_ event: EncodedEnvelope) {
        page?.kept.append(event)
        byteCount += event.bytesInMemory
    }

    /// Takes what was kept for the page that is there now.
    func takeKept() -> [EncodedEnvelope] {
        let kept = page?.kept ?? []
        byteCount -= kept.reduce(0) { $0 + $1.bytesInMemory }
        page = nil
        return kept
    }

    func add(_ change: [UInt8], at timetoken: Timetoken) {
        changes.append(change)
        through = timetoken
        byteCount += change.count
    }

    func takeChanges() -> [[UInt8]] {
        defer { changes = [] }
        byteCount -= changes.reduce(0) { $0 + $1.count }
        return changes
    }

    func checkInvariants() {
        let kept = page?.kept.reduce(0) { $0 + $1.bytesInMemory } ?? 0
        let bytes = changes.reduce(kept) { $0 + $1.count }
        precondition(byteCount == bytes, "What waits for a live query is counted.")
        precondition(
            topic.liveQueries.elements[place] === self, "A live query is where it says.")
    }
}

extension ActionsQuery {
    fileprivate var withoutPage: ActionsQuery {
        var query = self
        (query.after, query.limit, query.live) = (nil, Limits.actionsPageMax, nil)
        return query
    }
}
