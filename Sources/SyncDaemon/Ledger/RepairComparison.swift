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

    /// Bytes of a symbol on the wire, roughly; docs/RECONCILIATION.md has measured them.
    private static let symbolBytes = 18
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
            rows.channel(at: snapshot.cursor, snapshot.digest, dropping: drop.sorted()))
    }

    private func needs(_ decoder: RatelessDecoder, rowCount: Int) -> RepairOutcome {
        let worthwhile = max(Self.cheapBytes, rowCount * RepairRows.rowBytes) / Self.symbolBytes
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
