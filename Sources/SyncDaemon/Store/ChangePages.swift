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
///   - size: Bytes of a row, roughly.
/// - Returns: Whether anything was cut off.
func cut<Row>(_ rows: inout [Row], to limit: Int, size: (Row) -> Int) -> Bool {
    var bytes = 0
    let fitting = rows.prefix(limit).prefix { row in
        bytes += size(row)
        return bytes <= Limits.pageBytesMax
    }
    let kept = max(fitting.count, min(1, rows.count))
    guard kept < rows.count else { return false }
    rows.removeLast(rows.count - kept)
    return true
}

extension StoredMessage {
    func envelope(in channel: Channel) -> Envelope {
        Envelope(channel: channel, timetoken: timetoken, uuid: uuid, event: .message(message))
    }

    /// Bytes that it takes in a reply, roughly.
    var size: Int {
        message.payload.utf8.count + (message.meta?.utf8.count ?? 0) + 128
            + actions.reduce(0) { $0 + $1.size }
    }
}

extension MessageAction {
    /// Bytes that it takes in a reply, roughly.
    var size: Int { key.value.utf8.count + key.uuid.utf8.count + 128 }
}

extension Envelope {
    /// Bytes that it takes in a push, roughly.
    fileprivate var size: Int {
        switch event {
        case .message(let message), .signal(let message):
            message.payload.utf8.count + (message.meta?.utf8.count ?? 0) + 128
        case .actionAdded(let action), .actionRemoved(let action): action.size
        case .messagesDeleted, .presence: 128
        }
    }
}

/// Puts messages and actions of one channel into one ascending page.
///
/// - Parameters:
///   - messagesAreCut, actionsAreCut: Whether rows of that kind may follow the last one here.
///   - last: The newest commit that the reader saw.
func merge(
    _ messages: [Envelope], isCut messagesAreCut: Bool, with actions: [Envelope],
    isCut actionsAreCut: Bool, last: Timetoken
) -> ChangePage {
    // A list that was cut says nothing about what follows its last row: the page ends where it
    // ends.
    let ends = [
        messagesAreCut ? messages.last?.timetoken : nil,
        actionsAreCut ? actions.last?.timetoken : nil,
    ].compactMap { $0 }
    let end = ends.min()
    var budget = PageBudget()
    var page: [Envelope] = []
    for envelope in (messages + actions).sorted(by: { $0.timetoken < $1.timetoken }) {
        if let end, envelope.timetoken > end { break }
        page.append(envelope)
        if !budget.spend(envelope.size) || page.count == Limits.catchUpEventsMax { break }
    }
    let isComplete = end == nil && page.count == messages.count + actions.count
    return ChangePage(
        envelopes: page, through: isComplete ? last : page.last?.timetoken ?? last,
        isComplete: isComplete)
}
