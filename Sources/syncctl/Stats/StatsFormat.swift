// What `stats` writes. Pure.

import JSON

enum StatsFormat {
    /// One figure in a line, with what it is.
    static func lines(_ interval: StatsInterval) -> [String] {
        let width = StatsColumn.all.map(\.key.count).max() ?? 0
        return StatsColumn.all.map { column in
            column.key.padded(to: width) + "  "
                + column.text(interval).padded(to: Figure.columns, fromLeft: true) + "  "
                + column.summary
        }
    }

    static let header = row(at: "time") { $0.title }

    /// - Parameter time: For example `10:32:05`.
    static func row(_ interval: StatsInterval, at time: String) -> String {
        row(at: time) { $0.text(interval) }
    }

    private static func row(at time: String, _ cell: (StatsColumn) -> String) -> String {
        ([time.padded(to: 8)]
            + StatsColumn.all.map { cell($0).padded(to: $0.width, fromLeft: true) })
            .joined(separator: " ")
    }

    /// - Parameter moment: Seconds since 1970.
    static func json(_ interval: StatsInterval, at moment: Int) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.name("at")
        json.integer(moment)
        for column in StatsColumn.all {
            guard let value = column.value(interval) else { continue }
            json.name(escaping: column.key)
            json.raw(number(value))
        }
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// JSON has no infinite numbers: they are the greatest that it has.
    private static func number(_ value: Double) -> String {
        let most = Double.greatestFiniteMagnitude
        let finite = min(max(value, -most), most)
        return Int(exactly: finite).map { "\($0)" } ?? "\(finite)"
    }
}
