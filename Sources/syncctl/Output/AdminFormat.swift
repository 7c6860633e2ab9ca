// What a daemon answers to operators, for people. Pure.
//
// It knows no command: lists become tables, and all else a line each.

import JSON

enum AdminFormat {
    /// Lines without their ends.
    static func lines(of answer: JSONValue) -> [String] {
        let members = answer.members
        let width = members.filter { !$0.value.isArray }.map(\.name.count).max() ?? 0
        return members.flatMap { name, value -> [String] in
            guard value.isArray else {
                return [name.padded(to: width) + "  " + cell(value)]
            }
            let elements = (0..<value.count).map { value.element(at: $0) }
            if elements.isEmpty { return ["\(name): none"] }
            guard elements.allSatisfy(\.isObject) else {
                return ["\(name): " + elements.map(cell).joined(separator: ", ")]
            }
            return members.count == 1 ? table(elements) : table(elements) + [""]
        }.droppingLastEmpty
    }

    /// Columns in the order in which they come up; what a row lacks is a dash.
    private static func table(_ rows: [JSONValue]) -> [String] {
        var columns: [String] = []
        for name in rows.flatMap(\.memberNames) where !columns.contains(name) {
            columns.append(name)
        }
        let cells =
            [columns]
            + rows.map { row in columns.map { name in row.member(name).map(cell) ?? "-" } }
        let widths = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ").trimmingEnd
        }
    }

    /// Elements of a list within a table: a column is as wide as its longest cell.
    private static let elementsMax = 3

    private static func cell(_ value: JSONValue) -> String {
        // What somebody called themselves is not to move the cursor of a terminal.
        if let text = value.string { return text.isEmpty ? "-" : printableName(text) }
        if value.isArray {
            let shown = min(value.count, elementsMax)
            let elements = (0..<shown).map { cell(value.element(at: $0)) }
            let more = value.count > shown ? ", and \(value.count - shown) more: see --json" : ""
            return elements.isEmpty ? "-" : elements.joined(separator: ", ") + more
        }
        guard value.isObject else {
            return value.bool.map { $0 ? "yes" : "no" } ?? value.compactText
        }
        // What a tenant has of something, beside what it may have.
        if let held = value.member("held")?.integer, let quota = value.member("quota")?.integer {
            let refused = value.member("refused")?.integer ?? 0
            return "\(held)/\(quota)" + (refused > 0 ? " (\(refused) refused)" : "")
        }
        return value.members.map { "\($0.name)=\(cell($0.value))" }.joined(separator: " ")
    }
}

extension String {
    fileprivate var trimmingEnd: String {
        String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
    }
}

extension [String] {
    fileprivate var droppingLastEmpty: [String] { last?.isEmpty == true ? Array(dropLast()) : self }
}
