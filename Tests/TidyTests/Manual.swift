// What docs/OPERATIONS.md has to say about `Limits`.

enum Manual {
    /// Whether a file of the daemon's model is one of limits.
    static func hasLimits(_ path: String) -> Bool {
        path.split(separator: "/").last?.hasPrefix("Limits+") ?? false
    }

    /// Names and values, digits grouped as the manual does: `1,048,576`.
    static func limits(_ file: SourceFile) -> [(name: String, value: String)] {
        file.code.compactMap { line in
            guard let range = line.firstRange(of: "static let ") else { return nil }
            let declaration = line[range.upperBound...].split(separator: "=")
            guard declaration.count == 2, let name = declaration[0].words.first else { return nil }
            let bounds = declaration[1].split(separator: "...").map(product)
            return (String(name), bounds.map(grouped).joined(separator: " to "))
        }
    }

    private static func product(_ text: Substring) -> Int {
        text.split(separator: "*").map { Int($0.filter(\.isNumber)) ?? 0 }.reduce(1, *)
    }

    private static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, (digits.count - digit.offset) % 3 == 0 { text.append(",") }
            text.append(digit.element)
        }
    }
}
