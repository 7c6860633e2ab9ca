// Cutting a channel's changes into pages. Pure, and shared by all stores.

import EventModel

/// Counts what the rows of one kind have cost a page so far.
struct PageBudget {
    private var bytes = 0
    private(set) var isSpent = false

    /// Spends one row's bytes and says whether another row may follow.
    mutating func spend(_ count: Int) -> Bool {
        bytes += count
        if bytes >= Limits.catchUpBytesMax { isSpent = true }
        return !isSpent
    }
}

/// Cuts a page to its limits.
///
/// - Parameters:
///   - rows: At most one more than `limit`; left with at least one, if there was one.
///   - bytesMax: Bytes of all rows together.
///   - size: Bytes of a row, roughly.
/// - Returns: Whether anything was cut off.
func cut<Row>(
    _ rows: inout [Row], to limit: Int, bytesMax: Int = Limits.pageBytesMax, size: (Row) -> Int
) -> Bool {
    var bytes = 0
    let fitting = rows.prefix(limit).prefix { row in
        bytes += size(row)
        return bytes <= bytesMax
    }
    let kept = max(fitting.count, min(1, rows.count))
    guard kept < rows.count else { return false }
    rows.removeLast(rows.count - kept)
    return true
}

extension StoredMessage {
    /// Takes the actions that stand on it, as many as come with a message, and notes the rest.
    ///
    /// - Parameter standing: Ascending; at most one more than come with a message.
    mutating func take(_ standing: [MessageAction]) {
        var actions = standing
        let isCut = cut(&actions, to: Limits.actionsPerHistoryMessageMax, size: \.size)
        self.actions = actions
        moreActions = isCut ? actions.last?.actionTimetoken : nil
    }

    func envelope(in channel: Channel) -> Envelope {
        Envelope(channel: channel, timetoken: timetoken, uuid: uuid, event: .message(message))
    }

    /// Bytes that it takes in a reply, roughly.
    var size: Int {
        message.payload.utf8.count + (message.meta?.utf8.count ?? 0) + 128
            + (edited?.payload.utf8.count ?? 0) + actions.reduce(0) { $0 + $1.size }
    }
}

extension MessageAction {
    /// Bytes that it takes in a reply, roughly.
    var size: Int { key.value.utf8.count + key.uuid.utf8.count + 128 }
}

extension Envelope {
    /// A deletion; who asked for it is not kept.
    static func deletion(
        after start: Timetoken, through end: Timetoken, at timetoken: Timetoken,
        in channel: Channel, gone: Digest? = nil
    ) -> Envelope {
        Envelope(
            channel: channel, timetoken: timetoken, uuid: "",
            event: .messagesDeleted(after: start, through: end), gone: gone)
    }

    /// Bytes that it takes in a push, roughly.
    fileprivate var size: Int {
        switch event {
        case .message(let message), .signal(let message):
            message.payload.utf8.count + (message.meta?.utf8.count ?? 0) + 128
        case .actionAdded(let action), .actionRemoved(let action): action.size
        case .messagesDeleted, .presence, .directory: 128
        case .actionsCleared(let clearing):
            (clearing.value?.utf8.count ?? 0) + (clearing.userID?.utf8.count ?? 0) + 128
        }
    }
}

/// Rows of one kind, as far as they were read.
struct ChangeList {
    /// Ascending by timetoken.
    var envelopes: [Envelope] = []
    /// How far they were looked for, when rows of this kind may follow.
    var cutAt: Timetoken?

    /// Without what is after a position.
    func upTo(_ end: Timetoken) -> ChangeList {
        ChangeList(
            envelopes: envelopes.filter { $0.timetoken <= end },
            cutAt: cutAt.flatMap { $0 <= end ? $0 : nil })
    }
}

/// Puts rows of several kinds of one channel into one ascending page.
///
/// - Parameter last: The newest commit that the reader saw, or as far as it looked.
func merge(_ lists: [ChangeList], last: Timetoken) -> ChangePage {
    // A list that was cut says nothing about what follows: the page ends where it ends.
    let end = lists.compactMap(\.cutAt).min()
    let envelopes = lists.flatMap(\.envelopes).sorted { $0.timetoken < $1.timetoken }
    var budget = PageBudget()
    var page: [Envelope] = []
    var through = end ?? last
    for envelope in envelopes {
        if let end, envelope.timetoken > end { break }
        page.append(envelope)
        if !budget.spend(envelope.size) || page.count == Limits.catchUpEventsMax {
            if end != nil || page.count < envelopes.count { through = envelope.timetoken }
            break
        }
    }
    let isComplete = end == nil && page.count == envelopes.count
    return ChangePage(envelopes: page, through: through, isComplete: isComplete, asOf: last)
}

/// Puts pages of several channels into one, in which nothing is missing up to its end.
struct BacklogMerge {
    /// Ascending by timetoken.
    private(set) var envelopes: [Envelope] = []
    /// Nothing after this will be in the answer: further channels need not be read beyond it.
    private(set) var through: Timetoken
    private let last: Timetoken
    private let limit: Int

    /// - Parameter last: The newest commit that the reader saw.
    init(limit: Int, last: Timetoken) {
        precondition(limit > 0)
        through = last
        self.last = last
        self.limit = limit
    }

    var backlog: Backlog {
        Backlog(envelopes: envelopes, through: through, isComplete: through == last)
    }

    /// Adds what a channel holds; of one that two lists name, it comes once.
    mutating func add(_ page: ChangePage) {
        through = min(through, page.through)
        if !page.envelopes.isEmpty {
            envelopes += page.envelopes
            envelopes.sort { $0.timetoken < $1.timetoken }
            // No two events have one timetoken.
            var before: Timetoken?
            envelopes.removeAll { envelope in
                defer { before = envelope.timetoken }
                return envelope.timetoken == before
            }
        }
        var budget = PageBudget()
        var count = 0
        for envelope in envelopes {
            if envelope.timetoken > through { break }
            count += 1
            guard !budget.spend(envelope.size) || count == limit else { continue }
            if count < envelopes.count { through = envelope.timetoken }
            break
        }
        envelopes.removeLast(envelopes.count - count)
    }
}
