// A page of a device's window, from one committed state: the channel's newest segments, or those
// before the ones that the device holds.

import EventModel

/// How a page is made up of segments.
struct WindowReading {
    /// How large a page may become.
    struct Bounds {
        var segmentRows = Limits.segmentRowsMax
        var rows = Limits.windowPageRowsMax
        var bytes = Limits.pageBytesMax
    }

    private let query: OlderQuery
    private let bounds: Bounds
    private let snapshot: any ChannelSnapshot
    /// Where the window starts that the device holds.
    private let end: Timetoken
    private var page: WindowPage

    /// Reads a page.
    ///
    /// It has whole segments: one as long as there is any, and further ones within its bounds.
    ///
    /// - Complexity: O(the device's segments and those of the page, and the rows of these).
    static func page(
        _ query: OlderQuery, from snapshot: any ChannelSnapshot, within bounds: Bounds = Bounds()
    ) throws(StoreError) -> Result<WindowPage, ProtocolError> {
        var reading = WindowReading(query, snapshot, bounds)
        let (segments, isWhole, isBoundary) = try reading.segments()
        guard isBoundary else { return .failure(.noBoundary) }
        guard segments.first.map({ $0.digest.count <= bounds.segmentRows }) ?? true else {
            return .failure(.tooManyRows)
        }
        try reading.read(segments)
        // The oldest segment starts at the channel's beginning, also where nothing was kept.
        if isWhole, reading.page.after == segments.last?.after ?? reading.end {
            reading.page.after = .zero
        }
        return .success(reading.page)
    }

    private init(_ query: OlderQuery, _ snapshot: any ChannelSnapshot, _ bounds: Bounds) {
        self.bounds = bounds
        self.query = query
        self.snapshot = snapshot
        end = query.through ?? .end
        page = WindowPage(
            cursor: snapshot.cursor, after: end, rest: snapshot.digest, state: snapshot.digest)
    }

    /// Takes what the device holds out of the rest.
    ///
    /// - Returns: The segments that the page may be of, the newest first; whether these are all;
    ///   and whether the device's window starts where a segment does.
    private mutating func segments() throws(StoreError) -> ([Segment], Bool, isBoundary: Bool) {
        var found: [Segment] = []
        var (messages, rows) = (0, 0)
        var (isWhole, isBoundary) = (true, end == .end || end == .zero)
        try snapshot.forEachSegment(before: .end) { segment in
            guard segment.after < end else {
                page.rest.remove(segment.digest)
                isBoundary = isBoundary || segment.after == end
                return true
            }
            messages += found.last?.messageCount ?? 0
            rows += Int(segment.digest.count)
            isWhole =
                messages < query.last && (found.isEmpty || rows <= bounds.rows)
            if isWhole { found.append(segment) }
            return isWhole
        }
        return (found, isWhole, isBoundary)
    }

    /// Reads segments until the messages have enough bytes; of rows there are not too many.
    private mutating func read(_ segments: [Segment]) throws(StoreError) {
        var bytes = 0
        for segment in segments {
            guard bytes < bounds.bytes else { break }
            let through = page.after
            var messages: [StoredMessage] = []
            try snapshot.forEachMessage(after: segment.after) { message in
                guard message.timetoken <= through else { return false }
                bytes += message.size
                messages.append(message)
                return true
            }
            page.messages.insert(contentsOf: messages, at: 0)
            // What stands at zero goes with the first message.
            let first = segment.after == .zero ? nil : segment.after.successor(at: 0)
            try snapshot.forEachKey(behind: first.map(MessageAction.Key.before)) { key, action in
                guard key.messageTimetoken <= through else { return false }
                if let action { page.actions.append(action) }
                return true
            }
            page.rest.remove(segment.digest)
            page.after = segment.after
        }
        page.actions.sort { $0.actionTimetoken < $1.actionTimetoken }
    }
}
