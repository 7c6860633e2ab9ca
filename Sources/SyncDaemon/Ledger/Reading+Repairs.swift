// Answering symbols of a device, on either level.

import EventModel

extension Reading {
    mutating func repair(
        _ query: RepairQuery, from reader: any StoreReader, _ caches: ReaderCaches,
        while mayGoOn: () -> Bool
    ) throws(StoreError) -> Step {
        let key = caches.secret.key(of: request.channel)
        switch query.subject {
        case .rows:
            return try repair(query.symbols, from: reader, caches.repairs, while: mayGoOn)
        case .segments(let cursor):
            let outcome = try reader.withSnapshot(of: request.channel) {
                snapshot throws(StoreError) in
                try caches.segments.outcome(
                    query.symbols, heardOf: cursor, in: request.channel, as: snapshot, key: key)
            }
            return .done(answer(.repair(outcome)))
        case .rowsOf(let difference):
            let comparison = RepairComparison(query.symbols, key: key)
            guard comparison.isAcceptable else { return .done(answer(.repair(.snapshot))) }
            var rows = SegmentRows(symbolCount: query.symbols.symbols.count)
            if case .segmentRows(let earlier) = progress { rows = earlier }
            progress = .none
            let outcome = try reader.withSnapshot(of: request.channel) {
                snapshot throws(StoreError) -> RepairOutcome? in
                // What is missing is to be compared, with other symbols than these.
                guard let missing = try rows.fetch(difference, snapshot, key: key) else {
                    return .snapshot
                }
                guard missing.isEmpty else { return .missing(missing) }
                let local = try rows.step(difference, snapshot, key: key, while: mayGoOn)
                guard let local else { return nil }
                return try comparison.outcome(
                    local, with: rows.fetched, comparesNothing: difference.ranges.isEmpty, snapshot
                ).since(difference)
            }
            if let outcome { return .done(answer(.repair(outcome))) }
            progress = .segmentRows(rows)
            return .goesOn
        }
    }

    private mutating func repair(
        _ symbols: SymbolRun, from reader: any StoreReader, _ repairs: RepairCache,
        while mayGoOn: () -> Bool
    ) throws(StoreError) -> Step {
        var work: RepairWork?
        if case .repair(let earlier) = progress { work = earlier }
        // The work is held once: a copy of a channel would be dear.
        progress = .none
        let step = try repairs.step(
            &work, symbols, in: request.channel, from: reader, parking: request, while: mayGoOn)
        switch step {
        case .outcome(let outcome): return .done(answer(.repair(outcome)))
        case .waits: return .waits
        case .goesOn:
            progress = work.map { .repair($0) } ?? .none
            return .goesOn
        }
    }
}

extension RepairOutcome {
    /// What the rows of some segments came to, as part of the channel.
    ///
    /// All others are as of when the segments were compared. If anything changed since, the device
    /// goes on from there, without what came later: the pushes do not say of a message that came
    /// and went that it went.
    fileprivate func since(_ difference: SegmentDifference) -> RepairOutcome {
        guard case .repaired(var channel) = self, channel.digest != difference.digest else {
            return self
        }
        channel.cursor = difference.cursor
        channel.digest = nil
        channel.rows.removeAll { $0.actionTimetoken > difference.cursor }
        channel.messages.removeAll { $0.timetoken > difference.cursor }
        return .repaired(channel)
    }
}
