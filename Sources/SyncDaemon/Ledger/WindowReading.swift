// A page of a device's window, from one committed state: the channel's newest segments, or those
// before the ones that the device holds.

import EventModel

/// How a page is made up of segments, or of a part of one that is too large.
struct WindowReading {
    /// How large a page may become.
    struct Bounds: Sendable {
        var placeRows = Limits.windowPlaceRowsMax
        var partRows = Limits.windowPartRowsMax
        var rows = Limits.windowPageRowsMax
        var bytes = Limits.pageBytesMax
        /// Rows of one segment that may be read without more ado; of more, only what is dear may.
        var cheapRows = Limits.windowCheapRowsMax
    }

    private let query: OlderQuery
    private let key: DigestKey
    private let bounds: Bounds
    private let snapshot: any ChannelSnapshot
    /// Where the window starts that the device holds.
    private let end: Timetoken
    private var page: WindowPage
    private var size = PageSize()

    /// Reads a page.
    ///
    /// It begins where a segment does, within its bounds. One that has not even room for the first
    /// segment begins amid that: where a message or what stands on a timetoken does, of which it
    /// has one in any case.
    ///
    /// - Parameter isDear: Whether it may take long.
    /// - Returns: `nil` when it would, and may not.
    /// - Complexity: O(the device's segments and those of the page, and the rows of these).
    static func page(
        _ query: OlderQuery, from snapshot: any ChannelSnapshot, key: DigestKey,
        within bounds: Bounds = Bounds(), isDear: Bool = true
    ) throws(StoreError) -> Result<WindowPage, ProtocolError>? {
        var reading = WindowReading(query, snapshot, key, bounds)
        var (segments, isWhole, edge) = try reading.segments()
        if query.last > 0, segments.isEmpty, edge == .end { try reading.requireNothing() }
        let isPart = reading.end < edge
        if let first = segments.first, isPart || query.last > 0 {
            // What is deleted and still there is passed over row by row, and nobody counts it.
            let isCheap = first.digest.count <= bounds.cheapRows && !snapshot.hidesRows
            guard isDear || isCheap else { return nil }
            if isPart {
                guard first.digest.count <= bounds.partRows else { return .failure(.tooManyRows) }
                segments[0] = try reading.part(of: first)
            }
        }
        guard query.last > 0 else { return .success(try reading.finished()) }
        try reading.read(segments)
        if let first = segments.first, reading.page.after == reading.end, !reading.size.isEmpty {
            guard isDear else { return nil }
            reading.size = PageSize()
            guard try reading.readPlaces(of: first) else { return .failure(.tooManyRows) }
        }
        // The oldest segment starts at the channel's beginning, also where nothing was kept.
        if isWhole, reading.page.after == segments.last?.after ?? reading.end {
            reading.page.after = .zero
            guard reading.page.rest == .empty else { throw contradiction }
        }
        reading.page.actions.sort { $0.actionTimetoken < $1.actionTimetoken }
        return .success(try reading.finished())
    }

    /// A channel without a segment has no message.
    private func requireNothing() throws(StoreError) {
        var isEmpty = true
        try snapshot.forEachMessage(after: .zero) { _ in
            isEmpty = false
            return false
        }
        guard isEmpty else { throw Self.contradiction }
    }

    /// A whole that is less than its parts is damaged.
    private func finished() throws(StoreError) -> WindowPage {
        guard page.rest.count >= 0 else { throw Self.contradiction }
        return page
    }

    /// What stands before a window; `nil` where that takes long to find out.
    static func rest(
        before after: Timetoken, of snapshot: any ChannelSnapshot, key: DigestKey,
        within bounds: Bounds = Bounds()
    ) throws(StoreError) -> Digest? {
        let query = OlderQuery(channel: "", through: after, last: 0)
        switch try page(query, from: snapshot, key: key, within: bounds, isDear: false) {
        case .success(let page): return page.rest
        case .failure, nil: return nil
        }
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
            // How many it lacks of a segment that it holds a part of is not known.
            let isPart = found.count == 1 && end < edge
            messages += isPart ? 0 : found.last?.messageCount ?? 0
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

    /// Reads segments as long as there is room for all of one.
    private mutating func read(_ segments: [Segment]) throws(StoreError) {
        for segment in segments where page.after == end || size.fits(bounds.rows, bounds.bytes) {
            let range = MessageRange(after: segment.after, through: page.after)
            guard let rows = try rows(on: range, within: bounds.rows) else { break }
            guard digest(of: rows) == segment.digest else { throw Self.contradiction }
            take(rows)
            page.rest.remove(segment.digest)
            page.after = segment.after
        }
    }

    private func digest(of rows: Rows) -> Digest {
        var digest = Digest.empty
        for message in rows.messages { digest.insert(message.row, key: key) }
        for action in rows.actions { digest.insert(action, key: key) }
        return digest
    }

    /// Nobody could ever tell a window right by such a page: who asks is told, and the operator.
    private static let contradiction = StoreError.damaged(
        path: "", reason: "the state of a segment is not that of its rows")

    /// Reads of a segment what is newest, place by place.
    ///
    /// - Returns: Whether it found room for the first one.
    private mutating func readPlaces(of segment: Segment) throws(StoreError) -> Bool {
        while page.after > segment.after {
            let lacked = MessageRange(after: segment.after, through: page.after)
            let start = try snapshot.newestPlace(in: lacked)?.predecessor ?? segment.after
            let isFirst = page.after == end
            let range = MessageRange(after: start, through: page.after)
            let hasRoom =
                page.messages.count < query.last && size.fits(bounds.rows, bounds.bytes)
            guard isFirst || hasRoom else { return true }
            guard
                let rows = try rows(
                    on: range, within: isFirst ? bounds.placeRows : bounds.rows,
                    boundsBytes: !isFirst)
            else { return !isFirst }
            take(rows)
            for message in rows.messages { page.rest.remove(message.row, key: key) }
            for action in rows.actions { page.rest.remove(action, key: key) }
            page.after = start
        }
        return true
    }

    private typealias Rows = (messages: [StoredMessage], actions: [MessageAction])

    /// - Returns: `nil` when the page would become too large.
    private mutating func rows(
        on range: MessageRange, within rowsMax: Int, boundsBytes: Bool = true
    ) throws(StoreError) -> Rows? {
        var rows: Rows = ([], [])
        var hasRoom = true
        let bytesMax = boundsBytes ? bounds.bytes : .max
        try snapshot.forEachMessage(after: range.after) { message in
            guard message.timetoken <= range.through else { return false }
            rows.messages.append(message)
            size.add(message)
            hasRoom = size.fits(rowsMax, bytesMax)
            return hasRoom
        }
        guard hasRoom else { return nil }
        try snapshot.forEachAction(on: range) { action in
            rows.actions.append(action)
            size.add(action)
            hasRoom = size.fits(rowsMax, bytesMax)
            return hasRoom
        }
        return hasRoom ? rows : nil
    }

    private mutating func take(_ rows: Rows) {
        page.messages.insert(contentsOf: rows.messages, at: 0)
        page.actions += rows.actions
    }
}

/// How large a page is, roughly as it is packed: each type and value is there once.
private struct PageSize {
    private var rows = 0
    private var bytes = 0
    private var names: Set<ActionName> = []
    /// The first of them: most actions say one of few things.
    private var first: [ActionName] = []

    var isEmpty: Bool { rows == 0 }

    func fits(_ rowsMax: Int, _ bytesMax: Int) -> Bool { rows <= rowsMax && bytes <= bytesMax }

    mutating func add(_ message: StoredMessage) {
        rows += 1
        bytes += message.size
    }

    mutating func add(_ action: MessageAction) {
        rows += 1
        bytes += 12 + action.key.uuid.utf8.count
        let name = ActionName(action.key)
        guard !first.contains(name), names.insert(name).inserted else { return }
        if first.count < 8 { first.append(name) }
        bytes += action.key.type.utf8.count + action.key.value.utf8.count
    }
}
