// Statements are written once, in what both databases understand; what is left is put into a
// database's own words here.
//
// What statements may use beyond SQL that both have:
//
// - `?` and `?1` for parameters;
// - `INDEXED BY name`, which SQLite obeys; PostgreSQL's planner is told by its session's settings;
// - `{value}` and `{?1}` for the value of an action where it is looked up or sorted: a value may be
//   longer than an index of PostgreSQL's takes, and is found there by its beginning and a hash;
// - `ifnull` and `bytes(x)`, the length of a text in bytes.

/// Whose words a statement is in.
enum DatabaseDialect {
    case sqlite
    case postgres

    /// A statement in the database's own words.
    func statement(_ sql: String) -> String {
        switch self {
        case .sqlite: Self.sqlite(sql)
        case .postgres: Self.postgres(sql)
        }
    }

    /// How a transaction begins that writes.
    var beginWriting: String {
        switch self {
        case .sqlite: "BEGIN IMMEDIATE"
        case .postgres: "BEGIN"
        }
    }

    /// How a transaction begins all whose statements see one state.
    var beginReading: String {
        switch self {
        case .sqlite: "BEGIN"
        case .postgres: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        }
    }

    /// Entries `i` of an index of actions, with what they lead to as `a`.
    ///
    /// SQLite goes from the index to the rows by a join, so that an entry without its row comes as
    /// one without `live`: its own way from an index passes over it in silence.
    func actions(by index: String) -> String {
        switch self {
        case .sqlite:
            """
            FROM action AS i INDEXED BY \(index) LEFT JOIN action AS a
            ON (a.channel, a.message, a.type, a.value, a.uuid)
            = (i.channel, i.message, i.type, i.value, i.uuid)
            """
        case .postgres:
            """
            FROM action AS i CROSS JOIN LATERAL (SELECT i.added, i.live, i.sum, i.score) AS a
            """
        }
    }

    /// The id of a directory's entry, of a row of `message`.
    var entryID: String {
        switch self {
        case .sqlite: SQLiteSchema.entryID
        case .postgres: PostgresSchema.entryID
        }
    }

    private static func sqlite(_ sql: String) -> String {
        replaceCalls(of: "bytes", in: sql) { "length(CAST(\($0) AS BLOB))" }
            .filter { $0 != "{" && $0 != "}" }
    }

    private static func postgres(_ sql: String) -> String {
        var text = replaceCalls(of: "bytes", in: sql) { "octet_length(\($0))" }
        text = text.replacing("ifnull(", with: "coalesce(")
        text = numberParameters(of: withoutIndexNames(text))
        var parts = text.split(separator: "{", omittingEmptySubsequences: false)[...]
        text = String(parts.removeFirst())
        for part in parts {
            let value = part.prefix { $0 != "}" }
            text += PostgresSchema.valueKey(value) + part.dropFirst(value.count + 1)
        }
        return text
    }

    /// Turns each `?` into `$1`, `$2` …, and each `?1` into `$1`.
    private static func numberParameters(of sql: String) -> String {
        var text = ""
        var count = 0
        var isQuoted = false
        var rest = sql[...]
        while let character = rest.popFirst() {
            if character == "'" { isQuoted.toggle() }
            guard character == "?", !isQuoted else {
                text.append(character)
                continue
            }
            let digits = rest.prefix { $0.isNumber }
            rest = rest.dropFirst(digits.count)
            count += 1
            text += digits.isEmpty ? "$\(count)" : "$\(digits)"
        }
        return text
    }

    private static func withoutIndexNames(_ sql: String) -> String {
        var parts = sql.split(separator: "INDEXED BY ", omittingEmptySubsequences: false)[...]
        var text = String(parts.removeFirst())
        for part in parts { text += part.drop { $0.isLetter || $0 == "_" } }
        return text
    }

    /// Replaces calls of a function whose argument has no parentheses.
    private static func replaceCalls(
        of name: String, in sql: String, with call: (Substring) -> String
    ) -> String {
        var parts = sql.split(separator: "\(name)(", omittingEmptySubsequences: false)[...]
        var text = String(parts.removeFirst())
        for part in parts {
            let argument = part.prefix { $0 != ")" }
            text += call(argument) + part.dropFirst(argument.count + 1)
        }
        return text
    }
}
