// The segments of one channel that were written to lately, as the open transaction has them.

import EventModel

/// Keeps segments in step with the rows that they are of.
///
/// They begin with those messages that stand and begin one: whoever has the messages knows where.
/// Seldom they do not: while a large deletion is read, which sorts by segments, none is cut or
/// joined, nor cut where many actions would have to move. And none grows beyond what can be read at
/// once, whoever chooses what is deleted and reacted to: then one begins where no message says so.
struct ChannelSegments {
    private struct Part {
        var segment: Segment
        /// Where it ends.
        var through: Timetoken
        /// Whether the store has another state of it.
        var isChanged = false
        /// Rows that it had when it could not be cut in two: with twice as many it is tried again.
        var unsplit: Int64 = 0
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

    /// - Parameter bounds: `nil` where its segment may not become part of the one before it.
    mutating func remove(
        _ row: CoveredRow, _ hash: RowHash, joinedBy bounds: SegmentBounds?, in channel: Channel,
        of store: any Store
    ) throws(StoreError) -> Timetoken {
        let index = try index(of: row.message, in: channel, store)
        parts[index].segment.remove(row, hash)
        parts[index].isChanged = true
        let start = parts[index].segment.after
        if let bounds, case .message(let message) = row, message.timetoken.predecessor == start {
            try join(index, by: bounds, in: channel, store)
        }
        return start
    }

    /// Takes out what a deletion takes of one segment.
    mutating func remove(
        _ part: Segment, in channel: Channel, of store: any Store
    ) throws(StoreError) {
        let index = try index(of: part.after.successor(at: 0), in: channel, store)
        parts[index].segment.remove(part)
        parts[index].isChanged = true
    }

    /// Ends a segment before a message that is about to come, if that begins one, or if the one
    /// before it has as many as it may.
    ///
    /// What is on timetokens behind it goes with the new one: most often actions on some that are
    /// still to come. Where that is much, the segment grows on.
    ///
    /// - Parameters:
    ///   - isNewest: Whether the message is later than all of the channel.
    mutating func cut(
        before message: Timetoken, by bounds: SegmentBounds, isNewest: Bool, in channel: Channel,
        of store: any Store, key: DigestKey
    ) throws(StoreError) {
        let index = try index(of: message, in: channel, store)
        let isFull = isNewest && parts[index].segment.messageCount >= bounds.messagesMax
        guard isFull || message.beginsSegment(ofMessages: bounds.messages) else { return }
        let (start, end) = (parts[index].segment.after, parts[index].through)
        guard start < message.predecessor else { return }
        var next = Segment(after: message.predecessor)
        let limit = Limits.segmentActionsMovedMax + 1
        if !isNewest {
            let rest = try store.scanMessages(
                in: MessageRange(after: next.after, through: end), of: channel, limit: limit,
                body: { next.insert(.message($0), RowHash($0, key: key)) })
            guard rest == nil else { return }
        }
        let rest = try store.scanActions(
            from: .first(onMessageAfter: next.after), through: end, of: channel, limit: limit,
            body: { next.insert(.action($0), RowHash($0, key: key)) })
        guard rest == nil else { return }
        parts[index].segment.remove(next)
        parts[index].through = next.after
        parts[index].isChanged = true
        parts.insert(Part(segment: next, through: end, isChanged: true), at: index + 1)
    }

    /// Writes what changed.
    ///
    /// - Parameter digest: The channel's.
    mutating func write(
        _ digest: Digest, to store: any Store, of channel: Channel
    ) throws(StoreError) {
        if let only = parts.first, only.segment.after == .zero, only.through == .end,
            only.segment.digest == digest
        {
            parts[0].isChanged = false
            return try store.setWhole(only.segment, of: channel)
        }
        try store.setDigest(digest, of: channel)
        for index in parts.indices where parts[index].isChanged {
            try store.setSegment(parts[index].segment, of: channel)
            parts[index].isChanged = false
        }
    }

    /// Removes whole segments with all that is in them.
    ///
    /// Those that start at `start` or later, and before `end`: the one before them goes on there.
    mutating func removeWhole(
        from start: Timetoken, before end: Timetoken, of channel: Channel, in store: any Store
    ) throws(StoreError) {
        parts.removeAll { $0.segment.after >= start && $0.segment.after < end }
        for index in parts.indices where parts[index].through == start {
            parts[index].through = end
        }
        try store.removeSegments(from: start, before: end, of: channel)
    }

    /// Joins the segments at both ends of a deletion with the ones before them, if the messages
    /// that they began with are gone.
    ///
    /// - Precondition: Those that the deletion took whole were removed.
    mutating func join(
        around range: MessageRange, by bounds: SegmentBounds, in channel: Channel,
        of store: any Store
    ) throws(StoreError) {
        for message in [range.through, range.after.successor(at: 0)] {
            let index = try index(of: message, in: channel, store)
            let start = parts[index].segment.after
            guard start >= range.after, start < range.through else { continue }
            try join(index, by: bounds, in: channel, store)
        }
    }

    /// Makes a segment part of the one before it, unless the two are too much for one.
    private mutating func join(
        _ index: Int, by bounds: SegmentBounds, in channel: Channel, _ store: any Store
    ) throws(StoreError) {
        let part = parts[index]
        let start = part.segment.after
        guard start > .zero else { return }
        let before = try self.index(of: start, in: channel, store)
        var joined = parts[before].segment
        joined.insert(part.segment)
        let isOne =
            joined.messageCount <= bounds.messagesMax && joined.digest.count <= bounds.rowsMax
        guard isOne else { return }
        try store.removeSegments(from: start, before: start.successor(at: 0), of: channel)
        parts.remove(at: before + 1)
        parts[before].segment = joined
        parts[before].through = part.through
        parts[before].isChanged = true
    }

    /// Cuts those in two that came to have very many rows.
    ///
    /// - Precondition: All that was counted is in the store, and nothing else.
    /// - Complexity: O(rows up to the cut), seldom: once for each ``SegmentBounds/rowsMax`` that
    ///   come, and where all are on one timetoken once they are twice as many.
    mutating func split(
        by bounds: SegmentBounds, in channel: Channel, of store: any Store, key: DigestKey
    ) throws(StoreError) {
        var index = 0
        while index < parts.count {
            defer { index += 1 }
            let part = parts[index]
            let count = part.segment.digest.count
            guard part.isChanged, count > bounds.rowsMax, count / 2 >= part.unsplit else {
                continue
            }
            guard let (head, tail) = try undamagedHalves(of: part, in: channel, store, key) else {
                parts[index].unsplit = count
                continue
            }
            parts[index].segment = head
            parts[index].through = tail.after
            parts.insert(
                Part(segment: tail, through: part.through, isChanged: true), at: index + 1)
            index += 1
        }
    }

    /// What is damaged is found by who reads it: it does not keep others from writing.
    private func undamagedHalves(
        of part: Part, in channel: Channel, _ store: any Store, _ key: DigestKey
    ) throws(StoreError) -> (head: Segment, tail: Segment)? {
        do throws(StoreError) {
            return try halves(of: part, in: channel, store, key)
        } catch {
            guard case .damaged = error else { throw error }
            return nil
        }
    }

    private func halves(
        of part: Part, in channel: Channel, _ store: any Store, _ key: DigestKey
    ) throws(StoreError) -> (head: Segment, tail: Segment)? {
        let range = MessageRange(after: part.segment.after, through: part.through)
        var messages: [MessageRow] = []
        let rest = try store.scanMessages(
            in: range, of: channel, limit: Limits.segmentRowsScannedMax,
            body: { messages.append($0) })
        guard rest == nil else { return nil }
        var split = SegmentSplit(part.segment, messages: messages, key: key)
        var next: MessageAction.Key? = .first(onMessageAfter: range.after)
        var looked = 0
        while let start = next, !split.isDone, looked < Limits.segmentRowsScannedMax {
            next = try store.scanActions(
                from: start, through: range.through, of: channel,
                limit: Limits.segmentScanRows, body: { split.take($0) })
            looked += Limits.segmentScanRows
        }
        if next == nil { split.end() }
        return split.halves
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
