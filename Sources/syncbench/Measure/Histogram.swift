// Counts durations in buckets whose width grows with the value, as HdrHistogram does.

/// Durations in nanoseconds, with percentiles that are right to 1 %.
///
/// Its size does not depend on how many it has counted. Longer than an hour counts as an hour.
struct Histogram {
    /// Each power of two is divided into this many buckets.
    private static let shares = 128
    private static let longest: UInt64 = 3_600_000_000_000

    private var buckets = [Int](repeating: 0, count: 45 * shares)
    private(set) var count = 0

    mutating func add(_ nanoseconds: UInt64) {
        buckets[Self.bucket(of: min(nanoseconds, Self.longest))] += 1
        count += 1
    }

    /// The duration that `share` (0 to 1) of all are not longer than; `nil` when there are none.
    func percentile(_ share: Double) -> Double? {
        guard count > 0 else { return nil }
        var rest = max(1, Int((Double(count) * share).rounded(.up)))
        for (bucket, number) in buckets.enumerated() {
            rest -= number
            if rest <= 0 { return Self.middle(of: bucket) }
        }
        return nil
    }

    /// Below 256 every value has a bucket of its own; above, a bucket holds 1/128 to 1/256 of
    /// its value.
    private static func bucket(of value: UInt64) -> Int {
        let bits = UInt64.bitWidth - value.leadingZeroBitCount
        let shift = max(0, bits - 8)
        return shift * shares + Int(value >> UInt64(shift))
    }

    private static func middle(of bucket: Int) -> Double {
        let shift = max(0, bucket / shares - 1)
        let lowest = UInt64(bucket - shift * shares) << UInt64(shift)
        return Double(lowest) + (Double(UInt64(1) << UInt64(shift)) - 1) / 2
    }
}
