// Where a segment with very many rows is best cut in two. Pure.

import EventModel

/// How a ledger cuts its channels into segments.
struct SegmentBounds: Sendable {
    /// Messages of a segment on average, 1 or more.
    var messages = Limits.segmentMessages
    /// Messages and actions of a segment that is not cut in two.
    var rowsMax = Limits.segmentRowsMax
    /// Messages of a segment before the next one begins another.
    var messagesMax: Int { messages * Limits.segmentMeansMax }
}

/// Looks for the timetoken that halves a segment, from its beginning on.
///
/// It takes the rows in the order of their messages, and is done where the first half is over: what
/// comes behind is what the segment has more.
struct SegmentSplit {
    private let whole: Segment
    private let key: DigestKey
    /// Those that were not reached, ascending.
    private var messages: ArraySlice<MessageRow>
    /// What is before ``place``.
    private var head: Segment
    private var place: Timetoken
    private var best: (cut: Timetoken, head: Segment)?
    private(set) var isDone = false

    /// - Parameter messages: The segment's, ascending.
    init(_ whole: Segment, messages: [MessageRow], key: DigestKey) {
        self.whole = whole
        self.key = key
        self.messages = messages[...]
        head = Segment(after: whole.after)
        place = whole.after
    }

    mutating func take(_ action: MessageAction) {
        takeMessages(through: action.key.messageTimetoken)
        reach(action.key.messageTimetoken)
        insert(.action(action))
    }

    /// There are no more actions.
    mutating func end() { takeMessages(through: .end) }

    /// The two that it becomes; `nil`: all of it is on one timetoken.
    var halves: (head: Segment, tail: Segment)? {
        guard let best else { return nil }
        var tail = Segment(after: best.cut)
        tail.insert(whole)
        tail.remove(best.head)
        return (best.head, tail)
    }

    private mutating func takeMessages(through end: Timetoken) {
        while let message = messages.first, message.timetoken <= end {
            reach(message.timetoken)
            insert(.message(message))
            messages.removeFirst()
        }
    }

    private mutating func insert(_ row: CoveredRow) {
        guard !isDone else { return }
        head.insert(row, row.hash(key))
    }

    /// All rows on timetokens before this one were taken.
    private mutating func reach(_ next: Timetoken) {
        guard !isDone, next > place else { return }
        place = next
        let (before, all) = (head.digest.count, whole.digest.count)
        guard before > 0 else { return }
        let larger = max(before, all - before)
        let known = best.map { max($0.head.digest.count, all - $0.head.digest.count) } ?? all
        if larger < known { best = (next.predecessor, head) }
        isDone = 2 * before >= all
    }
}
