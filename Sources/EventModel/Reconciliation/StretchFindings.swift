// What a device reads out of the states of the stretches in which its rows are not the server's.

/// A row of a stretch that is compared.
package struct StretchRow {
    /// Which of the stretches it is in.
    let stretch: Int
    let hash: RowHash
    /// Its own.
    let timetoken: Timetoken

    package init(in stretch: Int, _ hash: RowHash, at timetoken: Timetoken) {
        self.stretch = stretch
        self.hash = hash
        self.timetoken = timetoken
    }
}

/// The rows in which a device's stretches differ from the server's, where it is one.
///
/// Where a row of the device's is too much its hash proves it. One that the device lacks is named
/// by the sums alone: more differences than one may come to what looks like one, and then the
/// server says that no such row stands.
package struct StretchFindings: Hashable, Sendable {
    /// Which rows to fetch, and which stretches symbols are needed of.
    package private(set) var choice = RepairChoice(fetch: [], only: [])
    /// The timetokens of the device's rows that do not stand, ascending.
    package private(set) var dropped: [Timetoken] = []
    /// Where each of ``RepairChoice/fetch`` is lacking.
    private var lacking: [Timetoken: Lacking] = [:]
    /// Rows that differ in ``RepairChoice/only``, at least.
    private var differences = 0

    private struct Lacking: Hashable {
        let row: WantedRow
        let stretch: Int
    }

    /// - Parameters:
    ///   - rows: All that the device has in the stretches.
    ///   - states: The server's, of each stretch.
    /// - Complexity: O(rows + stretches).
    package init(_ rows: [StretchRow], comparedWith states: [StretchState]) {
        var own = Array(repeating: StretchState.empty, count: states.count)
        for row in rows { own[row.stretch].insert(row.hash, at: row.timetoken) }
        var tooMuch: [Timetoken: (stretch: Int, lane: UInt64)] = [:]
        for (stretch, state) in states.enumerated() where state != own[stretch] {
            let more = state.less(own[stretch])
            let less = own[stretch].less(state)
            if let row = more.onlyRow, lacking[row.timetoken] == nil {
                lacking[row.timetoken] = Lacking(row: row, stretch: stretch)
            } else if let row = less.onlyRow, tooMuch[row.timetoken] == nil {
                tooMuch[row.timetoken] = (stretch, less.lane)
            } else {
                compare(stretch, more.count)
            }
        }
        for row in rows {
            guard let found = tooMuch[row.timetoken], found.stretch == row.stretch,
                found.lane == row.hash.hash.first
            else { continue }
            tooMuch[row.timetoken] = nil
            dropped.append(row.timetoken)
        }
        for found in tooMuch.values { compare(found.stretch, -1) }
        choice.only.sort()
        choice.fetch = fetched
        dropped.sort()
    }

    /// Hears that these do not stand: more than one row differs where they were to be.
    ///
    /// - Returns: Whether they were among those to be fetched.
    package mutating func miss(_ timetokens: [Timetoken]) -> Bool {
        let stretches = timetokens.compactMap { lacking.removeValue(forKey: $0)?.stretch }
        guard !stretches.isEmpty, stretches.count == timetokens.count else { return false }
        choice.fetch = fetched
        for stretch in stretches { compare(stretch, 1) }
        choice.only.sort()
        return true
    }

    private var fetched: [WantedRow] {
        lacking.values.map(\.row).sorted { $0.timetoken < $1.timetoken }
    }

    /// - Parameter excess: Rows that the server has more.
    private mutating func compare(_ stretch: Int, _ excess: Int64) {
        choice.only.append(stretch)
        // As many differ, or two more for each that one side lacks as well: one is three then.
        let least = max(2, excess.magnitude == 1 ? 3 : excess.magnitude)
        differences += Int(clamping: min(least, UInt64(Limits.repairSymbolsMax)))
    }

    /// Symbols of the rows of ``RepairChoice/only`` that will probably do.
    package var symbolCount: Int {
        guard differences > 0 else { return 0 }
        return min(
            RatelessDecoder.symbolCount(differences: differences + differences / 8),
            Limits.repairSymbolsMax)
    }
}
