// What is kept of a message's rows so that they can be summed up again without being read again.

import Basis
import EventModel

/// The newest and the oldest users of each group of a message, as of one commit.
///
/// How many there are the store counts; who was first, and who are the newest, no table says.
struct SummaryRows: Sendable {
    private var groups: [ActionName: SummaryGroup] = [:]
    /// The commit that they are of, or the one at which reading began.
    private(set) var position: Timetoken
    /// The last key that was read; `nil` at first.
    private var last: MessageAction.Key?
    private(set) var isRead = false

    init(from position: Timetoken) {
        self.position = position
    }

    /// Bytes in memory, roughly.
    var bytes: Int {
        groups.keys.reduce(200) {
            $0 + 2000 + HeapBytes.string($1.type.string) + HeapBytes.string($1.value.string)
        }
    }

    /// Reads on, row by row.
    ///
    /// - Returns: Whether all were read. What changed meanwhile is still to be applied.
    mutating func read(
        _ message: Timetoken, of snapshot: any ChannelSnapshot, while mayGoOn: () -> Bool
    ) throws(StoreError) -> Bool {
        var (groups, last, isRead) = (groups, last, true)
        var looked = 0
        try snapshot.forEachKey(behind: last ?? .before(message)) { key, action in
            guard key.messageTimetoken == message else { return false }
            last = key
            if let action { groups[ActionName(key), default: SummaryGroup()].put(action) }
            looked += 1
            guard looked % 64 != 0 || mayGoOn() else {
                isRead = false
                return false
            }
            return true
        }
        (self.groups, self.last, self.isRead) = (groups, last, isRead)
        return isRead
    }

    /// Takes what became of keys since ``position``; what is here already does no harm.
    mutating func apply(
        _ changes: [(key: MessageAction.Key, action: MessageAction?)], at position: Timetoken
    ) {
        // What was added last must be the newest before older ones are pushed out.
        for (key, action) in changes {
            let name = ActionName(key)
            groups[name, default: SummaryGroup()].drop(ExactText(key.uuid))
            if let action { groups[name, default: SummaryGroup()].put(action) }
        }
        self.position = position
    }

    /// The summary; `nil` when too much of what was kept is gone: the rows have to be read.
    ///
    /// - Parameter versions: What its author made of the message, the newest first. What others say
    ///   by the same types means nothing: it only counts.
    func summary(
        of message: Timetoken, _ totals: [ActionName: ActionTotals], versions: [MessageAction],
        key: DigestKey
    ) -> MessageSummary? {
        var state = SummaryState()
        for (name, total) in totals {
            state.insert(type: name.type.string, value: name.value.string, total, key: key)
        }
        // However often it was edited: that pushes out nothing of what people say.
        let shown = totals.filter { !MessageVersion.isType($0.key.type.string) }
            .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
            .prefix(Limits.summaryGroupsMax)
        guard let summed = summaries(of: Array(shown)) else { return nil }
        let own = versions.compactMap { action in
            totals[ActionName(action.key)].map { MessageSummary.Group(action, of: $0) }
        }
        // The first is what the message says, however long that is.
        let told = own.prefix(1) + Array(own.dropFirst()).fitting(Limits.summaryBytesMax)
        let all = (summed.fitting(Limits.summaryBytesMax) + told).sorted {
            ActionName(type: $0.type, value: $0.value) < ActionName(type: $1.type, value: $1.value)
        }
        return MessageSummary(
            messageTimetoken: message, position: position, groups: all,
            omitted: totals.count - all.count, state: state)
    }

    private func summaries(
        of totals: [(key: ActionName, value: ActionTotals)]
    ) -> [MessageSummary.Group]? {
        var summed: [MessageSummary.Group] = []
        for (name, total) in totals {
            guard let group = groups[name]?.summary(of: name, total) else { return nil }
            summed.append(group)
        }
        return summed
    }
}

/// Some users of one group.
private struct SummaryGroup: Sendable {
    private var newest = Extremes(limit: 24)
    private var oldest = Extremes(limit: 8)

    mutating func put(_ action: MessageAction) {
        let user = ExactText(action.key.uuid)
        let time = Int64(clamping: action.actionTimetoken.rawValue)
        newest.insert(user, at: -time)
        oldest.insert(user, at: time)
    }

    mutating func drop(_ user: ExactText) {
        newest.remove(user)
        oldest.remove(user)
    }

    func summary(of name: ActionName, _ totals: ActionTotals) -> MessageSummary.Group? {
        let authors = newest.entries.prefix(Limits.reactionAuthorsMax)
        // A removal was forgotten before it was applied here.
        guard !newest.isAll || newest.entries.count == totals.count else { return nil }
        guard authors.count >= min(totals.count, Limits.reactionAuthorsMax),
            let first = oldest.entries.first, let last = authors.first
        else { return nil }
        return MessageSummary.Group(
            type: name.type.string, value: name.value.string, count: totals.count,
            score: totals.score, first: Timetoken(rawValue: UInt64(first.rank)),
            last: Timetoken(rawValue: UInt64(-last.rank)), authors: authors.map(\.user.string))
    }
}

/// The entries of the lowest rank among many, in their order.
private struct Extremes: Sendable {
    private(set) var entries: [(rank: Int64, user: ExactText)] = []
    private let limit: Int
    /// Whether all that there are, are here.
    private(set) var isAll = true

    init(limit: Int) {
        self.limit = limit
    }

    mutating func insert(_ user: ExactText, at rank: Int64) {
        // Between the last one here and this others may be that are not here.
        guard isAll || entries.last.map({ rank < $0.rank }) ?? false else { return }
        let place = entries.firstIndex { $0.rank > rank } ?? entries.count
        entries.insert((rank, user), at: place)
        guard entries.count > limit else { return }
        entries.removeLast()
        isAll = false
    }

    mutating func remove(_ user: ExactText) {
        guard let place = entries.firstIndex(where: { $0.user == user }) else { return }
        entries.remove(at: place)
    }
}

extension [MessageSummary.Group] {
    /// Without those that, after the ones before them, are too long.
    fileprivate func fitting(_ bytesMax: Int) -> [MessageSummary.Group] {
        var rest = bytesMax
        return filter { group in
            guard group.bytes <= rest else { return false }
            rest -= group.bytes
            return true
        }
    }
}

extension MessageSummary {
    /// Of a reply, roughly.
    var bytes: Int { groups.reduce(100) { $0 + $1.bytes } }
}

extension MessageSummary.Group {
    fileprivate var bytes: Int {
        authors.reduce(100 + type.utf8.count + value.utf8.count) { $0 + $1.utf8.count + 3 }
    }

    /// A version: it is its author's alone, whoever says the same.
    fileprivate init(_ version: MessageAction, of totals: ActionTotals) {
        self.init(
            type: version.key.type, value: version.key.value, count: totals.count,
            score: totals.score, first: version.actionTimetoken, last: version.actionTimetoken,
            authors: [version.key.uuid])
    }
}
