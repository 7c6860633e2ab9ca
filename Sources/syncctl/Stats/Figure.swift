// Numbers for narrow columns. Pure.

/// A number in at most four columns: `0.25`, `9.5`, `120`, `1.2k`, `12M`.
enum Figure {
    static let columns = 4
    /// By thousands.
    private static let signs = ["", "k", "M", "G", "T", "P"]

    /// - Returns: For what is no number `-`.
    static func text(_ value: Double) -> String {
        guard !value.isNaN else { return "-" }
        var (scaled, power) = (max(0, value), 0)
        // Rounded it would have four digits.
        while scaled >= 999.5, power < signs.count - 1 {
            scaled /= 1000
            power += 1
        }
        return digits(scaled, isScaled: power > 0) + signs[power]
    }

    private static func digits(_ value: Double, isScaled: Bool) -> String {
        if value == value.rounded(), !isScaled { return whole(value) }
        if value < 0.995, !isScaled { return decimals(value, 2) }
        if value < 9.95 { return decimals(value, 1) }
        return whole(value)
    }

    private static func whole(_ value: Double) -> String {
        String(Int(min(value, 999).rounded()))
    }

    private static func decimals(_ value: Double, _ count: Int) -> String {
        let power = count == 1 ? 10 : 100
        let all = Int((value * Double(power)).rounded())
        let rest = String(all % power)
        return "\(all / power)." + String(repeating: "0", count: count - rest.count) + rest
    }
}
