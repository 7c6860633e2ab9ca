// The one row of `clock` as it is in the file: its checksum, and what cannot be true of it.

import EventModel
import SQL

/// What is wrong with the clock of a file, in words.
struct ClockFault: Error, Hashable {
    let reason: String
}

/// What each commit leaves of its end, of time and of counts.
struct ClockRow: Hashable {
    private var last: Int64
    private var ceiling: Int64
    private var boot: String
    private var uptime: Int64
    private var ticks: Int64
    private var age: Int64
    private var mutations: Int64

    init(last: Timetoken, _ record: ClockRecord, mutationCount: Int) {
        let anchor = record.anchor
        self.last = Int64(clamping: last.rawValue)
        ceiling = Int64(clamping: record.ceiling.rawValue)
        boot = anchor?.boot ?? ""
        uptime = Int64(clamping: anchor?.uptime ?? 0)
        ticks = Int64(clamping: anchor?.ticks ?? 0)
        age = Int64(clamping: anchor?.age ?? 0)
        mutations = Int64(mutationCount)
    }

    // MARK: The file

    /// What ``init(reading:)`` expects.
    static let columns = "boot, last, ceiling, uptime, ticks, age, mutations, sum"

    /// The same of a file with an earlier layout.
    static func columns(ofSchema version: Int64) -> String {
        switch version {
        case ..<4: "'', last, 0, 0, 0, 0, 0, NULL"
        case ..<7: "boot, last, ceiling, uptime, ticks, age, 0, NULL"
        case ..<8: "boot, last, ceiling, uptime, ticks, age, mutations, NULL"
        default: columns
        }
    }

    /// For the columns ``columns``, and the checksum of those.
    var values: [SQLValue] {
        [
            .text(boot), .integer(last), .integer(ceiling), .integer(uptime), .integer(ticks),
            .integer(age), .integer(mutations), .integer(sum),
        ]
    }

    /// Reads ``columns``.
    ///
    /// A row with its checksum is what was written. One of an earlier release has none: it must be
    /// possible at least.
    init(reading row: borrowing DatabaseRow) throws(ClockFault) {
        boot = row.text(0)
        guard let last = row.exactInteger(1), let ceiling = row.exactInteger(2),
            let uptime = row.exactInteger(3), let ticks = row.exactInteger(4),
            let age = row.exactInteger(5), let mutations = row.exactInteger(6)
        else { throw ClockFault(reason: "its clock holds something else than numbers") }
        (self.last, self.ceiling, self.uptime) = (last, ceiling, uptime)
        (self.ticks, self.age, self.mutations) = (ticks, age, mutations)
        let sum = row.optionalInteger(7)
        if let sum, sum != self.sum {
            throw ClockFault(reason: "the checksum of its clock is wrong (\(self))")
        }
        let limit = sum == nil ? Int64(Limits.clockTicksMax) : Int64.max / 2
        let areBounded = [last, ceiling, uptime, ticks, age, mutations].allSatisfy {
            (0...limit).contains($0)
        }
        // A file of the first releases has no ceiling.
        guard areBounded, sum != nil || ceiling == 0 || last <= ceiling else {
            throw ClockFault(reason: "its clock is impossible (\(self))")
        }
    }

    /// The row of a file.
    static func read<Failure>(
        _ connection: borrowing DatabaseConnection<Failure>, schema version: Int64,
        damaged: (String) -> Failure
    ) throws(Failure) -> ClockRow {
        try read(
            connection.prepare("SELECT \(columns(ofSchema: version)) FROM clock"), damaged: damaged)
    }

    /// What a statement finds that asks for ``columns``.
    static func read<Failure>(
        _ statement: borrowing DatabaseStatement<Failure>, damaged: (String) -> Failure
    ) throws(Failure) -> ClockRow {
        switch try statement.first(body: { result(of: $0) }) {
        case .success(let row): return row
        case .failure(let fault): throw damaged(fault.reason)
        case nil: throw damaged("its clock is missing")
        }
    }

    /// As ``init(reading:)``.
    private static func result(of row: borrowing DatabaseRow) -> Result<ClockRow, ClockFault> {
        do throws(ClockFault) {
            return .success(try ClockRow(reading: row))
        } catch {
            return .failure(error)
        }
    }

    private var sum: Int64 {
        var sum = RowSum()
        sum.add(boot)
        for number in [last, ceiling, uptime, ticks, age, mutations] {
            sum.add(UInt64(bitPattern: number))
        }
        return sum.value
    }

    // MARK: What it says

    var lastCommit: Timetoken { Timetoken(rawValue: UInt64(clamping: last)) }

    var mutationCount: Int { Int(mutations) }

    var record: ClockRecord {
        let anchor = ClockAnchor(
            boot: boot, uptime: UInt64(clamping: uptime), ticks: UInt64(clamping: ticks),
            age: UInt64(clamping: age))
        return ClockRecord(
            ceiling: Timetoken(rawValue: UInt64(clamping: ceiling)),
            anchor: ticks > 0 ? anchor : nil)
    }
}

extension ClockRow: CustomStringConvertible {
    var description: String {
        "last \(last), ceiling \(ceiling), uptime \(uptime), ticks \(ticks), age \(age), "
            + "mutations \(mutations)"
    }
}
