// Measures what digests and repairs cost: symbols and bytes per difference, nanoseconds per step.

import EventModel

@main
struct ReconciliationBenchmark {
    static func main() throws {
        let world = World(rowCount: 100_000, seed: 1)
        print("Sets of \(world.rows.count) rows; half of the differences on each side.\n")
        DifferenceTable.print(try DifferenceTable.measure(world), rowCount: world.rows.count)
        print("Characters of base64 in a whole repair:\n")
        ExchangeTable.print(try ExchangeTable.measure(world))
        CostTable.print(CostTable.measure(world))
    }
}

func time(_ body: () throws -> Void) rethrows -> Duration {
    try ContinuousClock().measure(body)
}

extension Duration {
    var nanoseconds: Double { self / .nanoseconds(1) }
}

/// A number with some digits behind the point.
func decimal(_ value: Double, _ digits: Int = 2) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int(value * Double(scale) + 0.5)
    guard digits > 0 else { return "\(scaled)" }
    let fraction = "\(scaled % scale)"
    let zeros = String(repeating: "0", count: digits - fraction.utf8.count)
    return "\(scaled / scale).\(zeros)\(fraction)"
}

/// Prints a table in Markdown, as docs/RECONCILIATION.md has it.
func printTable(_ header: [String], _ rows: [[String]]) {
    for cells in [header, header.map { _ in "---" }] + rows {
        print("| \(cells.joined(separator: " | ")) |")
    }
    print()
}
