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
    /// Those of the session.
    private unowned let queries: SessionQueries
    let id: LiveID
    let topic: Topic
    /// As the client asked, but for what differs from page to page.
    let asked: ActionsQuery
    /// The same by every name that what it asks for may stand under.
    let filter: ActionsQuery
    private let wanted: ActionsFilter
    var range: LiveRange
    var page: Page?
    /// What its session has not been told, oldest first; the texts are shared by all who get them.
    private(set) var changes: [[UInt8]] = []
    /// Bytes of all that waits here.
    private(set) var byteCount = 0 {
        didSet { queries.byteCount += byteCount - oldValue }
    }
    /// In its topic's list.
    var place = 0

    /// - Parameters:
    ///   - asked: With the page that it begins with.
    ///   - filter: The same, by all names.
    ///   - command: Asks for that page.
    init(
        _ id: LiveID, of session: Session, _ queries: SessionQueries, in topic: Topic,
        _ asked: ActionsQuery, filter: ActionsQuery, command: CommandID
    ) {
        self.id = id
        self.session = session
        self.queries = queries
        self.topic = topic
        self.asked = asked.withoutPage
        self.filter = filter.withoutPage
        wanted = ActionsFilter(filter)
        range = LiveRange(of: filter)
        page = Page(command: command)
    }

    /// Whether another page of the same question may be asked for now, behind what there is.
    func isNext(_ query: ActionsQuery) -> Bool {
        guard page == nil, query.withoutPage == asked, let end = range.end, let after = query.after
        else { return false }
        return !filter.precedes(end, after) && !filter.precedes(after, end)
    }

    /// What waits, for its page or its session.
    var heldCount: Int { changes.count + (page?.kept.count ?? 0) }

    /// Whether an event says something of what the query's filters want.
    ///
    /// - Complexity: O(1), however many texts the filters name.
    func isConcerned(by event: EncodedEnvelope) -> Bool {
        if let action = event.action { return wanted.matches(action.key) }
        if let clearing = event.clearing {
            return filter.messageTimetoken.map(clearing.concerns) ?? true
        }
        guard let deletion = event.deletion else { return false }
        return filter.messageTimetoken.map(deletion.takes(messageAt:)) ?? true
    }

    /// Whether such an event is later than a page that it concerns.
    func lacks(_ event: EncodedEnvelope) -> Bool {
        guard let action = event.action?.action else { return range.lacks(event.timetoken) }
        return range.position(at: filter.place(of: action)).map { $0 < event.timetoken } ?? false
    }

    /// Keeps an event for the page that it waits for.
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

    func add(_ change: [UInt8]) {
        changes.append(change)
        byteCount += change.count
    }

    func takeChanges() -> [[UInt8]] {
        let taken = changes
        changes = []
        byteCount -= taken.reduce(0) { $0 + $1.count }
        return taken
    }

    /// Gives up all that waits: it is over.
    func drop() {
        (changes, page, byteCount) = ([], nil, 0)
    }

    func checkInvariants() {
        let kept = page?.kept.reduce(0) { $0 + $1.bytesInMemory } ?? 0
        let bytes = changes.reduce(kept) { $0 + $1.count }
        precondition(byteCount == bytes, "What waits for a live query is counted.")
        precondition(topic.liveQueries.has(self), "A live query is where it says.")
    }
}

/// What a query wants of actions, wherever they stand, found at once.
private struct ActionsFilter {
    private let query: ActionsQuery
    private let types: Set<ExactText>
    private let values: Set<ExactText>
    private let userIDs: Set<ExactText>

    init(_ query: ActionsQuery) {
        self.query = query
        types = Set(query.types.map(ExactText.init))
        values = Set(query.values.map(ExactText.init))
        userIDs = Set(query.userIDs.map(ExactText.init))
    }

    func matches(_ key: MessageAction.Key) -> Bool {
        query.messageTimetoken ?? key.messageTimetoken == key.messageTimetoken
            && isOne(of: types, key.type) && isOne(of: values, key.value)
            && isOne(of: userIDs, key.uuid) && query.sorts(value: key.value)
    }

    private func isOne(of wanted: Set<ExactText>, _ text: String) -> Bool {
        wanted.isEmpty || wanted.contains(ExactText(text))
    }
}

extension ActionsQuery {
    fileprivate var withoutPage: ActionsQuery {
        var query = self
        (query.after, query.limit, query.live) = (nil, Limits.actionsPageMax, nil)
        return query
    }
}

/// The live queries of a topic, found by the message that they are of.
struct TopicQueries {
    private(set) var count = 0
    /// `nil`: of any message.
    private var byMessage: [Timetoken?: PlaceList<LiveQuery>] = [:]

    var isEmpty: Bool { count == 0 }

    mutating func add(_ query: LiveQuery) {
        byMessage[query.filter.messageTimetoken, default: PlaceList()].add(query)
        count += 1
    }

    mutating func remove(_ query: LiveQuery) {
        let message = query.filter.messageTimetoken
        byMessage[message]?.remove(query)
        if byMessage[message]?.isEmpty ?? false { byMessage[message] = nil }
        count -= 1
    }

    func has(_ query: LiveQuery) -> Bool {
        let elements = byMessage[query.filter.messageTimetoken]?.elements ?? []
        return query.place < elements.count && elements[query.place] === query
    }

    /// Calls with each that an event concerns.
    ///
    /// - Complexity: O(queries of its message and of any); for what takes many at once O(all).
    func forEach(concernedBy event: EncodedEnvelope, _ body: (LiveQuery) -> Void) {
        if let action = event.action {
            for message in [action.key.messageTimetoken, nil] {
                guard let list = byMessage[message] else { continue }
                for query in list.elements where query.isConcerned(by: event) { body(query) }
            }
        } else if event.deletion != nil || event.clearing != nil {
            for list in byMessage.values {
                for query in list.elements where query.isConcerned(by: event) { body(query) }
            }
        }
    }
}
