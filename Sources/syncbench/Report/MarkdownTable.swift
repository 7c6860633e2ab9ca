// Tables that a person can read and a Markdown page can take.

/// A table with a head; the first column is text, the others are numbers.
struct MarkdownTable {
    let head: [String]
    private(set) var rows: [[String]] = []

    init(_ head: [String]) {
        self.head = head
    }

    mutating func add(_ row: [String]) {
        precondition(row.count == head.count, "A row has as many cells as the head.")
        rows.append(row)
    }

    var text: String {
        let widths = head.indices.map { column in
            ([head] + rows).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            let padded = cells.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + space : space + cell
            }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        let rule = widths.enumerated().map { column, width in
            String(repeating: "-", count: max(2, width) + 1) + (column == 0 ? "-" : ":")
        }
        return ([line(head), "|" + rule.joined(separator: "|") + "|"] + rows.map(line))
            .joined(separator: "\n") + "\n"
    }

    /// All values of some measurements of one kind, a row each.
    static func listing(_ records: [Record]) -> String {
        let parameters = Set(records.flatMap(\.parameters.keys)).sorted()
        let metrics = Metric.allCases.filter { metric in
            records.contains { $0.values[metric] != nil }
        }
        var table = MarkdownTable(["server"] + parameters + metrics.map(\.title))
        for record in records {
            table.add(
                [record.server.title]
                    + parameters.map { record.parameters[$0]?.grouped ?? "" }
                    + metrics.map { record.values[$0]?.readable ?? "" })
        }
        return table.text
    }
}
