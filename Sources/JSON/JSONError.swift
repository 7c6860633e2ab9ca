// What can be wrong with a JSON text, in words that its author can act on.

/// A text that is not JSON, or not the JSON that was asked for.
public enum JSONError: Error, Hashable, CustomStringConvertible {
    case notJSON(reason: String, line: Int, column: Int)
    case tooDeep(limit: Int)
    case missingField(String, expected: String)
    case wrongType(String, expected: String)

    public var description: String {
        switch self {
        case .notJSON(let reason, let line, let column):
            "The text is not JSON: \(reason), line \(line), column \(column)."
        case .tooDeep(let limit):
            "The JSON is nested more than \(limit) levels deep."
        case .missingField(let name, let expected):
            "The field \"\(name)\" is missing. It must be \(expected)."
        case .wrongType(let name, let expected):
            "The field \"\(name)\" must be \(expected)."
        }
    }
}
