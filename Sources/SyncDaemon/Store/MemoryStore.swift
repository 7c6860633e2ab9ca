// A store that lives as long as the process: for tests, and the model that every other store must
// match.

import EventModel

/// Everything in dictionaries; readers see copies.
final class MemoryStore: Store {
    fileprivate struct ActionRow: Sendable {
        var added: Timetoken
        var changed: Timetoken
        var isLive: Bool

        func envelope(of key: MessageAction.Key, in channel: Channel) -> Envelope {
            let action = MessageAction(key: key, actionTimetoken: added)
            return Envelope(
                channel: channel, timetoken: changed, uuid: key.uuid,
                event: isLive ? .actionAdded(action) : .actionRemoved(action))
        }
    }

    fileprivate struct MutationName: Hashable, Sendable {
        let author: Author
        let name: ExactText
    }

    fileprivate struct State: Sendable {
        var last = Timetoken.zero
        var messages: [Channel: [StoredMessage]] = [:]
        var actions: [Channel: [MessageAction.Key: ActionRow]] = [:]
        var mutations: [MutationName: (record: MutationRecord, timetoken: Timetoken)] = [:]
    }

    let epoch = makeEpoch()
    /// What readers see.
    private let committed: Locked<State>
    /// What the open transaction has made of it.
    private var working = State()

    init() {
        committed = Locked(State())
    }

    var last: Timetoken { working.last }

    func begin() {}

    func commit(through last: Timetoken) {
        working.last = last
        let state = working
        committed.withLock { $0 = state }
    }

    func rollback() {
        working = committed.withLock { $0 }
    }

    func insert(
        _ message: Message, at timetoken: Timetoken, in channel: Channel, by uuid: String
    ) {
        working.messages[channel, default: []].append(
            StoredMessage(timetoken: timetoken, uuid: uuid, message: message))
    }

    func standingAction(_ key: MessageAction.Key, in channel: Channel) -> Timetoken? {
        guard let row = working.actions[channel]?[key], row.isLive else { return nil }
        return row.added
    }

    func add(_ action: MessageAction, in channel: Channel) {
        working.actions[channel, default: [:]][action.key] = ActionRow(
            added: action.actionTimetoken, changed: action.actionTimetoken, isLive: true)
    }

    func remove(_ key: MessageAction.Key, at timetoken: Timetoken, in channel: Channel) {
        working.actions[channel]?[key]?.changed = timetoken
        working.actions[channel]?[key]?.isLive = false
    }

    func outcome(of mutation: String, by author: Author) -> MutationRecord? {
        working.mutations[MutationName(author: author, name: ExactText(mutation))]?.record
    }

    func remember(
        _ record: MutationRecord, of mutation: String, by author: Author, at timetoken: Timetoken
    ) {
        working.mutations[MutationName(author: author, name: ExactText(mutation))] = (
            record, timetoken
        )
    }

    func forgetMutations(before timetoken: Timetoken, limit: Int) {
        let old = working.mutations.filter { $0.value.timetoken < timetoken }
            .sorted { $0.value.timetoken < $1.value.timetoken }
        for (name, _) in old.prefix(limit) { working.mutations[name] = nil }
    }

    var makeReader: @Sendable () throws(StoreError) -> any StoreReader {
        { [committed] in MemoryReader(committed) }
    }
}

/// Reads the committed copy.
private final class MemoryReader: StoreReader {
    private let committed: Locked<MemoryStore.State>

    init(_ committed: Locked<MemoryStore.State>) {
        self.committed = committed
    }

    func changes(in channel: Channel, after cursor: Timetoken) -> ChangePage {
        let state = committed.withLock { $0 }
        var messages = state.messages[channel, default: []].filter { $0.timetoken > cursor }
        let messagesAreCut = cutChanges(&messages, size: \.size)
        var actions = state.actions[channel, default: [:]].filter { $0.value.changed > cursor }
            .sorted { $0.value.changed < $1.value.changed }
        let actionsAreCut = cutChanges(&actions) { key, row in
            MessageAction(key: key, actionTimetoken: row.added).size
        }
        return merge(
            messages.map { $0.envelope(in: channel) }, isCut: messagesAreCut,
            with: actions.map { key, row in row.envelope(of: key, in: channel) },
            isCut: actionsAreCut, last: state.last)
    }

    /// Keeps as many rows as a page may have.
    private func cutChanges<Row>(_ rows: inout [Row], size: (Row) -> Int) -> Bool {
        var budget = PageBudget()
        var kept = 0
        for row in rows.prefix(Limits.catchUpEventsMax) {
            kept += 1
            if !budget.spend(size(row)) { break }
        }
        defer { rows.removeLast(rows.count - kept) }
        return kept < rows.count
    }

    func history(_ query: HistoryQuery, in channel: Channel) -> HistoryPage {
        let state = committed.withLock { $0 }
        let matching = state.messages[channel, default: []].filter {
            $0.timetoken > query.after ?? .zero
                && $0.timetoken < query.before ?? Timetoken(rawValue: .max)
        }
        let goesForward = query.after != nil && query.before == nil
        var messages = goesForward ? matching : matching.reversed()
        if query.includesActions {
            let standing = standing(in: channel, of: state)
            for index in messages.indices {
                var actions = standing.filter {
                    $0.key.messageTimetoken == messages[index].timetoken
                }
                _ = cut(&actions, to: Limits.actionsPerHistoryMessageMax, size: \.size)
                messages[index].actions = actions
            }
        }
        let hasMore = cut(&messages, to: query.limit, size: \.size)
        let next = hasMore ? messages.last?.timetoken : nil
        if !goesForward { messages.reverse() }
        return HistoryPage(messages: messages, next: next)
    }

    func actions(_ query: ActionsQuery, in channel: Channel) -> ActionsPage {
        let state = committed.withLock { $0 }
        var matching = standing(in: channel, of: state).filter { action in
            action.actionTimetoken > query.after ?? .zero
                && (query.messageTimetoken ?? action.key.messageTimetoken)
                    == action.key.messageTimetoken
                && ExactText(query.type ?? action.key.type) == ExactText(action.key.type)
                && ExactText(query.value ?? action.key.value) == ExactText(action.key.value)
                && ExactText(query.userID ?? action.key.uuid) == ExactText(action.key.uuid)
        }
        let hasMore = cut(&matching, to: query.limit, size: \.size)
        return ActionsPage(
            actions: matching, next: hasMore ? matching.last?.actionTimetoken : nil)
    }

    private func standing(in channel: Channel, of state: MemoryStore.State) -> [MessageAction] {
        state.actions[channel, default: [:]].filter(\.value.isLive)
            .map { MessageAction(key: $0.key, actionTimetoken: $0.value.added) }
            .sorted { $0.actionTimetoken < $1.actionTimetoken }
    }
}
