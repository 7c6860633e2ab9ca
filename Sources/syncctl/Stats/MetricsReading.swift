// What a daemon counts, read from the text that it has for Prometheus. Pure.

/// Values by name, and the buckets of histograms; of several with labels the sum.
struct MetricsReading: Hashable, Sendable {
    /// What a histogram counted up to a bound.
    struct Bucket: Hashable, Sendable {
        let bound: Double
        var count: Double
    }

    private var values: [String: Double] = [:]
    private var histograms: [String: [Bucket]] = [:]

    /// What is no sample is passed over.
    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " "),
                let value = Double(line[line.index(after: space)...])
            else { continue }
            add(value, to: line[..<space])
        }
    }

    /// `nil`: the daemon has none of that name, or what it has is no number.
    ///
    /// What is no number equals nothing, itself neither: a daemon's start would never be the same.
    subscript(name: String) -> Double? { values[name].flatMap { $0.isNaN ? nil : $0 } }

    /// Ascending by their bounds, of which the last is infinite.
    func buckets(of histogram: String) -> [Bucket] { histograms[histogram, default: []] }

    private mutating func add(_ value: Double, to sample: Substring) {
        let name = sample.prefix { $0 != "{" }
        guard name.hasSuffix("_bucket"), let bound = Self.bound(of: sample) else {
            return values[String(name), default: 0] += value
        }
        let histogram = String(name.dropLast("_bucket".count))
        var buckets = histograms[histogram, default: []]
        if let index = buckets.firstIndex(where: { $0.bound == bound }) {
            buckets[index].count += value
        } else {
            buckets.append(Bucket(bound: bound, count: value))
        }
        histograms[histogram] = buckets
    }

    private static func bound(of sample: Substring) -> Double? {
        guard let label = sample.firstRange(of: "le=\"") else { return nil }
        return Double(sample[label.upperBound...].prefix { $0 != "\"" })
    }
}

/// What a daemon did between two readings, and what it has at the second.
struct StatsInterval: Hashable, Sendable {
    let before: MetricsReading
    let now: MetricsReading
    let seconds: Double

    /// - Returns: `nil` when another process answered: its counts begin anew.
    init?(from before: MetricsReading, to now: MetricsReading, seconds: Double) {
        let start = "process_start_time_seconds"
        guard seconds > 0, before[start] == now[start] else { return nil }
        (self.before, self.now, self.seconds) = (before, now, seconds)
    }

    /// How much several counters grew together in a second; `nil`: there is none of them.
    func rate(_ names: String...) -> Double? {
        let known = names.filter { now[$0] != nil }
        guard !known.isEmpty else { return nil }
        let growth = known.reduce(0) { $0 + (now[$1] ?? 0) - (before[$1] ?? 0) }
        // Of two endless counts nobody knows how much they grew.
        return growth.isNaN ? nil : max(0, growth) / seconds
    }

    func sum(_ names: String...) -> Double? {
        let known = names.compactMap { now[$0] }
        return known.isEmpty ? nil : known.reduce(0, +)
    }

    /// The bound below which a part of what happened was; `nil`: nothing happened.
    ///
    /// What is beyond the last bound counts as that.
    func bound(of histogram: String, part: Double) -> Double? {
        let (old, new) = (before.buckets(of: histogram), now.buckets(of: histogram))
        let counts = new.map { bucket in
            bucket.count - (old.first { $0.bound == bucket.bound }?.count ?? 0)
        }
        guard let all = counts.last, all > 0 else { return nil }
        let index = counts.firstIndex { $0 >= all * part } ?? counts.count - 1
        let finite = new[index].bound.isFinite ? index : max(0, index - 1)
        return new[finite].bound
    }
}
