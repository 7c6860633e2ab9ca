// Whether a newer run is worse than an older one.

/// One quantity in two runs.
struct Finding: Hashable {
    let name: String
    let metric: Metric
    /// Ratios to the floor, or plain values.
    let old: Double
    /// `nil` when only the old run measured it.
    let new: Double?
    let isWorse: Bool

    var description: String {
        let change = new.map { "\(old.readable) → \($0.readable)" } ?? "\(old.readable) → gone"
        return "\(isWorse ? "worse" : "ok   ")  \(name)  \(metric.rawValue)  \(change)"
    }
}

/// Compares runs that may have been made on different machines.
enum Comparison {
    /// - Parameter tolerance: By how much a value may be worse, as a fraction: ratios vary by about
    ///   a tenth from run to run.
    static func findings(old: [Record], new: [Record], tolerance: Double) -> [Finding] {
        old.filter { $0.server == .syncdaemon }.flatMap { record in
            let after = new.first { $0.server == .syncdaemon && $0.isLike(record) }
            return record.values.keys.sorted { $0.rawValue < $1.rawValue }.compactMap {
                finding($0, record, after, old, new, tolerance)
            }
        }
    }

    private static func finding(
        _ metric: Metric, _ before: Record, _ after: Record?, _ old: [Record], _ new: [Record],
        _ tolerance: Double
    ) -> Finding? {
        var lowerIsBetter = true
        let values: (old: Double?, new: Double?)
        switch metric.comparison {
        case .none: return nil
        case .plain: values = (before.values[metric], after?.values[metric])
        case .toFloor(let lower):
            lowerIsBetter = lower
            values = (
                ratio(metric, of: before, in: old), after.flatMap { ratio(metric, of: $0, in: new) }
            )
        }
        guard let value = values.old else { return nil }
        let isWorse =
            values.new.map {
                lowerIsBetter
                    ? $0 > value * (1 + tolerance) : $0 < value / (1 + tolerance)
            } ?? true
        return Finding(
            name: before.name, metric: metric, old: value, new: values.new, isWorse: isWorse)
    }

    /// `nil` when the floor was not measured beside it.
    private static func ratio(_ metric: Metric, of record: Record, in run: [Record]) -> Double? {
        let floor = run.first { $0.server == .floor && $0.isLike(record) }
        guard let own = record.values[metric], let least = floor?.values[metric], least > 0 else {
            return nil
        }
        return own / least
    }
}
