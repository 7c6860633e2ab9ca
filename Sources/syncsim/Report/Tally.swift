// How often everything happened: a run in which nothing went wrong proves nothing.

/// Counts by name.
struct Tally {
    private(set) var counts: [String: Int] = [:]

    mutating func count(_ name: String, _ amount: Int = 1) {
        counts[name, default: 0] += amount
    }

    mutating func add(_ other: Tally) {
        for (name, amount) in other.counts { count(name, amount) }
    }

    /// One line: `name=count;…`, in the order of the names.
    var text: String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ";")
    }

    init() {}

    /// Reads ``text``.
    init(_ text: some StringProtocol) {
        for part in text.split(separator: ";") {
            guard let sign = part.lastIndex(of: "="),
                let amount = Int(part[part.index(after: sign)...])
            else { continue }
            counts[String(part[..<sign])] = amount
        }
    }
}
