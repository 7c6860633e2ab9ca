// The daemon's `/metrics`, read.

/// Numbers by name, in Prometheus' text format 0.0.4.
struct MetricsText {
    private let values: [Substring: Int]

    init(_ text: String) {
        values = text.split(separator: "\n").reduce(into: [:]) { values, line in
            let fields = line.split(separator: " ")
            guard fields.count == 2, line.first != "#", let number = Int(fields[1]) else { return }
            values[fields[0]] = number
        }
    }

    /// - Parameter name: Without the prefix `syncdaemon_`.
    /// - Throws: When there is none of this name: it must not pass for a zero.
    func value(_ name: String) throws(BenchError) -> Int {
        guard let value = values[Substring("syncdaemon_" + name)] else {
            throw BenchError("The daemon's /metrics has no syncdaemon_\(name).")
        }
        return value
    }
}
