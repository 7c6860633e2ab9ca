// Cutting a channel's changes into pages. Pure, and shared by all stores.

import EventModel

/// Counts what a page has cost so far, per kind of row.
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
    /// Bytes that it takes in a reply, roughly.
    var size: Int { message.payload.utf8.count + (message.meta?.utf8.count ?? 0) + 128 }
}

extension MessageAction {
    /// Bytes that it takes in a reply, roughly.
    var size: Int { key.value.utf8.count + key.uuid.utf8.count + 128 }
}

/// Puts messages and actions of one channel into one ascending page.
///
/// - Parameters:
///   - stoppedEarly: Whether reading either list ended before its rows did.
///   - last: The newest commit that the reader saw.
func merge(
    _ messages: [Envelope], _ actions: [Envelope], stoppedEarly: Bool, last: Timetoken
) -> ChangePage {
    var merged = (messages + actions).sorted { $0.timetoken < $1.timetoken }
    let isFull =
        stoppedEarly || messages.count >= Limits.catchUpEventsMax
        || actions.count >= Limits.catchUpEventsMax
    guard isFull else { return ChangePage(envelopes: merged, through: last, isComplete: true) }

    // A list that was cut says nothing about what follows its last row: the page ends where the
    // first ends.
    let ends = [messages.last?.timetoken, actions.last?.timetoken].compactMap { $0 }
    let through = ends.min() ?? last
    merged.removeAll { $0.timetoken > through }
    return ChangePage(envelopes: merged, through: through, isComplete: false)
}
