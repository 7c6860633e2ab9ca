// Collecting a page of a directory: entries come in the order of their ids, and leave in the order
// that was asked for.

import EventModel
import JSON

/// A walk through the entries of one directory, which keeps what a page is made of.
///
/// Memory: a page and one entry more, whatever the directory has.
struct EntryScan: Sendable {
    private struct Candidate: Sendable {
        let row: DirectoryPage.Row
        let rank: EntryRank
    }

    let query: DirectoryQuery
    private let filter: MessageFilter?
    private let keyset: String
    /// Where the page begins, or before which it ends.
    private let bound: EntryRank?
    private let directions: [Bool]
    private let namesSubject: Bool
    /// The id that was looked at last.
    private(set) var position = ""
    /// Whether the page is there.
    private(set) var isOver = false
    /// Those that are next to the bound, the nearest first; one more than the page has.
    private var kept: [Candidate] = []
    private var count = 0

    /// - Throws: ``EntryScanError``: the filter is malformed, or the place is none of this order.
    init(_ query: DirectoryQuery, keyset: String) throws(EntryScanError) {
        self.query = query
        self.keyset = keyset
        do throws(MessageFilterError) {
            filter = try query.filter.map { text throws(MessageFilterError) in
                try MessageFilter(text)
            }
        } catch {
            throw .filter(error)
        }
        // By their ids alone they are in the order in which they come.
        let orders = query.orders.isEmpty ? [DirectoryQuery.Order(.id)] : query.orders
        directions = orders.map(\.isDescending)
        namesSubject = orders.contains(where: \.isOfSubject)
        if let text = query.after ?? query.before {
            guard let rank = EntryRank(text, count: orders.count) else { throw .place }
            bound = rank
        } else {
            bound = nil
        }
        if query.isInOrderOfIDs, query.before == nil, let bound, !query.counts {
            position = bound.id.string
        }
    }

    /// The only one that is wanted.
    var only: ExactText? { query.id.map(ExactText.init) }

    /// Whose entry has to be looked up for this one; `nil`: nobody's.
    func subject(of entry: DirectoryEntry) -> (id: ExactText, directory: Channel)? {
        guard query.includesSubjects || namesSubject || filter != nil else { return nil }
        let directory: Directory
        switch query.directory {
        case .users, .channels: return nil
        case .members: directory = .users
        case .memberships: directory = .channels
        }
        return (ExactText(entry.id), Channel(directory.channelName, keyset: keyset))
    }

    /// Looks at the next entry.
    ///
    /// - Complexity: O(the filter, and the logarithm of what a page has).
    mutating func look(at entry: DirectoryEntry, _ subject: DirectoryEntry?) {
        position = entry.id
        if let filter {
            let names = query.directory.subjectNames
            let message = FilteredMessage(entry, subject: subject, named: names)
            guard filter.verdict(on: message).isWanted else { return }
        }
        count += 1
        let row = DirectoryPage.Row(entry: entry, subject: query.includesSubjects ? subject : nil)
        let rank = EntryRank(entry, subject, by: query.orders)
        if let bound {
            let isBefore = rank.precedes(bound, directions)
            let isWanted = query.before == nil ? bound.precedes(rank, directions) : isBefore
            guard isWanted else { return }
        }
        insert(Candidate(row: row, rank: rank))
        if query.isInOrderOfIDs, query.before == nil, !query.counts, kept.count > query.limit {
            isOver = true
        }
    }

    private mutating func insert(_ candidate: Candidate) {
        let isBackward = query.before != nil
        var (low, high) = (0, kept.count)
        while low < high {
            let middle = (low + high) / 2
            let isNearer =
                isBackward
                ? candidate.rank.precedes(kept[middle].rank, directions)
                : kept[middle].rank.precedes(candidate.rank, directions)
            if isNearer { low = middle + 1 } else { high = middle }
        }
        guard low <= query.limit else { return }
        kept.insert(candidate, at: low)
        if kept.count > query.limit + 1 { kept.removeLast() }
    }

    /// There are no further entries.
    mutating func end() { isOver = true }

    /// What was found.
    var page: DirectoryPage {
        var found = kept
        var bytes = 0
        let fitting = found.prefix {
            bytes += $0.row.entry.content.utf8.count + ($0.row.subject?.content.utf8.count ?? 0)
            return bytes <= Limits.pageBytesMax
        }
        let size = min(query.limit, max(1, fitting.count))
        let hasMore = found.count > size
        if hasMore { found.removeLast(found.count - size) }
        if query.before != nil { found.reverse() }
        return DirectoryPage(
            rows: found.map(\.row), next: found.last?.rank.text, previous: found.first?.rank.text,
            hasMore: hasMore, count: query.counts ? count : nil)
    }
}

/// Why a directory cannot be asked so.
enum EntryScanError: Error {
    case filter(MessageFilterError)
    /// What an earlier page said belongs to another order, or to none.
    case place
}

extension DirectoryQuery {
    /// Whether entries are wanted in the order in which they are read.
    fileprivate var isInOrderOfIDs: Bool {
        guard let first = orders.first else { return true }
        return first == Order(.id)
    }
}

extension Directory {
    /// What a filter calls the user or channel that a membership is of.
    fileprivate var subjectNames: [String] {
        switch self {
        case .users, .channels: []
        // PubNub's word, and our own; and what an order and an answer call it.
        case .members: ["uuid", "user", "subject"]
        case .memberships: ["channel", "subject"]
        }
    }
}

/// Where an entry is in an order.
private struct EntryRank: Sendable {
    /// One for each key of the order; what is absent comes before everything.
    let values: [ExactText?]
    let id: ExactText

    init(
        _ entry: DirectoryEntry, _ subject: DirectoryEntry?, by orders: [DirectoryQuery.Order]
    ) {
        id = ExactText(entry.id)
        values =
            orders.isEmpty
            ? [id]
            : orders.map { order in
                (order.isOfSubject ? subject : entry)?.value(of: order.key).map(ExactText.init)
            }
    }

    /// Whether it comes before another one.
    ///
    /// - Parameter descending: For each key.
    func precedes(_ other: EntryRank, _ descending: [Bool]) -> Bool {
        for (index, isDescending) in descending.enumerated() {
            let (left, right) = (values[index], other.values[index])
            guard left != right else { continue }
            let isLess = left.map { left in right.map { left < $0 } ?? false } ?? true
            return isLess != isDescending
        }
        return id < other.id
    }

    /// As a page says it: nothing that a client could read anything from.
    var text: String {
        var json = JSONWriter()
        json.beginArray()
        for value in values {
            if let value { json.string(value.string) } else { json.null() }
        }
        json.string(id.string)
        json.endArray()
        return Base64URL.text(json.bytes, isPadded: false)
    }

    /// - Parameter count: Keys of the order.
    init?(_ text: String, count: Int) {
        guard let bytes = Base64URL.bytes(text, isPadded: false),
            let json = try? JSONValue(parsing: bytes, depthMax: 2), json.isArray,
            json.count == count + 1, let id = json.element(at: count).string
        else { return nil }
        self.id = ExactText(id)
        values = (0..<count).map { json.element(at: $0).string.map(ExactText.init) }
    }
}

extension DirectoryEntry {
    /// What it is sorted by; `nil` when it has none.
    fileprivate func value(of key: DirectoryQuery.Order.Key) -> String? {
        switch key {
        case .id: return id
        case .updated: return timetoken.dateText
        case .name, .status, .type:
            let content = try? JSONValue(parsing: content, depthMax: Limits.jsonDepthMax)
            return content?.member(key.rawValue)?.string
        }
    }
}
