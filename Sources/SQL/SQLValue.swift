// What goes into a statement's parameters, of whatever database.

public import EventModel

/// One argument of a statement.
public enum SQLValue: Sendable, Hashable {
    case integer(Int64)
    case text(String)
    case null

    public static func timetoken(_ timetoken: Timetoken) -> SQLValue {
        .integer(Int64(clamping: timetoken.rawValue))
    }

    /// All 64 bits, as they are.
    public static func word(_ word: UInt64) -> SQLValue {
        .integer(Int64(bitPattern: word))
    }

    public static func optional(_ timetoken: Timetoken?) -> SQLValue {
        timetoken.map { .timetoken($0) } ?? .null
    }

    public static func optional(_ text: String?) -> SQLValue {
        text.map { .text($0) } ?? .null
    }
}
