// One answer of the server, and the rows in it.

import CLibPQ
public import SQL

/// An answer; cleared when its owner goes away.
@safe struct PostgresResult: ~Copyable {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        unsafe self.handle = unsafe handle
    }

    deinit {
        unsafe PQclear(handle)
    }

    var status: ExecStatusType { unsafe PQresultStatus(handle) }

    var rowCount: Int { unsafe Int(PQntuples(handle)) }

    /// Rows that an INSERT, UPDATE or DELETE changed.
    var changedRows: Int {
        guard let text = unsafe PQcmdTuples(handle) else { return 0 }
        return unsafe Int(String(cString: text)) ?? 0
    }

    /// What was done, in a word.
    var commandTag: String {
        unsafe PQcmdStatus(handle).map { unsafe String(cString: $0) } ?? ""
    }

    /// Types of the parameters of a statement that was described.
    var parameterTypes: [UInt32] {
        unsafe (0..<PQnparams(handle)).map { unsafe PQparamtype(handle, $0) }
    }

    /// Types of the columns of the rows.
    var columnTypes: [UInt32] {
        unsafe (0..<PQnfields(handle)).map { unsafe PQftype(handle, $0) }
    }

    func errorField(_ code: UInt8) -> String? {
        unsafe PQresultErrorField(handle, Int32(code)).map { unsafe String(cString: $0) }
    }

    var errorText: String {
        unsafe PQresultErrorMessage(handle).map { unsafe String(cString: $0) } ?? ""
    }

    /// Lends one row.
    func withRow<Value>(_ index: Int, _ body: (borrowing PostgresRow) -> Value) -> Value {
        unsafe body(PostgresRow(handle, row: Int32(index)))
    }
}

/// OIDs of types, which never change.
///
/// - Source: PostgreSQL's `src/include/catalog/pg_type.dat`.
public enum PostgresType {
    public static let bigint: UInt32 = 20
    public static let text: UInt32 = 25
}

/// A row of an answer, in binary; valid only during the call that lends it.
///
/// Columns count from 0. They are integers of any width, booleans, and texts.
@safe public struct PostgresRow: ~Copyable {
    private let result: OpaquePointer
    private let row: Int32

    init(_ result: OpaquePointer, row: Int32) {
        unsafe self.result = unsafe result
        self.row = row
    }

    /// Another name of the same row, no longer valid than this one.
    public func again() -> PostgresRow { unsafe PostgresRow(result, row: row) }

    /// A column of integers or booleans; 0 for NULL.
    public func integer(_ column: Int32) -> Int64 {
        let bytes = unsafe bytes(column)
        // In the order of the network; the first bit is the sign.
        let start: Int64 = unsafe bytes.first.map { $0 & 0x80 == 0 ? 0 : -1 } ?? 0
        return unsafe bytes.reduce(start) { $0 << 8 | Int64($1) }
    }

    public func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : integer(column)
    }

    /// A column of texts; empty for NULL.
    public func text(_ column: Int32) -> String {
        unsafe String(decoding: bytes(column), as: UTF8.self)
    }

    public func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    /// The first columns as they are.
    public func values(_ count: Int) -> [SQLValue] {
        (0..<Int32(count)).map { column in
            if isNull(column) { return .null }
            return unsafe PQftype(result, column) == PostgresType.text
                ? .text(text(column)) : .integer(integer(column))
        }
    }

    public func isNull(_ column: Int32) -> Bool {
        unsafe PQgetisnull(result, row, column) == 1
    }

    private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }
}
