// What goes into a statement's parameters.

import CSQLite
import SQL

extension SQLValue {
    /// Gives it to a parameter; SQLite keeps a copy.
    ///
    /// - Parameter index: Counts from 1.
    /// - Returns: SQLite's result code.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch self {
        case .integer(let number): return unsafe sqlite3_bind_int64(statement, index, number)
        case .null: return unsafe sqlite3_bind_null(statement, index)
        case .text(var text):
            return text.withUTF8 { utf8 in
                unsafe utf8.withMemoryRebound(to: CChar.self) { characters in
                    unsafe sync_sqlite_bind_text(
                        statement, index, characters.baseAddress, Int32(characters.count))
                }
            }
        }
    }
}
