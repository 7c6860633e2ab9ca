// Finds how a device's rows differ from the channel's, and whether that is worth the bytes.

import EventModel

/// What a reader makes of a device's symbols.
enum RepairOutcome: Sendable, Hashable {
    /// They do not tell yet; so many in all will probably do.
    case needs(Int)
    /// Only these segments differ: what they come to tells the way on, or symbols of their rows.
    case segments(SegmentDifference, states: [StretchState])
    /// Of the rows that were to be fetched, these do not stand.
    case missing([Timetoken])
    /// So many segments differ that symbols of all rows are the way on.
    case whole
    case repaired(RepairedChannel)
    /// Everything anew is cheaper, or the symbols contradict themselves.
    case snapshot
}

/// What makes a device's rows those of the server.
struct RepairedChannel: Sendable, Hashable {
    /// The state that the device is brought to.
    var cursor: Timetoken
    /// The channel's digest as of `cursor`; `nil`: not all rows are as of then.
    var digest: Digest?
    /// To be inserted after `drop` was dropped: what stands under a damaged row's timetoken is in
    /// both.
    var rows: [MessageAction]
    /// The same of messages, ascending.
    var messages: [StoredMessage] = []
    /// Timetokens of rows that do not stand, ascending, each once.
    var drop: [Timetoken]
}

/// A device's symbols, to be compared with the channel's.
///
/// The symbols may be hostile: nothing that is read out of them is believed before it was found in
/// the store, and the work is bounded by their number.
struct RepairComparison {
    let key: DigestKey
    private let run: SymbolRun

    /// Bytes of a symbol and of a row on the wire, roughly; docs/RECONCILIATION.md has measured
    /// them.
    private static let symbolBytes = 18
    fileprivate static let rowBytes = 14
    /// Symbols that fit into one command are asked for in any case.
    private static let cheapBytes = Limits.frameBytesMax * 3 / 4

    init(_ run: SymbolRun, key: DigestKey) {
        self.run = run
        self.key = key
    }

    /// Whether these are a set's first symbols, and not too many.
    var isAcceptable: Bool {
        run.first == 0 && run.symbols.count <= Limits.repairSymbolsMax
    }

    /// - Parameters:
    ///   - local: The channel's symbols as of the snapshot, as many as the device's.
    ///   - fetched: Rows as of then that the device gets besides.
    ///   - comparesNothing: The device wants no others, and sent no symbols.
    func outcome(
        _ local: [CodedSymbol], with fetched: RepairRows = RepairRows(),
        comparesNothing: Bool = false, _ snapshot: any ChannelSnapshot
    ) throws(StoreError) -> RepairOutcome {
        // Beyond what is accepted, so that its estimate is not cut short there.
        var decoder = RatelessDecoder(key: key, symbolsMax: RatelessEncoder.indexMax)
        do throws(RepairError) {
            for (remote, local) in zip(run.symbols, local) where !decoder.isDecoded {
                try decoder.add(remote: remote, local: local)
            }
        } catch {
            return .snapshot
        }
        guard decoder.isDecoded || comparesNothing else {
            return needs(decoder, rowCount: Int(clamping: snapshot.digest.count))
        }
        let drop = Set(decoder.onlyRemote.map(\.timetoken))
        // The ledger never gave this one.
        guard !drop.contains(.zero),
            let rows = try rows(decoder.onlyLocal, dropped: drop, with: fetched, snapshot)
        else { return .snapshot }
        return .repaired(
            RepairedChannel(
                cursor: snapshot.cursor, digest: snapshot.digest,
                rows: rows.actions,
                messages: rows.messages.sorted { $0.timetoken < $1.timetoken },
                drop: drop.sorted()))
    }

    private func needs(_ decoder: RatelessDecoder, rowCount: Int) -> RepairOutcome {
        let worthwhile = max(Self.cheapBytes, rowCount * Self.rowBytes) / Self.symbolBytes
        let most = min(Limits.repairSymbolsMax, worthwhile)
        guard decoder.expectedSymbolCount <= most else { return .snapshot }
        return .needs(min(decoder.likelySymbolCount, most))
    }

    /// The rows of what the device lacks; `nil` when they are too long for one answer, or when the
    /// device's symbols made something up.
    ///
    /// - Parameter dropped: A device drops all that it has under a timetoken, so what stands there
    ///   has to be sent.
    private func rows(
        _ items: [RepairItem], dropped: Set<Timetoken>, with fetched: RepairRows,
        _ snapshot: any ChannelSnapshot
    ) throws(StoreError) -> RepairRows? {
        var rows = fetched
        for item in items {
            guard let row = try snapshot.row(at: item.timetoken), self.item(row) == item,
                rows.hold(item.timetoken) || rows.append(row)
            else { return nil }
        }
        for timetoken in dropped where !rows.hold(timetoken) {
            guard let row = try snapshot.row(at: timetoken) else { continue }
            guard rows.append(row) else { return nil }
        }
        return rows
    }

    private func item(_ row: RepairRow) -> RepairItem {
        RepairItem(row.hash(key), timetoken: row.timetoken, key: key)
    }
}

extension ChannelSnapshot {
    /// What stands under a timetoken: the ledger gives each to one row.
    fileprivate func row(at timetoken: Timetoken) throws(StoreError) -> RepairRow? {
        if let action = try action(addedAt: timetoken) { return .action(action) }
        return try message(at: timetoken).map { .message($0) }
    }
}

/// A row as an answer has it.
private enum RepairRow {
    case action(MessageAction)
    case message(StoredMessage)

    var timetoken: Timetoken {
        switch self {
        case .action(let action): action.actionTimetoken
        case .message(let message): message.timetoken
        }
    }

    func hash(_ key: DigestKey) -> RowHash {
        switch self {
        case .action(let action): RowHash(action, key: key)
        case .message(let message): RowHash(message.row, key: key)
        }
    }
}

/// Rows for one answer, each once, and what they cost.
struct RepairRows: Sendable {
    private(set) var actions: [MessageAction] = []
    private(set) var messages: [StoredMessage] = []
    private var texts: Set<ExactText> = []
    private var timetokens: Set<Timetoken> = []
    private var bytes = 0

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

    fileprivate func hold(_ timetoken: Timetoken) -> Bool { timetokens.contains(timetoken) }

    /// - Returns: Whether they still fit.
    fileprivate mutating func append(_ row: RepairRow) -> Bool {
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
        bytes += RepairComparison.rowBytes
        for text in [action.key.type, action.key.value, action.key.uuid]
        where texts.insert(ExactText(text)).inserted {
            bytes += text.utf8.count + 1
        }
    }
}
