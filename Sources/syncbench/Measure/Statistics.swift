// Small sums over measurements.

extension Collection<Double> {
    /// The middle one; the mean of the middle two of an even number; `nil` of none.
    var median: Double? {
        let ordered = sorted()
        guard !ordered.isEmpty else { return nil }
        let middle = ordered.count / 2
        return ordered.count % 2 == 1
            ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2
    }
}

extension Double {
    /// Three significant digits at least, no more than a person reads: `0.342`, `5.61`, `12,345`.
    var readable: String {
        guard isFinite else { return "–" }
        if self == 0 { return "0" }
        let size = magnitude
        if size >= 100 { return Int(rounded()).grouped }
        return fixed(size >= 10 ? 1 : size >= 1 ? 2 : 3)
    }

    /// With this many digits behind the point, at most 9.
    func fixed(_ digits: Int) -> String {
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((magnitude * Double(scale)).rounded())
        let sign = self < 0 && scaled > 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % scale)
        let zeros = String(repeating: "0", count: digits - fraction.count)
        return "\(sign)\(scaled / scale).\(zeros)\(fraction)"
    }
}

extension Int {
    /// Digits in groups of three: `12,345`.
    var grouped: String {
        let digits = Array(String(magnitude))
        let text = digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, (digits.count - digit.offset) % 3 == 0 { text.append(",") }
            text.append(digit.element)
        }
        return self < 0 ? "-\(text)" : text
    }
}
