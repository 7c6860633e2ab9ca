// What columns hold, of whatever database.

/// What a column holds, or NULL.
public enum SQLType: Sendable, Hashable {
    case integer
    case text
}
