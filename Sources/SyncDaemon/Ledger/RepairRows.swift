// The rows of a repair's answer, within its room.

import EventModel

extension ChannelSnapshot {
    /// What stands under a timetoken: the ledger gives each to one row.
    func row(at timetoken: Timetoken) throws(StoreError) -> RepairRow? {
        if let action = try action(addedAt: timetoken) { return .action(action) }
        return try message(at: timetoken).map { .message($0) }
    }

    /// The rows that came after what a device has heard of, which has none of them, until `body`
    /// answers `false`.
    ///
    /// - Parameter limit: Of changes that are looked through, removals among them.
    /// - Returns: Whether these were all.
    func forEachNews(
        since cursor: Timetoken, through end: Timetoken = .end, limit: Int,
        _ body: (RepairRow) -> Bool
    ) throws(StoreError) -> Bool {
        guard cursor < min(end, self.cursor) else { return true }
        var (left, goesOn) = (limit, true)
        try forEachChange(after: cursor) { _, action in
            left -= 1
            goesOn = left >= 0
            // Other rows have changed in the meantime, too.
            guard goesOn, let action, action.actionTimetoken > cursor, action.actionTimetoken <= end
            else { return goesOn }
            goesOn = body(.action(action))
            return goesOn
        }
        guard goesOn else { return false }
        try forEachMessage(after: cursor) { message in
            guard message.timetoken <= end else { return false }
            left -= 1
            goesOn = left >= 0 && body(.message(message))
            return goesOn
        }
        return goesOn
    }
}

/// A row as an answer has it.
enum RepairRow {
    case action(MessageAction)
    case message(StoredMessage)

    var timetoken: Timetoken {
        switch self {
        case .action(let action): action.actionTimetoken
        case .message(let message): message.timetoken
        }
    }

    /// What a digest covers of it.
    var covered: CoveredRow {
        switch self {
        case .action(let action): .action(action)
        case .message(let message): .message(message.row)
        }
    }

    func hash(_ key: DigestKey) -> RowHash { covered.hash(key) }
}

/// Rows for one answer, each once, and what they cost.
struct RepairRows: Sendable {
    /// Bytes of an action on the wire, roughly, without texts; docs/RECONCILIATION.md has measured
    /// them.
    static let rowBytes = 14

    private(set) var actions: [MessageAction] = []
    private(set) var messages: [StoredMessage] = []
    private var texts: Set<ExactText> = []
    private var timetokens: Set<Timetoken> = []
    private var bytes = 0

    /// What a device gets that lacks these and drops some.
    func channel(
        at cursor: Timetoken, _ digest: Digest, dropping timetokens: [Timetoken] = []
    ) -> RepairedChannel {
        RepairedChannel(
            cursor: cursor, digest: digest, rows: actions,
            messages: messages.sorted { $0.timetoken < $1.timetoken }, drop: timetokens)
    }

    /// Adds rows that are wanted.
    ///
    /// - Returns: The timetokens of those that do not stand; `nil`: together they are too long for
    ///   one answer.
    mutating func fetch(
        _ wanted: [WantedRow], of snapshot: any ChannelSnapshot, key: DigestKey
    ) throws(StoreError) -> [Timetoken]? {
        var missing: [Timetoken] = []
        for wish in wanted where !hold(wish.timetoken) {
            guard let row = try snapshot.row(at: wish.timetoken), row.hash(key).tag == wish.tag
            else {
                missing.append(wish.timetoken)
                continue
            }
            guard append(row) else { return nil }
        }
        return missing
    }

    /// Adds the rows that came after what a device has heard of.
    ///
    /// - Returns: Whether they fit.
    mutating func appendNews(
        since cursor: Timetoken, through end: Timetoken = .end, of snapshot: any ChannelSnapshot,
        limit: Int
    ) throws(StoreError) -> Bool {
        try snapshot.forEachNews(since: cursor, through: end, limit: limit) { append($0) }
    }

    func hold(_ timetoken: Timetoken) -> Bool { timetokens.contains(timetoken) }

    /// - Returns: Whether they still fit.
    mutating func append(_ row: RepairRow) -> Bool {
        timetokens.insert(row.timetoken)
        switch row {
        case .action(let action): append(action)
        case .message(let message):
            messages.append(message)
            bytes += message.size
        }
        return bytes <= Limits.repairBytesMax
    }

    private mutating func append(_ action: MessageAction) {
        actions.append(action)
        bytes += Self.rowBytes
        for text in [action.key.type, action.key.value, action.key.uuid]
        where texts.insert(ExactText(text)).inserted {
            bytes += text.utf8.count + 1
        }
    }
}
