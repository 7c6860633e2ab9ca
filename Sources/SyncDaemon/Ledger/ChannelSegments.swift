// The segments of one channel that were written to lately, as the open transaction has them.

import EventModel

/// Keeps segments in step with the rows that they are of, and cuts a new one when the newest is
/// full.
struct ChannelSegments {
    private struct Part {
        var segment: Segment
        /// Where it ends.
        var through: Timetoken
        /// Whether the store has another state of it.
        var isChanged = false
    }

    /// Ascending, with gaps: what is not here is as the store has it.
    private var parts: [Part] = []

    var count: Int { parts.count }

    /// - Returns: Where the segment starts that the row is in.
    mutating func insert(
        _ row: CoveredRow, _ hash: RowHash, in channel: Channel, of store: any Store
    ) throws(StoreError) -> Timetoken {
        let index = try index(of: row.message, in: channel, store)
        parts[index].segment.insert(row, hash)
        parts[index].isChanged = true
        return parts[index].segment.after
    }

    mutating func remove(
        _ row: CoveredRow, _ hash: RowHash, in channel: Channel, of store: any Store
    ) throws(StoreError) -> Timetoken {
        let index = try index(of: row.message, in: channel, store)
        parts[index].segment.remove(row, hash)
        parts[index].isChanged = true
        return parts[index].segment.after
    }

    /// Takes out what a deletion takes of one segment.
    mutating func remove(
        _ part: Segment, in channel: Channel, of store: any Store
    ) throws(StoreError) {
        let index = try index(of: part.after.successor(at: 0), in: channel, store)
        parts[index].segment.remove(part)
        parts[index].isChanged = true
    }

    /// Ends the newest segment before a message that is about to come, if it is full.
    ///
    /// Actions on timetokens that are still to come go with the new one; where they are many, the
    /// segment grows on.
    ///
    /// - Precondition: The message is later than all of the channel.
    mutating func cut(
        before message: Timetoken, ofMessages most: Int, in channel: Channel, of store: any Store,
        key: DigestKey
    ) throws(StoreError) {
        let index = try index(of: message, in: channel, store)
        let messages = parts[index].segment.messageCount
        // Now and then where it could not be ended at once.
        guard messages >= most, messages % most == 0 else { return }
        var next = Segment(after: message.predecessor)
        let rest = try store.scanActions(
            from: .first(onMessageAfter: next.after), through: .end, of: channel,
            limit: Limits.segmentActionsMovedMax,
            body: { next.insert(.action($0), RowHash($0, key: key)) })
        guard rest == nil else { return }
        parts[index].segment.remove(next)
        parts[index].through = next.after
        parts[index].isChanged = true
        parts.append(Part(segment: next, through: .end, isChanged: true))
    }

    /// Writes what changed.
    mutating func write(to store: any Store, of channel: Channel) throws(StoreError) {
        for index in parts.indices where parts[index].isChanged {
            try store.setSegment(parts[index].segment, of: channel)
            parts[index].isChanged = false
        }
    }

    /// Empties the segments that start at `start` or later, and before `end`, in the store, too.
    mutating func empty(
        from start: Timetoken, before end: Timetoken, of channel: Channel, in store: any Store
    ) throws(StoreError) {
        parts.removeAll { $0.segment.after >= start && $0.segment.after < end }
        try store.emptySegments(from: start, before: end, of: channel)
    }

    /// Whether the store has what is here.
    var isWritten: Bool { parts.allSatisfy { !$0.isChanged } }

    /// The newest of those that are here.
    func newest(_ count: Int) -> [(segment: Segment, through: Timetoken)] {
        parts.suffix(count).map { ($0.segment, $0.through) }
    }

    private mutating func index(
        of message: Timetoken, in channel: Channel, _ store: any Store
    ) throws(StoreError) -> Int {
        // Nothing is at zero, but somebody may react to it.
        let message = max(message, Timetoken.zero.successor(at: 0))
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].segment.after < message { low = middle + 1 } else { high = middle }
        }
        if low > 0, message <= parts[low - 1].through { return low - 1 }
        let (segment, through) = try store.segment(of: message, in: channel)
        parts.insert(Part(segment: segment, through: through), at: low)
        return low
    }
}
