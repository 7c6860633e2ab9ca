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
    private let key: DigestKey
    private let bounds: Bounds
    private let snapshot: any ChannelSnapshot
    /// Where the window starts that the device holds.
    private let end: Timetoken
    private var page: WindowPage

    /// Reads a page.
    ///
    /// It begins where a segment does: it has one as long as there is any, or what the device does
    /// not hold of one, and further ones within its bounds.
    ///
    /// - Complexity: O(the device's segments and those of the page, and the rows of these).
    static func page(
        _ query: OlderQuery, from snapshot: any ChannelSnapshot, key: DigestKey,
        within bounds: Bounds = Bounds()
    ) throws(StoreError) -> Result<WindowPage, ProtocolError> {
        var reading = WindowReading(query, snapshot, key, bounds)
        var (segments, isWhole, edge) = try reading.segments()
        if let first = segments.first, reading.end < edge || query.last > 0 {
            guard first.digest.count <= bounds.segmentRows else { return .failure(.tooManyRows) }
            if reading.end < edge { segments[0] = try reading.part(of: first) }
        }
        guard query.last > 0 else { return .success(reading.page) }
        try reading.read(segments)
        // The oldest segment starts at the channel's beginning, also where nothing was kept.
        if isWhole, reading.page.after == segments.last?.after ?? reading.end {
            reading.page.after = .zero
        }
        return .success(reading.page)
    }

    /// What stands before a window.
    static func rest(
        before after: Timetoken, of snapshot: any ChannelSnapshot, key: DigestKey
    ) throws(StoreError) -> Result<Digest, ProtocolError> {
        try page(OlderQuery(channel: "", through: after, last: 0), from: snapshot, key: key)
            .map(\.rest)
    }

    private init(
        _ query: OlderQuery, _ snapshot: any ChannelSnapshot, _ key: DigestKey, _ bounds: Bounds
    ) {
        self.key = key
        self.bounds = bounds
        self.query = query
        self.snapshot = snapshot
        end = query.through ?? .end
        page = WindowPage(
            cursor: snapshot.cursor, after: end, rest: snapshot.digest, state: snapshot.digest)
    }

    /// Takes the segments that the device holds out of the rest.
    ///
    /// - Returns: Those that the page may be of, the newest first; whether these are all; and where
    ///   the first one ends.
    private mutating func segments() throws(StoreError) -> ([Segment], Bool, edge: Timetoken) {
        var found: [Segment] = []
        var edge = Timetoken.end
        var (messages, rows, isWhole) = (0, 0, true)
        try snapshot.forEachSegment(before: .end) { segment in
            guard segment.after < end else {
                page.rest.remove(segment.digest)
                edge = segment.after
                return true
            }
            messages += found.last?.messageCount ?? 0
            rows += Int(segment.digest.count)
            isWhole = found.isEmpty || messages < query.last && rows <= bounds.rows
            if isWhole { found.append(segment) }
            return isWhole
        }
        return (found, isWhole, edge)
    }

    /// What the device does not hold of the segment in which its window starts.
    private mutating func part(of segment: Segment) throws(StoreError) -> Segment {
        var part = Segment(after: segment.after)
        let lacked = MessageRange(after: part.after, through: end)
        try snapshot.forEachMessage(in: lacked) {
            part.insert(.message($0.row), RowHash($0.row, key: key))
        }
        try snapshot.forEachAction(on: lacked) {
            part.insert(.action($0), RowHash($0, key: key))
        }
        var held = segment.digest
        held.remove(part.digest)
        page.rest.remove(held)
        return part
    }

    /// Reads segments until the messages have enough bytes; of rows there are not too many.
    private mutating func read(_ segments: [Segment]) throws(StoreError) {
        var bytes = 0
        for segment in segments {
            guard bytes < bounds.bytes else { break }
            var messages: [StoredMessage] = []
            let range = MessageRange(after: segment.after, through: page.after)
            try snapshot.forEachMessage(in: range) { message in
                bytes += message.size
                messages.append(message)
            }
            page.messages.insert(contentsOf: messages, at: 0)
            try snapshot.forEachAction(on: range) { page.actions.append($0) }
            page.rest.remove(segment.digest)
            page.after = segment.after
        }
        page.actions.sort { $0.actionTimetoken < $1.actionTimetoken }
    }
}
