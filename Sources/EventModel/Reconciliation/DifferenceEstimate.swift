// How far two sets are apart, before their difference is decoded.
//
// Let Δ be the difference of the sets' sizes, which is the count in symbol 0, and d the number of
// items that only one of them holds. The count in symbol i is a sum of d terms, each ±1 with
// probability ρ = ρ(i): its mean is ρΔ and its variance ρ(1 - ρ)d. So the mean over i of
// (count - ρΔ)² / (ρ(1 - ρ)) is d, give or take √(2 / n) of it after n symbols.

/// A running estimate from the symbols' counts alone.
struct DifferenceEstimate: Sendable {
    private var net = 0.0
    private var sum = 0.0
    private var terms = 0.0

    /// Takes the count of the difference at the next index.
    mutating func add(_ count: Int64, at index: Int) {
        guard index > 0 else {
            net = Double(count)
            return
        }
        let density = 2 / (Double(index) + 2)
        let deviation = Double(count) - density * net
        sum += deviation * deviation / (density * (1 - density))
        terms += 1
    }

    /// The estimate: at least the difference of the sizes; 0 before there is any.
    var differences: Double {
        max(net.magnitude, terms > 0 ? sum / terms : 0)
    }

    /// More differences than this make such an estimate in 1 of 1,000 cases.
    ///
    /// A sum of n squares of normal deviations is χ² with n degrees of freedom; its cube root is
    /// nearly normal, with a variance of 2 / 9n (Wilson and Hilferty, 1931).
    var differencesAtMost: Double {
        guard terms > 0 else { return differences }
        let variance = 2 / (9 * terms)
        let root = 1 - variance - 3.09 * variance.squareRoot()
        // Of very few terms any estimate is possible.
        return differences / max(0.1, root * root * root)
    }
}
