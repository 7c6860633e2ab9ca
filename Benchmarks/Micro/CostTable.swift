// What was measured, as a table in Markdown.

/// Operations with their costs, in the order in which they were measured.
struct CostTable {
    struct Row {
        let operation: String
        let cost: Cost
    }

    private(set) var rows: [Row] = []

    mutating func add(_ operation: String, _ cost: Cost) {
        rows.append(Row(operation: operation, cost: cost))
    }

    var text: String {
        let head = ["operation", "ns", "allocations"]
        let cells = rows.map { row in
            [
                row.operation, decimal(row.cost.nanoseconds, row.cost.nanoseconds < 100 ? 1 : 0),
                decimal(row.cost.allocations, 3),
            ]
        }
        return ([head, ["---", "--:", "--:"]] + cells)
            .map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }
}

/// A number with some digits behind the point.
func decimal(_ value: Double, _ digits: Int) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((value.magnitude * Double(scale)).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(scaled)" }
    let fraction = "\(scaled % scale)"
    let zeros = String(repeating: "0", count: digits - fraction.utf8.count)
    return "\(sign)\(scaled / scale).\(zeros)\(fraction)"
}
