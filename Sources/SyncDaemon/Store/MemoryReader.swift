// The memory store's reader: plain filters over a copy, slow and easy to believe.

import Basis
import EventModel

/// Reads the committed copy.
final class MemoryReader: StoreReader {
    private let committed: Locked<MemoryStore.State>

    init(_ committed: Locked<MemoryStore.State>) {
        self.committed = committed
    }

    /// As of now.
    var committedState: MemoryStore.State { committed.withLock { $0 } }

    // MARK: Changes

    func changes(in channel: Channel, from start: ChangeStart) -> ChangePage {
        let state = committed.withLock { $0 }
        let lists = lists(
            in: channel, of: state, from: start, through: .end, limit: Limits.catchUpEventsMax)
        var page = merge(lists + gone(in: channel, of: state, from: start), last: state.last)
        if page.isComplete { page.digest = state.digests[channel] ?? .empty }
        page.isTooOld = start.deletions > .zero && start.deletions < state.deletionFloor
        return page
    }

    func digest(of channel: Channel) -> (digest: Digest, cursor: Timetoken) {
        let state = committed.withLock { $0 }
        return (state.digests[channel] ?? .empty, state.last)
    }

    func channelNames(from name: String, in keyset: String, limit: Int) -> [String] {
        let state = committedState
        let withFiles = state.files.values.map(\.channel).filter {
            ExactText($0.keyset) == ExactText(keyset)
        }
        let names = Set(
            (self.names(in: state, keyset, "") + withFiles).map { ExactText($0.name) })
        return names.filter { $0 >= ExactText(name) }.sorted().prefix(limit).map(\.string)
    }

    func withSnapshot<Result>(
        of channel: Channel, _ body: (any ChannelSnapshot) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try body(MemorySnapshot(state: committed.withLock { $0 }, channel: channel))
    }

    func readOn(_ reading: inout BacklogReading, while mayGoOn: () -> Bool) {
        let state = committed.withLock { $0 }
        reading.begin(at: state.last)
        repeat {
            if let interest = reading.interest {
                reading.found(channels(of: interest, in: state), rest: nil)
            } else if let (channel, through) = reading.next() {
                var lists = lists(
                    in: channel, of: state, from: ChangeStart(after: reading.cursor),
                    through: through, limit: reading.limit)
                if reading.bringsDeletions {
                    lists += gone(in: channel, of: state, from: ChangeStart(after: reading.cursor))
                        .map { $0.upTo(through) }
                }
                reading.add(merge(lists, last: through))
            }
        } while !reading.isExhausted && mayGoOn()
    }

    func readOn(_ search: inout ChannelSearch, while mayGoOn: () -> Bool) {
        guard let interest = search.interest else { return }
        let (state, cursor) = (committed.withLock { $0 }, search.cursor)
        let found = channels(of: interest, in: state).filter { channel in
            state.messages[channel, default: []].contains { $0.timetoken > cursor }
                || state.actions[channel, default: [:]].values.contains { $0.changed > cursor }
        }
        search.found(found, rest: nil)
    }

    private func channels(of interest: Interest, in state: MemoryStore.State) -> [Channel] {
        switch interest {
        case .channel(let channel): [channel]
        case .prefix(let prefix, let keyset): Array(names(in: state, keyset, prefix))
        case .rest: preconditionFailure("All names were found at once.")
        }
    }

    /// What went all at once.
    private func gone(
        in channel: Channel, of state: MemoryStore.State, from start: ChangeStart
    ) -> [ChangeList] {
        let deletions = state.deletions[channel, default: []].filter {
            $0.timetoken > start.deletions
        }
        let clearings = state.clearings[channel, default: []]
            .filter { $0.timetoken > start.tombstones }
            .map { Envelope.clearing($0.clearing, at: $0.timetoken, in: channel) }
        return [cutList(deletions) { _ in 0 }, cutList(clearings) { _ in 0 }]
    }

    /// Messages and actions that changed in a range.
    private func lists(
        in channel: Channel, of state: MemoryStore.State, from start: ChangeStart,
        through end: Timetoken, limit: Int
    ) -> [ChangeList] {
        let messages = state.messages[channel, default: []].filter {
            $0.timetoken > start.messages && $0.timetoken <= end
        }
        let actions = state.actions[channel, default: [:]].filter { _, row in
            row.changed > (row.isLive ? start.actions : start.tombstones) && row.changed <= end
        }.sorted { $0.value.changed < $1.value.changed }
        return [
            cutList(messages.map { ($0.envelope(in: channel), $0.size) }, limit),
            cutList(
                actions.map { key, row in
                    (row.envelope(of: key, in: channel), row.action(under: key).size)
                }, limit),
        ]
    }

    private func cutList(
        _ envelopes: [Envelope], size: (Envelope) -> Int
    ) -> ChangeList {
        cutList(envelopes.map { ($0, size($0)) }, Limits.catchUpEventsMax)
    }

    /// Keeps as many rows as a page may have.
    private func cutList(_ rows: [(envelope: Envelope, size: Int)], _ limit: Int) -> ChangeList {
        var budget = PageBudget()
        var list = ChangeList()
        for row in rows.prefix(limit) {
            list.envelopes.append(row.envelope)
            if !budget.spend(row.size) { break }
        }
        if list.envelopes.count < rows.count { list.cutAt = list.envelopes.last?.timetoken }
        return list
    }

    // MARK: History and actions

    func history(
        _ query: HistoryQuery, in channel: Channel, isDear: Bool
    ) -> HistoryPage? {
        let state = committed.withLock { $0 }
        let matching = state.messages[channel, default: []].filter {
            $0.timetoken > query.after ?? .zero && $0.timetoken < query.before ?? .end
                && (query.parent == nil || query.parent == $0.message.parent)
        }
        var messages = query.goesForward ? matching : matching.reversed()
        if query.includesActions {
            let standing = rows(in: channel, of: state).compactMap(\.action)
            for index in messages.indices {
                let actions = standing.filter {
                    $0.key.messageTimetoken == messages[index].timetoken
                }
                let limit = Limits.actionsPerHistoryMessageMax + 1
                messages[index].take(Array(actions.prefix(limit)))
            }
        }
        if query.includesVersions {
            for index in messages.indices {
                messages[index].threadCount = state.messages[channel, default: []].count {
                    $0.message.parent == messages[index].timetoken
                }
                let (message, author) = (messages[index].timetoken, messages[index].uuid)
                messages[index].take(
                    edited: state.newest(.edited, by: author, on: message, in: channel),
                    deleted: state.newest(.deleted, by: author, on: message, in: channel))
            }
        }
        let hasMore = cut(&messages, to: query.limit, bytesMax: query.bytesMax, size: \.size)
        let next = hasMore ? messages.last?.timetoken : nil
        if !query.goesForward { messages.reverse() }
        return HistoryPage(messages: messages, next: next)
    }

    func datedActions(
        _ query: ActionsQuery, in channel: Channel, isDear: Bool
    ) -> (page: ActionsPage, asOf: Timetoken)? {
        let state = committed.withLock { $0 }
        let rows = rows(in: channel, of: state)
        let page = query.order == .time ? byTime(query, rows) : byPlace(query, rows)
        return (page, state.last)
    }

    private func byTime(_ query: ActionsQuery, _ rows: [ChangedRow]) -> ActionsPage {
        let (lower, upper) = query.bounds
        let rows = rows.filter {
            $0.changed > lower && $0.changed < upper
        }
        var scan = ActionScan(for: query)
        for row in query.isDescending ? rows.reversed() : rows {
            let match = row.action.flatMap { query.matches($0.key) ? $0 : nil }
            guard scan.look(at: .time(row.changed), match: match) else { break }
        }
        return scan.page
    }

    private func byPlace(_ query: ActionsQuery, _ rows: [ChangedRow]) -> ActionsPage {
        let actions = rows.compactMap(\.action)
            .filter { query.matches($0.key) && query.reaches(query.place(of: $0)) }
            .sorted { query.precedes(query.place(of: $0), query.place(of: $1)) }
        var scan = ActionScan(for: query)
        for action in actions {
            guard scan.look(at: query.place(of: action), match: action) else { break }
        }
        return scan.page
    }

    private typealias ChangedRow = (changed: Timetoken, action: MessageAction?)

    /// A channel's actions in the order of their changes; a tombstone has none.
    private func rows(in channel: Channel, of state: MemoryStore.State) -> [ChangedRow] {
        state.actions[channel, default: [:]].map { key, row in
            (row.changed, row.isLive ? row.action(under: key) : nil)
        }.sorted { $0.changed < $1.changed }
    }

    // MARK: Counts

    func messageCounts(_ positions: [(channel: Channel, after: Timetoken)]) -> [Int] {
        let state = committed.withLock { $0 }
        return positions.map { channel, after in
            let count = state.messages[channel, default: []].count { $0.timetoken > after }
            return min(count, Limits.messageCountMax)
        }
    }

    func unread(of user: String, in channel: Channel) -> UnreadMessages {
        let state = committed.withLock { $0 }
        let through = state.readMarks[channel]?[ExactText(user)]
        var count = UnreadCount(for: user)
        let messages = state.messages[channel, default: []]
        for message in messages.filter({ $0.timetoken > through ?? .zero }).prefix(count.limit) {
            count.take(by: message.uuid)
        }
        return UnreadMessages(
            channel: channel.name, through: through, count: count.count, hasMore: count.hasMore)
    }

    func files(in channel: Channel, after position: Timetoken, limit: Int) -> FilePage {
        committed.withLock { $0 }.files(in: channel, after: position, limit: limit)
    }

    func file(_ id: FileID) -> StoredFile? { committed.withLock { $0 }.files[id] }

    func channels(of device: PushDevice, registeredBy user: String?) -> [String] {
        committed.withLock { $0 }.channels(of: device, registeredBy: user)
    }

    private func names(
        in state: MemoryStore.State, _ keyset: String, _ prefix: String
    ) -> Set<Channel> {
        Set(state.messages.keys).union(state.actions.keys).filter {
            ExactText($0.keyset) == ExactText(keyset)
                && $0.name.utf8.starts(with: prefix.utf8)
        }
    }
}
