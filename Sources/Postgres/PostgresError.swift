// What PostgreSQL, or the way to it, says when something failed; each room puts it into words of
// its own.

import CLibPQ

/// A failed call of PostgreSQL's.
public struct PostgresError: Error, Hashable {
    /// Five characters, of which the first two are the class of the error; empty when the server
    /// did not say.
    ///
    /// See <https://www.postgresql.org/docs/15/errcodes-appendix.html>.
    public let state: String
    public let message: String
    /// Whether the connection is over: what was under way may have been carried out, or not.
    public let isLost: Bool

    /// Whether the server has no room for a write (`disk_full`); the transaction left no trace.
    public var isFull: Bool { state == "53100" }

    /// Whether pages of a table or an index contradict each other, or cannot be read.
    public var isDamage: Bool { state == "XX001" || state == "XX002" }

    /// Whether something that is to be stored is what no column or index holds (`data_exception`,
    /// `program_limit_exceeded`).
    public var isOfData: Bool { state.hasPrefix("22") || state.hasPrefix("54") }

    init(state: String, message: String, isLost: Bool) {
        self.state = state
        self.message = message
        self.isLost = isLost
    }

    /// What a result says; classes 08 and 57P mean that the server ends the connection.
    init(_ result: borrowing PostgresResult) {
        let state = result.errorField(UInt8(ascii: "C")) ?? ""
        self.init(
            state: state, message: result.errorField(UInt8(ascii: "M")) ?? result.errorText,
            isLost: state.hasPrefix("08") || state.hasPrefix("57P") || state.isEmpty)
    }

    /// Nothing came for as long as the caller waits.
    static func silence(milliseconds: Int32) -> PostgresError {
        PostgresError(
            state: "", message: "the server did not answer within \(milliseconds) ms", isLost: true)
    }
}
